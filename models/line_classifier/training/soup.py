"""Pages as builds of components write them: `<div>` in `<div>`, under names that say nothing.

Most pages with gold text name their parts: `<nav>`, `<article>`, `class="post-body"`. Pages of
today often do not, and a network that leans on names is lost there. So each training page is also
known without them: what sections a page becomes a division, and what has a class gets one that a
build could have made up, the same for the same.
"""

from __future__ import annotations

import hashlib

from skord.html.line_context import LineContext
from skord.html.page_facts import PAGE

_SECTIONS = frozenset(
    ("nav", "header", "footer", "main", "article", "section", "aside", "form", "address", "dialog")
)
_KEPT = frozenset(("!hidden", "@dialog", "@alertdialog", "@tabpanel", "@tablist", "@tab"))
"""What component libraries do write, for who cannot see the page."""


def in_soup(context: LineContext, site: str) -> LineContext:
    """A page's elements without names that say what they are.

    Args:
        context: of the page's lines.
        site: whose pages have the same made-up names.

    >>> nav = LineContext(
    ...     elements=["nav #top .menu", "p"], parents=[-1, 0], lines=[1], links=b"0", controls=b"0"
    ... )
    >>> in_soup(nav, "a.se")["elements"]
    ['div .sc-92750c .85989', 'p']
    """
    habit = int(_digest(site), 16) % 3
    return LineContext(
        elements=[_renamed(element, site, habit) for element in context["elements"]],
        parents=context["parents"],
        lines=context["lines"],
        links=context["links"],
        controls=context["controls"],
    )


def _renamed(element: str, site: str, habit: int) -> str:
    tag, *names = element.split(" ")
    if tag == PAGE:
        return element
    kept = [name for name in names if name in _KEPT]
    if len(kept) < len(names) or tag in _SECTIONS:
        kept = [*_made_up(_digest(f"{site} {element}"), habit), *kept]
    return " ".join(["div" if tag in _SECTIONS else tag, *kept])


def _made_up(digest: str, habit: int) -> list[str]:
    """Classes as a build writes them: one of three habits."""
    match habit:
        case 0:
            return [f".css-{digest[:6]}"]
        case 1:
            return [f".sc-{digest[:6]}", f".{digest[6:11]}"]
        case _:
            return []


def _digest(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()
