"""The measures that FilterDocuments takes of every text, and the limits in force."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

from pipeline.quality.limits import FEATURES, SETS
from pipeline.quality_filtering import FilterDocuments


def add_features(commands: Any) -> None:
    """Add the command to the command line."""
    command = commands.add_parser(
        "features",
        help="the measures of a text, their limits, and which of them decide",
        description=f"{__doc__} A star marks those that decide, as the settings have it.",
    )
    command.add_argument("--set", choices=SETS, help="one feature set; all when left out")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print the table."""
    print("\n".join(feature_lines(args.set)))
    return 0


def feature_lines(only_set: str | None = None) -> Iterator[str]:
    """A line for each feature under the name of its set, and what it is under that.

    Raises:
        ConfigError: the settings name a limit or a set that there is not.
    """
    in_force = FilterDocuments(dump="").feature_limits()
    shown_set = None
    for feature in FEATURES:
        if only_set not in (None, feature.set):
            continue
        if feature.set != shown_set:
            yield f"[{feature.set}]"
            shown_set = feature.set
        decides = feature.name in in_force
        low, high = in_force.get(feature.name, (feature.low, feature.high))
        yield (
            f"{'*' if decides else ' '} {feature.name:<38}{_shown(low):>8}{_shown(high):>9}"
            f"  {feature.unit}"
        )
        yield f"    {feature.description} ({feature.source})"


def _shown(limit: float) -> str:
    return "-" if math.isinf(limit) else f"{limit:g}"
