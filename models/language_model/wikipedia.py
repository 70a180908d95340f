"""Articles of a Wikipedia dump (`LANG-DATE-pages-articles.xml.bz2`) as plain text.

Wikitext is taken apart by mwparserfromhell, which knows its grammar but not the templates of a
wiki: what a template would have written is left out. A CirrusSearch dump is the better source
where there is one, for its text was rendered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from typing import IO, Any
from xml.etree import ElementTree

from skord.core.failures import ConfigError

REMOVED_TAGS = {"ref", "table", "gallery", "math", "timeline", "score", "syntaxhighlight"}
HIDDEN_NAMESPACES = {"-2", "6", "14"}
"""Media, files and categories: a link into them is a picture with layout and caption, or is
not shown where it stands. With a colon before it, it is an ordinary link."""


def wikipedia_articles(stream: IO[bytes]) -> Iterator[str]:
    """Text of each page in the article namespace that is no redirect; memory stays bounded.

    Raises:
        ConfigError: mwparserfromhell is not installed.
        ValueError: the stream is not well-formed XML.
    """
    if find_spec("mwparserfromhell") is None:
        raise ConfigError(
            "a Wikipedia XML dump needs mwparserfromhell: pip install mwparserfromhell, "
            "or take the CirrusSearch dump"
        )
    hidden = {"media", "file", "image", "category"}
    try:
        for _, element in ElementTree.iterparse(stream):
            name = _local_name(element)
            if name == "namespace" and element.get("key") in HIDDEN_NAMESPACES:
                hidden.add((element.text or "").lower())
            elif name == "page":
                if _child_text(element, "ns") == "0" and element.find("{*}redirect") is None:
                    yield plain_text(_child_text(element, "revision/{*}text"), hidden)
                element.clear()
    except ElementTree.ParseError as error:
        raise ValueError(f"it is no XML: {error}") from error


def _local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _child_text(element: ElementTree.Element, path: str) -> str:
    return element.findtext(f"{{*}}{path}") or ""


def plain_text(wikitext: str, hidden: set[str]) -> str:
    """Wikitext without templates, tables, notes, pictures and marks; a paragraph a line.

    Args:
        wikitext: of one page.
        hidden: namespaces whose links go, in lower case, such as `fil` and `kategori`.
    """
    import mwparserfromhell  # noqa: PLC0415

    page: Any = mwparserfromhell.parse(wikitext)
    for tag in page.filter_tags(matches=lambda tag: str(tag.tag).lower() in REMOVED_TAGS):
        _remove_node(page, tag)
    for link in page.filter_wikilinks():
        prefix, colon, _ = str(link.title).strip().partition(":")
        if colon and prefix.strip().lower() in hidden:
            _remove_node(page, link)
    text = page.strip_code(normalize=True, collapse=True)
    lines = (re.sub(r"\s+", " ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def _remove_node(page: Any, node: Any) -> None:
    """Takes a node out, unless it went with the one it was inside of."""
    try:
        page.remove(node)
    except ValueError:
        return
