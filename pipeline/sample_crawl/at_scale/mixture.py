"""Which share of a crawl's pages has what.

Sizes are fitted to what Common Crawl published of CC-MAIN-2019-09: 2.9 billion pages, 225 TiB
uncompressed, 59.86 TiB of WARC and 7.62 TiB of WET files in 64,000 each, 50 million hosts. Shares
of charsets, truncated pages and duplicates are round numbers of the right order, no measurements.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

SCANDINAVIAN = {"sv": 0.44, "da": 0.24, "nb": 0.24, "nn": 0.03, "is": 0.04, "fo": 0.01}
"""How the pages that are wanted are shared among languages."""

OTHERS = {"en": 0.62, "de": 0.18, "ja": 0.15, "lv": 0.05}
"""How the rest is; these stand for all other languages."""

PAGES_A_HOST = 58
"""2.9 billion pages of 50 million hosts."""

TEXT_BYTES = (7_500, 1.1)
"""Median of a page's text, and sigma of its logarithm; the mean is some 14 kB."""

SCRIPT_BYTES = (30_000, 1.2)
"""The same of what is script, style and state in a page that is written in full."""

LEGACY_CHARSETS = {"iso-8859-1": 0.05, "windows-1252": 0.03}
DECLARED = {"both": 0.5, "meta": 0.25, "header": 0.2, "none": 0.04, "wrong": 0.01}
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

DIAGNOSTICS = 0.6
"""Captures that are no pages, to each that is."""

DIAGNOSTIC_STATUSES = {404: 0.45, 301: 0.3, 302: 0.1, 304: 0.1, 500: 0.05}


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


def drawn(dice: random.Random, shares: dict[str, float]) -> str | None:
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


def lognormal(dice: random.Random, of: tuple[int, float]) -> int:
    """A size in bytes, given median and sigma."""
    return int(dice.lognormvariate(math.log(of[0]), of[1]))
