"""The commands of `python -m pipeline`."""
