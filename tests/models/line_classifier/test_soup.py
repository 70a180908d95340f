"""Pages shown without names that say what their parts are."""

from __future__ import annotations

import pytest

from skord.html.line_context import line_context
from skord.models.line_classifier.training.examples import in_soup

HTML = (
    '<meta property="og:type" content="article"><nav id=top class=menu><ul><li>Hem</ul></nav>'
    "<article class=post><p class=lead>Ett.</p><p>Två.</p></article>"
    "<article class=post><p class=lead>Tre.</p></article>"
    "<div role=dialog class=cookie><p>Kakor?</p></div>"
)
MARKDOWN = "- Hem\n\nEtt.\n\nTvå.\n\nTre.\n\nKakor?\n"


@pytest.mark.parametrize("site", ["a.se", "b.no", "c.dk", "d.is", "e.fo"])
def test_names_are_gone_and_what_was_alike_stays_so(site):
    known = line_context(HTML, MARKDOWN)
    soup = in_soup(known, site)
    assert soup["lines"] == known["lines"]
    assert soup["parents"] == known["parents"]
    said = " ".join(soup["elements"][:-1])
    assert not any(
        word in said for word in ("nav", "article", "menu", "post", "lead", "cookie", "top")
    )
    pairs = dict(zip(known["elements"], soup["elements"], strict=True))
    assert [pairs[element] for element in known["elements"]] == soup["elements"]
    assert pairs["li"] == "li"
    assert pairs["div @dialog .cookie"].endswith("@dialog")
    assert soup["elements"][-1] == known["elements"][-1] == "!page ~og-article"
    assert in_soup(known, site) == soup


def test_sites_have_habits_of_their_own():
    known = line_context(HTML, MARKDOWN)
    written = {tuple(in_soup(known, f"{n}.se")["elements"]) for n in range(20)}
    assert len(written) > 10
    assert any(elements[0] == "div" for elements in written)
    assert any(elements[0].startswith("div .css-") for elements in written)
