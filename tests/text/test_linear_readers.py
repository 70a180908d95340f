"""What reads text or markup costs as much more as there is more of it, whatever stands in it.

Each reader gets a sign, or a few, over and over, and eight times as many of them. Compared is CPU
time, generously: linear functions take eight times as long, quadratic ones sixty-four times.
"""

import gc
import time
from contextlib import suppress
from datetime import date

import pyarrow as pa
import pytest

from skord.core.failures import DocumentError
from skord.crawl.robots import robots_allow, rules_for
from skord.crawl.urls import canonical_url, surt_of
from skord.html.charset.decode import decode
from skord.html.cleaning import read_page
from skord.html.converter import read_page_and_convert
from skord.html.link_spans import _without_images
from skord.html.page_date import page_date
from skord.html.script_content import script_content
from skord.markdown.extraction import is_error_page, text_of_lines
from skord.markdown.plain_lines import plain_markdown
from skord.markdown.rendering import plain_text, simple_html
from skord.models.grammar.accents import _WORD
from skord.models.grammar.grader import Grader
from skord.models.grammar.grammar import TOY
from skord.native import dialect_markdown, html_tokens, read_head
from skord.publishing.pseudonyms import marked_personal_data, pseudonymise
from skord.publishing.replaced_kinds import Replaced
from skord.quality.measures import quality_columns
from skord.rights.page_signals import page_reservations
from skord.rights.site_signals import SiteFiles, site_statements
from skord.rights.structured_fields import refused_uses, refuses_training
from skord.sources.pages import selection_text
from skord.text.entities import unescape_html

SMALL, TIMES = 2_000, 8
GENEROUS = 4
LONG_S = 0.05
"""What takes longer is timed once: chance adds little to it."""
LEAST_S = 0.001
"""Shorter times are mostly those of the clock and of the first call."""

SIGNS = (
    "@", "a@", "a@b.", "www.", "http://", "[", "![", "](", "[a](b", "![a](b", "![a](<b", "(", "_",
    "*", "**a", "`", "\\", "<", "<a", "<a ", "<p>", "<b>", "<!--", "<script>", "<select>", "&",
    "&amp", "~", "\n", "> ", "- ", "\n- ", "\n> ", "1. ", "|", "\n|a|", "|-", "#", " ", "a ", "a",
    "å", "1", "12", "1 ", "2020-01-01", "1.1.", "+46 ", "{", '{"a":', "[[", '"', "'", ",", ";",
    "a,", "a;", "=", "a:", "<a>;", "/*", "*a", "$", "%", "%2", ".", "a.", "-", "Ã¥", "\u200b",
    "\r", "\t", "/", "/../", "?", "QmFzZTY0+/", "\n```\n", "$$", "\\(", "<math>", "^",
)  # fmt: skip

NESTING = ("<p>", "<b>", "<a ", "<select>", "<math>")
"""Tags pile up: a page of too many is refused before its date is looked for."""

AGENTS = ("CCBot", "*")
KINDS = [str(kind) for kind in Replaced]
TODAY = date(2030, 1, 1)
LD = '<script type="application/ld+json">'
HEADERS = ("Link", "X-Robots-Tag", "Content-Usage", "TDM-Reservation", "TDM-Policy")
GRADER = Grader(TOY, {"stor", "hund"})


def _robots(text):
    robots = f"User-agent: *\nDisallow: /{text}\n{text}"
    return site_statements(SiteFiles(robots=robots, tdmrep=text, ai=text), AGENTS)


def _allowed(text):
    rules = rules_for(f"User-agent: *\nDisallow: /{text}x\nDisallow: /*a*b*c$", "a")
    return robots_allow(rules, f"https://x.se/{text}")


def _article(text):
    body = text.replace("\\", "").replace('"', "").replace("\n", "\\n")
    return script_content(f'{LD}{{"@type": "Article", "articleBody": "{body}"}}</script>', text)


def _state(text):
    return script_content(f'{LD}{text}</script><script id="__NEXT_DATA__">{text}</script>', "")


READERS = {
    "charset": lambda text: decode(text.encode(), "text/html"),
    "html tokens": lambda text: html_tokens(text, 0, "", False),
    "html head": lambda text: read_head(text.encode()),
    "html conversion": read_page_and_convert,
    "html with marks": lambda text: read_page(text, mark_links=True),
    "html by dialect": dialect_markdown,
    "selection text": lambda text: selection_text(text.encode(), None),
    "entities": unescape_html,
    "date of metadata": lambda text: page_date(
        f'<meta name="dc.date" content="{text}"><time datetime="{text}">', TODAY
    ),
    "date of linked data": lambda text: page_date(
        f'{LD}"datePublished": "2020-13-01"{text}</script>', TODAY
    ),
    "article in a script": _article,
    "state in a script": _state,
    "plain lines": plain_markdown,
    "plain text": plain_text,
    "simple html": simple_html,
    "text and images": lambda text: text_of_lines(text.encode()),
    "error page": is_error_page,
    "grader": GRADER.grade,
    "accents": lambda text: _WORD.sub("", text),
    "images": _without_images,
    "personal data": lambda text: marked_personal_data(text, KINDS),
    "pseudonyms": lambda text: pseudonymise(text, KINDS),
    "measures": lambda text: quality_columns(pa.array([text]), ["https://x.se"], [{"sv": 1.0}]),
    "reservations in headers": lambda text: page_reservations(
        [(name, text) for name in HEADERS], b"", AGENTS
    ),
    "reservations in markup": lambda text: page_reservations(
        [], f'<meta name="robots" content="{text}"><link rel=license href="{text}">{text}'.encode(),
        AGENTS,
    ),
    "structured field": refused_uses,
    "content signals": refuses_training,
    "files of a site": _robots,
    "patterns of robots.txt": _allowed,
    "address": canonical_url,
    "sorted address": surt_of,
}  # fmt: skip


SLOW = {
    "article in a script", "files of a site", "html conversion", "measures",
    "patterns of robots.txt", "personal data", "plain text", "pseudonyms", "selection text",
    "simple html",
}  # fmt: skip
"""These show what is quadratic with less text."""


def seconds(function, text):
    """CPU time, the least of two if it is short; refusals of what a document may be are answers, too.

    Without searches for garbage, which go through all that earlier tests have left.
    """
    taken = []
    gc.disable()
    try:
        while len(taken) < 2 and sum(taken) < LONG_S:
            began = time.process_time()
            with suppress(DocumentError, ValueError):
                function(text)
            taken.append(time.process_time() - began)
    finally:
        gc.enable()
    return min(taken)


def excess(function, sign, size=SMALL):
    """By how much more than the text grew the time did, or more than it would for `LEAST_S`."""
    small = (sign * size)[:size]
    large_s = seconds(function, f"{small * TIMES} x") / TIMES
    if large_s < LEAST_S * GENEROUS:  # whatever the small one takes
        return large_s / LEAST_S
    return large_s / max(seconds(function, f"{small} x"), LEAST_S)


def is_linear(function, sign, size=SMALL):
    """Whether eight times the text takes some eight times as long.

    Where it does not, by chance or since the reader looks ahead so far and no further, a longer
    text decides.
    """
    return any(excess(function, sign, size * longer) < GENEROUS for longer in (1, TIMES, TIMES))


@pytest.mark.parametrize("name", READERS)
def test_eight_times_the_signs_cost_some_eight_times_as_much(name):
    size = SMALL // 5 if name in SLOW else SMALL
    for sign in SIGNS:
        if sign not in NESTING or not name.startswith("date"):
            assert is_linear(READERS[name], sign, size), sign


def test_images_without_an_end_cost_as_much_as_there_are():
    """In a long line, for each step takes next to no time."""
    assert is_linear(READERS["text and images"], "![a](b", 10 * SMALL)


def test_what_is_quadratic_is_noticed():
    def steps(text):
        return sum(1 for at in range(0, len(text), 8) for _ in text[at::8])

    assert excess(steps, "a", 4_000) > GENEROUS
