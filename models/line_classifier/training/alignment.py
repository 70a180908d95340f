r"""Labels of Markdown lines from a page's gold text.

Gold text and Markdown cut the same words into different lines, and boilerplate repeats
words of the text: a menu's "Kontakt" is no gold because the article says so too. So lines
are laid along the gold in order. Each line has places in the gold where enough of its words
stand together; of all ways to give lines places that neither overlap nor step back, the one
covering most words is taken (weighted interval chaining, one pass with a Fenwick tree of
prefix maxima). Only then is a line's share of gold words its label.
"""

from __future__ import annotations

import html
from collections import Counter, defaultdict
from typing import NamedTuple

from skord.models.line_classifier.features.words import SHINGLE_WORDS, words

# Places tried for each line: the best-covered ones. Short lines in long texts have hundreds.
MAX_PLACES = 24
MIN_SHARE = 0.3


class Place(NamedTuple):
    """A stretch [start, end) of the gold's words that a line may stand for."""

    start: int
    end: int
    matched: int


def gold_shares(lines: list[str], gold: str) -> list[float | None]:
    """Share of each line's words that lie in the gold, laid along it in order.

    Args:
        gold: the text that a person would keep, in reading order.

    Returns:
        for each line, from 0 to 1; None for a line without words.

    >>> gold_shares(["Hem", "", "Nytt hem på väg", "Hem"], "Nytt hem på väg.")
    [0.0, None, 1.0, 0.0]
    """
    gold_words = words(gold)
    runs = {size: _positions(gold_words, size) for size in range(1, SHINGLE_WORDS + 1)}
    line_words = [words(html.unescape(line)) for line in lines]
    candidates = [_places(share, gold_words, runs) for share in line_words]
    chosen = _best_chain(candidates, len(gold_words))
    return [
        (place.matched / len(share) if place else 0.0) if share else None
        for share, place in zip(line_words, chosen, strict=True)
    ]


def _positions(gold_words: list[str], size: int) -> dict[tuple[str, ...], list[int]]:
    """Where each run of `size` words starts."""
    positions: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in range(len(gold_words) - size + 1):
        positions[tuple(gold_words[at : at + size])].append(at)
    return positions


def _places(
    line: list[str],
    gold_words: list[str],
    runs: dict[int, dict[tuple[str, ...], list[int]]],
) -> list[Place]:
    """The stretches of gold that hold most of the line's words; runs vote for an offset."""
    if not line:
        return []
    size = min(SHINGLE_WORDS, len(line))
    hits = [
        (at, runs[size].get(tuple(line[at : at + size]), [])) for at in range(len(line) - size + 1)
    ]
    # Runs that the gold repeats all over vote only where nothing rarer does.
    rarest = min((len(positions) for _, positions in hits if positions), default=0)
    votes: Counter[int] = Counter()
    for at, positions in hits:
        if len(positions) <= max(rarest, MAX_PLACES):
            votes.update(position - at for position in positions)
    ranked = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))[: 4 * MAX_PLACES]
    places = {_place(line, gold_words, offset) for offset, _ in ranked}
    good = [place for place in places if place.matched >= MIN_SHARE * len(line)]
    return sorted(good, key=lambda place: (-place.matched, place))[:MAX_PLACES]


def _place(line: list[str], gold_words: list[str], offset: int) -> Place:
    """The line laid at `offset`; words missing on one side may shift it by a few words."""
    at, start, matched = max(offset, 0), -1, 0
    end = at
    for word in line:
        window = gold_words[at : at + 1 + SHINGLE_WORDS]
        if word in window:
            at += window.index(word) + 1
            start = at - 1 if start < 0 else start
            end, matched = at, matched + 1
    return Place(max(start, 0), end, matched)


def _best_chain(candidates: list[list[Place]], gold_size: int) -> list[Place | None]:
    """One place or none for each line, in order and without overlap, covering most words."""
    # best[i]: (words covered, link) over chains ending at or before gold position i.
    best: list[tuple[int, int]] = [(0, -1)] * (gold_size + 2)
    links: list[tuple[int, Place, int]] = []
    for number, places in enumerate(candidates):
        scored = [(_prefix_max(best, place.start), place) for place in places]
        for (covered, link), place in scored:
            links.append((number, place, link))
            _raise(best, place.end, (covered + place.matched, len(links) - 1))
    chosen: list[Place | None] = [None] * len(candidates)
    _, link = _prefix_max(best, gold_size)
    while link >= 0:
        number, place, link = links[link]
        chosen[number] = place
    return chosen


def _prefix_max(tree: list[tuple[int, int]], position: int) -> tuple[int, int]:
    """The best chain that ends at or before `position`."""
    index, greatest = position + 1, (0, -1)
    while index > 0:
        # On equal cover the earlier chain stays: it took fewer or earlier lines.
        greatest = max(greatest, tree[index], key=lambda entry: entry[0])
        index -= index & -index
    return greatest


def _raise(tree: list[tuple[int, int]], position: int, entry: tuple[int, int]) -> None:
    """Records a chain that ends at `position`."""
    index = position + 1
    while index < len(tree):
        if entry[0] > tree[index][0]:
            tree[index] = entry
        index += index & -index
