"""`python -m pipeline …`, the same as `skord …`."""

import sys

from skord.cli.entry import entry

if __name__ == "__main__":
    sys.exit(entry())
