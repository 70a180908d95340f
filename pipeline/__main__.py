"""`python -m pipeline …`, the same as `skord …`."""

import sys

from pipeline.cli.main import entry, main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(entry())
