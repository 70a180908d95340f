from __future__ import annotations

import pytest

from skord.models.reference_classifier.addresses import page_key, site_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://www.dn.se/bro", "https://dn.se/bro/"),
        ("https://dn.se/bro#kommentarer", "https://DN.se:443/Bro"),
        ("//dn.se/bro", "http://dn.se/bro"),
        ("HTTP:dn.se/bro", "http://dn.se/bro"),
        ("https://dn.se/bro?b=2&amp;a=1", "https://dn.se/bro?a=1&b=2"),
        ("https://dn.se/bro?utm_source=x&fbclid=3", "https://dn.se/bro"),
        ("https://dn.se/%C3%A5n", "https://dn.se/ån"),
        ("https://dn.se/a%20b", "https://dn.se/a b"),
        ("https://blåbär.se/", "https://xn--blbr-noae.se"),
        ("https://läsare:ord@dn.se/bro", "https://dn.se/bro"),
        ("https://web.archive.org/web/20120304050607/http://dn.se/bro", "https://dn.se/bro"),
        ("http://web.archive.org/web/20120304050607id_/dn.se/bro", "https://dn.se/bro"),
        ("https://archive.today/20120304/https://dn.se/bro", "https://dn.se/bro"),
        ("//web.archive.org/web/2012*/http://dn.se/bro", "https://dn.se/bro"),
    ],
)
def test_spellings_of_one_page_meet(one, other):
    assert page_key(one) == page_key(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://dn.se/?u=http:b", "https://dn.se/?u=http://b"),
        ("https://dn.se/bro?id=1", "https://dn.se/bro?id=2"),
        ("https://a.dn.se/bro", "https://dn.se/bro"),
        ("https://dn.se/a%2Bb", "https://dn.se/a"),
        ("https://dn.se:8080/", "https://dn.se/"),
        ("https://dn.se/?medium=utm_x", "https://dn.se/"),
    ],
)
def test_other_pages_stay_apart(one, other):
    assert page_key(one) != page_key(other)


@pytest.mark.parametrize(
    "url", ["", "dn.se", "mailto:a@dn.se", "ftp://dn.se/a", "http://", "http://[::1", "http://a:b/"]
)
def test_what_is_no_web_page_has_no_key(url):
    assert page_key(url) is None
    assert site_of(url) == ""


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://nyheter.svt.se/a", "svt.se"),
        ("https://www.bbc.co.uk/news", "bbc.co.uk"),
        ("https://en.blog.wordpress.com", "wordpress.com"),
        ("http://192.0.2.17/a", "192.0.2.17"),
        ("http://com.se/", "com.se"),
    ],
)
def test_a_site_is_the_registered_domain(url, site):
    assert site_of(url) == site
