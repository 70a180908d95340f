"""The gold Markdown of a page as blocks, and as HTML in the habits of several decades."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from html.entities import codepoint2name
from typing import Literal

_ITEM = re.compile(r"(?:-|\d+\.) +")
_INLINE = (
    (re.compile(r"`([^`]+)`"), r"<code>\1</code>"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"<strong>\1</strong>"),
    (re.compile(r"\*([^*]+)\*"), r"<em>\1</em>"),
)
_TAG_NAME = re.compile(r"</?[a-z][a-z0-9]*")

BlockKind = Literal["paragraph", "heading", "list", "numbers", "table", "quote", "code"]


@dataclass(frozen=True)
class Block:
    """One block of Markdown: its lines without their marks; `level` is a heading's."""

    kind: BlockKind
    lines: tuple[str, ...]
    level: int = 0


@dataclass(frozen=True)
class Dialect:
    """How a site writes HTML.

    Attributes:
        paragraphs: "closed" with an end tag, "open" without, "breaks" as `<br><br>`, "boxes"
            as an element without a meaning for each.
        heading: what a heading looks like; `{level}`, `{text}` and `{extra}` are filled in.
        shouting: tags in capitals.
        named: letters outside ASCII as named entities, as hand-written pages had them.
    """

    paragraphs: Literal["closed", "open", "breaks", "boxes"] = "closed"
    heading: str = "<h{level}>{text}</h{level}>"
    shouting: bool = False
    named: bool = False


def blocks_of(text: str) -> list[Block]:
    r"""Cut Markdown into blocks.

    >>> [(block.kind, block.lines) for block in blocks_of("## A\n\n- b\n- c\n  d\n\ne\nf")]
    [('heading', ('A',)), ('list', ('b', 'c d')), ('paragraph', ('e f',))]
    """
    fenced = re.split(r"^```[^\n]*\n(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE)
    blocks: list[Block] = []
    for number, part in enumerate(fenced):
        if number % 2:
            blocks.append(Block("code", tuple(part.rstrip("\n").split("\n"))))
        else:
            blocks += [_block(chunk) for chunk in re.split(r"\n\s*\n", part.strip()) if chunk]
    return blocks


def _block(chunk: str) -> Block:
    lines = chunk.split("\n")
    marks = re.match(r"(#{2,6}) ", lines[0])
    if marks:
        return Block("heading", (chunk[marks.end() :].strip(),), len(marks[1]))
    if _ITEM.match(lines[0]):
        return Block("list" if lines[0].startswith("-") else "numbers", _items(lines))
    if lines[0].startswith("|"):
        return Block("table", tuple(line for line in lines if not re.fullmatch(r"[|:\- ]+", line)))
    if lines[0].startswith(">"):
        return Block("quote", (" ".join(line.lstrip("> ") for line in lines),))
    return Block("paragraph", (" ".join(line.strip() for line in lines),))


def _items(lines: list[str]) -> tuple[str, ...]:
    items: list[str] = []
    for line in lines:
        mark = _ITEM.match(line)
        if mark:
            items.append(line[mark.end() :].strip())
        else:
            items[-1] += f" {line.strip()}"
    return tuple(items)


def html_of(blocks: list[Block], dialect: Dialect, heading_extra: str = "") -> str:
    """Write blocks as HTML.

    Args:
        blocks: from `blocks_of`.
        dialect: how the site writes.
        heading_extra: markup after each heading's text, such as an edit link.
    """
    return "\n".join(_written_block(block, dialect, heading_extra) for block in blocks)


def _written_block(block: Block, dialect: Dialect, extra: str) -> str:
    end = "" if dialect.paragraphs == "open" else "</li>"
    texts = [inline_html(line) for line in block.lines]
    match block.kind:
        case "heading":
            return dialect.heading.format(level=block.level, text=texts[0], extra=extra)
        case "list" | "numbers":
            name = "ul" if block.kind == "list" else "ol"
            return "\n".join((f"<{name}>", *(f"<li>{text}{end}" for text in texts), f"</{name}>"))
        case "table":
            return "\n".join(
                ("<table border=1>", *(_row(line) for line in block.lines), "</table>")
            )
        case "quote":
            return f"<blockquote>{texts[0]}</blockquote>"
        case "code":
            return f"<pre><code>{html.escape(chr(10).join(block.lines), quote=False)}</code></pre>"
        case "paragraph":
            return _PARAGRAPHS[dialect.paragraphs].format(texts[0])


_PARAGRAPHS = {
    "closed": "<p>{}</p>",
    "open": "<p>{}",
    "breaks": "{}<br><br>",
    "boxes": '<div dir="auto"><span>{}</span></div>',
}


def _row(line: str) -> str:
    cells = line.strip().strip("|").split("|")
    return "<tr>" + "".join(f"<td>{inline_html(cell.strip())}</td>" for cell in cells) + "</tr>"


def inline_html(text: str) -> str:
    """Escape text and turn its emphasis marks into tags.

    >>> inline_html("R&B med *Norsk Ordbog* och `a<b`")
    'R&amp;B med <em>Norsk Ordbog</em> och <code>a&lt;b</code>'
    """
    written = html.escape(text, quote=False)
    for pattern, replacement in _INLINE:
        written = pattern.sub(replacement, written)
    return written


def in_dialect(page: str, dialect: Dialect) -> str:
    """Return a whole HTML page with tags and letters as the dialect writes them.

    >>> in_dialect("<p>Så är det</p>", Dialect(shouting=True, named=True))
    '<P>S&aring; &auml;r det</P>'
    """
    if dialect.shouting:
        page = _TAG_NAME.sub(lambda match: match[0].upper(), page)
    if dialect.named:
        page = "".join(_named_letter(letter) for letter in page)
    return page


def _named_letter(letter: str) -> str:
    name = codepoint2name.get(ord(letter)) if ord(letter) > 127 else None
    return f"&{name};" if name else letter
