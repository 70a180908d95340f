"""Measures of what is left of a page, of `skord.extras.paragraphs.page_measures`."""

import pytest

from skord.extras.paragraphs.page_measures import (
    heading_level,
    is_drawn,
    is_heading_or_list,
    is_list,
    last_tag,
    paragraph_page_measures,
    script_ratio,
)
from skord.paragraphs.format import Paragraph, read_paragraphs


def paragraphs(*pairs):
    """Each a path and a text."""
    text = "\n\n".join(f"{path}\x1c{plain}" for path, plain in pairs)
    return read_paragraphs(text)


PAGE = (("body>p", "Bron är klar."), ("body>h2", "Efteråt"), ("body>p", "Inget slut"))


def test_prose_that_ends_sentences_is_told_without_headings_and_lists():
    page = paragraph_page_measures(paragraphs(*PAGE, ("body>ul", "sak")), [1, 1, 1, 1], "sv")
    assert page.ended_ratio == 0.5
    assert paragraph_page_measures(paragraphs(("body>h1", "A")), [1], "sv").ended_ratio is None


def test_characters_are_counted_with_the_breaks_between_paragraphs():
    texts = [text for _, text in PAGE]
    page = paragraph_page_measures(paragraphs(*PAGE), [1, 1, 1], "sv")
    assert page.chars == sum(map(len, texts)) + 2


def test_copies_are_the_mean_by_length():
    page = paragraph_page_measures(paragraphs(("p", "aaaa"), ("p", "bb")), [1, 7], None)
    assert page.copies == pytest.approx((4 * 1 + 2 * 7) / 6)
    assert paragraph_page_measures([], [], "sv").copies is None


def test_words_of_a_list_are_counted_as_often_as_they_stand_there():
    page = paragraphs(("p", "Lån och lån, men inte lånen"))
    assert paragraph_page_measures(page, [1], "sv", {"lån"}).num_listed_words == 2
    assert paragraph_page_measures(page, [1], "sv").num_listed_words == 0


def test_what_repeats_packs_better():
    same = paragraph_page_measures(paragraphs(("p", "abcd " * 400)), [1], None).compression_ratio
    assert same < 0.1
    assert paragraph_page_measures([], [], None).compression_ratio is None


def test_hiragana_is_told_of_japanese_alone():
    japanese = paragraph_page_measures(paragraphs(("p", "これは日本の本です")), [1], "ja")
    assert japanese.hiragana_ratio == pytest.approx(6 / 9)
    assert (
        paragraph_page_measures(paragraphs(("p", "Bron är klar")), [1], "sv").hiragana_ratio is None
    )
    chinese = paragraph_page_measures(paragraphs(("p", "中国的书")), [1], "zh")
    assert chinese.hiragana_ratio == 0.0


def test_letters_of_the_languages_script_are_a_share_of_all():
    assert script_ratio("abc мы", "sv") == pytest.approx(3 / 5)
    assert script_ratio("abc мы", "ru") == pytest.approx(2 / 5)
    assert script_ratio("123", "sv") is None
    assert script_ratio("abc", "xx") is None


def test_a_draw_is_the_same_each_time_and_as_often_as_expected():
    ids = [f"urn:{n}" for n in range(2000)]
    drawn = [is_drawn(one, 4.0, 1.0) for one in ids]
    assert drawn == [is_drawn(one, 4.0, 1.0) for one in ids]
    assert 0.2 < sum(drawn) / len(ids) < 0.3
    assert all(is_drawn(one, 1.0, 1.0) for one in ids)
    assert is_drawn("a", None, 1.0) is None
    assert is_drawn("a", 3.0, 0.0) is None


def test_what_stands_apart_is_a_heading_or_a_list():
    assert [heading_level(tag) for tag in ("h1", "h6", "h7", "th1", "p")] == [1, 6, 0, 0, 0]
    assert [is_list(tag) for tag in ("ul", "ol", "li")] == [True, True, False]
    assert [is_heading_or_list(tag) for tag in ("h3", "menu", "p")] == [True, True, False]
    assert last_tag(Paragraph("body>div.x>p", "a")) == "p"
    assert last_tag(Paragraph("", "a")) == ""
