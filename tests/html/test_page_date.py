"""When a page was published: what counts, and what is about something else."""

# ruff: noqa: E501 - pages

from datetime import date

import pytest

from skord.html.page_date import page_date

FETCHED = date(2024, 6, 1)


def linked(data: str) -> str:
    return f'<script type="application/ld+json">{data}</script>'


DATES = {
    "an article's own": (linked('{"@type":"NewsArticle","datePublished":"2024-03-01T10:00+01:00"}'), "2024-03-01"),
    "a comment's before it": (linked('{"comment":[{"@type":"Comment","datePublished":"2024-05-01"}],"datePublished":"2024-03-01"}'), "2024-03-01"),
    "a comment's alone": (linked('{"@type":"Article","comment":{"datePublished":"2024-05-01"}}'), None),
    "an answer's": (linked('{"mainEntity":{"@type":"Question","suggestedAnswer":[{"datePublished":"2024-05-01"}]}}'), None),
    "a review's of a product": (linked('{"@type":"Product","review":[{"@type":"Review","datePublished":"2024-05-01"}]}'), None),
    "in a graph": (linked('{"@graph":[{"@type":"WebSite"},{"@type":"WebPage","datePublished":"2024-03-01"}]}'), "2024-03-01"),
    "an item's of a list": (linked('{"@type":"ItemList","itemListElement":[{"datePublished":"2024-05-01"}]}'), None),
    "linked data cut short": (linked('{"datePublished": "2024-03-01", '), "2024-03-01"),
    "linked data cut short with comments": (linked('{"comment":[{"datePublished": "2024-03-01"'), None),
    "nested without end": (linked("[" * 100_000), None),
    "dots": ('<meta name="dc.date" content="1.3.2024">', "2024-03-01"),
    "no marks": ('<meta name="DC.date.issued" content="20240301">', "2024-03-01"),
    "slashes": ('<meta property="article:published_time" content="2024/03/01 10:00">', "2024-03-01"),
    "a time": ('<article><time datetime="2024-03-01T23:00Z">', "2024-03-01"),
    "a time in comments": ('<section class="comments"><time datetime="2024-03-01">', None),
    "a time in a comment of an article element": ('<article class="comment-body"><time datetime="2024-03-01">', None),
    "a time in Danish comments": ('<div id="kommentarer"><p><time datetime="2024-03-01">', None),
    "a time in comments of microdata": ('<div itemtype="https://schema.org/Comment"><time datetime="2024-03-01">', None),
    "a meta in comments of microdata": ('<div itemprop="comment"><meta itemprop="datePublished" content="2024-03-01"></div>', None),
    "a time beside the text of its article": ('<article><aside><time datetime="2024-03-01"></aside>', "2024-03-01"),
    "a time of an article beside the text": ('<aside><article><time datetime="2024-03-01"></aside>', None),
    "a time beside the text": ('<aside><time datetime="2024-03-01"></aside>', None),
    "an article that can be commented": ('<article class="post comments-open"><time datetime="2024-03-01">', "2024-03-01"),
    "a page with comments": ('<body class="comments"><article><time datetime="2024-03-01">', "2024-03-01"),
    "a comment before the article": ('<div class=comment><time datetime="2024-05-01"></div><p><time datetime="2024-03-01">', "2024-03-01"),
    "the future": ('<meta name="date" content="2204-03-01">', None),
    "the future, and a past one": ('<meta name="date" content="2204-03-01"><time datetime="2024-03-01">', "2024-03-01"),
    "tomorrow, where it is tomorrow": ('<meta name="date" content="2024-06-02">', "2024-06-02"),
    "in two days": ('<meta name="date" content="2024-06-03">', None),
    "before the web": ('<meta name="date" content="1970-01-01">', None),
    "the year one": ('<meta name="date" content="0001-01-01">', None),
    "the first year": ('<meta name="date" content="1990-01-01">', "1990-01-01"),
    "no day": ('<meta name="date" content="2024-02-30">', None),
}  # fmt: skip


@pytest.mark.parametrize(("html", "day"), DATES.values(), ids=DATES)
def test_the_page_s_own_date_counts_if_it_can_be(html, day):
    assert page_date(html, FETCHED) == day
    assert page_date(html.encode(), FETCHED) == day


def test_without_a_day_of_fetching_a_later_date_counts():
    assert page_date('<meta name="date" content="2204-03-01">', None) == "2204-03-01"
