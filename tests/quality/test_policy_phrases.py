"""Phrases in running text, of `skord.quality.policy_phrases`: found wherever they begin."""

import pytest

from skord.quality.policy_phrases import FOUND, phrase_finder


def finds(phrases, text):
    finder, state = phrase_finder(phrases), 0
    for char in text:
        letter = finder.letters[ord(char)] if ord(char) < len(finder.letters) else 0
        state = int(finder.moves[state + letter])
        if state == FOUND:
            return True
    return False


@pytest.mark.parametrize(
    ("phrases", "text", "found"),
    [
        ({"a", "bc"}, "xyz", False), ({"a", "bc"}, "xyza", True), ({"a", "bc"}, "xbbc", True),
        ({"a", "bc"}, "bxc", False), ({"abab"}, "aababab", True), ({"abab", "ba"}, "aab", False),
        ({"she", "he", "hers"}, "usher", True), ({"hers"}, "ushers", True),
        ({"hers"}, "usher s", False), ({"abcd", "bc"}, "abce", True),
    ],
)  # fmt: skip
def test_a_phrase_is_found_behind_the_beginning_of_another(phrases, text, found):
    assert finds(phrases, text) is found
