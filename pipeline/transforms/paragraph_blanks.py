"""The blanks of a page as they show in a browser, and where the marks of links stand in them.

HTML folds every run of blanks (CSS Text Level 3, section 4.1). A line feed in the source is a
blank too, but none at all between East Asian characters (section 4.1.3).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pipeline.transforms.paragraph_format import BLANKS, LINK_END, LINK_START

_RUN = re.compile(f"[{BLANKS}]+")
_RUN_IN_LINE = re.compile(f"(?:(?!\n)[{BLANKS}])+")
_INVISIBLE = re.compile("[\xad\u200b\u2060\ufeff]")
"""Soft hyphens and zero-width blanks, which split words for every later step."""

_SOFT = "\x1e"
"""Stands for a run of blanks with a line feed in it, while a paragraph is put together."""
_IDEOGRAPHIC_SPACE = "\u3000"
_IN_GAP = f" \n{_SOFT}{LINK_START}{LINK_END}{_IDEOGRAPHIC_SPACE}"
_GAP = re.compile(f"[{_IN_GAP}]{{2,}}|[{_IN_GAP.strip(' ')}]|\\A | \\Z")
"""What stands between visible characters, if it is more than one space."""


def folded(text: str, *, keep_lines: bool = False) -> str:
    r"""Return a piece of a page's text with each run of blanks folded, for `settled`.

    Args:
        text: controls in it count as blanks, so that none can be taken for a mark.
        keep_lines: as in `<pre>`: line feeds break lines.

    >>> folded("a \x02\t b\n  c"), folded("a \x02\t b\n  c", keep_lines=True)
    ('a b\x1ec', 'a b\n c')
    """
    text = _INVISIBLE.sub("", text)
    return _RUN_IN_LINE.sub(" ", text) if keep_lines else _RUN.sub(_fold, text)


def settled(raw: str) -> str:
    r"""Give every gap between visible characters the one form that it has in a paragraph.

    Lines and the paragraph begin and end with text; a link begins and ends with text, too, and
    one without text is gone; in a link there is no line feed.

    >>> settled(" \x02 Hem\n\x03\x02\x03\n \x02 Om \n oss\x03\x02x\x03 ")
    '\x02Hem\x03\n\x02Om oss\x03 \x02x\x03'
    """
    done: list[str] = []
    at, linked = 0, False
    for gap in _GAP.finditer(raw):
        done.append(raw[at : gap.start()])
        at = gap.end()
        marks = [mark for mark in gap[0] if mark in (LINK_START, LINK_END)]
        now = marks[-1] == LINK_START if marks else linked
        ends, begins = bool(linked and marks), bool(now and marks)
        blank = _blank(gap, within=linked and not ends, between=ends and begins)
        done += [LINK_END if ends else "", blank, LINK_START if begins else ""]
        linked = now
    return "".join([*done, raw[at:]])


def _blank(gap: re.Match[str], *, within: bool, between: bool) -> str:
    """What remains of the blanks in a gap `within` one link, or `between` two, or elsewhere."""
    run, raw = gap[0], gap.string
    if gap.start() == 0 or gap.end() == len(raw):
        return ""
    if "\n" in run:
        return " " if within else "\n"
    if wide := run.count(_IDEOGRAPHIC_SPACE):
        return _IDEOGRAPHIC_SPACE * wide
    if " " in run or between:
        return " "
    breaks = _SOFT in run and not (_joins(raw[gap.start() - 1]) and _joins(raw[gap.end()]))
    return " " if breaks else ""


def _fold(run: re.Match[str]) -> str:
    return _SOFT if "\n" in run[0] else " "


@lru_cache(maxsize=1 << 14)
def _joins(char: str) -> bool:
    """Whether a line feed beside it is no space: wide, and not Hangul, which writes spaces."""
    wide = unicodedata.east_asian_width(char) in "FWH"
    return wide and "HANGUL" not in unicodedata.name(char, "")
