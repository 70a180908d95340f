"""Which page comes next, and which are shown, of `skord.annotation_tool.backend.ordering`."""

import pytest

from skord.annotation_tool.backend.ordering import Filter, Order, QueuedPage, Status, queue

BASE = QueuedPage("a", "https://m.se/a", "m.se", "sv", 9, 0.5, 0, 1, 0.0, False, False)
PAGES = [
    BASE._replace(digest="d", differing=1, loss=0.1),
    BASE._replace(digest="c", uncertainty=0.9, is_done=True, second_wanted=True),
    QueuedPage("b", "https://z.dk/B", "z.dk", "da", 9, 0.5, 0, 1, 0.3, False, True),
    BASE._replace(digest="a", site="k.se", url="https://k.se/x", differing=2, loss=0.2),
    BASE._replace(digest="e", site="k.se", url="https://k.se/b", is_done=True, is_ignored=True),
]  # fmt: skip


def shown(order=Order.uncertainty, **wanted):
    return "".join(page.digest for page in queue(PAGES, order, Filter(**wanted)))


@pytest.mark.parametrize(
    ("order", "digests"),
    [
        (Order.uncertainty, "cabde"), (Order.disagreement, "adbce"), (Order.loss, "badce"),
        (Order.lang, "baecd"), (Order.site, "eacdb"),
    ],
)  # fmt: skip
def test_pages_come_in_the_order_that_is_asked_for(order, digests):
    assert shown(order) == digests


@pytest.mark.parametrize(
    ("status", "digests"),
    [
        (Status.all, "abcde"), (Status.open, "ad"), (Status.done, "ce"), (Status.ignored, "be"),
        (Status.contested, "ad"), (Status.second, "c"),
    ],
)  # fmt: skip
def test_pages_are_shown_by_what_was_made_of_them(status, digests):
    assert "".join(sorted(shown(status=status))) == digests


def test_pages_are_shown_by_language_site_and_words_of_the_address():
    assert shown(lang="da") == "b"
    assert "".join(sorted(shown(site="k.se"))) == "ae"
    assert shown(words="Z.DK/b") == "b"
    assert shown(words="/a", site="k.se") == ""
