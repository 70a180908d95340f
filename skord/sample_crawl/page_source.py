"""Pages of the sample crawl as their authors wrote them: facts about the page, then its text.

A page is a file `pages/{lang}/{slug}.md`: TOML between two lines `+++`, then the gold
main text in Markdown. The text is what an extractor should find again in the HTML that
`layouts` makes of it; menus, teasers and comments are not part of it.
"""

from __future__ import annotations

import codecs
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any
from urllib.parse import urlsplit

from skord.core.failures import ConfigError

LAYOUTS = (
    "news",
    "blog",
    "forum",
    "shop",
    "encyclopedia",
    "documentation",
    "municipality",
    "recipe",
    "bare",
    # Sites of components, as frameworks of the 2020s write them: one for each type of page.
    "magazine",
    "handbook",
    "service",
    "community",
    "storefront",
    "directory",
    "collection",
    "kitchen",
)
COMPONENT_LAYOUTS = LAYOUTS[LAYOUTS.index("magazine") :]
"""Layouts whose pages are cut into components at lines `* * *`: cards, posts, tabs, steps."""
KINDS = ("page", "thin", "spam")
EDITS = ("exact", "near")
DECLARED = ("header", "meta", "both", "none", "wrong")
LANGUAGES = ("sv", "da", "nb", "nn", "is", "fo", "en", "de", "lv", "ja")

_HARVESTED: Mapping[str, Mapping[str, Any]] = {
    "tilta-remonts": {"charset": "iso-8859-10"},
    "pirtsslotas": {"charset_declared": "wrong"},
}
"""In the harvest, articles that are otherwise as they are in the bundled crawl."""

_FENCE = "+++"
_CUT = re.compile(r"^\* \* \*\n", re.MULTILINE)
_REQUIRED = ("url", "layout", "title", "published")
_OPTIONAL = ("charset", "charset_declared", "kind", "variants", "comments")
_CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_FORBIDDEN = re.compile(r"\]\(|!\[|</?[a-z]+[ >]|^# |^```", re.IGNORECASE | re.MULTILINE)


class PageSourceError(ConfigError):
    """A page file is not written as it should be; the message names the file and the fault."""


@dataclass(frozen=True)
class Variant:
    """A copy of a page at another address: the same bytes, or slightly edited."""

    url: str
    edit: str


@dataclass(frozen=True)
class PageSource:
    """One page as written.

    Attributes:
        lang: one of `LANGUAGES`.
        slug: the file's name without its ending.
        url: where the page is crawled.
        layout: one of `LAYOUTS`.
        title: for the HTML title and the first heading; not part of `text`.
        published: ISO date shown on the page.
        text: the gold main text, Markdown; may be empty for a thin page.
        sections: the same, cut where the site begins another component.
        charset: Python's name of the encoding that the page is stored in.
        charset_declared: where the encoding is declared: one of `DECLARED`.
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
    """Return the pages of a folder `{lang}/{slug}.md`, by language and name.

    Raises:
        PageSourceError: a file is not written as it should be, or two pages share a URL.
    """
    pages = list(_pages_of(folder))
    seen: dict[str, str] = {}
    for page in pages:
        where = f"{page.lang}/{page.slug}.md"
        for url in (page.url, *(variant.url for variant in page.variants)):
            if url in seen:
                raise PageSourceError(f"{where}: {url} is already the address of {seen[url]}")
            seen[url] = where
    return pages


def _pages_of(folder: Traversable) -> Iterator[PageSource]:
    for by_lang in sorted(folder.iterdir(), key=lambda entry: entry.name):
        files = by_lang.iterdir() if by_lang.is_dir() else ()
        for file in sorted(files, key=lambda entry: entry.name):
            if file.name.endswith(".md"):
                slug = file.name.removesuffix(".md")
                yield parse_page(file.read_text(encoding="utf-8"), by_lang.name, slug)


def parse_page(written: str, lang: str, slug: str) -> PageSource:
    r"""Read one page file.

    Args:
        written: the whole file.
        lang, slug: folder and name of the file.

    Raises:
        PageSourceError: names the file and the fault.

    >>> page = parse_page(
    ...     '+++\nurl = "https://a.example/om"\nlayout = "bare"\ntitle = "Om"\n'
    ...     'published = "2023-05-01"\n+++\n\nVi är en förening.\n', "sv", "om")
    >>> page.title, page.kind, page.text
    ('Om', 'page', 'Vi är en förening.')
    """
    where = f"{lang}/{slug}.md"
    facts, text = _split_front_matter(written, where)
    unknown = sorted(set(facts) - set(_REQUIRED) - set(_OPTIONAL))
    missing = [name for name in _REQUIRED if name not in facts]
    if unknown or missing:
        raise PageSourceError(f"{where}: unknown keys {unknown}, missing keys {missing}")
    cut = tuple(section.strip() for section in _CUT.split(text)) if text else ()
    page = PageSource(
        lang=lang,
        slug=slug,
        text="\n\n".join(cut),
        sections=cut,
        variants=tuple(_variant(entry, where) for entry in facts.pop("variants", [])),
        comments=tuple(facts.pop("comments", [])),
        **facts,
    )
    _check_page(page, where)
    return page


def _split_front_matter(written: str, where: str) -> tuple[dict[str, Any], str]:
    before, fence, rest = written.partition(f"{_FENCE}\n")
    front, second, text = rest.partition(f"\n{_FENCE}\n")
    if before.strip() or not fence or not second:
        raise PageSourceError(f"{where}: must start with TOML between two lines {_FENCE}")
    try:
        return tomllib.loads(front), text.strip()
    except tomllib.TOMLDecodeError as error:
        raise PageSourceError(f"{where}: {error}") from None


def _variant(entry: object, where: str) -> Variant:
    if not isinstance(entry, dict) or set(entry) != {"url", "edit"}:
        raise PageSourceError(f"{where}: a variant is a table of url and edit, not {entry!r}")
    if entry["edit"] not in EDITS:
        raise PageSourceError(f"{where}: edit {entry['edit']!r} is not one of {EDITS}")
    _check_url(entry["url"], where)
    return Variant(**entry)


def _check_page(page: PageSource, where: str) -> None:
    for name, value, known in (
        ("language", page.lang, LANGUAGES),
        ("layout", page.layout, LAYOUTS),
        ("kind", page.kind, KINDS),
        ("charset_declared", page.charset_declared, DECLARED),
    ):
        if value not in known:
            raise PageSourceError(f"{where}: {name} {value!r} is not one of {known}")
    _check_url(page.url, where)
    if not isinstance(page.title, str) or not page.title.strip():
        raise PageSourceError(f"{where}: title must be a text")
    if not all(isinstance(comment, str) for comment in page.comments):
        raise PageSourceError(f"{where}: comments must be texts")
    try:
        date.fromisoformat(page.published)
        codecs.lookup(page.charset)
    except (ValueError, TypeError, LookupError) as error:
        raise PageSourceError(f"{where}: {error}") from None
    if len(page.sections) > 1 and page.layout not in COMPONENT_LAYOUTS:
        raise PageSourceError(f"{where}: only {', '.join(COMPONENT_LAYOUTS)} are cut at * * *")
    if page.kind == "page" and not page.text:
        raise PageSourceError(f"{where}: a page needs a text; without one its kind is thin")
    if match := _FORBIDDEN.search(_CODE.sub("", page.text)):
        raise PageSourceError(
            f"{where}: {match[0]!r} in the text, which holds no links and no HTML"
        )


def _check_url(url: object, where: str) -> None:
    parts = urlsplit(url) if isinstance(url, str) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise PageSourceError(f"{where}: {url!r} is not an http or https address")
