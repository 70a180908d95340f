"""Nothing that a page embeds is fetched while it is converted."""

from __future__ import annotations

import subprocess
import urllib.request

import pytest

from skord.html.converter import convert_page
from skord.html.pandoc import convert_with_pandoc

EMBEDDED = {
    "iframe": '<iframe src="{}"></iframe>',
    "iframe in a raw-text element": '<xmp><iframe src="{}"></iframe></xmp>',
    "iframe in noscript": '<noscript><iframe src="{}"></iframe></noscript>',
    "iframe in noframes": '<noframes><iframe src="{}"></iframe></noframes>',
    "iframe in a title": '<p><title><iframe src="{}"></iframe></title></p>',
    "iframe behind an odd quote": '<p class="a""><iframe src="{}"></iframe>',
    "iframe in MathML": '<math><annotation-xml encoding="text/html"><iframe src="{}"></iframe>',
    "image": '<img src="{0}" srcset="{0} 2x">',
    "script": '<script src="{}"></script>',
    "style sheet": '<link rel="stylesheet" href="{}">',
    "style rule": "<style>@import url({});</style>",
    "object": '<object data="{}"></object>',
    "embed": '<embed src="{}">',
    "video": '<video src="{0}" poster="{0}"><source src="{0}"><track src="{0}"></video>',
    "audio": '<audio src="{}"></audio>',
    "frame": '<frameset><frame src="{}"></frameset>',
    "drawing": '<svg><image href="{0}"/><use xlink:href="{0}"/></svg>',
    "math": '<math><mglyph src="{}"/></math>',
    "picture": '<picture><source srcset="{0}"><img src="{0}"></picture>',
    "background": '<table background="{0}"><td style="background:url({0})">x</table>',
    "refresh": '<meta http-equiv="refresh" content="0;url={}">',
    "base": '<base href="{0}/"><img src="x.png"><iframe src="y.html"></iframe>',
    "applet": '<applet code="{}"></applet>',
    "include": '<div data-src="{0}" include="{0}">x</div>',
}


@pytest.mark.parametrize("markup", EMBEDDED.values(), ids=EMBEDDED)
def test_converting_a_page_fetches_nothing(markup, pandoc, visitors):
    address, asked = visitors

    convert_page(f"<p>Hej</p>{markup.format(address)}<p>då</p>", pandoc=pandoc)

    assert asked == []


@pytest.mark.parametrize("markup", EMBEDDED.values(), ids=EMBEDDED)
def test_pandoc_fetches_nothing_even_from_a_page_that_was_not_cleaned(markup, pandoc, visitors):
    address, asked = visitors

    convert_with_pandoc(f"<p>Hej</p>{markup.format(address)}<p>då</p>", pandoc)

    assert asked == []


def test_the_server_counts_visitors(visitors):
    address, asked = visitors

    urllib.request.urlopen(f"{address}/here").close()

    assert asked == ["/here"]


def test_pandoc_left_to_itself_does_fetch(pandoc, visitors):
    """Otherwise the tests above would guard against nothing."""
    address, asked = visitors
    page = EMBEDDED["iframe"].format(f"{address}/iframe")

    subprocess.run([pandoc, "-f", "html", "-t", "gfm"], input=page.encode(), check=True)

    assert asked == ["/iframe"]
