"""Which pages an entry names."""

import hashlib

import pytest

from skord.publishing.removals.requests import (
    Entry,
    Match,
    Removals,
    comparable_entry,
    robots_entries,
    text_digest,
)

ID = "urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11"
URL = "https://www.exempel.se/a"


def matched(one, url=URL, page_id=ID, text=""):
    return Removals((one,)).match(page_id, url, text_digest(text)) is not None


@pytest.mark.parametrize(
    ("domain", "url", "is_named"),
    [
        ("exempel.se", "http://exempel.se/", True),
        ("exempel.se", "https://a.b.Exempel.SE:8080/x", True),
        ("exempel.se", "https://exempel.se./x", True),
        ("exempel.se", "https://inteexempel.se/", False),
        ("exempel.se", "https://exempel.se.annan.dk/", False),
        ("www.exempel.se", "https://exempel.se/", False),
        ("*.åmål.se", "https://xn--ml-xiab.se/", True),
        ("xn--ml-xiab.se", "https://www.Åmål.se/", True),
        ("exempel.se", "https://[trasig/", False),
        ("exempel.se", "https://a.dk/?u=exempel.se", False),
    ],
)
def test_a_domain_covers_its_subdomains(domain, url, is_named):
    assert matched(comparable_entry("domain", domain), url) is is_named


@pytest.mark.parametrize(
    ("listed", "url", "is_named"),
    [
        ("https://exempel.se/a", "http://www.exempel.se/a/", True),
        ("exempel.se/a", "https://exempel.se:443/a#del", True),
        ("http://exempel.se/å", "http://exempel.se/%C3%A5", True),
        ("http://exempel.se/%7Ea/", "http://exempel.se/~a", True),
        ("http://exempel.se", "https://exempel.se/", True),
        ("http://exempel.se/a", "http://exempel.se/A", False),
        ("http://exempel.se/a", "http://exempel.se/a/b", False),
        ("http://exempel.se/a?b=1", "http://exempel.se/a?b=2", False),
        ("http://exempel.se/a?b=1", "http://exempel.se/a?b=1", True),
        ("http://exempel.se:8080/a", "http://exempel.se/a", False),
    ],
)
def test_an_address_is_known_however_it_is_written(listed, url, is_named):
    assert matched(comparable_entry("url", listed), url) is is_named


def test_ids_and_texts_are_named():
    digest = hashlib.sha256("Hej på dig.".encode()).hexdigest()

    assert matched(comparable_entry("id", f"<{ID.upper()}>"))
    assert not matched(comparable_entry("id", ID.replace("6b", "7b")))
    assert matched(comparable_entry("text", f"SHA256:{digest.upper()}"), text="Hej på dig.")
    assert not matched(comparable_entry("text", digest), text="Hej på dig")


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        ("domain", "se"), ("domain", "https://exempel.se/"), ("domain", ""), ("domain", "a b.se"),
        ("url", ""), ("url", "/bara/en/stig"), ("id", "12"), ("text", "abc"),
        ("robots", "exempel.se"), ("person", "x"),
    ],
)  # fmt: skip
def test_what_is_no_entry_is_refused(kind, written):
    with pytest.raises(ValueError, match=r".+"):
        comparable_entry(kind, written)


def test_robots_rules_hold_for_their_site_alone():
    (rules,) = robots_entries("https://exempel.se/robots.txt", "User-agent: *\nDisallow: /a")

    assert matched(rules, "https://exempel.se/a/b")
    assert not matched(rules, "https://exempel.se/b")
    assert not matched(rules, "http://exempel.se/a")
    assert not matched(rules, "https://www.exempel.se/a")


def test_the_entry_that_came_first_is_named_whatever_came_later():
    first = Entry("domain", "exempel.se", added="000001-a")
    later = Entry("id", ID, added="000002-b")
    again = Entry("domain", "exempel.se", added="000003-c")

    for entries in ((first, later, again), (again, later, first)):
        assert Removals(entries).match(ID, URL, b"") == Match("domain", "exempel.se", "000001-a")


def test_nothing_listed_names_nothing():
    assert Removals().match(ID, URL, text_digest("")) is None
    assert not Removals()
