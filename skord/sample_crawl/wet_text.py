"""A page's text as a WET file has it: the title, then every line of text, menus and all."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

_UNSEEN = frozenset({"script", "style", "head", "template", "svg", "iframe", "select", "textarea"})
_IN_LINE = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|em|font|i|input|img|ins|kbd|label|mark|nobr|q|s|samp|"
    "small|span|strike|strong|sub|sup|time|tt|u|var"
)


def visible_text(page: str) -> str:
    r"""Return title and lines of text; each block of the page is a line of its own.

    >>> visible_text("<title>Om</title><nav><a>Hem</a> <a>Sök</a></nav><p>Vi är<br>fler</p>")
    'Om\nHem Sök\nVi är\nfler\n'
    """
    tree = LexborHTMLParser(page)
    title = tree.css_first("title")
    lines = [title.text(deep=True) if title else ""]
    if tree.body:
        lines += "".join(_text_pieces(tree.body)).split("\n")
    shown = [" ".join(line.split()) for line in lines]
    return "".join(f"{line}\n" for place, line in enumerate(shown) if line or place == 0)


def _text_pieces(body: LexborNode) -> list[str]:
    """Return the text in document order, with "\n" around every block; deep trees are no danger."""
    pieces: list[str] = []
    waiting: list[LexborNode | str] = [body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif node.tag == "-text":
            pieces.append((node.text_content or "").replace("\n", " "))
        elif node.tag not in _UNSEEN:
            edge = "" if _IN_LINE.fullmatch(node.tag or "") else "\n"
            pieces.append(edge)
            children = list(node.iter(include_text=True))
            waiting += [edge, *reversed(children)]
    return pieces
