"""The published extractor's form of labelled pages: what is read of it, and what is refused."""

import json

import pytest

from skord.annotation_tool.backend.exchange import import_labels
from skord.annotation_tool.backend.published import (
    NotPublishedError,
    SourcePage,
    markdown_digest,
    read_published,
    write_published,
)
from tests.annotation.conftest import page_of

ROW = {"url": "https://a.example/", "content": "Meny\nText\n"}


def again(page):
    return read_published(json.loads(write_published(page)))


def test_a_line_without_labels_is_a_page_to_label():
    example = read_published(ROW)

    assert (example.url, example.markdown) == ("https://a.example/", "Meny\nText\n")
    assert (example.labels, example.is_ignored, example.probabilities) == (None, False, None)
    assert json.loads(write_published(example)) == {**ROW, "page": markdown_digest(ROW["content"])}


def test_labels_that_differ_stand_until_they_are_to_be_replaced(database):
    first, second = (page_of("A\nB\n", f"https://{name}.se/", labels=b"\x01\x00") for name in "ab")
    pages = [first, second, page_of("C\n", "https://c.se/")]
    assert import_labels(database, pages, "anna", replace=False) == (3, 3, 2, 0, ())

    pages = [first, second._replace(labels=b"\x00\x01")]

    assert import_labels(database, pages, "anna", replace=False) == (2, 0, 0, 1, (second.url,))
    assert import_labels(database, pages, "anna", replace=True) == (2, 0, 1, 1, ())


def test_what_is_written_is_read_again():
    digest = "0123456789abcdef" * 4
    whole = {**ROW, "selected_lines": [1], "is_ignored": True, "line_predictions": [0, 1.0]}

    example = read_published(whole)

    assert (example.labels, example.is_ignored) == (b"\x00\x01", True)
    assert example.probabilities == b"\x00\xff"
    assert again(example) == example
    named = SourcePage(digest, "u", "", "", "", "A\n", labels=b"\x01", annotator="anna")
    assert again(named) == named
    whole = named._replace(site="a.se", lang="sv", archived=b"<p>\xff", content_type="text/html")
    assert again(whole) == whole
    assert "annotator" not in write_published(named._replace(labels=None))


def test_the_text_behind_the_last_line_break_has_no_prediction():
    example = read_published({"content": "Meny\nText", "line_predictions": [0.25]})

    assert example.markdown == "Meny\nText\n"
    assert list(example.probabilities) == [64, 128]
    assert read_published({"content": "Meny\n", "line_predictions": []}).probabilities is None
    assert example.url == ""


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ("Meny", "no text"),
        ([], "no text"),
        ({"url": "u"}, "no text"),
        ({"content": 3}, "no text"),
        ({**ROW, "selected_lines": "1"}, "not a list of line numbers"),
        ({**ROW, "selected_lines": [1.0]}, "not a list of line numbers"),
        ({**ROW, "selected_lines": [True]}, "not a list of line numbers"),
        ({**ROW, "selected_lines": [2]}, "`selected_lines` names"),
        ({**ROW, "selected_lines": [-1]}, "`selected_lines` names"),
        ({**ROW, "line_predictions": ["x"]}, "not a list of numbers"),
        ({**ROW, "line_predictions": [[0.5], [0.5]]}, "other things than probabilities"),
        ({**ROW, "line_predictions": [0.5, 1.01]}, "other things than probabilities"),
        ({**ROW, "line_predictions": [-0.01, 1]}, "other things than probabilities"),
        ({**ROW, "line_predictions": [0.5, 0.5, 0.5]}, "has 3 values for 2 lines"),
        ({**ROW, "page": "no digest"}, "`page` is"),
        ({**ROW, "annotator": 3}, "`annotator` is"),
        ({**ROW, "html_b64": "<p>"}, "`html_b64` is no page"),
    ],
)
def test_a_line_in_another_form_says_where_it_departs(row, why):
    with pytest.raises(NotPublishedError, match=why):
        read_published(row)
