"""All measures of many documents at once: from texts to a column for each feature."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from skord.quality.features import FEATURES, feature_schema
from skord.quality.lists import domain_set, is_listed_domain, is_listed_url, url_set
from skord.quality.text_measures import text_columns
from skord.text.languages import SCANDINAVIAN, LanguageScores, language_of
from skord.text.list_files import read_entries
from skord.text.own_languages import OwnLanguages


@dataclass(frozen=True)
class Lists:
    """What the settings name, for documents to be held against.

    Attributes:
        domains: from `lists.domain_set`.
        urls: from `lists.url_set`.
        words: a listed word each, in any spelling of case.
        own: languages that the user has added.
    """

    domains: Collection[str] = frozenset()
    urls: Collection[str] = frozenset()
    words: Collection[str] = frozenset()
    own: OwnLanguages = field(default_factory=OwnLanguages)


@cache
def read_lists(
    domains: Sequence[str],
    domain_files: Sequence[str],
    url_files: Sequence[str],
    word_files: Sequence[str],
) -> Lists:
    """What documents are held against, read and prepared once per process.

    Raises:
        ConfigError: a file is not there, or is no text in UTF-8.
    """
    return Lists(
        domains=domain_set([*domains, *read_entries(*domain_files)]),
        urls=url_set(read_entries(*url_files)),
        words=frozenset(read_entries(*word_files)),
    )


Columns = dict[str, pa.Array]

SLICE_BYTES = 1 << 21
"""Texts are taken apart together up to this size; of each byte some 40 are then in memory."""


def quality_columns(
    texts: pa.Array,
    urls: Sequence[str],
    scores: Sequence[LanguageScores],
    lists: Lists = Lists(),
    given: Mapping[str, pa.Array] | None = None,
) -> pa.Table:
    """A column for each feature, in their order, a row for each text.

    Args:
        scores: of each text's languages; the best decides what stop words and terminal
            punctuation are looked for.
        given: features that are known already; one that is neither given nor measured here
            is null.
    """
    columns = {
        **_text_columns(texts, [language_of(languages) or "" for languages in scores], lists),
        **_url_columns(urls, lists),
        **_language_columns(scores),
        **(given or {}),
    }
    return pa.table(
        [
            pa.nulls(len(texts), feature.type)
            if (column := columns.get(feature.name)) is None
            else pc.cast(column, feature.type)
            for feature in FEATURES
        ],
        schema=feature_schema(),
    )


def _text_columns(texts: pa.Array, languages: Sequence[str], lists: Lists) -> Columns:
    """Slice by slice, so that what is known of each character stays small."""
    tables = [
        pa.table(text_columns(texts[first:last], languages[first:last], lists.words, lists.own))
        for first, last in _text_slices(texts)
    ]
    merged = pa.concat_tables(tables)
    return {name: merged[name].combine_chunks() for name in merged.column_names}


def _text_slices(texts: pa.Array) -> Iterator[tuple[int, int]]:
    """At least one, so that no texts make empty columns, too."""
    ends = np.cumsum(pc.binary_length(texts).to_numpy(zero_copy_only=False))
    first = 0
    while first < len(texts) or first == 0:
        done = int(ends[first - 1]) if first else 0
        last = max(int(np.searchsorted(ends, done + SLICE_BYTES, side="right")), first + 1)
        yield first, last
        first = last


def _url_columns(urls: Sequence[str], lists: Lists) -> Columns:
    return {
        "is_domain_blacklisted": pa.array(
            [is_listed_domain(url, lists.domains) for url in urls], pa.bool_()
        ),
        "is_url_blacklisted": pa.array(
            [is_listed_url(url, lists.urls) for url in urls], pa.bool_()
        ),
    }


def _language_columns(scores: Sequence[LanguageScores]) -> Columns:
    best = [max(languages.values(), default=None) for languages in scores]
    sums = [
        sum([score for label, score in languages.items() if label in SCANDINAVIAN])
        if languages
        else None
        for languages in scores
    ]
    return {
        "language_score": pa.array(best, pa.float32()),
        "scandinavian_score": pa.array(sums, pa.float32()),
    }


def bucket_columns(buckets: pa.Array, wanted: Collection[str]) -> Columns:
    """Whether each document's bucket is one that is not wanted; null where it has none."""
    if not wanted:
        return {"is_bucket_unwanted": pa.array(np.zeros(len(buckets), np.bool_))}
    unwanted = pc.invert(pc.is_in(buckets, value_set=pa.array(sorted(wanted), pa.string())))
    return {
        "is_bucket_unwanted": pc.if_else(
            pc.is_valid(buckets), unwanted, pa.scalar(None, pa.bool_())
        )
    }
