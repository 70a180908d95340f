"""Measures of a document and the limits that it must keep. Pure functions of text and URL.

`FEATURES` is the one place where a measure is named: its column, unit, default limits,
origin and function stand there together. The schema, the names of the settings and the
decision are all derived from it, so a limit cannot be set without having an effect.

The four measures and their limits are those of SWEb (Norlund et al. 2024, arXiv 2410.04456).
Values equal those of its published code, with these differences:

* a page of headings alone measures infinity, not zero, and fails;
* `#hashtag` is text; a heading needs a space after its number signs, as in CommonMark;
* the entropy limit is applied, with its own bounds;
* a listed domain covers its subdomains, and an address that has no host is not listed.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

import pyarrow as pa

Limits = Mapping[str, tuple[float, float]]
"""Feature name to its lowest and highest accepted value, both inclusive."""


@dataclass(frozen=True)
class Page:
    """What the measures look at; what several of them need is computed once."""

    text: str
    url: str
    blocked_domains: Collection[str]

    @cached_property
    def words(self) -> list[str]:
        """Words of the text, without ASCII punctuation, lower case, decomposed (NFD)."""
        return unicodedata.normalize("NFD", _without_punctuation(self.text).lower()).split()


@dataclass(frozen=True)
class Feature:
    """One measure of a document.

    Attributes:
        measure: the function. Its name is that of the column and of the limits in the settings.
        type: Arrow type of the column.
        unit: what the number counts.
        low: lowest accepted value, inclusive, unless the settings say otherwise.
        high: highest accepted value, inclusive.
        source: where measure and limits come from.
    """

    measure: Callable[[Page], float]
    type: pa.DataType
    unit: str
    low: float
    high: float
    source: str = "SWEb, published code"

    @property
    def name(self) -> str:
        """Column of the measure, and name of its limits."""
        return self.measure.__name__

    @property
    def doc(self) -> str:
        """What is measured, in one sentence."""
        return (self.measure.__doc__ or "").partition("\n")[0]

    @property
    def field(self) -> pa.Field:
        """The column, with what a reader of the file wants to know as metadata."""
        about = {"doc": self.doc, "unit": self.unit, "source": self.source}
        return pa.field(self.name, self.type, metadata=about)


def content_length(page: Page) -> int:
    """Characters (code points) of the text."""
    return len(page.text)


def ratio_alphanumeric_chars(page: Page) -> float:
    """Share of letters and digits, of any script, among all characters.

    >>> ratio_alphanumeric_chars(Page("ab--", "", ()))
    0.5
    """
    return sum(map(str.isalnum, page.text)) / max(len(page.text), 1)


def ratio_headings_per_non_heading_word(page: Page) -> float:
    """Markdown headings (ATX) for each word outside of headings.

    Infinity when there are headings and no other word; 0 when there is neither.

    >>> ratio_headings_per_non_heading_word(Page("# Rubrik\\n\\nfyra ord till den", "", ()))
    0.25
    >>> ratio_headings_per_non_heading_word(Page("#hashtag är text", "", ()))
    0.0
    >>> ratio_headings_per_non_heading_word(Page("# Meny\\n## Kontakt", "", ()))
    inf
    """
    headings = _HEADING.findall(page.text)
    heading_words = sum(len(_without_punctuation(line).split()) for line in headings)
    other_words = len(page.words) - heading_words
    if not headings:
        return 0.0
    return len(headings) / other_words if other_words else math.inf


def unigram_entropy(page: Page) -> float:
    """Entropy of the distribution of words, in nats: low when the same words recur.

    >>> unigram_entropy(Page("köp köp köp", "", ()))
    0.0
    >>> round(unigram_entropy(Page("ett två", "", ())), 3)
    0.693
    """
    total = len(page.words)
    times = Counter(Counter(page.words).values())  # how many words occur once, twice, …
    return sum(words * n / total * math.log(total / n) for n, words in times.items())


def is_domain_blacklisted(page: Page) -> bool:
    """Whether the host of the address is a listed domain or lies under one.

    An address without a readable host matches no list. It was good enough to fetch the page,
    and the published setting for this case is called "keep".

    >>> listed = domain_set(["example.com"])
    >>> [is_domain_blacklisted(Page("", url, listed)) for url in
    ...     ("https://shop.Example.com/a", "https://notexample.com/", "http://[broken")]
    [True, False, False]
    """
    labels = _host(page.url).split(".")
    return any(".".join(labels[at:]) in page.blocked_domains for at in range(len(labels)))


def domain_set(lines: Iterable[str]) -> frozenset[str]:
    """A list of domains in the form that `measure` compares; empty lines are left out.

    >>> sorted(domain_set(["Example.com.", "blåbär.se", ""]))
    ['example.com', 'xn--blbr-noae.se']
    """
    return frozenset(host for line in lines if (host := _ascii_host(line.strip())))


FEATURES: tuple[Feature, ...] = (
    Feature(content_length, pa.int64(), "characters", 100, math.inf),
    Feature(ratio_alphanumeric_chars, pa.float64(), "share of characters", 0.4, math.inf),
    Feature(ratio_headings_per_non_heading_word, pa.float64(), "headings per word", 0.0, 0.05),
    Feature(unigram_entropy, pa.float64(), "nats", 3.0, math.inf),
    Feature(is_domain_blacklisted, pa.bool_(), "truth value", False, False),
)
"""Every measure, in the order of the columns and of `failed_filters`."""

SCHEMA = pa.schema([feature.field for feature in FEATURES])


def limits(changed: Limits | None = None) -> dict[str, tuple[float, float]]:
    """The default limits, with those of the settings put in their place.

    >>> limits({"content_length": (50, 1e6)})["content_length"]
    (50, 1000000.0)

    Raises:
        ValueError: a name is no feature, or a lower limit lies above the upper one.
    """
    defaults = {feature.name: (feature.low, feature.high) for feature in FEATURES}
    for name, (low, high) in (changed or {}).items():
        if name not in defaults:
            raise ValueError(f"no feature {name!r} to limit; there are {', '.join(defaults)}")
        if not low <= high:
            raise ValueError(f"the limits of {name} are {low} to {high}: no value lies between")
    return {**defaults, **(changed or {})}


def measure(text: str, url: str, blocked_domains: Collection[str]) -> dict[str, float]:
    """All features of one document, by name, in the order of `FEATURES`.

    A text without a word measures zero everywhere, and so fails: that nothing was found on
    a page is a judgement on the page, not an accident on the way.

    Args:
        text: the document's Markdown.
        url: its address.
        blocked_domains: what `domain_set` made of the list.

    >>> measure("", "http://a.example/", ())["content_length"]
    0
    """
    page = Page(text, url, blocked_domains)
    return {feature.name: feature.measure(page) for feature in FEATURES}


def failed_filters(measures: Mapping[str, float], limits: Limits) -> list[str]:
    """Names of the features outside their limits, in the order of `FEATURES`.

    A value that is not a number lies outside of any limits.

    Raises:
        ValueError: a limit names no feature.
        KeyError: a limited feature was not measured.
    """
    unknown = sorted(limits.keys() - {feature.name for feature in FEATURES})
    if unknown:
        raise ValueError(f"no feature to limit: {', '.join(unknown)}")
    limited = [feature.name for feature in FEATURES if feature.name in limits]
    return [name for name in limited if not limits[name][0] <= measures[name] <= limits[name][1]]


_HEADING = re.compile(r"^#{1,6}(?:[ \t].*)?$", re.MULTILINE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def _without_punctuation(text: str) -> str:
    return text.translate(_PUNCTUATION)


def _host(url: str) -> str:
    """The host, lower case, in ASCII; "" when the address has none that can be read."""
    try:
        return _ascii_host(urlsplit(url).hostname or "")
    except ValueError:
        return ""


def _ascii_host(host: str) -> str:
    """A host as DNS knows it: lower case, without a final dot, other letters as punycode."""
    plain = host.lower().rstrip(".")
    try:
        return plain.encode("idna").decode("ascii")
    except UnicodeError:  # a label that is empty or too long: compare it as it stands
        return plain
