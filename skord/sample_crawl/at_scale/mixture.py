"""Which share of a crawl's pages has what.

Sizes are fitted to what was published of CC-MAIN-2019-09: 2.9 billion pages, 225 TiB uncompressed,
59.86 TiB of WARC files in 64,000, 1.79 TiB of other responses (the announcement), 24 TB of plain
text (CCNet, arXiv 1911.00359); languages, charsets, hosts, duplicates and statuses to what Common
Crawl published of CC-MAIN-2024-10 (cc-crawl-statistics). Truncated pages, near-duplicates and
declared charsets have shares of the right order, for which no figures are published.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

SCANDINAVIAN = {"sv": 0.452, "da": 0.285, "nb": 0.222, "nn": 0.01, "is": 0.028, "fo": 0.003}
"""How the pages that are wanted are shared among languages."""

OTHERS = {"en": 0.52, "de": 0.28, "ja": 0.1, "lv": 0.1}
"""How the rest is: Japanese for itself, Chinese and Korean, German and Latvian for all others."""

PAGES_A_HOST = 67
"""3.11 billion pages of 46.4 million hosts."""

TEXT_BYTES = (4_450, 1.1)
"""Median of a page's text, and sigma of its logarithm; the mean is some 8 kB."""

SCRIPT_BYTES = (36_000, 1.2)
"""The same of what is script, style and state in a page that is written in full."""

LEGACY_CHARSETS = {"iso-8859-1": 0.026, "windows-1252": 0.012}
"""The second stands for all other charsets of one byte."""

LEGACY_CHARSETS_OF_JAPANESE = {"shift_jis": 0.06, "euc_jp": 0.02}
DECLARED = {"both": 0.5, "meta": 0.25, "header": 0.2, "none": 0.04, "wrong": 0.01}
COPIES = 0.033
"""Pages with the very bytes of another page."""

AT_ONE_ADDRESS = 0.25
"""Of those, captures of one address at another time."""

IN_FAMILIES = 0.12
"""Pages whose text other pages have, too."""

NEAR = 0.6
"""Of those, pages in which a sentence was dropped or moved."""

FAMILIES_A_PAGE = 0.02
TRUNCATED = 0.005
PLANTED = 0.002
"""Wanted pages that hold a passage of the planted evaluation set."""

PLANTED_PASSAGES = 50
THIN = 0.08
"""Wanted pages with hardly any text."""

DIAGNOSTICS = 0.263
"""Captures that are no pages, to each that is."""

DIAGNOSTIC_STATUSES = {404: 0.23, 301: 0.37, 302: 0.13, 304: 0.02, 403: 0.2, 500: 0.05}
ERROR_BYTES = (9_000, 0.5)
"""Of a page with an error message."""


@dataclass(frozen=True)
class Mixture:
    """One crawl.

    Args:
        pages: HTML pages with a WET record.
        share: of them in Scandinavian languages.
        seed: every page follows from it and its number.
        pages_a_file: in a WARC file and its WET twin; some 45,000 in Common Crawl.
    """

    pages: int
    share: float
    seed: str
    pages_a_file: int = 1000

    @property
    def files(self) -> int:
        """WARC files, and as many WET files."""
        return math.ceil(self.pages / self.pages_a_file)

    def hosts(self, language: str) -> int:
        """Hosts with pages in a language."""
        shares = SCANDINAVIAN if language in SCANDINAVIAN else OTHERS
        of_all = self.share if language in SCANDINAVIAN else 1 - self.share
        return max(3, round(self.pages * of_all * shares[language] / PAGES_A_HOST))


def draw_by_share(dice: random.Random, shares: dict[str, float]) -> str | None:
    """One of the names by its share; None for what is left to 1."""
    left = dice.random()
    for name, share in shares.items():
        left -= share
        if left < 0:
            return name
    return None


def by_zipf(dice: random.Random, ranks: int) -> int:
    """A rank from 0: how often it comes falls as 1 / (rank + 1)."""
    return min(int(ranks ** dice.random()), ranks) - 1 if ranks > 1 else 0


def lognormal_bytes(dice: random.Random, of: tuple[int, float]) -> int:
    """A size in bytes, given median and sigma."""
    return int(dice.lognormvariate(math.log(of[0]), of[1]))
