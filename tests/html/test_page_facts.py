"""What a page says of itself as a whole, for the line classifier."""

from __future__ import annotations

import pytest

from skord.html.line_context import line_context
from skord.html.page_facts import PAGE, address_names


def names(html: str, url: str | None = None) -> list[str]:
    last = line_context(html, "Hej\n", url)["elements"][-1].split()
    return last[1:] if last[0] == PAGE else []


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        ('<meta property="og:type" content="article">', ["~og-article"]),
        ('<meta content=" Product.Group" property="og:type">', ["~og-product"]),
        ('<meta name="generator" content="Discourse 3.1 - https://d.example">', ["~by-discourse"]),
        ('<meta property="product:price:amount" content="1">', ["~has-product"]),
        ('<link rel="next" href="/2">', ["~rel-next"]),
        ('<script type="application/ld+json">{"@type": "QAPage"}</script>', ["~ld-qapage"]),
        (
            '<script type="application/ld+json">{"@type" : ["Product","Thing"], "a": {"@type":'
            '"Offer"}} {"@type": "Offer"}</script>',
            ["~ld-product", "~ld-thing", "~ld-offer"],
        ),
        ('<div itemtype="http://schema.org/Recipe"></div>', ["~it-recipe"]),
        ('<script>var x = {"@type": "Product"}</script>', []),
        ('<template><meta property="og:type" content="article"></template>', []),
        ('<script type="application/ld+json">{"@type": </script>', []),
        ('<script type="application/ld+json">{"@type": ["Product</script>', []),
        ('<meta property="og:type" content="日本">', []),
        ("", []),
    ],
)
def test_the_page_says_what_it_is(html, wanted):
    assert names(f"{html}<p>Hej</p>") == wanted


def test_the_element_stands_last_and_around_no_line():
    html = '<link rel=canonical href="https://a.example/forum/x"><div><p>Hej</p></div>'
    context = line_context(html, "Hej\n")
    assert context["elements"] == ["div", "p", "!page ~in-forum ~deep-2"]
    assert context["parents"] == [-1, 0, -1]
    assert context["lines"] == [1]


def test_the_address_that_is_known_goes_before_the_one_that_the_page_says():
    html = '<link rel=canonical href="https://a.example/shop/"><p>Hej</p>'
    assert names(html) == ["~at-shop", "~deep-1"]
    assert names(html, "https://a.example/blog/") == ["~at-blog", "~deep-1"]
    relative = '<link rel=canonical href="/shop/"><p>Hej</p>'
    assert names(relative) == []
    og = '<meta property="og:url" content="https://a.example/shop/"><p>Hej</p>'
    assert names(og) == ["~at-shop", "~deep-1"]


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        (
            "https://forum.a.example/showthread.php?t=1",
            ["~host-forum", "~at-showthread", "~asked", "~deep-1", "~ends-html"],
        ),
        ("https://a.example/t/en-lang-rubrik-om-nagot/3275", ["~in-t", "~deep-3", "~ends-number"]),
        ("https://a.example/2024/03/en-lang-rubrik-om-en-bro", ["~dated", "~deep-3", "~ends-long"]),
        ("https://a.example/hemlig/klubb", ["~deep-2"]),
        ("https://a.example/1/2/3/4/5/6", ["~deep-5", "~ends-number"]),
        ("", []),
        ("http://[", []),
        ("/forum/", []),
    ],
)
def test_addresses_tell_by_words_that_many_sites_have(address, wanted):
    assert list(address_names(address)) == wanted


def test_no_page_says_more_than_forty_things():
    html = "".join(f'<div itemtype="https://schema.org/Kind{n}"></div>' for n in range(99))
    assert len(names(html)) == 40
