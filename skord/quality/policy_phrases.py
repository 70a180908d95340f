"""Phrases of notices on cookies, privacy and use, in eight languages, and what finds them.

C4 passes over lines that speak of JavaScript or hold one of six English phrases (Raffel et al.
2020, section 2.2, and its published code). The other languages have what such notices say there.
Endings are left out where a language inflects, for a phrase is found within words, too. A line
is held against the phrases of all languages: notices come in other languages than the page, and
close languages are taken for one another.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.text.unicode_tables import SPACE, text_tables

POLICY_PHRASES: dict[str, tuple[str, ...]] = {
    "en": ("terms of use", "privacy policy", "cookie policy", "uses cookies", "use of cookies",
           "use cookies"),
    "sv": ("användarvillkor", "integritetspolicy", "personuppgiftspolicy", "cookiepolicy",
           "cookie-policy", "använder cookies", "använda cookies", "användning av cookies",
           "användningen av cookies", "använder kakor", "användning av kakor",
           "användningen av kakor"),
    "da": ("brugsvilkår", "brugerbetingelser", "privatlivspolitik", "persondatapolitik",
           "cookiepolitik", "cookie-politik", "bruger cookies", "bruge cookies",
           "brug af cookies", "brugen af cookies", "anvender cookies", "anvende cookies",
           "anvendelse af cookies", "anvendelsen af cookies"),
    "nb": ("bruksvilkår", "brukervilkår", "personvernerklæring", "bruker cookies",
           "bruke cookies", "bruk av cookies", "bruken av cookies", "bruker informasjonskapsler",
           "bruke informasjonskapsler", "bruk av informasjonskapsler",
           "bruken av informasjonskapsler"),
    "nn": ("brukarvilkår", "personvernfråsegn", "brukar cookies", "bruka cookies",
           "brukar informasjonskapslar", "bruke informasjonskapslar",
           "bruka informasjonskapslar", "bruk av informasjonskapslar",
           "bruken av informasjonskapslar"),
    "is": ("notkunarskilmál", "notendaskilmál", "persónuverndarstefn", "vafrakökustefn",
           "nota vafrakökur", "notar vafrakökur", "notum vafrakökur", "notkun á vafrakökum",
           "notkun vafrak", "nota vefkökur", "notar vefkökur", "notum vefkökur"),
    "lv": ("lietošanas noteikum", "privātuma politik", "sīkdatņu politik", "sīkfailu politik",
           "izmanto sīkdatnes", "izmantot sīkdatnes", "izmantojam sīkdatnes",
           "izmantotas sīkdatnes", "izmanto sīkfailus", "izmantot sīkfailus",
           "izmantojam sīkfailus", "izmantoti sīkfaili", "sīkdatņu izmantošan",
           "sīkfailu izmantošan"),
    "ja": ("利用規約", "プライバシーポリシー", "個人情報保護方針", "クッキーポリシー",
           "cookieポリシー", "cookieを使用", "cookieを利用", "cookie を使用", "cookie を利用",
           "クッキーを使用", "クッキーを利用", "cookieの使用", "cookieの利用", "クッキーの使用",
           "クッキーの利用"),
}  # fmt: skip
"""Language code to its phrases, in small letters."""

JAVASCRIPT = "javascript"
FOUND = -1
"""The state of a `PhraseFinder` that has read a phrase."""


class PhraseFinder(NamedTuple):
    """An automaton that reads a text once and finds any of some phrases (Aho and Corasick 1975).

    Attributes:
        letters: by code point, shape (PLANES_END,): the number of a letter that phrases hold,
            in either case; of any white space that of a blank; 0 for all else.
        moves: the next state stands at state + letter; 0 is the first state, FOUND the last.
    """

    letters: NDArray[np.uint8]
    moves: NDArray[np.int32]


def phrase_finder(phrases: Collection[str]) -> PhraseFinder:
    """What finds any of the phrases, which are in small letters, whatever stands around them.

    >>> finder, state = phrase_finder({"use cookies"}), 0
    >>> for char in "We USE\\u00a0Cookies":
    ...     state = finder.moves[state + finder.letters[ord(char)]]
    >>> int(state) == FOUND
    True
    """
    alphabet = sorted({char for phrase in phrases for char in phrase})
    width = len(alphabet) + 1
    numbers = {char: number for number, char in enumerate(alphabet, 1)}
    rows, ends = _phrase_automaton(phrases, numbers)
    moves = np.zeros((len(rows), width), np.int32)
    falls = [0] * len(rows)
    for state in _by_depth(rows):
        moves[state] = moves[falls[state]] if state else 0
        if falls[state] in ends:
            ends.add(state)
        for number, after in rows[state].items():
            falls[after] = int(moves[state, number])
            moves[state, number] = after
    is_end = np.isin(moves, list(ends))
    return PhraseFinder(_letters(numbers), np.where(is_end, FOUND, moves * width).ravel())


def _phrase_automaton(
    phrases: Collection[str], numbers: dict[str, int]
) -> tuple[list[dict[int, int]], set[int]]:
    """A state for each beginning of a phrase, with those after it, and the states at ends."""
    rows: list[dict[int, int]] = [{}]
    ends = set()
    for phrase in sorted(phrases):
        state = 0
        for char in phrase:
            after = rows[state].setdefault(numbers[char], len(rows))
            if after == len(rows):
                rows.append({})
            state = after
        ends.add(state)
    return rows, ends


def _by_depth(rows: list[dict[int, int]]) -> list[int]:
    states = [0]
    for state in states:
        states += rows[state].values()
    return states


def _letters(numbers: dict[str, int]) -> NDArray[np.uint8]:
    classes = text_tables().classes
    letters = np.zeros(len(classes), np.uint8)
    for char, number in numbers.items():
        letters[ord(char)] = letters[ord(char.upper())] = number
    letters[(classes & SPACE) != 0] = numbers.get(" ", 0)
    return letters


@cache
def notice_finder(own: tuple[str, ...] = ()) -> PhraseFinder:
    """What finds the lines that C4 passes over, in any of the languages.

    Args:
        own: phrases besides the shipped ones.
    """
    phrases = {phrase for of_language in POLICY_PHRASES.values() for phrase in of_language}
    return phrase_finder({JAVASCRIPT, *phrases, *own})
