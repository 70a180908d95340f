"""How much of a text are paragraphs that the whole dump repeats, where several follow each other.

One frequent paragraph may be a proverb; several in a row are a menu, a cookie notice or a
footer. After Uzushio's LargeFreqParagraphs, which removes such runs; here their share is
measured, and a limit decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

RUN = 3
"""Frequent paragraphs in a row that make it suspicious (Uzushio's default)."""


def frequent_run_ratio(
    text: str, paragraphs: Sequence[str], frequencies: Sequence[int], frequent: int
) -> float:
    """Share of the text's letters and digits in lines that are paragraphs of suspicious runs.

    Lines of the text and paragraphs of the page are compared by their letters and digits
    alone, since one is Markdown and the other is not.

    Args:
        text: what was kept of the page.
        paragraphs: all of the page, in order.
        frequencies: how often each occurs over the dump.
        frequent: least frequency of a paragraph that counts as frequent.

    >>> menu = ["Hem", "Om oss", "Kontakt"]
    >>> frequent_run_ratio("- Hem\\n\\nNytt!", [*menu, "Nytt!"], [900, 800, 700, 1], 100)
    0.42857142857142855
    >>> frequent_run_ratio("- Hem\\n\\nNytt!", ["Hem", "Nytt!"], [900, 1], 100)
    0.0
    """
    suspicious = set(_in_runs(paragraphs, frequencies, frequent))
    lines = [_letters(line) for line in text.split("\n")]
    total = sum(map(len, lines))
    return sum(len(line) for line in lines if line in suspicious) / total if total else 0.0


def _in_runs(paragraphs: Sequence[str], frequencies: Sequence[int], frequent: int) -> Iterator[str]:
    pairs = zip(paragraphs, frequencies, strict=True)
    for is_frequent, run in groupby(pairs, lambda pair: pair[1] >= frequent):
        members = list(run)
        if is_frequent and len(members) >= RUN:
            yield from (_letters(paragraph) for paragraph, _ in members)


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
