"""The commands of `skord`, one module each; `python -m pipeline` is the same."""
