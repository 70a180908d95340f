"""What each header says of itself: compilers differ in what one header brings with another."""

import re

import pytest

from tests.conftest import ROOT

HEADERS = sorted((ROOT / "skord/native").rglob("*.hpp"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda path: path.stem)
def test_a_header_that_names_integers_by_their_width_includes_them(header):
    """GCC 13 and later no longer bring them with <string>."""
    text = header.read_text()
    if re.search(r"\bu?int(8|16|32|64)_t\b", text):
        assert "#include <cstdint>" in text
