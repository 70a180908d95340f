r"""Documents to train on, read as a stream from the forms that text comes in.

| name ends in | form |
|---|---|
| .json | CirrusSearch dump: JSON lines, the field `text` of those that have one |
| .xml | Wikipedia dump: the articles in it that are no redirects, as plain text |
| anything else | plain text in UTF-8: a blank line ends a document |

Each may be followed by .gz or .bz2. A document's lines end in "\n".
"""

from __future__ import annotations

import bz2
import gzip
import json
import re
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
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
    yield from (plain_text(wikitext, hidden) for wikitext in article_wikitexts(stream, hidden))


def article_wikitexts(stream: IO[bytes], hidden: set[str] | None = None) -> Iterator[str]:
    """Wikitext of each page in the article namespace that is no redirect, one at a time.

    Args:
        hidden: gets the dump's own names of `HIDDEN_NAMESPACES`, in lower case.

    Raises:
        ValueError: the stream is not well-formed XML.
    """
    try:
        events = ElementTree.iterparse(stream, ["start", "end"])
        _, root = next(events)
        for event, element in events:
            name = element.tag.rpartition("}")[2]  # the namespace's version changes with the years
            if event == "start" or name not in ("namespace", "page"):
                continue
            if name == "page":
                if _child_text(element, "ns") in ("", "0") and element.find("{*}redirect") is None:
                    yield _child_text(element, "revision/{*}text")
                root.clear()
            elif hidden is not None and element.get("key") in HIDDEN_NAMESPACES:
                hidden.add((element.text or "").lower())
    except ElementTree.ParseError as error:
        raise ValueError(f"it is no XML: {error}") from error


def _child_text(element: ElementTree.Element, path: str) -> str:
    return element.findtext(f"{{*}}{path}") or ""


def plain_text(wikitext: str, hidden: set[str]) -> str:
    """Wikitext without templates, tables, notes, pictures and marks; a paragraph a line.

    Args:
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


OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open}


def corpus_documents(path: Path, lines_at_most: int = 0) -> Iterator[str]:
    """The documents of one file, in order; empty ones are left out.

    Args:
        path: in one of the forms above.
        lines_at_most: cuts documents of plain text after so many lines; 0 cuts none. For
            files without blank lines, which would be one document.

    Raises:
        ConfigError: the file cannot be read, or is not of the form its name says.
    """
    form = path.with_suffix("").suffix if path.suffix in OPENERS else path.suffix
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as stream:
            if form == ".json":
                texts = _cirrus_documents(stream)
            elif form == ".xml":
                texts = wikipedia_articles(stream)
            else:
                texts = _plain_documents(stream, lines_at_most)
            yield from (document for document in texts if document.strip())
    except (OSError, EOFError, ValueError) as error:
        raise ConfigError(f"cannot read documents from {path}: {error}") from error


def _plain_documents(stream: Iterable[bytes], lines_at_most: int) -> Iterator[str]:
    lines: list[str] = []
    for raw in stream:
        line = raw.decode("utf-8").rstrip("\r\n")
        if line.strip():
            lines.append(line)
        if not line.strip() or len(lines) == lines_at_most:
            yield "\n".join(lines)
            lines = []
    yield "\n".join(lines)


def _cirrus_documents(stream: IO[bytes]) -> Iterator[str]:
    """Every other line of such a dump is an index command and has no text."""
    for line in stream:
        record = json.loads(line) if line.strip() else {}
        yield record.get("text") or ""
