"""What a corpus of paragraphs holds, as the tasks counted it: a dump's statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from skord.core.storage.column_store import ColumnStore


@dataclass(frozen=True)
class ParagraphCorpus:
    """The counts of FilterParagraphs and ExportParagraphs.

    Attributes:
        text_bytes: of their text, and `raw_bytes` of their records, packed.
        packed_text_bytes: of each text packed by itself, as the records are.
        charsets: of their pages, the most frequent first.
        years: of their dates, to the documents of each language.
        paragraphs: of all pages, by the filter that took them out, and `kept`; the most frequent
            first, as are `pages`, by the measure that left them out.
    """

    documents: int
    text_bytes: int
    raw_bytes: int
    packed_text_bytes: int
    charsets: Mapping[str, int]
    years: Mapping[str, Mapping[str, int]]
    languages: tuple[str, ...]
    paragraphs: Mapping[str, int]
    pages: Mapping[str, int]


def paragraph_corpus(store: ColumnStore, shards: Sequence[int] = ()) -> ParagraphCorpus | None:
    """Those of a dump; None where ExportParagraphs has not run."""
    del shards
    exported, chosen = (store.manifest(f"{verb}Paragraphs") for verb in ("Export", "Filter"))
    if not (exported and chosen):
        return None
    counts = exported["counts"]
    years: dict[str, dict[str, int]] = {}
    languages: dict[str, int] = {}
    for name, number in _below(counts, "year").items():
        year, _, language = name.partition(".")
        years.setdefault(year, {})[language] = number
        languages[language] = languages.get(language, 0) + number
    return ParagraphCorpus(
        documents=counts.get("documents", 0),
        text_bytes=counts.get("text_bytes", 0),
        raw_bytes=counts.get("raw_bytes", 0),
        packed_text_bytes=counts.get("packed_text_bytes", 0),
        charsets=_below(counts, "charset"),
        years=dict(sorted(years.items())),
        languages=tuple(_largest_first(languages)),
        paragraphs=_below(chosen["counts"], "paragraphs"),
        pages=_below(chosen["counts"], "pages"),
    )


def corpus_html(environment: Any, corpus: ParagraphCorpus) -> str:
    """The counts as tables."""
    source = resources.files("skord.extras.paragraphs").joinpath("report.html").read_text("utf-8")
    return str(environment.from_string(source).render(corpus=corpus))


def _below(counts: Mapping[str, int], start: str) -> dict[str, int]:
    """Counts whose names begin with a word and a full stop, by the rest of it."""
    parts = {
        name.partition(".")[2]: n for name, n in counts.items() if name.startswith(f"{start}.")
    }
    return _largest_first(parts)


def _largest_first(counts: Mapping[str, int]) -> dict[str, int]:
    """Sorted by number, then by name.

    >>> _largest_first({"a": 1, "c": 2, "b": 2})
    {'b': 2, 'c': 2, 'a': 1}
    """
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
