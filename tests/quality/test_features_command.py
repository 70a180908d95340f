"""The command shows every measure as the settings have it."""

from __future__ import annotations

import pytest

from skord.cli.look.features import feature_lines, feature_rows
from skord.core.failures import ConfigError
from skord.quality.features import FEATURES, features_of_extras
from skord.quality.limits import SETS

URL = "is_url_blacklisted"


def test_command_stars_what_decides(settings):
    settings('[FilterDocuments]\nfeature_sets = ["url"]\nlimits = {"num_words": [7, 9]}\n')

    lines = list(feature_lines())

    starred = [line.split()[1:4] for line in lines if line.startswith("*")]
    assert starred == [["num_words", "7", "9"], ["is_url_blacklisted", "0", "0"]]
    later = dict.fromkeys(feature.set for feature in features_of_extras())
    assert [line[1:-1] for line in lines if line.startswith("[")] == [*SETS, *later]
    assert len(list(feature_lines("c4"))) == 1 + 2 * 3


def test_command_tells_a_wrong_setting(settings):
    settings('[FilterDocuments]\nlimits = {"entropy": [7, 9]}\n')

    with pytest.raises(ConfigError, match="no feature 'entropy'"):
        list(feature_lines())


def test_rows_for_programs_are_those_of_the_set_that_is_asked_for(settings):
    settings('[FilterDocuments]\nfeature_sets = ["url"]\nlimits = {"num_words": [7, 9]}\n')
    rows = {row["name"]: row for row in feature_rows()}
    assert len(rows) == len(FEATURES) + len(features_of_extras())
    assert [name for name, row in rows.items() if row["decides"]] == ["num_words", URL]
    assert (rows["num_words"]["low"], rows["num_words"]["high"]) == (7, 9)
    assert None in {row["high"] for row in rows.values()}, "JSON knows no infinity"
    only = list(feature_rows("url"))
    assert {row["set"] for row in only} == {"url"}
    assert [row["name"] for row in only] == [URL]
