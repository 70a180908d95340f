r"""What a reader sees of Markdown, for counting words: without addresses, images and marks.

Ends of lines stay, since no sentence goes across one.
"""

from __future__ import annotations

import re

_IMAGE = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_ADDRESS = re.compile(r"<?\b(?:https?://|www\.)[^\s<>]+>?|\S+@\S+\.\w+")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|~~)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def readable_text(markdown: str) -> str:
    r"""The text as a reader would read it out.

    >>> readable_text("# *Ny* bro\n![Bro](b.jpg) Se [kartan](https://a.se/k_(1)) på www.a.se.")
    '# Ny bro\n Se kartan på \x00'
    >>> readable_text("snake_case och \\*stjärna\\*")
    'snake_case och *stjärna*'
    """
    text = markdown
    if "](" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "www." in text or "://" in text or "@" in text:
        text = _ADDRESS.sub("\0", text)
    if "*" in text or "_" in text or "~" in text:
        text = _EMPHASIS.sub("", text)
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text
