"""Make one item of one task: what an array job calls, and what a person can type.

    python -m skord.core.run_shard ConvertToMarkdown '{"dump": "2024-10"}' shard 42

Parameters that are not named come from luigi.cfg. The item is made even when it is
there already.
"""

from __future__ import annotations

import json
import sys

from luigi.parameter import ParameterException

from skord.core.error_messages import sentence_of
from skord.core.failures import PipelineError
from skord.core.work_item import WorkItem, run_item

USAGE_ERROR = 2

USAGE = 'usage: python -m skord.core.run_shard TASK \'{"dump": "…"}\' PHASE NUMBER'


def main(arguments: list[str]) -> int:
    """Run the command line; returns the exit status."""
    if len(arguments) != 4 or not arguments[3].isdigit() or not _is_object(arguments[1]):
        print(USAGE, file=sys.stderr)
        return USAGE_ERROR
    family, params, phase, number = arguments
    try:
        run_item(WorkItem(family, params, phase, int(number)))
    except PipelineError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 1
    except ParameterException as error:
        print(sentence_of(error), file=sys.stderr)
        return USAGE_ERROR
    return 0


def _is_object(params: str) -> bool:
    try:
        return isinstance(json.loads(params), dict)
    except ValueError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
