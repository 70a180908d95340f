"""Tables that Markdown cannot hold, as the HTML that pandoc 2.9.2.1 writes for them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipeline.html.link_spans import without_marks
from pipeline.html.pandoc_dialect.tree import (
    BREAK,
    Block,
    Code,
    Formula,
    Image,
    Inline,
    Table,
    plain_text,
)

_TAGS = {"b": "strong", "i": "em", "s": "del", "br": ""}
_QUOTES = {"q": "“{}”", "qq": "‘{}’"}
_EMBEDDED = frozenset(["css", "htm", "html", "js", "pdf", "php", "rss", "swf", "txt", "xml", "zip"])
"""Endings of addresses by which pandoc takes an image for something else."""
_NOT_IN_NAMES = re.compile(r"[^\w\s.-]")


class HtmlWriter:
    """Writes blocks as HTML.

    Args:
        blocks: of the whole page, whose headings' names must differ.
    """

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._page = blocks
        self._names: dict[int, str] | None = None

    def table(self, table: Table) -> str:
        """A table, one line a tag."""
        share = 1 / table.width
        is_inexact = table.is_sized and sum([share] * table.width) != 1
        lines = ['<table style="width:100%;">' if is_inexact else "<table>"]
        if table.caption:
            lines.append(f"<caption>{self._inlines(table.caption)}</caption>")
        if table.is_sized:
            column = f'<col style="width: {int(100 * share)}%" />'
            lines += ["<colgroup>", *[column] * table.width, "</colgroup>"]
        if table.head:
            lines += ["<thead>", *self._row("header", "th", table.head), "</thead>"]
        lines.append("<tbody>")
        for at, row in enumerate(table.rows):
            lines += self._row("even" if at % 2 else "odd", "td", row)
        return "\n".join([*lines, "</tbody>", "</table>"])

    def _row(self, name: str, tag: str, cells: Iterable[Sequence[Block]]) -> Iterator[str]:
        yield f'<tr class="{name}">'
        for cell in cells:
            yield f"<{tag}>{self._blocks(cell)}</{tag}>"
        yield "</tr>"

    def _blocks(self, blocks: Iterable[Block]) -> str:
        return "\n".join(map(self._block, blocks))

    def _block(self, block: Block) -> str:
        if block.kind in ("plain", "para"):
            return self._paragraph(block)
        if block.kind == "heading":
            tag, text = f"h{block.number}", self._inlines(block.inlines)
            return f'<{tag} id="{self._name(block)}">{text}</{tag}>'
        if block.kind in ("list", "definitions"):
            return self._list(block)
        if block.kind in ("quote", "div"):
            tag = "blockquote" if block.kind == "quote" else "div"
            return f"<{tag}>\n{self._blocks(block.blocks)}\n</{tag}>"
        return self.table(block.table) if block.table else _simple_block(block)

    def _paragraph(self, block: Block) -> str:
        if block.kind == "plain":
            return self._inlines(block.inlines)
        image = block.inlines[0] if len(block.inlines) == 1 else None
        if not (isinstance(image, Image) and image.is_figure):
            return f"<p>{self._inlines(block.inlines)}</p>"
        caption = f"<figcaption>{self._inlines(image.alt)}</figcaption>" if image.alt else ""
        return f"<figure>\n{_image(image._replace(alt=[]))}{caption}\n</figure>"

    def _list(self, block: Block) -> str:
        if block.kind == "definitions":
            return "\n".join(["<dl>", *self._definitions(block), "</dl>"])
        start = f' start="{block.number}"' if block.number not in (None, 1) else ""
        tag = "ul" if block.number is None else "ol"
        items = [f"<li>{self._blocks(item)}</li>" for item in block.items]
        return "\n".join([f"<{tag}{start}>", *items, f"</{tag}>"])

    def _definitions(self, block: Block) -> Iterator[str]:
        for terms, meanings in block.terms:
            yield f"<dt>{self._inlines(terms)}</dt>"
            for meaning in meanings:
                yield f"<dd>{self._blocks(meaning)}\n</dd>"

    def _inlines(self, inlines: Iterable[Inline]) -> str:
        found = []
        for piece in inlines:
            if isinstance(piece, str):
                found.append("<br />\n" if piece == BREAK else _escape(piece))
            elif isinstance(piece, Code):
                found.append(f"<code>{_escape(piece.text)}</code>")
            elif isinstance(piece, Formula):
                found.append(_escape(piece.text))
            elif isinstance(piece, Image):
                found.append(_image(piece))
            else:
                inner = self._inlines(piece.content)
                tag = _TAGS.get(piece.style, piece.style)
                quotes = _QUOTES.get(piece.style)
                found.append(quotes.format(inner) if quotes else _tagged(tag, inner))
        return "".join(found)

    def _name(self, heading: Block) -> str:
        if self._names is None:
            self._names = _names(self._page)
        return _value(self._names[id(heading)])


def _simple_block(block: Block) -> str:
    """A rule, or code."""
    if block.kind != "code":
        return "<hr />"
    name = f' class="{_value(block.name)}"' if block.name else ""
    return f"<pre{name}><code>{_value(block.text)}</code></pre>"


def _tagged(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>" if tag else text


def _image(image: Image) -> str:
    ending = image.source.partition("?")[0].rpartition(".")[2].lower()
    if ending in _EMBEDDED:
        return f'<embed src="{_value(image.source)}" />'
    said = without_marks(plain_text(image.alt))
    alt = f' alt="{_value(said)}"' if said or image.is_figure else ""
    return f'<img src="{_value(image.source)}"{alt} />'


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _value(text: str) -> str:
    return _escape(text).replace('"', "&quot;").replace("'", "&#39;")


def _names(blocks: Sequence[Block]) -> dict[int, str]:
    """For each heading a name of its own, made of its text."""
    taken: set[str] = set()
    names: dict[int, str] = {}
    for heading in _headings(blocks):
        name = base = _identifier(heading.inlines) or "section"
        number = 0
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        names[id(heading)] = name
    return names


def _headings(blocks: Iterable[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind == "heading":
            yield block
        yield from _headings(block.blocks)
        for item in block.items:
            yield from _headings(item)
        for _, meanings in block.terms:
            for meaning in meanings:
                yield from _headings(meaning)
        if block.table:
            for row in (block.table.head, *block.table.rows):
                for cell in row:
                    yield from _headings(cell)


def _identifier(inlines: Iterable[Inline]) -> str:
    """A heading's text in lower case, hyphens for blanks, from its first letter on.

    >>> _identifier(["1. Å & b_c!"])
    'å-b_c'
    """
    text = without_marks(plain_text(inlines)).lower()
    words = _NOT_IN_NAMES.sub("", text).split()
    name = "-".join(words)
    start = next((at for at, sign in enumerate(name) if sign.isalpha()), len(name))
    return name[start:]
