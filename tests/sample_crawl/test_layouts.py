"""Layouts: the gold text survives in every one of them, among things that are not the text."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from importlib import resources

import pytest
from selectolax.lexbor import LexborHTMLParser

from skord.sample_crawl.layouts import Dialect, blocks_of, html_of, render_page
from skord.sample_crawl.page_source import (
    COMPONENT_LAYOUTS,
    LANGUAGES,
    LAYOUTS,
    PageSource,
    bundled_pages,
)
from skord.sample_crawl.wet_text import visible_text

CHROME = tomllib.loads(
    (resources.files("skord.sample_crawl") / "layouts" / "chrome.toml").read_text(encoding="utf-8")
)
COMPONENTS = tomllib.loads(
    (resources.files("skord.sample_crawl") / "layouts" / "components.toml").read_text(
        encoding="utf-8"
    )
)
WITHOUT_COMMENTS = {
    "encyclopedia", "documentation", "handbook", "service", "directory", "collection",
}  # fmt: skip
TEXT = """Första stycket & ett <tecken.

## En rubrik

- ett
- två **viktiga** ord

| Dag | Tid |
| --- | --- |
| Måndag | 10–12 |

```
if a < b:
```

> Citerat.

1. först
2. sedan

Sista stycket."""


def page(**changes) -> PageSource:
    plain = PageSource(
        lang="sv",
        slug="prov",
        url="https://www.norra-byn.example/prov",
        layout="news",
        title="Prov & försök",
        published="2022-03-04",
        text=TEXT,
        comments=("Läsarens ord.",),
    )
    return replace(plain, **changes)


def words(text: str) -> str:
    return re.sub(r"[\s|]+", "", text)


def gold_pieces(text: str) -> list[str]:
    return [
        words(line if block.kind == "code" else re.sub(r"\*\*?|`", "", line))
        for block in blocks_of(text)
        for line in block.lines
    ]


def rendered(source: PageSource) -> str:
    return render_page(source)[0].decode(source.charset)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_shows_the_whole_text_in_order_in_every_language(layout: str) -> None:
    for lang in LANGUAGES:
        html = rendered(page(layout=layout, lang=lang))
        shown, position = words(visible_text(html)), 0
        for piece in gold_pieces(TEXT):
            position = shown.index(piece, position) + len(piece)
        assert "$" not in html, lang


def test_the_bundled_pages_show_their_gold_text() -> None:
    for source in bundled_pages():
        shown = words(visible_text(rendered(source)))
        for piece in gold_pieces(source.text):
            assert piece in shown, (source.slug, piece)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if name != "bare"])
def test_pages_carry_chrome_comments_and_things_to_fetch(layout: str) -> None:
    html = rendered(page(layout=layout))
    shown = visible_text(html)
    assert shown.startswith(("Prov & försök", "Norra Byn"))
    assert CHROME["sv"]["rights"] in shown
    assert ("Läsarens ord." in shown) == (layout not in WITHOUT_COMMENTS)
    assert shown.count("\n") > 20
    tree = LexborHTMLParser(html)
    fetched = [node.attributes.get("src") or "" for node in tree.css("img, iframe, script[src]")]
    assert any(address.startswith("http://tracker.example/") for address in fetched)


def test_layouts_differ_in_where_the_text_lies() -> None:
    inside = {}
    for layout in LAYOUTS:
        main = LexborHTMLParser(rendered(page(layout=layout))).css_first("main")
        text = words(main.text(deep=True)) if main else ""
        inside[layout] = sum(piece in text for piece in gold_pieces(TEXT))
    whole = len(gold_pieces(TEXT))
    assert inside["news"] == whole
    assert inside["blog"] == inside["forum"] == inside["encyclopedia"] == 0
    assert 0 < inside["municipality"] < whole
    assert 0 < inside["shop"] < whole


def test_a_site_keeps_its_chrome_and_another_site_has_its_own() -> None:
    def chrome(source: PageSource) -> set[str]:
        return set(visible_text(rendered(source)).split("\n"))

    first, second = page(), page(slug="annat", title="Annat", text="Helt annan text.")
    other = page(url="https://www.sodra-staden.example/prov")
    assert len(chrome(first) & chrome(second)) > 40
    assert chrome(first) != chrome(other)


def test_every_language_has_the_same_chrome() -> None:
    assert set(CHROME) == set(LANGUAGES)
    shape = {
        lang: {name: isinstance(words, list) and len(words) for name, words in table.items()}
        for lang, table in CHROME.items()
    }
    assert all(one == shape["sv"] for one in shape.values())
    notices = [table["cookie"][1] for table in CHROME.values()]
    assert len(set(notices)) == len(LANGUAGES)


@pytest.mark.parametrize(
    ("declared", "header", "meta"),
    [
        ("header", "windows-1252", None),
        ("meta", None, "windows-1252"),
        ("both", "windows-1252", "windows-1252"),
        ("none", None, None),
        ("wrong", "utf-8", "utf-8"),
    ],
)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_charsets_are_declared_as_the_page_asks(layout, declared, header, meta) -> None:
    source = page(layout=layout, charset="windows-1252", charset_declared=declared)
    body, content_type = render_page(source)
    assert "försök" in body.decode("windows-1252") or b"f&ouml;rs&ouml;k" in body
    assert content_type == (f"text/html; charset={header}" if header else "text/html")
    match = re.search(rb"charset=\"?([\w-]+)", body, re.IGNORECASE)
    assert (match[1].decode() if match else None) == meta


def test_letters_that_a_charset_lacks_are_entities() -> None:
    source = page(charset="iso-8859-1", text="Tid: 10–12, pris 5 €.")
    body, _ = render_page(source)
    assert b"10&#8211;12" in body
    assert "10–12, pris 5 €." in visible_text(body.decode("iso-8859-1"))


def test_old_habits_of_html_are_there() -> None:
    bare = rendered(page(layout="bare"))
    assert "<P>" in bare
    assert "</P>" not in bare
    assert "&ouml;" in bare
    assert "ö" not in bare
    forum = rendered(page(layout="forum"))
    assert "<BR><BR>" in forum
    assert "<TABLE" in forum
    recipe = html_of(blocks_of("a\n\nb"), Dialect(paragraphs="breaks"))
    assert recipe == "a<br><br>\nb<br><br>"


@pytest.mark.parametrize("layout", COMPONENT_LAYOUTS)
def test_sites_of_components_have_no_landmarks_and_cut_the_text_into_components(layout) -> None:
    cut = ("Först pris $5.", "## Sedan\n\nÄn mer.", "Till sist.")
    source = page(layout=layout, text="\n\n".join(cut), sections=cut)
    html = rendered(source)
    tree = LexborHTMLParser(html)
    assert tree.css("main, article, nav, header, footer, aside") == []
    assert (
        tree.css_first("[role=dialog]").text(deep=True).count(COMPONENTS["sv"]["consent"][0]) == 1
    )
    shown = words(visible_text(html))
    places = [shown.index(piece) for piece in gold_pieces(source.text)]
    assert places == sorted(places)
    holders = []
    for piece in ("Först pris", "Sedan", "Till sist"):
        deepest = [n for n in tree.css("div") if piece in n.text(deep=True)][-1]
        holders.append(deepest.parent.html if source.layout in BOXED else deepest.html)
    assert len(set(holders)) == 3, "each section stands in a component of its own"
    assert "$section" not in html


BOXED = {"community", "storefront", "collection"}


def test_the_classes_of_a_site_are_its_own_and_the_same_on_all_its_pages() -> None:
    def classes(source: PageSource) -> set[str]:
        nodes = LexborHTMLParser(rendered(source)).css("div[class]")
        return {name for node in nodes for name in (node.attributes["class"] or "").split()}

    first = page(layout="service")
    assert classes(first) == classes(page(layout="service", text="Annat."))
    other = classes(page(layout="service", url="https://www.sodra-staden.example/prov"))
    assert len(classes(first) & other) <= 1


def test_components_are_worded_alike_in_every_language_that_has_them() -> None:
    shape = {
        lang: {k: len(words) for k, words in table.items()} for lang, table in COMPONENTS.items()
    }
    assert set(shape) >= {"sv", "da", "nb", "nn", "is", "en"}
    assert all(one == shape["en"] for one in shape.values())
    assert len({table["consent"][1] for table in COMPONENTS.values()}) == len(COMPONENTS)


def test_text_is_escaped() -> None:
    html = rendered(page(title='<script>alert("x")</script>', text="a <b & c", comments=("<i>",)))
    assert "<script>alert" not in html
    assert "a &lt;b &amp; c" in html
    assert "&lt;i&gt;" in html
