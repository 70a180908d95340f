"""How many pages to compare, and whether to judge the language before or after: an experiment.

    make bench-deduplication-order                             # on the bundled sample crawl
    .venv/bin/python -m benchmarks deduplication-order WET…    # on WET files of a real dump

Two curves of the CCNet paper (Wenzek et al. 2020, section 4.1), on pages that are at hand:

* figure 4, what share of the characters remains when more and more of the dump is compared
  (the published rule: a paragraph that two pages hold goes everywhere);
* figure 3, how the pages of each language change in number when repeated paragraphs go before
  the language is judged rather than after.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from skord.ccnet.choices import ParagraphRule
from skord.ccnet.judging import JudgedPages, LanguageRule, judge_pages
from skord.ccnet.line_hashing import hash_pages
from skord.ccnet.repeats import LinePass, Mask, RepeatedKeys, repeats_by_shard
from skord.ccnet.text_pages import TextPage, TextPages
from skord.ccnet.wet_pages import text_pages
from skord.cli.sample import build
from skord.core.tasks.phases import contiguous_groups
from skord.models.language_id.batches import ScoreColumns, load_language_batches
from skord.models.language_id.lid176 import load_language_model
from skord.text.words import TextColumn

MIN_CHARS = 300
SHARDS = 16
EVERY_LANGUAGE = LanguageRule(load_language_model().labels, 0.5, "top")
NO_LANGUAGE = LanguageRule((), 0.0, "any")


def pages_of(paths: Iterable[Path]) -> Iterator[TextPage]:
    """The pages of WET files that can be read."""
    for path in paths:
        with path.open("rb") as stream:
            for pages in text_pages(stream, path.name, Counter()):
                yield from pages


def shards_of(pages: Sequence[TextPage]) -> list[list[TextPage]]:
    """The pages in `SHARDS` shards of equal size."""
    shards: list[list[TextPage]] = [[] for _ in range(SHARDS)]
    for page, shard in zip(pages, contiguous_groups(len(pages), SHARDS), strict=True):
        shards[shard].append(page)
    return shards


def judged(
    shards: Sequence[Sequence[TextPage]],
    group: int,
    rule: LanguageRule,
    *,
    language_first: bool = False,
) -> Iterator[JudgedPages]:
    """All pages, `group` shards compared with one another."""
    together = [[TextPages.of(shard)] for shard in shards]
    table = repeats_by_shard([hash_pages(pages, MIN_CHARS) for pages in together], group)
    scores = load_language_batches().columns_of if rule.languages else no_scores
    for number, pages in enumerate(together):
        rows = table.filter(table["shard"].to_numpy() == number)
        repeated = RepeatedKeys(rows["key"].to_numpy(), rows["first_shard"].to_numpy())
        line_pass = LinePass(repeated, ParagraphRule.DROP_ALL, number)
        yield from judge_pages(
            pages, line_pass, scores, rule, MIN_CHARS, language_first=language_first
        )


def no_scores(_: TextColumn, wanted: Mask, /, **_asked: object) -> ScoreColumns:
    """Nobody asks for the language."""
    none = np.empty(0, np.int32)
    return ScoreColumns([], np.zeros(len(wanted), np.int64), none, none.astype(np.float64))


def remaining(shards: Sequence[Sequence[TextPage]], group: int) -> float:
    """The share of characters that stays when `group` shards are compared."""
    left = before = 0
    for verdicts in judged(shards, group, NO_LANGUAGE):
        left += verdicts.lengths.sum()
        before += verdicts.pages.lengths[verdicts.pages.lengths >= MIN_CHARS].sum()
    return float(left / before)


def per_language(shards: Sequence[Sequence[TextPage]], *, language_first: bool) -> Counter[str]:
    """Pages selected in each language."""
    verdicts = judged(shards, SHARDS, EVERY_LANGUAGE, language_first=language_first)
    return Counter(
        str(some.languages[page]) for some in verdicts for page in some.numbers(refused=False)
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("wet", nargs="*", type=Path, help="WET files; the sample crawl's if none")
    paths = parser.parse_args().wet
    with tempfile.TemporaryDirectory() as folder:
        if not paths:
            build(Path(folder), [], "2024-10")
            paths = sorted(Path(folder).rglob("*.warc.wet.gz"))
        shards = shards_of(list(pages_of(paths)))

    print(f"{sum(map(len, shards))} pages in {SHARDS} shards\n")
    print(f"{'shards compared':>16}{'characters left':>18}")
    shares = {group: remaining(shards, group) for group in (1, 2, 4, 8, 16)}
    for group, share in shares.items():
        print(f"{group:>16}{share:>18.1%}")

    first, after = (per_language(shards, language_first=order) for order in (True, False))
    print(f"\n{'language':>16}{'judged first':>18}{'judged after':>18}{'ratio':>10}")
    for language in sorted(first | after, key=lambda code: -first[code]):
        ratio = after[language] / first[language] if first[language] else float("inf")
        print(f"{language:>16}{first[language]:>18}{after[language]:>18}{ratio:>10.2f}")
    last = shares[SHARDS] / shares[1]
    print(
        f"deduplication-order: {last:.2f}× the characters of one shard alone, when all are compared"
    )


if __name__ == "__main__":
    main()
