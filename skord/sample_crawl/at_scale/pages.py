"""Page number *n* of a crawl, out of the seed and *n* alone."""

from __future__ import annotations

import hashlib
import html
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache

from skord.sample_crawl.at_scale import mixture
from skord.sample_crawl.at_scale.mixture import Mixture, by_zipf, draw_by_share, lognormal_bytes
from skord.sample_crawl.captures.pages import ISO_639_3, page_headers
from skord.sample_crawl.crawl_files import Capture
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import COMPONENT_LAYOUTS, LAYOUTS, PageSource, bundled_pages
from skord.sample_crawl.wet_text import visible_text

_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=。)|\n+")
_TOP_LEVEL = {"sv": "se", "da": "dk", "nb": "no", "nn": "no", "is": "is", "fo": "fo", "en": "com",
              "de": "de", "ja": "jp", "lv": "lv"}  # fmt: skip
_FEWEST_CHARS, _MOST_CHARS = 25, 400
_MARKS = re.compile(r"[*`|<>#\\\[\]_]|^[-\d]")
_STATE_BYTES = 1 << 20


@dataclass(frozen=True)
class Truth:
    """What is known of a page beforehand.

    Attributes:
        text: its main text in Markdown; "" for pages in languages that are not wanted.
        family: pages of one family have the same text, or nearly; None for one of its own.
        near: whether a sentence was dropped or moved.
        planted: the passage of the evaluation set that it holds, or None.
        charset, layout: as in `PageSource`.
        truncated: whether its end is missing.
        copy_of: the number of the page whose bytes it has, or None.
    """

    number: int
    language: str
    text: str
    family: str | None
    near: bool
    planted: int | None
    charset: str
    layout: str
    truncated: bool
    copy_of: int | None = None


@dataclass(frozen=True)
class Made:
    """A page as a capture without a time, and what is known of it."""

    capture: Capture
    truth: Truth


@cache
def bundled_sentences(language: str) -> tuple[str, ...]:
    """Sentences of the bundled pages in a language, each once, in their order."""
    chosen = dict.fromkeys(
        sentence
        for page in bundled_pages()
        if page.lang == language
        for sentence in map(str.strip, _SENTENCE.split(page.text))
        if _FEWEST_CHARS <= len(sentence) <= _MOST_CHARS and not _MARKS.search(sentence)
    )
    return tuple(chosen)


@cache
def _titles(language: str) -> tuple[str, ...]:
    return tuple(page.title for page in bundled_pages() if page.lang == language)


@cache
def _made_state() -> str:
    """Twice a megabyte of what frameworks put into pages besides their text."""
    dice = random.Random("state")
    parts: list[str] = []
    size = 0
    while size < _STATE_BYTES:
        key, value = f"{dice.randrange(1 << 24):x}", dice.randrange(1 << 40)
        part = dice.choice(
            (
                f'{{"id":"{key}","props":{{"className":"css-{key[:5]}","order":{value}}}}},',
                f".css-{key}{{margin:0 {value % 90}px;color:#{key[:6]:0>6}}}",
                f'function f{key}(e,t){{return e&&t["{key}"]?{value}:null}}',
            )
        )
        parts.append(part)
        size += len(part)
    return "".join(parts)[:_STATE_BYTES] * 2


def framework_state(dice: random.Random, size: tuple[int, float]) -> bytes:
    """A piece of it, of a size with this median and sigma."""
    start = dice.randrange(_STATE_BYTES)
    return _made_state()[start : start + min(lognormal_bytes(dice, size), _STATE_BYTES)].encode()


def planted_passage(mix: Mixture, language: str, number: int) -> str:
    """A passage of the planted evaluation set."""
    dice = random.Random(f"{mix.seed} passage {language} {number}")
    return " ".join(dice.sample(bundled_sentences(language), 4))


def made_page(mix: Mixture, number: int) -> Made:
    """A page of the crawl, which may be a copy of a page in an earlier file."""
    dice = random.Random(f"{mix.seed} copy {number}")
    earlier = number - number % mix.pages_a_file
    if not earlier or dice.random() >= mixture.COPIES:
        return _original_page(mix, number)
    copied = made_page(mix, dice.randrange(earlier))
    first = copied.truth.number if copied.truth.copy_of is None else copied.truth.copy_of
    truth = replace(copied.truth, number=number, copy_of=first)
    if dice.random() < mixture.AT_ONE_ADDRESS:
        return Made(copied.capture, truth)
    moved = f"{copied.capture.url.rpartition('/')[0]}/{_address_end(number)}"
    return Made(replace(copied.capture, url=moved), truth)


def _address_end(number: int) -> str:
    """The last part of a page's address."""
    return f"{number}-{hashlib.sha256(str(number).encode()).hexdigest()[:24]}"


def _original_page(mix: Mixture, number: int) -> Made:
    dice = random.Random(f"{mix.seed} page {number}")
    wanted = dice.random() < mix.share
    language = draw_by_share(dice, mixture.SCANDINAVIAN if wanted else mixture.OTHERS) or "sv"
    host = by_zipf(dice, mix.hosts(language))
    family = None
    if dice.random() < mixture.IN_FAMILIES:
        count = max(2, round(mix.hosts(language) * mixture.PAGES_A_HOST * mixture.FAMILIES_A_PAGE))
        family = f"{language}-{by_zipf(dice, count)}"
    text = random.Random(f"{mix.seed} text {family or number}")
    thin = wanted and text.random() < mixture.THIN
    size = 60 if thin else lognormal_bytes(text, mixture.TEXT_BYTES)
    paragraphs = _paragraphs(text, language, size)
    near = family is not None and dice.random() < mixture.NEAR
    if near:
        paragraphs = _edited_paragraphs(dice, paragraphs)
    planted = None
    if wanted and not thin and dice.random() < mixture.PLANTED:
        planted = dice.randrange(mixture.PLANTED_PASSAGES)
        paragraphs.insert(
            dice.randrange(len(paragraphs) + 1), planted_passage(mix, language, planted)
        )
    source = _page_source(
        mix, dice, language, host, number, text.choice(_titles(language)), paragraphs
    )
    truncated = dice.random() < mixture.TRUNCATED
    make = _full_page if wanted else _plain_page
    return Made(
        make(dice, source, truncated=truncated),
        Truth(
            number,
            language,
            source.text if wanted else "",
            family,
            near,
            planted,
            source.charset,
            source.layout if wanted else "plain",
            truncated,
        ),
    )


def _paragraphs(dice: random.Random, language: str, size: int) -> list[str]:
    pool = bundled_sentences(language)
    made: list[str] = []
    while size > 0 or not made:
        made.append(" ".join(dice.choices(pool, k=min(dice.randint(1, 6), size // 60 + 1))))
        size -= len(made[-1].encode())
    return made


def _edited_paragraphs(dice: random.Random, paragraphs: Sequence[str]) -> list[str]:
    """One paragraph less, where there are several, and another one elsewhere."""
    edited = list(paragraphs)
    if len(edited) > 2:
        del edited[dice.randrange(len(edited))]
        edited.insert(dice.randrange(len(edited)), edited.pop())
    return edited


def _page_source(
    mix: Mixture,
    dice: random.Random,
    language: str,
    host: int,
    number: int,
    title: str,
    paragraphs: Sequence[str],
) -> PageSource:
    site = random.Random(f"{mix.seed} host {language} {host}")
    japanese = language == "ja"
    charset = draw_by_share(
        site, mixture.LEGACY_CHARSETS_OF_JAPANESE if japanese else mixture.LEGACY_CHARSETS
    )
    layout = site.choice(LAYOUTS)
    name = hashlib.sha256(f"{mix.seed} {language} {host}".encode()).hexdigest()[:8]
    cuts = max(1, len(paragraphs) // 3) if layout in COMPONENT_LAYOUTS else len(paragraphs)
    starts = range(0, len(paragraphs), cuts)
    return PageSource(
        lang=language,
        slug=f"p{number}",
        url=f"https://www.{name}.{_TOP_LEVEL[language]}.example/{dice.randrange(1000)}/{_address_end(number)}",
        layout=layout,
        title=title,
        published=(date(2010, 1, 1) + timedelta(days=dice.randrange(5000))).isoformat(),
        text="\n\n".join(paragraphs),
        sections=tuple("\n\n".join(paragraphs[start : start + cuts]) for start in starts),
        charset=charset or "utf-8",
        charset_declared=draw_by_share(site, mixture.DECLARED) or "both",
    )


def _full_page(dice: random.Random, source: PageSource, *, truncated: bool) -> Capture:
    """A page of a wanted language as its site would send it, with its scripts and state."""
    body, content_type = render_page(source)
    text = visible_text(body.decode(source.charset))
    script = (
        b"<script>window.__STATE__=[" + framework_state(dice, mixture.SCRIPT_BYTES) + b"]</script>"
    )
    head, mark, tail = body.rpartition(b"</body>")
    body = head + script + mark + tail if mark else body + script
    return _page_capture(source, body, content_type, text, truncated=truncated)


def _plain_page(dice: random.Random, source: PageSource, *, truncated: bool) -> Capture:
    """A page that nobody asks for: its text between two tags."""
    del dice
    lines = source.text.split("\n\n")
    text = "\n".join([source.title, *lines, ""])
    paragraphs = "".join(f"<p>{html.escape(line)}" for line in lines)
    page = f"<!doctype html><title>{html.escape(source.title)}</title>{paragraphs}"
    body = page.encode(source.charset, "xmlcharrefreplace")
    content_type = f"text/html; charset={source.charset}"
    return _page_capture(source, body, content_type, text, truncated=truncated)


def _page_capture(
    source: PageSource, body: bytes, content_type: str, text: str, *, truncated: bool
) -> Capture:
    if truncated:
        body = body[: len(body) * 3 // 4]
    return Capture(
        url=source.url,
        body=body,
        headers=page_headers(content_type, body),
        charset=source.charset,
        languages=ISO_639_3[source.lang],
        text=text,
        truncated="length" if truncated else None,
    )
