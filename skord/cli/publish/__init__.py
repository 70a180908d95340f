"""Commands about the published corpus: export, rebuild, removals."""
