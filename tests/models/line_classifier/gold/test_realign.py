from __future__ import annotations

from skord.models.line_classifier.gold import GoldPage, gold_of, labels_of
from skord.models.line_classifier.gold.realign import carried_labels, realigned_gold


def page(lines: list[str], labels: list[int]) -> GoldPage:
    return GoldPage("0" * 64, "a", "a.se", "sv", "x", True, False, *gold_of(lines, labels))


def test_the_same_words_are_kept_in_other_lines():
    before = ["Hem", "", "| Åsa | Umeå |", "", "Foto: Bo"]
    after = "Hem\n\n<table>\n<td>Åsa</td>\n<td><p>Umeå</p></td>\n</table>\n\nFoto: Bo\n"
    gold = page(before, [0, 0, 1, 0, 0])

    new = realigned_gold(gold, "\n".join([*before, ""]), after)

    assert labels_of(new, after.split("\n")[:-1]) == [0, None, None, 1, 1, None, None, 0]
    assert (new.page, new.is_test) == (gold.page, gold.is_test)


def test_a_line_without_known_words_goes_with_the_line_before():
    assert carried_labels(["a", "b"], [1, 0], ["a", "x", "b", "y"]) == [1, 1, 0, 0]


def test_most_words_decide():
    assert carried_labels(["a b c", "d"], [1, 0], ["a b c d"]) == [1]
    assert carried_labels(["a", "b c d"], [1, 0], ["a b c d"]) == [0]
    assert carried_labels(["a b", "c d e"], [1, 0], ["a b c d e"]) == [0]
