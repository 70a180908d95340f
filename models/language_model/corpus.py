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
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from skord.core.failures import ConfigError
from skord.models.language_model.wikipedia import wikipedia_articles

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
