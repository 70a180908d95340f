"""Write the two tables that reading a page needs, out of Python's own: run by hand, kept in git.

    python pipeline/native/html/make_tables.py

`character_references.inc` holds HTML's named character references (`html.entities.html5`, which
is the table of WHATWG HTML, section 13.5), sorted by their bytes. `letters.inc` says of every
code point whether it is a letter or digit (`str.isalnum`), its lower case
(`str.lower`), and what a capital sigma needs to know of its neighbours (Unicode, section 3.13,
Final_Sigma). Both come from one version of Unicode, so that a page reads alike under
every version of Python.
"""

from __future__ import annotations

import unicodedata
from html.entities import html5
from pathlib import Path

FOLDER = Path(__file__).parent
BLOCK = 128
ALNUM, CASED, CASE_IGNORABLE = 1, 2, 4


def _quoted(text: str) -> str:
    return '"' + "".join(f"\\{byte:03o}" for byte in text.encode()) + '"'


def references() -> str:
    """Each name without its `&`, and the characters it stands for."""
    names = sorted(html5, key=str.encode)
    lines = (f'{{"{name}", {_quoted(html5[name])}}},\n' for name in names)
    return "// Made by make_tables.py: names of character references, sorted.\n" + "".join(lines)


def _entry(code: int) -> int:
    """Traits in the lowest three bits, above them how far away the lower case is."""
    if 0xD800 <= code < 0xE000:
        return 0
    char = chr(code)
    is_cased = (char + "\u03a3").lower().endswith("\u03c2")
    is_ignorable = not is_cased and ("A" + char + "\u03a3").lower().endswith("\u03c2")
    lower = char.lower()
    distance = ord(lower) - code if len(lower) == 1 else 0
    traits = ALNUM * char.isalnum() | CASED * is_cased | CASE_IGNORABLE * is_ignorable
    return distance * 8 + traits


def _table(kind: str, name: str, numbers: list[int]) -> str:
    rows = [numbers[at : at + 16] for at in range(0, len(numbers), 16)]
    body = "".join("    " + ", ".join(map(str, row)) + ",\n" for row in rows)
    return f"constexpr {kind} {name}[] = {{\n{body}}};\n"


def letters() -> str:
    """Two tables: the block of each 128 code points, and the different blocks one by one."""
    blocks: dict[tuple[int, ...], int] = {}
    numbers = [
        blocks.setdefault(tuple(map(_entry, range(start, start + BLOCK))), len(blocks))
        for start in range(0, 0x110000, BLOCK)
    ]
    entries = [entry for block in blocks for entry in block]
    return (
        f"// Made by make_tables.py of Unicode {unicodedata.unidata_version}.\n"
        + _table("uint16_t", "kBlockOf", numbers)
        + _table("int32_t", "kEntries", entries)
    )


if __name__ == "__main__":
    (FOLDER / "character_references.inc").write_text(references())
    (FOLDER / "letters.inc").write_text(letters())
