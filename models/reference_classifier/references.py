"""The pages that a Wikipedia cites, read from its dumps.

    python -m skord.models.reference_classifier.references svwiki-…-pages-articles.xml.bz2 > cited.txt

Takes any number of dumps: `pages-articles.xml` (bz2, gz or plain; the better source) and
`externallinks.sql` (gz or plain). Writes canonical URLs, sorted, one a line; a file of such
lines (`.txt`, `.txt.gz`) is read as well, so that a dump need be read only once.
"""

from __future__ import annotations

import argparse
import bz2
import gzip
import xml.etree.ElementTree as ET
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from skord.core.failures import ConfigError
from skord.models.reference_classifier.addresses import canonical_url
from skord.models.reference_classifier.sql_links import linked_urls
from skord.models.reference_classifier.wikitext import cited_urls

ARTICLES = "0"
"""The namespace of articles; talk, user and project pages cite nothing."""


def read_references(path: Path) -> set[str]:
    """The canonical URLs of one dump or list.

    Raises:
        ConfigError: the file is missing, damaged, or none of the kinds above.
    """
    kind = path.name.removesuffix(".bz2").removesuffix(".gz").rpartition(".")[2]
    try:
        with _open_dump(path) as stream:
            if kind == "xml":
                return {url for text in article_texts(stream) for url in cited_urls(text)}
            if kind == "sql":
                keys = map(canonical_url, linked_urls(stream))
                return {key for key in keys if key is not None}
            if kind == "txt":
                return {line.decode().strip() for line in stream} - {""}
    except (OSError, EOFError, zlib.error, ET.ParseError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the references of {path}: {error}") from error
    raise ConfigError(f"{path} is neither .xml, .sql nor .txt, with or without .bz2 or .gz")


def article_texts(stream: IO[bytes]) -> Iterator[str]:
    """The wikitext of every article of an XML dump, one at a time, redirects left out."""
    events = ET.iterparse(stream, events=("start", "end"))
    _, root = next(events)
    for event, element in events:
        if event == "end" and _local_name(element) == "page":
            fields = {_local_name(part): part.text or "" for part in element.iter()}
            if fields.get("ns", ARTICLES) == ARTICLES and "redirect" not in fields:
                yield fields.get("text", "")
            root.clear()


def _local_name(element: ET.Element) -> str:
    """Without the namespace, whose version changes with the years."""
    return element.tag.rpartition("}")[2]


def _open_dump(path: Path) -> IO[bytes]:
    if path.suffix == ".bz2":
        return bz2.open(path, "rb")
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.open(path, "rb"))
    return path.open("rb")


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
