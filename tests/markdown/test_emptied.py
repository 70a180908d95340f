"""Lines that say nothing once pictures are set aside, of `pipeline.markdown.emptied`."""

import pytest

from pipeline.markdown.emptied import emptied_spans, without_emptied
from pipeline.markdown.extraction import text_of_lines

EMPTIED = {
    "a table": ("a\n\n| |\n|---|\n| |\n\nb", "a\n\n\nb"),
    "a table at the end": ("a\n\n| |\n|:-:|", "a\n\n"),
    "a zero-width joiner": ("a\n\n \u200d \n\nb", "a\n\n\nb"),
    "a heading said twice": ("# a\n\n# a\nb", "# a\n\nb"),
    "a heading said twice on two levels": ("# a\n\n## a\n\n# a\nb", "# a\n\n\nb"),
}
WHOLE = {
    "a table with a word": "| |\n|---|\n| |\n| a |\n",
    "a heading said later": "# a\nb\n# a",
    "two headings": "# a\n## b",
    "code": "```\n# a\n# a\n| |\n```",
    "blank lines": "a\n  \n\nb",
    "a break": "a\n\n---\n\n---\nb",
    "a line said twice": "a\na",
}


@pytest.mark.parametrize(("text", "left"), EMPTIED.values(), ids=EMPTIED)
def test_what_says_nothing_is_found(text, left):
    for start, end in reversed(list(emptied_spans(text))):
        text = text[:start] + text[end:]

    assert text == left


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_what_says_something_stays(text):
    assert not list(emptied_spans(text))


def test_pictures_of_a_table_keep_their_place_when_it_goes():
    lines = ["Före.", "", "| ![a](a.png) | ![b](b.png) |", "|---|---|", "", "![c](c.png) Efter."]

    text, images = text_of_lines(lines)

    assert text == "Före.\n\nEfter."
    assert [(one["position"], one["url"]) for one in images] == [
        (5, "a.png"), (5, "b.png"), (5, "c.png")
    ]  # fmt: skip


def test_very_many_of_them_go_in_linear_time():
    """A slice of the whole text for each would be ten thousand million characters."""
    text = "a\n\u200b\n" * 50_000

    left, places = without_emptied(text, range(0, len(text), 4))

    assert left == "a\n" * 50_000
    assert places == list(range(0, len(left), 2))
