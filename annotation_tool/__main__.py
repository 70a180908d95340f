"""The command line; see `backend.commands`."""

import sys

from skord.annotation_tool.backend.commands import main

if __name__ == "__main__":
    sys.exit(main())
