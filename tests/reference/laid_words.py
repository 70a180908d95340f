r"""What `skord.native.line_context` is to do: Markdown's words laid along those of HTML."""

from __future__ import annotations

import html as html_entities
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from skord.html.line_context import LineContext
from skord.markdown.plain_lines import plain_lines
from tests.reference.element_words import WORD, ElementWords, words_of_markup

NEAR_WORDS = 3
"""A word this far ahead is taken at once; one farther ahead must be followed by its follower."""

LOOK_AHEAD = 600
"""Words of the HTML that the Markdown may lack in one place."""

MOST_PLACES = 200
"""Places looked at for a line that is not where it is awaited, such as a picture's caption."""

_IN_STEP = 3
_IMAGE = re.compile(r"!\[(?:[^\[\]\\\n]|\\.)*\]\((?:[^()\n\\]|\\.|\([^()\n]*\))*\)")
_MARKERS = re.compile(r"[ >]*(?:(?:[-*+]|\d+[.)])\s+)*")


def context_of_markup(markup: str, markdown: str) -> LineContext:
    """Where the lines of Markdown stand in markup that `page_markup` gave."""
    page = words_of_markup(markup)
    owners: list[int] = []
    links, controls = bytearray(), bytearray()
    lines = plain_lines(markdown.split("\n")[:-1])
    for places in _places_of_lines(lines, page.words):
        owners.append(page.owners[places[len(places) // 2]] if places else -1)
        for shares, signs in ((links, page.linked), (controls, page.controlled)):
            count = sum(signs[at] for at in places)
            shares.append(round(255 * count / len(places)) if places else 0)
    return _with_used_elements(page, owners, bytes(links), bytes(controls))


def _places_of_lines(lines: Sequence[str], words: Sequence[str]) -> Iterator[Sequence[int]]:
    """For each line the places of its words among the HTML's."""
    where: Mapping[str, list[int]] = _index(words)
    walk = _Walk(words, where, 0)
    for line in lines:
        actual = _line_words(line) if line else []
        places: Sequence[int] = ()
        if actual:
            places, walk = _on_the_way(actual, walk)
            if 2 * len(places) < len(actual):
                places = _elsewhere(actual, walk) or places
        yield places


class _Walk(NamedTuple):
    """How far the HTML's words have been walked."""

    words: Sequence[str]
    where: Mapping[str, list[int]]
    place: int


def _index(words: Sequence[str]) -> Mapping[str, list[int]]:
    where: dict[str, list[int]] = defaultdict(list)
    for at, word in enumerate(words):
        where[word].append(at)
    return dict(where)


def _line_words(line: str) -> list[str]:
    """Words of a line, without list markers and images, whose texts no element holds."""
    text = line[_MARKERS.match(line).end() :]  # type: ignore[union-attr]  # matches anything
    if "![" in text:
        text = _IMAGE.sub(" ", text)
    return WORD.findall((html_entities.unescape(text) if "&" in text else text).lower())


def _on_the_way(actual: Sequence[str], walk: _Walk) -> tuple[list[int], _Walk]:
    """The places of a line's words from where the walk stands on, and the walk behind them."""
    words, place = walk.words, walk.place
    places = []
    for at, word in enumerate(actual):
        if place < len(words) and words[place] == word:
            ahead = place
        else:
            ahead = _ahead(actual, at, walk._replace(place=place))
        if ahead >= 0:
            places.append(ahead)
            place = ahead + 1
    return places, walk._replace(place=place)


def _ahead(actual: Sequence[str], at: int, walk: _Walk) -> int:
    """The next place of a word, if it is near or in step with what follows; else -1."""
    known = walk.where.get(actual[at], [])
    number = bisect_left(known, walk.place)
    if number == len(known):
        return -1
    place = known[number]
    if place - walk.place <= NEAR_WORDS:
        return place
    following = actual[at + 1 : at + _IN_STEP]
    in_step = len(following) == _IN_STEP - 1 and following == list(
        walk.words[place + 1 : place + _IN_STEP]
    )
    return place if in_step and place - walk.place <= LOOK_AHEAD else -1


def _elsewhere(actual: Sequence[str], walk: _Walk) -> Sequence[int]:
    """The nearest stretch that begins as the line does, anywhere in the page."""
    start = list(actual[:_IN_STEP])
    known = walk.where.get(actual[0], [])
    number = bisect_left(known, walk.place)
    near = known[max(number - MOST_PLACES, 0) : number + MOST_PLACES]
    fitting = [at for at in near if list(walk.words[at : at + len(start)]) == start]
    if not fitting:
        return ()
    place = min(fitting, key=lambda at: abs(at - walk.place))
    return range(place, min(place + len(actual), len(walk.words)))


def _with_used_elements(
    page: ElementWords, owners: Sequence[int], links: bytes, controls: bytes
) -> LineContext:
    """Only the elements around some line, numbered anew."""
    used = {-1}
    for owner in set(owners):
        while owner not in used:
            used.add(owner)
            owner = page.parents[owner]  # noqa: PLW2901
    number = {old: new for new, old in enumerate(sorted(used), start=-1)}
    kept = sorted(used)[1:]
    return LineContext(
        elements=[page.elements[old] for old in kept],
        parents=[number[page.parents[old]] for old in kept],
        lines=[number[owner] for owner in owners],
        links=links,
        controls=controls,
    )
