r"""Where in a page's HTML each line of its Markdown stood.

Markdown says what a line is, but not what it was part of: a menu of plain text looks like a
list of facts. The page's tags know, with their classes, ids and roles. So the elements around
each line are kept beside the Markdown, found by laying its words along the words of the HTML:
both hold the same words in nearly the same order, whatever converter wrote the Markdown.
"""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from skord.html.cleaning import read_page
from skord.html.page_facts import page_element
from skord.native import PageWords, plain_page
from skord.native import line_context as read_context


def line_context_type() -> pa.StructType:
    """Of a column of `LineContext`."""

    return pa.struct(
        [
            ("elements", pa.list_(pa.string())),
            ("parents", pa.list_(pa.int32())),
            ("lines", pa.list_(pa.int32())),
            ("links", pa.binary()),
            ("controls", pa.binary()),
        ]
    )


class LineContext(TypedDict):
    """The elements that hold a page's lines.

    Attributes:
        elements: tag, classes (`.x`), ids (`#x`), roles and properties (`@x`) and `!hidden`,
            with blanks between; in the page's order, parents before children. Where the page says
            anything of itself as a whole, the last is `page_facts.page_element`, around no line.
        parents: for each element the number of the one around it, -1 for the outermost.
        lines: for each line that ends in "\n" the number of the innermost element around it;
            -1 for a line without words, and for one that the HTML does not hold.
        links: for each line the share of its words that are the text of links, × 255.
        controls: the same of those that are the text of buttons, labels and options.
    """

    elements: list[str]
    parents: list[int]
    lines: list[int]
    links: bytes
    controls: bytes


def line_context(html: str, markdown: str, url: str | None = None) -> LineContext:
    r"""The elements around each line of a page.

    Args:
        html: of the whole page, decoded, as `clean_html` was given it.
        markdown: made of it, by any converter.
        url: where it was found; None: as the page says.

    >>> seen = line_context('<ul id=n><li><a href=/>Hem</a></ul><p>Text.</p>', "- Hem\n\nText.\n")
    >>> seen["elements"], seen["parents"]
    (['ul #n', 'li', 'p'], [-1, 0, -1])
    >>> seen["lines"], list(seen["links"])
    ([1, -1, 2], [255, 0, 0])
    """
    return context_of_words(read_page(html).words, markdown, url)


def context_of_words(
    words: PageWords, markdown: str, url: str | None = None, plain: bytes | None = None
) -> LineContext:
    """The same of a page that `read_page` has parsed.

    Args:
        words: of the page.
        markdown, url: as of `line_context`.
        plain: `plain_page` of the Markdown, if somebody has asked for it already.
    """
    plain = plain_page(markdown.encode("utf-8", "surrogatepass")) if plain is None else plain
    elements, parents, lines, links, controls, facts, address = read_context(words, plain)
    of_page = page_element(facts, url or address)
    if of_page:
        elements.append(of_page)
        parents.append(-1)
    return LineContext(
        elements=elements, parents=parents, lines=lines, links=links, controls=controls
    )
