"""Mojibake in lines that compiled code cannot tell of."""

from __future__ import annotations

from collections.abc import Sequence

import ftfy


def mended_by_ftfy(text: str, doubtful: Sequence[int]) -> str:
    r"""What `ftfy.fix_text` makes of a text, of which most lines are mended already.

    Args:
        text: of which `skord.native.text_and_images` has mended what is simple.
        doubtful: numbers of the other lines.

    >>> mended_by_ftfy("Vädret & sånt\nVÃ¤dret\n", [1])
    'Vädret & sånt\nVädret\n'
    """

    lines = text.split("\n")
    ends = ["\n"] * (len(lines) - 1) + [""]
    first_tag = next((number for number, line in enumerate(lines) if "<" in line), len(lines))
    for number in doubtful:  # behind the first tag entities stay entities
        unescapes = "auto" if number <= first_tag else False
        line = lines[number] + ends[number]
        lines[number], ends[number] = ftfy.fix_text(line, unescape_html=unescapes), ""
    return "".join(map("".join, zip(lines, ends, strict=True)))
