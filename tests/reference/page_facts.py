"""What a page says of itself, over another parser's tree: `html/page_facts.hpp` in Python."""

from __future__ import annotations

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.reference.page_cleaning import without_noscript_in_head, without_open_frames

MOST_NAMES = 40
MOST_CHARS = 24
MOST_LINKED = 200_000
_TYPES = re.compile(r'"@type"[ \n\r\t:]*(?:\[([^\]]*)\]|.([^"]*)")', re.DOTALL)
_SAID = re.compile(r"[a-zA-Z0-9]+")
_HAS = re.compile(r"(?:article|product|book|video|music|profile|event|og:price):")
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def page_facts(html: str) -> tuple[str, str]:
    """Names of what a page says of itself, and its own address; as compiled code has them."""
    tree = LexborHTMLParser(without_open_frames(without_noscript_in_head(html)))
    address = ""
    names: dict[str, None] = {}
    for node in tree.css("meta, link, script, [itemtype]"):
        for kind, said in _said(node):
            match = _SAID.search(said)
            if match and len(names) < MOST_NAMES:
                names[f"~{kind}-{match[0][:MOST_CHARS].lower()}"] = None
        known = node.attributes
        if node.tag == "link" and _small(known, "rel") == "canonical":
            href = _value(known, "href")
            address = href if _ADDRESS.match(href) else address
        if node.tag == "meta" and _named(known) == "og:url" and not address:
            content = _value(known, "content")
            address = content if _ADDRESS.match(content) else ""
    return " ".join(names), address


def _value(known: dict[str, str | None], key: str) -> str:
    return (known.get(key) or "").strip()


def _small(known: dict[str, str | None], key: str) -> str:
    return _value(known, key).lower()


def _named(known: dict[str, str | None]) -> str:
    return _small(known, "property") or _small(known, "name")


def _said(node: LexborNode) -> Iterator[tuple[str, str]]:
    known = node.attributes
    if node.tag == "meta":
        name, content = _named(known), _value(known, "content")
        if name == "og:type":
            yield "og", content.rpartition(":")[2]
        elif name == "generator":
            yield "by", content
        if match := _HAS.match(name):
            yield "has", match[0].rstrip(":").rpartition(":")[2]
    elif node.tag == "link":
        if _small(known, "rel") in {"next", "prev", "amphtml"}:
            yield "rel", _small(known, "rel")
    elif node.tag == "script":
        if "ld+json" in _small(known, "type"):
            for several, one in _TYPES.findall((node.text() or "")[:MOST_LINKED]):
                yield from (("ld", kind) for kind in re.findall('"([^"]*)"', several) or [one])
    elif node.attributes.get("itemtype"):
        yield "it", (known["itemtype"] or "").rpartition("/")[2]
