"""README names every measure, and the command shows them as the settings have it."""

from __future__ import annotations

import re

import pytest

from pipeline.cli.features import feature_lines
from pipeline.core.failures import ConfigError
from pipeline.quality.limits import FEATURES, SETS
from tests.conftest import ROOT


def test_readme_has_every_set_and_every_measure():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    _, _, section = readme.partition("## What is measured")
    table = dict(re.findall(r"^\| (\w+) \| (.*) \|$", section.partition("\n## ")[0], re.MULTILINE))

    assert [name for name in table if name != "set"] == list(SETS)
    for feature in FEATURES:
        is_between = re.fullmatch(r"(top_3|duplicate_[6-9])_gram_char_ratio", feature.name)
        assert is_between or f"`{feature.name}`" in table[feature.set], feature.name


def test_command_stars_what_decides(settings):
    settings('[FilterDocuments]\nfeature_sets = ["url"]\nlimits = {"num_words": [7, 9]}\n')

    lines = list(feature_lines())

    starred = [line.split()[1:4] for line in lines if line.startswith("*")]
    assert starred == [["num_words", "7", "9"], ["is_url_blacklisted", "0", "0"]]
    assert [line for line in lines if line.startswith("[")] == [f"[{name}]" for name in SETS]
    assert len(list(feature_lines("c4"))) == 1 + 2 * 3


def test_command_tells_a_wrong_setting(settings):
    settings('[FilterDocuments]\nlimits = {"entropy": [7, 9]}\n')

    with pytest.raises(ConfigError, match="no feature 'entropy'"):
        list(feature_lines())
