"""The captures of the bundled pages and their copies, before they have a time and a place."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace
from datetime import date, timedelta

from skord.sample_crawl.crawl_files import Capture, Gold, Outcome
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import PageSource, Variant
from skord.sample_crawl.wet_text import visible_text

ISO_639_3 = {
    "sv": "swe", "da": "dan", "nb": "nor", "nn": "nno", "is": "isl", "fo": "fao", "en": "eng",
    "de": "deu", "lv": "lav", "ja": "jpn",
}  # fmt: skip
_NEAR_DAYS = 3
_NO_PROSE = re.compile(r"#|-|\d+\.|\||>|```|  |\s*$")


def page_captures(page: PageSource) -> list[Capture]:
    """Return a bundled page and its variants.

    An exact copy has the very bytes of the original. A near copy lacks a sentence, has a
    few words in another order and a later date.
    """
    outcomes: dict[str, Outcome] = {"page": "kept", "thin": "thin", "spam": "spam"}
    original = _page_capture(page, page.url, Gold(outcome=outcomes[page.kind]))
    copies = [_variant_capture(page, variant) for variant in page.variants]
    return [original, *copies]


def _variant_capture(page: PageSource, variant: Variant) -> Capture:
    gold = Gold(variant_of=page.url, edit=variant.edit, outcome="duplicate")
    if variant.edit == "exact":
        return _page_capture(page, variant.url, gold)
    return _page_capture(near_copy(replace(page, url=variant.url)), variant.url, gold)


def _page_capture(page: PageSource, url: str, gold: Gold) -> Capture:
    body, content_type = render_page(page)
    return Capture(
        url=url,
        body=body,
        headers=page_headers(content_type, body),
        charset=page.charset,
        languages=_languages(page.lang, url),
        text=visible_text(body.decode(page.charset)),
        gold=replace(
            gold,
            lang=page.lang,
            layout=page.layout,
            kind=page.kind,
            title=page.title,
            text=page.text,
        ),
    )


def page_headers(content_type: str, body: bytes) -> tuple[tuple[str, str], ...]:
    """Return the headers of a page that came compressed and is stored decoded."""
    return (
        ("Server", "nginx"),
        ("Content-Type", content_type),
        ("X-Crawl-Transfer-Encoding", "chunked"),
        ("Vary", "Accept-Encoding"),
        ("X-Crawl-Content-Encoding", "gzip"),
        ("Content-Length", str(len(body))),
    )


def _languages(lang: str, url: str) -> str | None:
    """Return the identified languages, which one page in ten lacks, as in Common Crawl."""
    return None if number_of(url) % 10 == 0 else ISO_639_3[lang]


def number_of(*parts: str) -> int:
    """Return a large number that follows from the parts and looks like chance."""
    return int.from_bytes(hashlib.sha256("\n".join(parts).encode()).digest()[:8])


def near_copy(page: PageSource) -> PageSource:
    """Return a near copy: one sentence less, two pairs of words swapped, a later date.

    The edit is made in the longest paragraph; lists, tables, headings and code stay.
    """
    chunks = page.text.split("\n\n")
    prose = [place for place, chunk in enumerate(chunks) if not _NO_PROSE.match(chunk)]
    if prose:
        longest = max(prose, key=lambda place: len(chunks[place]))
        chunks[longest] = _edited_paragraph(chunks[longest], page)
    later = date.fromisoformat(page.published) + timedelta(days=_NEAR_DAYS)
    return replace(page, text="\n\n".join(chunks), published=later.isoformat())


def _edited_paragraph(paragraph: str, page: PageSource) -> str:
    sentences = re.split(r"(?<=[.!?])\s+|(?<=。)", paragraph.strip())
    if len(sentences) > 2:
        del sentences[1 + number_of(page.url) % (len(sentences) - 2)]
    space = "" if page.lang == "ja" else " "
    return _swapped_words(space.join(sentences), number_of(page.url, "swap"))


def _swapped_words(paragraph: str, chance: int) -> str:
    words = paragraph.split(" ")
    for turn in (chance, chance // 1009):
        if len(words) > 3:
            place = 1 + turn % (len(words) - 2)
            words[place], words[place + 1] = words[place + 1], words[place]
    return " ".join(words)
