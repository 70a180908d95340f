"""What is made of pages, texts, addresses and files of sites, whatever stands in them."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
import pyarrow as pa

from skord.crawl.robots import (
    forbids_anything,
    robots_allow,
    robots_lines,
    rules_for,
    rules_of_lines,
)
from skord.crawl.sites import SiteRule
from skord.crawl.urls import (
    canonical_domain,
    canonical_origin,
    canonical_url,
    host_of,
    path_of,
    surt_of,
)
from skord.extras.contamination.evaluation_sets import Probe
from skord.extras.contamination.index import Scorer, build_index
from skord.extras.passages.passages import (
    anchors,
    passage_fingerprints,
    passage_spans,
    repeated_prints,
)
from skord.html.cleaning import read_page
from skord.html.converter import read_page_and_convert
from skord.html.line_context import context_of_words
from skord.models.grammar.interface import load_grader
from skord.models.scandinavian.interface import EMBEDDED, LANGUAGES, load_scandinavian
from skord.native import is_clean_utf8, read_head
from skord.one_page import extract
from skord.publishing.pseudonyms import marked_personal_data, pseudonymise
from skord.publishing.replaced_kinds import Replaced
from skord.quality.links import link_char_ratios
from skord.quality.measures import quality_columns
from skord.rights.page_signals import page_reservations
from skord.rights.site_signals import SiteFiles, site_statements
from skord.sample_crawl.page_source import bundled_pages
from skord.text.cuts import cut_out

AGENTS = ("GPTBot", "CCBot", "*")
LINK_SPANS = pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))
PASSAGE = 8


def _str(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def head(data: bytes) -> str:
    """Title and language, and words with their elements, links marked or not."""
    html = _str(data)
    title, language = read_head(html.encode())
    is_clean = is_clean_utf8(data)
    page = read_page(html, mark_links=len(data) % 2 == 0)
    names = context_of_words(page.words, "ord\n")["elements"]
    return f"{is_clean} {title is None} {language is None} elements {min(len(names), 3)}"


def main_text(data: bytes) -> str:
    """The whole way of a page, by the line classifier."""
    return f"text {bool(extract(data, 'https://example.se/'))}"


def links(data: bytes) -> str:
    """How much of a page's Markdown is links."""
    native = read_page_and_convert(_str(data)).markdown
    lines = native.content.count("\n") + 1
    verdicts = bytes(number % 3 != 1 for number in range(lines))
    ratios = link_char_ratios(
        pa.array([native.content]),
        pa.array([native.content]),
        pa.array([native.link_spans], LINK_SPANS),
        pa.array([verdicts]),
    )
    return f"unknown {ratios[0].as_py() is None}"


def rights(data: bytes) -> str:
    """What a page reserves in its markup, and in headers that are its first lines."""
    lines = [line.partition(b":") for line in data[:2000].splitlines()]
    headers = [(_str(name), _str(value)) for name, _, value in lines]
    reservations = page_reservations(headers, data, AGENTS)
    return " ".join(sorted({str(one.source) for one in reservations}))


def site(data: bytes) -> str:
    """One file of a site as each of those that are read, and rules as they are stored."""
    text = _str(data)
    statements = site_statements(SiteFiles(robots=text, tdmrep=text, ai=text), AGENTS)
    rules = rules_for(text, "CCBot")
    kept = rules_of_lines(robots_lines(rules))
    address = "https://example.se/a/b?c=%c3%a5"
    statements.tdm_at(address)
    reserved = statements.reservations(address)
    return f"{len(reserved)} {robots_allow(kept, address)} {forbids_anything(rules)}"


def addresses(data: bytes) -> str:
    """Each line as an address, and the first as an entry of a list of sites."""
    lines = _str(data).splitlines() or [""]
    rule = SiteRule(only=(lines[0],), never=(".no",))
    try:
        rule.check()
    except ValueError:
        is_taken = None
    else:
        is_taken = rule.takes(lines[-1])
    refused = set()
    for line in lines[:200]:
        for read in (canonical_url, canonical_origin, canonical_domain, path_of, host_of, surt_of):
            try:
                read(line)
            except ValueError:
                refused.add(read.__name__)
    return f"{is_taken} {sorted(refused)}"


def measures(data: bytes) -> str:
    """All that is measured of a text, in five languages."""
    text = _str(data)
    languages = [{name: 1.0} for name in ("sv", "da", "is", "ja", "xx")]
    table = quality_columns(pa.array([text] * 5), ["https://example.se"] * 5, languages)
    return str(sum(column.null_count for column in table.columns))


def personal(data: bytes) -> str:
    """What stands for persons in a text."""
    text = _str(data)
    kinds = [str(kind) for kind in Replaced]
    counted = pseudonymise(text, kinds)
    return f"{len(marked_personal_data(text, kinds))} {counted.text == text}"


def passages(data: bytes) -> str:
    """Passages that halves of a text and all of it share."""
    text = _str(data)
    texts = pa.chunked_array([[text, text[: len(text) // 2], text[len(text) // 3 :]]])
    _, of, places = anchors(texts, PASSAGE)
    ranks = np.arange(3, dtype=np.uint64)
    again = repeated_prints(passage_fingerprints(texts, PASSAGE, of, places, ranks, 0, 0))
    rows = again.filter(pa.compute.equal(again["row"], 0))
    places, copies = (rows[name].to_numpy() for name in ("place", "copies"))
    ranges = passage_spans(text, places, copies, rows["is_first"].to_numpy(), PASSAGE)
    later = [(one.start, one.end) for one in ranges if not one.is_first]
    return f"{bool(ranges)} {cut_out(text, later) == text}"


@cache
def _scorer() -> Scorer:
    probes = [
        Probe("set", number, "question", page.text[:300])
        for number, page in enumerate(bundled_pages()[::20])
    ]
    index = build_index(probes, PASSAGE)
    return Scorer(index, index.frequencies(pa.array([page.text for page in bundled_pages()])))


def contamination(data: bytes) -> str:
    """What of an evaluation set a text holds."""
    (actual,) = _scorer().matches(pa.array([_str(data)]))
    return f"matches {min(len(actual), 3)}"


def letters(data: bytes) -> str:
    """Which Scandinavian language the letters speak for."""
    classifier = load_scandinavian(EMBEDDED, (*LANGUAGES, "no"))
    assert classifier
    shares = classifier.shares([_str(data)], np.full((1, len(LANGUAGES)), 0.1))
    return LANGUAGES[int(shares.argmax())]


def grammar(data: bytes) -> str:
    """The chunks of a text, lone surrogates among it."""
    grader = load_grader("sv")
    text = data.decode("utf-8", "surrogateescape")
    return f"{grader.grade(text).known > 0} {len(grader.chunks(text)) > 0}"


# -- inputs to begin with ------------------------------------------------------------------------

ROBOTS = b"""User-agent: *
Disallow: /a/*b$
Allow: /a
Content-Usage: train-ai=n
User-agent: gptbot
Disallow: /
License: https://example.se/licence.xml
"""
TDMREP = json.dumps(
    [{"location": "/a/*", "tdm-reservation": 1, "tdm-policy": "https://example.se/p"}]
).encode()
PAGE_SIGNALS = b"""X-Robots-Tag: noai, unavailable_after: 2030
Content-Usage: train-ai=n;x=(1 2 "3"), search=y
tdm-reservation: 1
<meta name="robots" content="noai,noimageai"><meta name=tdm-reservation content=1>
<link rel=license href=/l><script type="application/rsl+xml"><rsl><content url="/"></rsl></script>
"""
ADDRESSES = (
    b"example.se/blogg/*\nhttps://WWW.Example.se:443/%7Eb/?q=%2f#x\nhttp://[::1]:80/\n"
    b"https://a:b@xn--4ca.se/\n.se\n=www.example.se\nhttp://example.se:99999/\n"
).replace(b"~", "å".encode())
PERSONS = (
    b"Ring 08-123 456 78 eller +47 22 33 44 55, skriv till a.b@example.se, 850709-9805, "
    b"kort 4111 1111 1111 1111, DE89370400440532013000, 192.0.2.1, 2001:db8::1, Storgatan 5 B."
)
