"""Pages with gold text: which may be trained on, and which are only for the test.

A data folder holds `*.jsonl.gz`, one page a line: `id`, `source`, `split_key` (the site),
`licence`, `html` or `html_b64`, `lang`, `title`, `gold_kind`, `gold_text` (lines),
`gold_in_html` (share of the gold that the page holds) and, for pages built from committed
Markdown, `main_gold_share` (share of the main element that is gold).
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from skord.core.failures import DocumentError
from skord.html.charset.decode import decode
from skord.html.converter import convert_page
from skord.models.read_texts import data_files

# Gold kinds that say of every line whether it is content. Machine output is no judge.
FULL_KINDS = frozenset({"full", "full-md", "full-parsed", "source-markdown"})
# Words in a licence note under which no weights are shipped.
FORBIDDING = ("research", "non-commercial", "noncommercial", "-nc")
# Gold that leaves out much of what it should hold, by share of characters.
MIN_GOLD_IN_HTML = 0.9
MIN_MAIN_GOLD = 0.8
MIN_GOLD_CHARACTERS = 100
# One author, one theme: no two sides of a split for them.
SITE_GROUPS = {"cykel-ruter.dk": "teambuilder.dk"}
TEST_SALT = "line-classifier-test-75"
TEST_PERCENT = 25


class Unusable(StrEnum):
    """Why a record is neither trained on nor tested on."""

    licence = "licence"
    gold_kind = "gold_kind"
    gold_not_in_page = "gold_not_in_page"
    gold_incomplete = "gold_incomplete"
    gold_short = "gold_short"
    gold_garbled = "gold_garbled"
    made_up = "made_up"
    conversion = "conversion"


REVIEWED = "wcxb"
"""Source of pages of seven types, whose gold a language model drafted and people reviewed."""


MADE = "made/"
"""What the ids of made pages begin with."""


class Page(NamedTuple):
    """One page with its gold.

    Attributes:
        gold: the text that a person would keep.
        html: "" if not known.
        weight: how much the page counts in training, beside others.
        page_type: one of `page_types.PAGE_TYPES`; "" if not known.
        url: "" if not known.
        labels: 1 keep, 0 remove, NaN unknown, for every line, where people gave them; what the gold
            says counts where there are none.
    """

    id: str
    source: str
    site: str
    lang: str
    licence: str
    markdown: str
    gold: str
    title: str
    html: str = ""
    weight: float = 1.0
    page_type: str = ""
    url: str = ""
    labels: tuple[float, ...] = ()

    @property
    def is_made(self) -> bool:
        """Whether it never was, but is made of another page's sentences."""
        return self.id.startswith(MADE)


def read_pages(
    folder: Path,
    cache: Path,
    wanted: Callable[[str], bool] = bool,
    site_pages: int | None = None,
) -> tuple[list[Page], Counter[Unusable]]:
    """The usable pages of a data folder, by id, and how many others there are of each kind.

    Args:
        folder: holds the `*.jsonl.gz`.
        cache: converted pages are kept here, by digest of the HTML. Empty it after any change
            of the converter.
        wanted: whether a site's pages are read.
        site_pages: at most so many of each site, picked by a hash of their id; None: all.
    """
    records = [
        record
        for record in read_records(folder)
        if wanted(record["split_key"]) and record["source"] != REVIEWED
    ]
    reasons = [unusable_gold(record) for record in records]
    skipped = Counter(reason for reason in reasons if reason)
    usable = [record for record, reason in zip(records, reasons, strict=True) if not reason]
    pages = _pages(_cap_by_site(usable, site_pages), cache)
    skipped[Unusable.conversion] = sum(not page.markdown for page in pages)
    return sorted((page for page in pages if page.markdown), key=lambda page: page.id), skipped


def read_reviewed(folder: Path, cache: Path) -> list[Page]:
    """Pages of seven types, by id: all but those of sites that the test holds pages of.

    They are for training and cross-validation alone.

    Args:
        folder, cache: as of `read_pages`.
    """
    records = list(read_records(folder))
    tested = {
        record["split_key"]
        for record in records
        if record["source"] != REVIEWED and in_test(record["split_key"])
    }
    wanted = [
        record
        for record in records
        if record["source"] == REVIEWED
        and record["split_key"] not in tested
        and len(record["gold_text"]) >= MIN_GOLD_CHARACTERS
    ]
    return sorted((page for page in _pages(wanted, cache) if page.markdown), key=lambda p: p.id)


def _pages(records: list[dict[str, Any]], cache: Path) -> list[Page]:
    cache.mkdir(parents=True, exist_ok=True)
    return [_training_page(record, cached_markdown(record, cache)) for record in records]


def in_test(site: str) -> bool:
    """Whether a site's pages are for the test, and never for training.

    The salt was picked among a hundred before any model was trained, so that Swedish,
    Danish, Bokmål and Icelandic have pages of at least two sites on either side.
    """
    return _bucket_of(site, TEST_SALT, 100) < TEST_PERCENT


def fold_of(site: str, count: int) -> int:
    """The fold that a site is in."""
    return _bucket_of(site, "fold", count)


def _bucket_of(site: str, salt: str, count: int) -> int:
    """A number below the count, by chance and always the same; one for all sites of a group."""
    key = SITE_GROUPS.get(site, site)
    return int(hashlib.sha1(f"{salt}|{key}".encode()).hexdigest(), 16) % count


def _cap_by_site(records: list[dict[str, Any]], site_pages: int | None) -> list[dict[str, Any]]:
    taken: Counter[str] = Counter()
    kept = []
    for record in sorted(records, key=lambda r: hashlib.sha1(r["id"].encode()).hexdigest()):
        taken[record["split_key"]] += 1
        if site_pages is None or taken[record["split_key"]] <= site_pages:
            kept.append(record)
    return kept


def cached_markdown(record: dict[str, Any], cache: Path) -> str:
    """The page as the pipeline converts it; "" if it cannot be converted."""
    body = html_of(record)
    path = cache / f"{hashlib.sha1(body).hexdigest()}.md"
    if not path.exists():
        path.write_bytes(converted_page(decode(body, None).text).encode("utf-8", "surrogatepass"))
    return path.read_bytes().decode("utf-8", "surrogatepass")


def converted_page(html: str) -> str:
    """The page as the pipeline converts it; "" if it cannot be converted."""
    try:
        return convert_page(html)
    except DocumentError:
        return ""


def read_records(folder: Path, names: str = "*.jsonl.gz") -> Iterator[dict[str, Any]]:
    """The records of a data folder, file by file.

    Args:
        names: of those to read, as a pattern.
    """
    for path in data_files(folder, names):
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as lines:
            yield from map(json.loads, lines)


def unusable_gold(record: dict[str, Any]) -> Unusable | None:
    """Why a record's gold is not to be trusted or its page not to be used; None if neither."""
    gold = record.get("gold_text") or ""
    main_share = record.get("main_gold_share")
    checks: list[tuple[bool, Unusable]] = [
        (any(word in record["licence"].lower() for word in FORBIDDING), Unusable.licence),
        (record["source"] == "defuddle" or record.get("lang") == "zxx", Unusable.made_up),
        ((record.get("gold_in_html") or 0) < MIN_GOLD_IN_HTML, Unusable.gold_not_in_page),
        (main_share is not None and main_share < MIN_MAIN_GOLD, Unusable.gold_incomplete),
        (record["gold_kind"] not in FULL_KINDS, Unusable.gold_kind),
        ("\0" in gold, Unusable.gold_garbled),
        (len(gold) < MIN_GOLD_CHARACTERS, Unusable.gold_short),
    ]
    return next((reason for failed, reason in checks if failed), None)


def html_of(record: dict[str, Any]) -> bytes:
    """The page's bytes."""
    if "html_b64" in record:
        return base64.b64decode(record["html_b64"])
    return str(record["html"]).encode("utf-8", "surrogatepass")


def _training_page(record: dict[str, Any], markdown: str) -> Page:
    return Page(
        id=record["id"],
        source=record["source"],
        site=record["split_key"],
        lang=record.get("lang") or "",
        licence=record["licence"],
        markdown=markdown,
        gold=record.get("gold_text") or "",
        title=record.get("title") or "",
        html=decode(html_of(record), None).text,
        page_type=record.get("page_type") or "",
        url="" if record.get("url_is_host_only") else record.get("url") or "",
    )
