"""A reservation: a no of an owner, where, to whom, and in which words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

import pyarrow as pa

EVERYBODY = "*"
"""The agent of a reservation that names nobody."""

AGENTS = (
    "CCBot", "GPTBot", "ClaudeBot", "anthropic-ai", "Google-Extended", "Applebot-Extended",
    "meta-externalagent", "Bytespider", "Amazonbot", "PerplexityBot", "cohere-ai", "AI2Bot",
    "Diffbot",
)  # fmt: skip
"""Crawlers whose rules are looked for; sites name them when they mean the training of models."""

MAX_WORDS = 500
"""Characters of the words that are kept."""


class Source(StrEnum):
    """Where a reservation stands."""

    robots_txt = "robots_txt"
    """robots.txt forbids the page to a crawler of the settings (RFC 9309)."""
    x_robots_tag = "x_robots_tag"
    """The HTTP header X-Robots-Tag: noai, noimageai, nosnippet, max-snippet:0."""
    meta_robots = "meta_robots"
    """The same words in `<meta name="robots">`, or in one with a crawler's name."""
    tdmrep_file = "tdmrep_file"
    """/.well-known/tdmrep.json reserves the address (TDMRep)."""
    tdmrep_header = "tdmrep_header"
    """The HTTP header tdm-reservation is 1."""
    tdmrep_meta = "tdmrep_meta"
    """`<meta name="tdm-reservation">` is 1."""
    aipref_robots_txt = "aipref_robots_txt"
    """A Content-Usage rule of robots.txt refuses training (IETF AIPREF)."""
    aipref_header = "aipref_header"
    """The HTTP header Content-Usage refuses training."""
    content_signal_robots_txt = "content_signal_robots_txt"
    """A Content-Signal rule of robots.txt says ai-train=no, as Cloudflare's managed files do."""
    content_signal_header = "content_signal_header"
    """The HTTP header Content-Signal says so."""
    rsl_robots_txt = "rsl_robots_txt"
    """robots.txt names a licence (Really Simple Licensing); words are its address."""
    rsl_header = "rsl_header"
    """An HTTP header Link names such a licence."""
    rsl_link = "rsl_link"
    """A `<link rel="license">` names such a licence."""
    rsl_inline = "rsl_inline"
    """The page holds such a licence; words are its text."""
    ai_txt = "ai_txt"
    """/ai.txt forbids the page (Spawning)."""


class Reservation(NamedTuple):
    """One no.

    Attributes:
        source: a `Source`.
        agent: whom it addresses; `*` for everybody.
        words: what decides, as written but for blanks; cut at `MAX_WORDS`.
    """

    source: str
    agent: str
    words: str


RESERVATIONS_TYPE = pa.list_(
    pa.struct([("source", pa.string()), ("agent", pa.string()), ("words", pa.string())])
)
"""Arrow type of the reservations of one page."""


def reservation_line(source: Source, agent: str, words: str) -> Reservation:
    """One no, its words on one line; lone surrogates of JSON become question marks.

    >>> reservation_line(Source.ai_txt, "*", "Disallow:  /\\n").words
    'Disallow: /'
    """
    plain = " ".join(words.split())[:MAX_WORDS]
    return Reservation(str(source), agent, plain.encode(errors="replace").decode())


class Pattern(NamedTuple):
    """Which reservations decide: shell patterns for source, agent and words, case aside."""

    source: str
    agent: str
    words: str

    def fits(self, one: Mapping[str, str]) -> bool:
        """Whether a reservation is meant."""
        return all(
            fnmatchcase(one[name].lower(), wanted)
            for name, wanted in zip(self._fields, self, strict=True)
        )


@lru_cache(maxsize=64)
def parse_reservation_pattern(written: str) -> Pattern:
    """A pattern as the settings write it: SOURCE, SOURCE:AGENT or SOURCE:AGENT:WORDS.

    >>> parse_reservation_pattern("robots_txt:CCBot")
    Pattern(source='robots_txt', agent='ccbot', words='*')
    >>> parse_reservation_pattern("x_robots_tag:*:noai").words
    'noai'

    Raises:
        ValueError: no source is meant.
    """
    source, _, rest = written.strip().lower().partition(":")
    agent, _, words = rest.partition(":")
    if not any(fnmatchcase(known, source) for known in Source):
        raise ValueError(f"no source of reservations {source!r}; there are {', '.join(Source)}")
    return Pattern(source, agent.strip() or "*", words.strip() or "*")


def deciding_reservations(
    reservation: Iterable[Mapping[str, str]] | None, patterns: Sequence[str]
) -> list[Mapping[str, str]]:
    """Those reservations of a page that decide.

    >>> page = [{"source": "tdmrep_header", "agent": "*", "words": "tdm-reservation: 1"}]
    >>> [len(deciding_reservations(page, [written])) for written in ("tdmrep_*", "robots_txt:GPTBot")]
    [1, 0]
    """
    wanted = [parse_reservation_pattern(written) for written in patterns]
    return [one for one in reservation or () if any(each.fits(one) for each in wanted)]


def are_reserved(column: pa.ChunkedArray, patterns: Sequence[str]) -> list[bool]:
    """Whether each page has a reservation that decides; a page without reservations has none."""
    if not patterns:
        return [False] * len(column)
    return [
        bool(deciding_reservations(reservations, patterns)) for reservations in column.to_pylist()
    ]
