"""Rows of a page's frame: of buttons and options, of links side by side, and trails."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from skord.markdown.plain_lines import PlainLines
from skord.models.line_classifier.array_types import Floats, Ints
from skord.native import framing_rows as compiled_rows

LONGEST_CONTROLS = 25
"""A line of so many words is text, whatever it does when it is pressed, unless it is options."""
LEAST_CONTROLLED = 0.5
LEAST_LINKED = 0.8
LEAST_SIGNS = 2
LEAST_TRAIL = 0.25
"""Share of links in a trail, whose end may be the page's own name."""
# Of 18,600 rows of controls on the training pages 398 are main text by their gold, which keeps
# filters of shops and buttons for code, too; of 360 rows of links none is, and of 31 trails on 28
# sites none.
LEAST_OPTIONS = 0.95
"""Share of controls in a line of LONGEST_CONTROLS words or more that is a list of options."""
WORDS_A_SENTENCE = 25
"""So many at least for each end of a sentence in such a list: "St. Helena" is an option, too."""
LEAST_LEADING_AWAY = 0.9
"""Share of links in a line that leads away from a product."""
LEAST_NAMED = 0.9
"""Share of links in a heading that is the site's name, and leads to its front page."""
MOST_BETWEEN = 12
"""Words that may stand between it and the page's title: a motto."""
UNLIKELY = -4.0
LEAST_TITLE = -1.0
"""Logits above which a heading is looked at, and at least of the page's title."""
_TITLE = re.compile(r"(##?) ")
_LIMITS = (
    LONGEST_CONTROLS,
    LEAST_CONTROLLED,
    LEAST_LINKED,
    LEAST_SIGNS,
    LEAST_TRAIL,
    LEAST_OPTIONS,
    WORDS_A_SENTENCE,
    LEAST_LEADING_AWAY,
)


def framing_rows(
    plain: bytes,
    visible: Ints,
    words: Ints,
    links: Floats,
    controls: Floats,
    framed: NDArray[np.bool_],
    *,
    leads_away: bool = False,
) -> NDArray[np.bool_]:
    r"""For each visible line whether it is a row of the frame.

    These are rows of controls, of links and signs, and trails. Headings, questions and tables are
    none: they unfold what stands under them. Nor are the items of a task list, each of which is the
    label of its box. Between links stands one of "|›»/→>" with blanks around it. A trail begins with
    the name of a front page and such a sign.

    So are long lists of options: of countries, months, pages; but where they have half of the words
    that are not framed, they are what the page has. Of 215 such lines on the training pages, with
    20,800 words, 8 are main text by their gold, which keeps seasons and countries to choose from.

    On a product's page lines of nothing but links are other products, brands and departments,
    headings and rows of tables aside: of 2,287 such lines on likely products' pages of the training
    sites 171 are main text by their gold.

    Args:
        plain: the page, as `plain_page` gives it.
        visible: numbers of the visible lines; shape [n].
        words: how many each of these has; shape [n].
        links, controls: share of these in links, and in buttons, labels and options; shape [n].
        framed: which of these lines stand in menus and the like; shape [n]. They are of the frame.
        leads_away: whether it is the page of a product.

    >>> def is_row(line, linked, controlled, words=4, **more):
    ...     lines, counts = np.arange(2), np.array([words, words + 1])
    ...     shares = np.array([[linked, 0], [controlled, 0]], np.float32)
    ...     page = f"{line}\nBron.".encode()
    ...     return framing_rows(page, lines, counts, *shares, np.zeros(2, bool), **more)[0].item()
    >>> is_row("Storlek S M Köp", 0, 0.75), is_row("Vad kostar det då?", 0, 1)
    (True, False)
    >>> is_row("- [ ] Tält och sovsäck", 0, 1)
    False
    >>> is_row("Hem | Nyheter | Sport", 1, 0), is_row("Nyheter | Sport i dag", 1, 0)
    (True, False)
    >>> is_row("Hem » Sport » Ny bro i Lund", 0.33, 0), is_row("Hem / Sport", 0, 0)
    (True, False)
    >>> is_row("Angola Chad", 0, 1, words=30), is_row("Vi svarar. Alltid.", 0, 1, words=30)
    (True, False)
    >>> is_row("- Regnjacka", 1, 0, leads_away=True), is_row("## Regnjacka", 1, 0, leads_away=True)
    (True, False)
    """
    rows = (visible, words, np.ascontiguousarray(links), controls, framed)
    return np.frombuffer(compiled_rows(plain, rows, leads_away, _LIMITS), np.bool_)


def site_name(
    lines: PlainLines, visible: Ints, words: Ints, links: Floats, all_logits: Floats
) -> int | None:
    """The heading that names the site or its section above the page's title; None without one.

    It is the first likely heading of the two upper levels, is of the first, and all link, and the
    next is not. On the training pages 40 headings are such; none is the page's title.

    Args:
        lines: of the page.
        visible, words, links: as of `framing_rows`.
        all_logits: one for each line, visible or not.

    >>> page = PlainLines.of(["# Lunds blad", "Sedan 1896", "## Ny bro", "Bron invigs."])
    >>> numbers, words, likely = np.arange(4), np.array([2, 2, 2, 2]), np.ones(4, np.float32)
    >>> site_name(page, numbers, words, np.array([1, 0, 0, 0]), likely)
    0
    >>> site_name(page, numbers, words, np.zeros(4), likely) is None
    True
    """
    headed = ((number, _TITLE.match(line)) for number, line in lines.headings.items())
    titles = (
        (number, found[1]) for number, found in headed if found and all_logits[number] > UNLIKELY
    )
    (first, level), (second, _) = next(titles, (0, "")), next(titles, (0, ""))
    if level != "#" or not second or all_logits[second] < LEAST_TITLE:
        return None
    start, end = np.searchsorted(visible, [first, second]).tolist()
    if links[start] < LEAST_NAMED or links[end] >= LEAST_LINKED:
        return None
    between = slice(start + 1, end)
    kept = all_logits[visible[between]] > 0
    return first if words[between][kept].sum() < MOST_BETWEEN else None
