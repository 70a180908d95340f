"""Sites that are wanted and those that are not."""

import pytest

from skord.crawl.sites import SiteList, SiteRule


@pytest.mark.parametrize(
    ("entry", "held", "others"),
    [
        ("example.se", ["http://example.se/", "https://A.B.Example.SE:8080/x"],
         ["http://notexample.se/", "http://example.se.evil.example/", "http://a/?x=example.se"]),
        (".se", ["http://a.se/", "http://b.a.se"], ["http://a.se.no/", "http://se.no/"]),
        ("=www.example.se", ["http://www.example.se/x"],
         ["http://example.se/", "http://a.www.example.se/"]),
        ("example.se/blogg/*", ["http://example.se/blogg/1", "https://example.se/Blogg/"],
         ["http://example.se/blogg", "http://www.example.se/blogg/1", "", "notes.txt", "dns:example.se",
          "http://[::1", "//example.se/blogg/1"]),
        ("https://*.example.se/*/om*", ["https://a.example.se/b/om-oss"],
         ["http://a.example.se/b/om-oss", "https://example.se/b/om"]),
        ("åmål.se", ["http://xn--ml-xiab.se/", "http://www.åmål.se/"], ["http://amal.se/"]),
        ("example.se/[a]*", ["http://example.se/[a]b"], ["http://example.se/ab"]),
    ],
)  # fmt: skip
def test_each_form_of_entry(entry, held, others):
    sites = SiteList([entry])

    assert [url for url in held if not sites.holds(url)] == []
    assert [url for url in others if sites.holds(url)] == []


@pytest.mark.parametrize("entry", ["", "a b.se", "=", "http:"])
def test_what_is_no_site_is_said(entry):
    with pytest.raises(ValueError, match=r"is no site: write example\.se"):
        SiteRule(only=(entry,)).check()


def test_what_is_no_network_is_said():
    with pytest.raises(ValueError, match=r"192\.0\.2"):
        SiteRule(only_networks=("192.0.2",)).check()


def test_never_comes_before_only_and_unknown_addresses_are_in_no_network():
    rule = SiteRule(("example.se",), ("=bad.example.se",), ("192.0.2.0/24", "2001:db8::/32"))

    assert rule.takes("http://a.example.se/", "192.0.2.1")
    assert rule.takes("http://a.example.se/", "2001:db8::1")
    assert not rule.takes("http://bad.example.se/", "192.0.2.1")
    assert not rule.takes("http://a.example.se/", "192.0.3.1")
    assert not rule.takes("http://a.example.se/", None)
    assert SiteRule(never_networks=("192.0.2.0/24",)).takes("http://a.example.se/", None)


def test_the_order_of_a_list_makes_no_other_fingerprint():
    assert SiteRule(("a.se", "b.se")).written() == SiteRule(("b.se", "a.se")).written()
    assert SiteRule(("a.se",)).written() != SiteRule((), ("a.se",)).written()
