"""Near-duplicates by MinHash: signatures, matching out of core, resolution."""
