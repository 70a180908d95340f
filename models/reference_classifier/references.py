"""The pages that a Wikipedia cites, read from its dumps.

    python -m skord.models.reference_classifier.references svwiki-…-pages-articles.xml.bz2 > cited.txt

Takes any number of dumps, `pages-articles.xml` (bz2, gz or plain). Writes canonical URLs, sorted,
one a line; a file of such lines (`.txt`, `.txt.gz`) is read as well, so that a dump need be read
only once.
"""

from __future__ import annotations

import argparse
import re
import zlib
from collections.abc import Iterator
from pathlib import Path

from skord.core.failures import ConfigError
from skord.models.language_model.corpus import OPENERS, article_wikitexts
from skord.models.reference_classifier.addresses import page_key

CITATION_TEMPLATES = (
    "cite", "citation", "harvc",
    "webbref", "tidningsref", "tidskriftsref", "bokref", "artikelref",  # sv
    "kilde", "kjelde",  # da, nb, nn
    "vefheimild", "bókaheimild", "fréttaheimild", "tímaritsheimild",  # is
    "tīmekļa atsauce", "grāmatas atsauce", "ziņu atsauce",  # lv
    "internetquelle", "literatur", "verkkoviite", "kirjaviite", "lehtiviite",  # de, fi
)  # fmt: skip
"""First words of the names of templates that hold one source, in several Wikipedias."""

# What no reader sees: comments, and text that is not read as wikitext.
_UNREAD = re.compile(r"<!--.*?(?:-->|\Z)|<(nowiki|pre|syntaxhighlight)\b[^>]*>.*?</\1\s*>", re.S)
# `<ref …/>` holds nothing; a `<ref>` that is never closed ends where the next one begins.
_REF = re.compile(
    r"""<ref\b(?:[^<>"'/]|"[^"]*"|'[^']*'|/(?!>))*>"""
    r"([^<]*(?:<(?!/?ref\b)[^<]*)*)</ref\s*>",
    re.IGNORECASE,
)
# The template with what it holds, templates inside it included to one level.
_CITATION = re.compile(
    r"\{\{\s*+(?:" + "|".join(map(re.escape, CITATION_TEMPLATES)) + r")\b"
    r"([^{}]*(?:(?:\{\{[^{}]*\}\}|\{(?!\{)|\}(?!\}))[^{}]*)*)\}\}",
    re.IGNORECASE,
)
_END = r"[^\s\[\]<>\"|{}]"
_LINK = re.compile(rf"(?:https?://|(?<=\[)//){_END}+", re.IGNORECASE)
_URL_VALUE = re.compile(
    rf"\|\s*(?:[\w-]+-)?(?:url|länk|lenke|hlekkur)\s*=\s*((?:https?:)?//{_END}+)", re.IGNORECASE
)


def cited_urls(wikitext: str) -> set[str]:
    """The canonical URLs of all web pages that an article cites.

    >>> sorted(cited_urls(
    ...     "Bron<ref>[http://www.ruv.is/bro Broen]</ref> är <ref name=a /> lång."
    ...     "<ref name=a>{{Webbref |url=https://dn.se/bron?utm_source=x |titel=Bron}}</ref>"
    ...     " Se [http://hemsida.se hemsidan]."
    ... ))
    ['is,ruv)/bro', 'se,dn)/bron']
    """
    keys = map(page_key, _written_urls(_UNREAD.sub("", wikitext)))
    return {key for key in keys if key is not None}


def _written_urls(wikitext: str) -> Iterator[str]:
    for ref in _REF.finditer(wikitext):
        yield from (_trimmed_link(match[0]) for match in _LINK.finditer(ref[1]))
    for template in _CITATION.finditer(wikitext):
        yield from (_trimmed_link(match[1]) for match in _URL_VALUE.finditer(template[1]))


def _trimmed_link(url: str) -> str:
    """A link as MediaWiki ends it: before italics, and without the punctuation of a sentence.

    A closing parenthesis belongs to the URL only if one was opened in it.

    >>> [_trimmed_link(url) for url in ("http://a.se/x).", "http://a.se/x_(y)", "http://a.se''b''")]
    ['http://a.se/x', 'http://a.se/x_(y)', 'http://a.se']
    """
    link = url.partition("''")[0]
    return link.rstrip(",;.:!?" if "(" in link else ",;.:!?)")


def read_references(path: Path) -> set[str]:
    """The canonical URLs of one dump or list.

    Raises:
        ConfigError: the file is missing, damaged, or none of the kinds above.
    """
    kind = path.name.removesuffix(".bz2").removesuffix(".gz").rpartition(".")[2]
    try:
        with OPENERS.get(path.suffix, open)(path, "rb") as stream:
            if kind == "xml":
                return {url for text in article_wikitexts(stream) for url in cited_urls(text)}
            if kind == "txt":
                return {line.decode().strip() for line in stream} - {""}
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise ConfigError(f"cannot read the references of {path}: {error}") from error
    raise ConfigError(f"{path} is neither .xml nor .txt, with or without .bz2 or .gz")


def main() -> None:
    """Prints the canonical URLs of all dumps together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dumps", type=Path, nargs="+")
    try:
        references = set().union(*map(read_references, parser.parse_args().dumps))
    except ConfigError as error:
        parser.error(str(error))
    for url in sorted(references):
        print(url)


if __name__ == "__main__":
    main()
