"""`python -m pipeline …`, the same as `skord …`."""

import sys

from pipeline.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
