"""Anchors that lead from a line to its place in the archived page."""

from selectolax.lexbor import LexborHTMLParser

from skord.annotation_tool.backend.app import inert
from skord.annotation_tool.backend.line_anchors import PREFIX, with_anchors
from skord.markdown.extraction import split_lines
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import COMPONENT_LAYOUTS, bundled_pages
from tests.annotation.conftest import ARTICLE


def holders(html, lines):
    """The text of the element around each line's anchor."""
    tree = LexborHTMLParser(with_anchors(html, lines))
    nodes = (tree.css_first(f"#{PREFIX}{number}") for number in range(len(lines)))
    return [node.parent.text(deep=True).strip() if node else None for node in nodes]


def test_each_line_leads_to_the_element_that_holds_it(article_pages):
    page = article_pages[0]
    html = inert(ARTICLE.format(lang="sv", words="Ett."))
    owners = holders(html, split_lines(page.markdown))
    assert owners[0] == "Hem"
    assert owners[4] == "Kommunen bygger en ny bro"
    assert owners[6].startswith("Den nya bron skall")
    assert owners[12] == "© Tidningen"


def test_a_line_that_comes_again_leads_to_each_of_its_places():
    html = "<ul><li>Läs mer<li>Ett</ul><p>Läs mer</p><div>Två</div>"
    assert holders(html, ["- Läs mer", "- Ett", "", "Läs mer", "", "Två"]) == [
        "Läs mer", "Ett", "Ett", "Läs mer", "Läs mer", "Två",
    ]  # fmt: skip


def test_a_line_of_other_words_and_a_page_without_text_do_no_harm():
    assert holders("<p>Ett</p>", ["Något annat"]) == ["Ett"]
    assert holders("<img>", ["Något"]) == [None]
    assert holders("", []) == []


def test_most_lines_of_a_page_of_components_lead_to_their_words():
    source = next(page for page in bundled_pages() if page.layout == COMPONENT_LAYOUTS[0])
    html = render_page(source)[0].decode(source.charset)
    lines = [line.removeprefix("## ") for line in source.text.split("\n") if line]
    for line, actual in zip(lines, holders(inert(html), lines), strict=True):
        assert actual is not None
        assert actual.startswith(line[:30])
