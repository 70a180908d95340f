"""What each header says of itself: compilers differ in what one header brings with another."""

import re

from tests.conftest import ROOT

HEADERS = sorted((ROOT / "skord/native").rglob("*.hpp"))


def test_headers_that_name_integers_by_their_width_include_them():
    """GCC 13 and later no longer bring them with <string>."""
    texts = {header.name: header.read_text() for header in HEADERS}
    naming = {n for n, text in texts.items() if re.search(r"\bu?int(8|16|32|64)_t\b", text)}

    assert len(naming) > 20
    assert [name for name in naming if "#include <cstdint>" not in texts[name]] == []
