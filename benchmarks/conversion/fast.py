"""CPU of a page by the fast converter, beside the published way and pandoc; at least 30× less.

    make bench-markdown-fast PEER=/path/to/pandoc ARGS="--pages pages.jsonl.gz --count 100"

Also prints how far its Markdown agrees with that of `converter = pandoc`: lines that are not blank, blanks
within them folded, and words. Without pages the bundled sample crawl is converted; without a
peer the published way runs the bundled pandoc. See `benchmarks.conversion.ways`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from benchmarks.conversion.ways import Cost, compare, convert_alone, median_ratio, parsed


def folded(markdown: str) -> list[str]:
    r"""The lines that are not blank, their blanks folded.

    >>> folded("a  b\n\n- c  \n")
    ['a b', '- c']
    """
    return [line for line in (" ".join(raw.split()) for raw in markdown.split("\n")) if line]


def equal_lines(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines stand in both, in the same order."""
    if one == other:
        return len(one)
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks())


class Agreement(NamedTuple):
    """Shares that are equal, from 0 to 1."""

    lines: float
    words: float
    pages: float


def agreement(pairs: Sequence[tuple[str, str]]) -> Agreement:
    """How far two Markdowns of each page agree."""
    lines = same_lines = words = same_words = same_pages = 0
    for one, other in pairs:
        one_lines, other_lines = folded(one), folded(other)
        lines += max(len(one_lines), len(other_lines))
        same_lines += equal_lines(one_lines, other_lines)
        one_words, other_words = (Counter(re.findall(r"\w+", text)) for text in (one, other))
        words += max(one_words.total(), other_words.total())
        same_words += (one_words & other_words).total()
        same_pages += one == other
    return Agreement(same_lines / lines, same_words / words, same_pages / len(pairs))


def both(page: Sequence[Cost]) -> list[tuple[str, str]]:
    """Pandoc's Markdown and the fast one, if there are both."""
    pandoc, fast = page[1].markdown, page[2].markdown
    return [(pandoc, fast)] if pandoc and fast else []


def main() -> None:
    """Print the table, the agreement and the ratio."""
    chosen = parsed(__doc__.partition("\n")[0])
    if chosen.alone:
        convert_alone(chosen)
        return
    costs = compare("benchmarks.conversion.fast", chosen, ["published", "pandoc", "fast"])
    lines, words, pages = agreement([pair for page in costs for pair in both(page)])
    print(f"\nequal to pandoc's: {lines:.2%} of lines, {words:.3%} of words, {pages:.0%} of pages")
    ratio = median_ratio(costs, 2)
    print(f"markdown-fast: {ratio:.1f}× less CPU than the published way, median page (goal 30×)")


if __name__ == "__main__":
    main()
