"""Blocks of Markdown as the HTML of several decades."""

import pytest

from skord.sample_crawl.layouts import Dialect, blocks_of, html_of

TEXT = "## Bron\n\nFörsta *stycket*.\n\n- ett\n- två\n\n1. tre\n2. fyra\n\n> citat"


def test_each_block_has_its_element():
    assert html_of(blocks_of(TEXT), Dialect()) == (
        "<h2>Bron</h2>\n<p>Första <em>stycket</em>.</p>\n<ul>\n<li>ett</li>\n<li>två</li>\n</ul>\n"
        "<ol>\n<li>tre</li>\n<li>fyra</li>\n</ol>\n<blockquote>citat</blockquote>"
    )


@pytest.mark.parametrize(
    ("paragraphs", "written"),
    [
        ("open", "<p>a\n<ul>\n<li>b\n</ul>"),
        ("breaks", "a<br><br>\n<ul>\n<li>b</li>\n</ul>"),
        ("boxes", '<div dir="auto"><span>a</span></div>\n<ul>\n<li>b</li>\n</ul>'),
    ],
)
def test_paragraphs_are_written_as_the_site_does(paragraphs, written):
    assert html_of(blocks_of("a\n\n- b"), Dialect(paragraphs=paragraphs)) == written
