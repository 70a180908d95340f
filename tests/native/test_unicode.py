"""The characters of compiled code."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.native.unicode_ranges import header

TABLES = Path(__file__).parents[2] / "skord" / "native" / "text" / "unicode_ranges.hpp"


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="Python knows another Unicode")
def test_tables_are_those_of_python_3_11():
    assert TABLES.read_text(encoding="utf-8") == header()
