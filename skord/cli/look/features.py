"""The measures that FilterDocuments takes of every text, and the limits in force."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from pipeline.export import ExportCorpus
from pipeline.quality_filtering import FilterDocuments
from skord.cli.json_output import print_asked
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
    print_asked(options, list(feature_rows(options.set)), feature_lines(options.set))


def feature_rows(only_set: str | None = None) -> Iterator[dict[str, Any]]:
    """The features, with the limits in force, or else those suggested; None for no limit."""
    in_force = limits_in_force()
    for feature in limitable_features():
        if only_set in (None, feature.set):
            limits = in_force.get(feature.name, (feature.low, feature.high))
            low, high = (limit if math.isfinite(limit) else None for limit in limits)
            about = ("name", "set", "unit", "description", "source")
            yield {
                **{name: getattr(feature, name) for name in about},
                "low": low,
                "high": high,
                "decides": feature.name in in_force,
            }


def feature_lines(only_set: str | None = None) -> Iterator[str]:
    """A line for each feature under the name of its set, and what it is under that."""
    for name, of_set in groupby(feature_rows(only_set), key=lambda row: row["set"]):
        yield f"[{name}]"
        for row in of_set:
            low, high = ("-" if row[end] is None else f"{row[end]:g}" for end in ("low", "high"))
            sign = "*" if row["decides"] else " "
            yield f"{sign} {row['name']:<38}{low:>8}{high:>9}  {row['unit']}"
            yield f"    {row['description']} ({row['source']})"


def limits_in_force(dump: str = "") -> dict[str, tuple[float, float]]:
    """The limits of FilterDocuments, and those of the export on what tasks on request measure."""
    later = {feature.name for feature in features_of_extras()}
    at_export = ExportCorpus(dump=dump).limits_in_force()
    return {
        **FilterDocuments(dump=dump).feature_limits(),
        **{name: pair for name, pair in at_export.items() if name in later},
    }
