"""How deep and wide markup is, and when a page was published."""

from datetime import date

import pytest

from skord.core.failures import DocumentError
from skord.html.nesting import (
    MANY_OPTIONS,
    MAX_ATTRIBUTES,
    MAX_OPEN_STYLES,
    MAX_OPEN_TAGS,
    most_attributes,
    most_open_tags,
    refuse_parser_bombs,
    with_easy_menus,
)
from skord.html.page_date import page_date


@pytest.mark.parametrize(
    ("html", "tags", "styles"),
    [
        ("", 0, 0),
        ("<div></div><div></div>", 1, 0),
        ("</div></div><div>", 1, 0),
        ("<b><i></b></i>", 2, 2),
        ("<br><img><p><p>", 0, 0),
        ("<b/><div/>", 1, 1),
        ("<script>if (i<n) x</script><div>", 1, 0),
        ("<script>i<n", 0, 0),
        ("<DIV><Div>", 2, 0),
    ],
)
def test_tags_that_stand_open(html, tags, styles):
    assert most_open_tags(html) == (tags, styles)


def test_pages_at_the_limits_are_read_and_those_beyond_refused():
    allowed = ["<div>" * MAX_OPEN_TAGS, "<b>" * MAX_OPEN_STYLES, "<div>" * 9000 + "</div>" * 9000]
    for html in allowed[:2]:
        refuse_parser_bombs(html)

    for html, code in [
        ("<div>" * (MAX_OPEN_TAGS + 1), "too_deep"),
        ("<b>" * (MAX_OPEN_STYLES + 1), "too_deep"),
        ("<p " + "a " * (MAX_ATTRIBUTES + 1) + ">", "too_large"),
    ]:
        with pytest.raises(DocumentError) as refused:
            refuse_parser_bombs(html)
        assert str(refused.value.code) == code


def test_many_tags_that_are_closed_are_no_bomb():
    refuse_parser_bombs("<div></div>" * 9000)
    refuse_parser_bombs("<b></b>" * 9000)


def test_attributes_are_counted_in_long_tags_alone():
    assert most_attributes("<p a b c>") == 0
    assert most_attributes("<p " + "a='x y' " * 2000 + ">") == 2000
    assert most_attributes("<p " + "a " * 5001 + "><p " + "b " * 6001 + ">") == 6001


def test_only_long_menus_are_changed():
    menu = "<select>" + "<option>a" * MANY_OPTIONS

    assert with_easy_menus(menu) == menu
    assert with_easy_menus(f"{menu}<OPTION>b").startswith("<select multiple><option>a")


@pytest.mark.parametrize(
    ("html", "day"),
    [
        ('<script>{"datePublished": "2022-01-31T08:00"}</script><time datetime=2020-01-01>',
         "2022-01-31"),
        ('<meta itemprop="datePublished" content="2021-05-06">', "2021-05-06"),
        ('<meta name="dc.date.issued" content="2021-05-07">', "2021-05-07"),
        ('<meta name="DATE" content="2021-05-08">', "2021-05-08"),
        ("<time datetime='2001-01-01'></time><article><time datetime=2021-05-09>", "2021-05-09"),
        ('<meta itemprop="datePublished" content="2021-13-06"><time datetime=2020-02-03>',
         "2020-02-03"),
        ('<meta itemprop="datePublished" content="2021-05-061">', None),
        ("<time datetime='den 3 maj'>", None),
        ("<time datetime='i maj'></time><time datetime=2020-02-03>", None),
        ("<p>2021-05-06", None),
    ],
)  # fmt: skip
def test_the_surest_date_that_is_one_counts(html, day):
    assert page_date(html, date(2024, 6, 1)) == day
