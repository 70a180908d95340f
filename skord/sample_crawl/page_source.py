"""Pages of the sample crawl as their authors wrote them: facts about the page, then its text.

A page is a file `pages/{lang}/{slug}.md`: TOML between two lines `+++`, then the gold
main text in Markdown. The text is what an extractor should find again in the HTML that
`layouts` makes of it; menus, teasers and comments are not part of it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

COMPONENT_LAYOUTS = (
    "magazine", "handbook", "service", "community", "storefront", "directory", "collection",
    "kitchen",
)  # fmt: skip
"""Sites as frameworks of the 2020s write them, one for each type of page, whose pages are cut into
components at lines `* * *`: cards, posts, tabs, steps."""
LAYOUTS = (
    "news", "blog", "forum", "shop", "encyclopedia", "documentation", "municipality", "recipe",
    "bare", *COMPONENT_LAYOUTS,
)  # fmt: skip
LANGUAGES = ("sv", "da", "nb", "nn", "is", "fo", "en", "de", "lv", "ja")

_HARVESTED: Mapping[str, Mapping[str, Any]] = {
    "tilta-remonts": {"charset": "iso-8859-10"},
    "pirtsslotas": {"charset_declared": "wrong"},
}
"""In the harvest, articles that are otherwise as they are in the bundled crawl."""

_FENCE = "+++\n"
_CUT = re.compile(r"^\* \* \*\n", re.MULTILINE)


@dataclass(frozen=True)
class Variant:
    """A copy of a page at another address: `exact`, the same bytes, or `near`, slightly edited."""

    url: str
    edit: str


@dataclass(frozen=True)
class PageSource:
    """One page as written.

    Attributes:
        lang: one of `LANGUAGES`.
        layout: one of `LAYOUTS`.
        title: for the HTML title and the first heading; not part of `text`.
        published: ISO date shown on the page.
        text: the gold main text, Markdown; may be empty for a thin page.
        sections: the same, cut where the site begins another component.
        charset: Python's name of the encoding that the page is stored in.
        charset_declared: where the encoding is declared: header, meta, both or none; or wrong.
        kind: "page", "thin" (hardly any text) or "spam".
        variants: copies at other addresses.
        comments: readers' comments, shown on the page and not part of `text`.
    """

    lang: str
    slug: str
    url: str
    layout: str
    title: str
    published: str
    text: str
    charset: str = "utf-8"
    charset_declared: str = "both"
    kind: str = "page"
    variants: tuple[Variant, ...] = ()
    comments: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()


def bundled_pages() -> list[PageSource]:
    """Return the pages that come with the package, by language and name."""
    return read_pages(resources.files("skord.sample_crawl") / "pages")


def harvest_pages() -> list[PageSource]:
    """Return the pages of a Latvian harvest: the bundled ones, and threads of a forum.

    Among them they are in five charsets, declared rightly, wrongly and not at all. Each thread
    has a twin, `…-translit`, with pairs of plain letters for the accented ones.
    """
    bundled = [page for page in bundled_pages() if page.lang == "lv"]
    articles = [replace(page, **_HARVESTED.get(page.slug, {})) for page in bundled]
    return [*articles, *read_pages(resources.files("skord.sample_crawl") / "harvest")]


def read_pages(folder: Traversable) -> list[PageSource]:
    """Return the pages of a folder `{lang}/{slug}.md`, by language and name."""
    languages = sorted(folder.iterdir(), key=lambda entry: entry.name)
    return [
        parse_page(file.read_text(encoding="utf-8"), by_lang.name, file.name.removesuffix(".md"))
        for by_lang in languages
        if by_lang.is_dir()
        for file in sorted(by_lang.iterdir(), key=lambda entry: entry.name)
        if file.name.endswith(".md")
    ]


def parse_page(written: str, lang: str, slug: str) -> PageSource:
    r"""Read one page file.

    >>> page = parse_page(
    ...     '+++\nurl = "https://a.example/om"\nlayout = "bare"\ntitle = "Om"\n'
    ...     'published = "2023-05-01"\n+++\n\nVi är en förening.\n', "sv", "om")
    >>> page.title, page.kind, page.text
    ('Om', 'page', 'Vi är en förening.')
    """
    _, front, text = written.split(_FENCE, 2)
    facts = tomllib.loads(front)
    cut = tuple(section.strip() for section in _CUT.split(text.strip())) if text.strip() else ()
    return PageSource(
        lang=lang,
        slug=slug,
        text="\n\n".join(cut),
        sections=cut,
        variants=tuple(Variant(**one) for one in facts.pop("variants", [])),
        comments=tuple(facts.pop("comments", [])),
        **facts,
    )
