"""Mojibake in lines: what ftfy repairs, with everything else that it does switched off."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ftfy import TextFixerConfig, fix_text

MOJIBAKE_ALONE = TextFixerConfig(
    unescape_html=False,
    remove_terminal_escapes=False,
    fix_latin_ligatures=False,
    fix_character_width=False,
    uncurl_quotes=False,
    fix_line_breaks=False,
    remove_control_chars=False,
    normalization=None,
)
"""Quotes, ligatures, widths, entities, line separators and decomposed letters stay as written.

FineWeb-2 (Penedo et al. 2025, arXiv 2506.20920) and NeMo Curator narrow ftfy in the same way."""

_MEANS_NOTHING = re.compile("[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f\ufeff]")
"""C0 controls but tab, line feed, form feed, carriage return and escape; DEL; byte order marks."""


def repair_mojibake(text: str, doubtful: Sequence[int]) -> str:
    r"""The text with mojibake decoded and controls that mean nothing deleted.

    Args:
        text: some lines.
        doubtful: numbers of those that may hold any, from `skord.native.doubtful_lines`.

    >>> repair_mojibake("”Vädret” & sånt\nVÃ¤dret\n", [1])
    '”Vädret” & sånt\nVädret\n'
    """
    lines = text.split("\n")
    lines[:-1] = [f"{line}\n" for line in lines[:-1]]  # ftfy looks at the end of a line, too
    for number in doubtful:
        lines[number] = _MEANS_NOTHING.sub("", fix_text(lines[number], MOJIBAKE_ALONE))
    return "".join(lines)
