"""Main text beside other extractors: its quality, its CPU, and the classifier's alone."""
