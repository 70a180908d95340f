"""The measures that FilterDocuments takes of every text, and the limits in force."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from typing import Any

from pipeline.export import ExportCorpus
from pipeline.quality_filtering import FilterDocuments
from skord.cli.json_output import print_json
from skord.cli.parser import nearest_word
from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.quality.features import SETS, features_of_extras, limitable_features


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    check_settings()
    sets = list(dict.fromkeys([*SETS, *(feature.set for feature in features_of_extras())]))
    if options.set not in (None, *sets):
        raise ConfigError(f"--set {options.set}: {nearest_word(options.set, sets)}")
    if options.json:
        print_json(list(feature_rows(options.set)))
    else:
        print("\n".join(feature_lines(options.set)))


def feature_rows(only_set: str | None = None) -> Iterator[dict[str, Any]]:
    """What `feature_lines` says, as values; None where there is no limit."""
    in_force = limits_in_force()
    for feature in limitable_features():
        if only_set in (None, feature.set):
            limits = in_force.get(feature.name, (feature.low, feature.high))
            low, high = (limit if math.isfinite(limit) else None for limit in limits)
            yield {
                **{name: getattr(feature, name) for name in ("name", "set", "unit")},
                "description": feature.description,
                "source": feature.source,
                "low": low,
                "high": high,
                "decides": feature.name in in_force,
            }


def feature_lines(only_set: str | None = None) -> Iterator[str]:
    """A line for each feature under the name of its set, and what it is under that."""
    in_force = limits_in_force()
    shown_set = None
    for feature in limitable_features():
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


def limits_in_force(dump: str = "") -> dict[str, tuple[float, float]]:
    """The limits of FilterDocuments, and those of the export on what tasks on request measure."""
    later = {feature.name for feature in features_of_extras()}
    at_export = ExportCorpus(dump=dump).limits_in_force()
    return {
        **FilterDocuments(dump=dump).feature_limits(),
        **{name: pair for name, pair in at_export.items() if name in later},
    }


def _shown(limit: float) -> str:
    return "-" if math.isinf(limit) else f"{limit:g}"
