"""Models that the pipeline loads: their code, their recipes, and small weights."""
