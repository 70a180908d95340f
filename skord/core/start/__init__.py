"""What comes before any work: what is imported, and what can be known beforehand."""
