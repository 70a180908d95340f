"""The figures of the CCNet paper (Wenzek et al. 2020) for a dump, from what is stored of it.

Table 6 and figure 2: documents, sentences and tokens by language and bucket. Figure 4: what share
of the paragraphs is left when more and more of the dump is compared. Figure 5: the keys that are
then compared, and the memory for them. Beside them the distribution of perplexity with the limits
of head and tail. Figure 3 is left out: it needs the selection in both orders.
"""

from __future__ import annotations

import argparse
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.cc_net import CCNet, HashParagraphs
from skord.cli.json_output import print_asked
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.extras.figures.pictures import write_pictures
from skord.models.language_model.interface import LanguageModels
from skord.quality.text_measures import UNSEGMENTED, WITHOUT_BLANKS

BUCKETS = ("head", "middle", "tail", "all")
BINS_A_DOUBLING = 2
BAR = 40
BLANKLESS = WITHOUT_BLANKS | UNSEGMENTED
"""Languages whose words are not parted by blanks, so that they are not counted."""
PAPER_BYTES_A_KEY = 27
"""Wenzek et al. 2020, section 4.2: 1.5 billion keys in 40 GB."""
_SENTENCE_END = re.compile(r"[。！？]|[.!?…](?=\s|$)")

Row = Mapping[str, Any]
KeyCounts = tuple[NDArray[np.uint64], NDArray[np.int32]]
"""Keys of a shard's paragraphs, and in how many of its pages each stands."""


def run(options: argparse.Namespace) -> None:
    """Print the figures."""
    storage = open_storage()
    check_dump(options.dump, storage)
    store = ColumnStore(storage, options.dump)
    manifest = store.complete_manifest("CCNet")
    if options.max_shards < 1:
        raise ConfigError(f"--max-shards {options.max_shards}: give 1 or more")
    shards = range(min(int(manifest["num_shards"]), options.max_shards))
    documents = _documents(store, shards)
    models = CCNet(dump=options.dump).perplexity_models()
    keys = _keys(store, shards)
    figures = {
        "shards": len(shards),
        "amounts": bucket_amounts(documents, models),
        "left_after_comparing": left_after_comparing(keys),
        "keys_compared": keys_compared(keys),
        "perplexity": perplexity_histograms(documents, models),
    }
    if options.out:
        options.out.mkdir(parents=True, exist_ok=True)
        write_pictures(figures, options.out)
    print_asked(options, figures, lines_of(figures))


def _documents(store: ColumnStore, shards: Sequence[int]) -> list[Row]:
    names = ["language", "bucket", "raw_content", "perplexity"]
    paths = (store.path(CCNet.get_task_family(), shard) for shard in shards)
    return [row for path in paths for row in store.read_table(path, names).to_pylist()]


def _keys(store: ColumnStore, shards: Sequence[int]) -> list[KeyCounts]:
    paths = (store.path(HashParagraphs.get_task_family(), shard) for shard in shards)
    tables = (store.read_table(path, ["key", "documents"]) for path in paths)
    return [(table["key"].to_numpy(), table["documents"].to_numpy()) for table in tables]


def bucket_amounts(
    documents: Sequence[Row], models: LanguageModels | None = None
) -> list[dict[str, Any]]:
    """Documents, sentences and tokens of each language and bucket, the largest language first.

    Tokens are pieces of the language's SentencePiece model; None for a language without one. Words
    are None for a language that puts no blanks between them; characters are known of all.

    >>> page = {"language": "sv", "bucket": "head", "raw_content": "Ett. Två tre."}
    >>> rows = bucket_amounts([page])
    >>> [rows[0][name] for name in ("documents", "sentences", "words", "characters", "tokens")]
    [1, 2, 3, 13, None]
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for row in documents:
        groups.setdefault((row["language"] or "", row["bucket"]), []).append(row["raw_content"])
    sizes = Counter(row["language"] or "" for row in documents)
    ordered = sorted(groups, key=lambda one: (-sizes[one[0]], one[0], BUCKETS.index(one[1])))
    return [
        {
            "language": language,
            "bucket": bucket,
            "documents": len(texts),
            "sentences": sum(len(_SENTENCE_END.findall(text)) for text in texts),
            "words": None if language in BLANKLESS else sum(len(text.split()) for text in texts),
            "characters": sum(map(len, texts)),
            "tokens": models.count_tokens(language, texts) if models else None,
        }
        for language, bucket in ordered
        for texts in [groups[language, bucket]]
    ]


def left_after_comparing(
    parts: Sequence[KeyCounts],
) -> list[dict[str, float]]:
    """Share of the first shard's paragraphs that stand nowhere else in the shards compared.

    Each part has the distinct keys of a shard, sorted, and in how many pages each stands.

    >>> one = (np.array([1, 2, 3], np.uint64), np.array([1, 2, 1]))
    >>> left_after_comparing([one, (np.array([3], np.uint64), np.array([1]))])
    [{'shards': 1, 'left': 0.5}, {'shards': 2, 'left': 0.25}]
    """
    if not parts or not len(parts[0][0]):
        return []
    keys, pages = parts[0]
    alone = pages == 1
    rows = [{"shards": 1, "left": float(alone.sum() / pages.sum())}]
    for number, (others, _) in enumerate(parts[1:], start=2):
        alone = alone & ~np.isin(keys, others, assume_unique=True)
        rows.append({"shards": number, "left": float(alone.sum() / pages.sum())})
    return rows


def keys_compared(parts: Sequence[KeyCounts]) -> list[dict[str, float]]:
    """Distinct paragraphs of the first shards, and the memory for their keys (figure 5).

    `sorted_mb` is a sorted array of eight bytes a key, of which the selection holds one part of
    `[CCNet] num_partitions` at a time; `hash_set_mb` is what the paper reports of its own set.

    >>> one = (np.array([1, 2, 3], np.uint64), np.array([1, 2, 1]))
    >>> keys_compared([one, (np.array([3, 4], np.uint64), np.array([1, 1]))])[1]["keys"]
    4
    """
    held = np.empty(0, np.uint64)
    rows = []
    for number, (keys, _) in enumerate(parts, start=1):
        held = np.union1d(held, keys)
        rows.append(
            {
                "shards": number,
                "keys": len(held),
                "sorted_mb": held.nbytes / 1e6,
                "hash_set_mb": len(held) * PAPER_BYTES_A_KEY / 1e6,
            }
        )
    return rows


def perplexity_histograms(
    documents: Sequence[Row], models: LanguageModels | None = None
) -> dict[str, dict[str, Any]]:
    """For each language with a model how many pages have which perplexity, and the limits.

    The limits are those of the models' cutoff.csv; None without them.

    >>> head = {"language": "sv", "bucket": "head", "perplexity": 100.0}
    >>> tail = {**head, "bucket": "tail", "perplexity": 1000.0}
    >>> by_language = perplexity_histograms([head, tail])
    >>> by_language["sv"]["pages"]
    {91: 1, 1024: 1}
    """
    by_language: dict[str, dict[str, Any]] = {}
    for language in sorted({row["language"] for row in documents if row["perplexity"]}):
        scored = [row for row in documents if row["language"] == language and row["perplexity"]]
        bins = Counter(
            round(2 ** (round(math.log2(row["perplexity"]) * BINS_A_DOUBLING) / BINS_A_DOUBLING))
            for row in scored
        )
        limits = models.limits_of(language) if models else None
        by_language[language] = {
            "head_up_to": limits[0] if limits else None,
            "tail_from": limits[1] if limits else None,
            "pages": dict(sorted(bins.items())),
        }
    return by_language


def lines_of(figures: Mapping[str, Any]) -> Iterator[str]:
    """The figures for a terminal."""
    yield f"Table 6, figure 2: by language and bucket ({figures['shards']} shards)"
    yield (
        f"{'':<5}{'bucket':<8}{'documents':>11}{'sentences':>12}{'words':>13}"
        f"{'characters':>15}{'tokens':>13}"
    )
    for row in figures["amounts"]:
        words, tokens = (
            "" if row[name] is None else f"{row[name]:,}" for name in ("words", "tokens")
        )
        yield (
            f"{row['language']:<5}{row['bucket']:<8}{row['documents']:>11,}"
            f"{row['sentences']:>12,}{words:>13}{row['characters']:>15,}{tokens:>13}"
        )
    yield "\nFigure 4: share of a shard's paragraphs left when so many shards are compared"
    for row in figures["left_after_comparing"]:
        yield f"{row['shards']:>5} {row['left']:>7.1%} {'█' * round(BAR * row['left'])}"
    yield "\nFigure 5: distinct paragraphs compared, and memory for their keys"
    for row in figures["keys_compared"]:
        yield (
            f"{row['shards']:>5} {row['keys']:>12,}{row['sorted_mb']:>10,.2f} MB sorted"
            f"{row['hash_set_mb']:>10,.2f} MB as the paper's hash set"
        )
    for language, spread in figures["perplexity"].items():
        limits = [
            f"{name} {value:,.0f}"
            for name, value in (
                ("head up to", spread["head_up_to"]),
                ("tail from", spread["tail_from"]),
            )
            if value is not None
        ]
        yield f"\nPerplexity of {language} ({', '.join(limits)})"
        most = max(spread["pages"].values())
        for middle, number in spread["pages"].items():
            yield f"{middle:>8,} {number:>7,} {'█' * max(1, round(BAR * number / most))}"
