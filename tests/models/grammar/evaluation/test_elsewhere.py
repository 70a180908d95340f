"""The table of text of other kinds."""

from skord.models.grammar.evaluation.elsewhere import elsewhere_table


def test_each_kind_of_text_has_a_row():
    lines = elsewhere_table({"is": {"law": (0.5, 0.875)}, "sv": {"news": (1.0, 0.25)}})
    assert lines[2:] == ["| is, law | 0.500 | 0.875 |", "| sv, news | 1.000 | 0.250 |"]
    assert len({line.count("|") for line in lines}) == 1
