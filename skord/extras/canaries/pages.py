"""The known pages: of texts that come with the package, as two WARC files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from skord.core.dumps import CANARIES
from skord.sample_crawl.crawl_files import Capture, record_id_of, write_warc
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import PageSource, bundled_pages

SHARDS = 2

_LAYOUTS = ("blog", "encyclopedia", "municipality", "news", "recipe")
"""Layouts whose pages are running text."""

_OLD_CHARSETS = {"ja": "shift_jis", "lv": "windows-1257"}
_TABLE = "| Falun | 1288 |\n|---|---|\n| Visby | 1361 |"
_CODE = "```\nfor place in places:\n    print(place.name)\n```"
_REFUSING = (("X-Robots-Tag", "noai"), ("tdm-reservation", "1"))


@dataclass(frozen=True)
class Canary:
    """A known page, and how it ends.

    Attributes:
        name: what it is, in words for messages.
        headers: of the HTTP response, besides its type.
        lines: what stands in its Markdown, each on a line.
        is_reserved: whether its owner says no.
        is_copy: whether it is one of those of which one is kept.
    """

    name: str
    page: PageSource
    shard: int = 0
    headers: tuple[tuple[str, str], ...] = ()
    lines: tuple[str, ...] = ()
    is_reserved: bool = False
    is_copy: bool = False


def known_languages() -> list[str]:
    """Languages that the package has texts of."""
    return sorted({page.lang for page in bundled_pages()})


def canaries_of(languages: Sequence[str]) -> list[Canary]:
    """A page of each language, and of the first of them what else is to be seen."""
    first, *others = languages
    text, second, third = _texts(first)[:3]
    charset = _OLD_CHARSETS.get(first, "windows-1252")
    refusing = replace(third, url="https://canary.example/no-ai")
    return [
        Canary(f"{first} text", text, is_copy=True),
        Canary("near-duplicate in the same shard", _near_copy(text, 1), is_copy=True),
        Canary("near-duplicate in another shard", _near_copy(text, 2), shard=1, is_copy=True),
        Canary(
            f"page in {charset} with a table and code",
            replace(
                second,
                text="\n\n".join([second.text, _TABLE, _CODE]),
                charset=charset,
                charset_declared="meta",
            ),
            lines=("Falun 1288", "Visby 1361", "    print(place.name)"),
        ),
        Canary("page whose owner says no", refusing, 1, _REFUSING, is_reserved=True),
        *(Canary(f"{one} text", _texts(one)[0], shard=1) for one in others),
    ]


def _texts(language: str) -> list[PageSource]:
    """Running texts in a language, the longest first, all in UTF-8."""
    found = [
        replace(page, charset="utf-8", charset_declared="both", comments=())
        for page in bundled_pages()
        if page.lang == language and page.kind == "page" and page.layout in _LAYOUTS
    ]
    return sorted(found, key=lambda page: (-len(page.text), page.slug))


def _near_copy(page: PageSource, number: int) -> PageSource:
    """The page at another address, each paragraph without one of its last words.

    A paragraph that is the same would be removed as a repeat before.
    """
    paragraphs = [_without_word(one, -1 - number) for one in page.text.split("\n\n")]
    return replace(page, url=f"https://copy-{number}.example/", text="\n\n".join(paragraphs))


def _without_word(paragraph: str, place: int) -> str:
    parts = re.split(r"(?<=[ 。、])", paragraph)
    if len(parts) > 2 * abs(place):
        del parts[place]
    return "".join(parts)


def write_canaries(canaries: Iterable[Canary], folder: Path) -> None:
    """Write the pages as WARC files, one for each shard."""
    for shard in range(SHARDS):
        captures = [_capture(one) for one in canaries if one.shard == shard]
        write_warc(folder, f"{shard}.warc.gz", CANARIES, captures)


def _capture(canary: Canary) -> Capture:
    body, content_type = render_page(canary.page)
    return Capture(
        url=canary.page.url,
        body=body,
        headers=(("Content-Type", content_type), *canary.headers),
        date=f"{canary.page.published}T12:00:00Z",
        record_id=record_id_of(CANARIES, canary.page.url),
    )
