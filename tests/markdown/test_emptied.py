"""Lines that say nothing once pictures are set aside go, of `text_of_lines`."""

import pytest

from skord.markdown.extraction import text_of_lines

EMPTIED = {
    "blanks at the ends of lines": ("a  \n \u00a0\nb\t\nc\r", "a\n\nb\nc"),
    "a table": ("a\n\n| |\n|---|\n| |\n\nb", "a\n\nb"),
    "a table at the end": ("a\n\n| |\n|:-:|", "a"),
    "a zero-width joiner": ("a\n\n \u200d \n\nb", "a\n\nb"),
    "a heading said twice": ("# a\n\n# a\nb", "# a\n\nb"),
    "a heading said twice on two levels": ("# a\n\n## a\n\n# a\nb", "# a\n\nb"),
}
WHOLE = {
    "a table with a word": "| |\n|---|\n| |\n| a |",
    "a heading said later": "# a\nb\n# a",
    "two headings": "# a\n## b",
    "code": "```\n# a\n# a\n| |\n```",
    "a break": "a\n\n---\n\n---\nb",
    "a line said twice": "a\na",
}


@pytest.mark.parametrize(("text", "left"), EMPTIED.values(), ids=EMPTIED)
def test_what_says_nothing_goes(text, left):
    assert text_of_lines(text.encode()) == (left, [])


@pytest.mark.parametrize("text", WHOLE.values(), ids=WHOLE)
def test_what_says_something_stays(text):
    assert text_of_lines(text.encode()) == (text, [])


def test_pictures_of_a_table_keep_their_place_when_it_goes():
    lines = ["Före.", "", "| ![a](a.png) | ![b](b.png) |", "|---|---|", "", "![c](c.png) Efter."]

    text, images = text_of_lines("".join(f"{line}\n" for line in lines).encode())

    assert text == "Före.\n\nEfter."
    assert [(one["position"], one["url"]) for one in images] == [
        (5, "a.png"), (5, "b.png"), (5, "c.png")
    ]  # fmt: skip


def test_very_many_of_them_go_in_linear_time():
    """A slice of the whole text for each would be ten thousand million characters."""
    text, images = text_of_lines(("a\n\u200b\n![](b)\n" * 50_000).encode())

    assert text == ("a\n\n" * 50_000).strip()
    assert [image["position"] for image in images] == [1 + 3 * number for number in range(50_000)]
