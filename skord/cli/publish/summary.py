"""What a provider of a model may say of a corpus in the public summary of its training content.

The template is the Commission's, first of 24 July 2025, adopted as C(2025) 8311 on 5 December 2025, for
Article 53(1)(d) of the AI Act. Its sections and fields stand in `summary.md` in its order, so that an
answer can be carried over; questions are in our words. What ran is filled in; what only the provider of a
model can answer stays an empty field with the question.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from importlib.metadata import version
from math import ceil
from string import Template
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from skord.cli.json_output import print_asked
from skord.core.config import open_storage
from skord.core.dumps import SourceKind, parse_dumps, source_of
from skord.core.preflight import check_settings
from skord.core.storage.column_store import ColumnStore
from skord.models.reference_classifier.addresses import site_of
from skord.publishing.card.dataset_card import describe_origin
from skord.publishing.files import CorpusFiles

EXPORT = "ExportCorpus"

BANDS = (
    (1e9, "less than 1 billion tokens"),
    (1e13, "1 billion to 10 trillion tokens"),
    (float("inf"), "more than 10 trillion tokens"),
)
"""The template's sizes of text, by the number of tokens that each ends before."""

BLOCK_LISTS = ("is_domain_blacklisted", "is_url_blacklisted")
"""Measures that are true of pages of listed hosts and addresses (UT1's, or one's own list)."""

UNWANTED = ("unwanted", "machine_made")
"""What measures of adult pages, gambling, spam and such begin with."""

EMPTY = "*To be answered by the provider:*"

CRAWL_PAGE = "https://data.commoncrawl.org/crawl-data/CC-MAIN-{0}/index.html"


def run(options: argparse.Namespace) -> None:
    """Read the published files, write the summary."""
    check_settings()
    storage = open_storage()
    stores = [ColumnStore(storage, dump) for dump in parse_dumps(options.dumps, storage)]
    content = gather_content(stores)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(summary_text(content, version("skord")), "utf-8")
    sites = {"top_level": content.top_level(), "domains": content.largest_sites()}
    sentence = f"{options.out}: what is left to answer begins with “To be answered”"
    print_asked(options, {"summary": options.out, **sites, **vars(content)}, [sentence])


@dataclass
class DumpContent:
    """One published dump.

    Attributes:
        card: the facts of its dataset card, as in the manifest.
        figures: documents and characters by language, bytes, pages removed by kind of request.
    """

    dump: str
    card: Mapping[str, Any]
    figures: Mapping[str, Any]


@dataclass
class TrainingContent:
    """The published texts of some dumps, added up.

    Attributes:
        dumps: as they were published.
        documents: of all, and `text_bytes` of UTF-8 and `blanks` in them.
        languages: code to documents, the most first.
        days: first and last day on which pages were fetched; empty for texts without any.
        sites: registered domain to bytes of text.
    """

    dumps: Sequence[DumpContent]
    documents: int = 0
    text_bytes: int = 0
    blanks: int = 0
    languages: Counter[str] = field(default_factory=Counter)
    days: tuple[str, str] = ("", "")
    sites: Counter[str] = field(default_factory=Counter)

    def band(self) -> str | None:
        """The template's size; None where that hangs on the tokenizer.

        A text has at least as many tokens as blanks, and at most as many as bytes.

        >>> TrainingContent([], blanks=10, text_bytes=80).band()
        'less than 1 billion tokens'
        >>> TrainingContent([], blanks=10**9 - 1, text_bytes=6 * 10**9).band()
        """
        numbers = (self.blanks, self.text_bytes)
        least, most = (next(name for end, name in BANDS if n < end) for n in numbers)
        return least if least == most else None

    def top_level(self) -> dict[str, float]:
        """Top-level domain to its share of the bytes, the largest first."""
        counts: Counter[str] = Counter()
        for site, size in self.sites.items():
            counts[_top_level(site)] += size
        total = max(sum(counts.values()), 1)
        return {name: size / total for name, size in _largest_first(counts)}

    def largest_sites(self) -> list[tuple[str, float]]:
        """The largest tenth of the domains, by bytes of text, with their share of all."""
        total = max(sum(self.sites.values()), 1)
        first = _largest_first(self.sites)[: ceil(len(self.sites) / 10)]
        return [(site, size / total) for site, size in first]


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _top_level(site: str) -> str:
    last = site.rpartition(".")[2]
    return "addresses without a name" if not last or last.isdecimal() else f".{last}"


def gather_content(stores: Sequence[ColumnStore]) -> TrainingContent:
    """Add up the published files of dumps, row group by row group."""
    manifests = {store.dump: store.complete_manifest(EXPORT) for store in stores}
    content = TrainingContent(
        [DumpContent(dump, one["card"], one["figures"]) for dump, one in manifests.items()]
    )
    days = []
    for store in stores:
        files, source = CorpusFiles(store, EXPORT), source_of(store.dump, store.storage)
        has_addresses = source.kind in (SourceKind.COMMON_CRAWL, SourceKind.WARC)
        made_up = None if has_addresses else source.base_url
        for name in (one for one in files.listed() if one.startswith("data/")):
            with store.open_parquet(files.path(name)) as data:
                for group in range(data.num_row_groups):
                    table = data.read_row_group(
                        group, columns=["url", "warc_date", "language", "text"]
                    )
                    _add(content, table, made_up)
                    days += [d[:10] for d in pc.unique(table["warc_date"]).to_pylist() if d]
    content.days = (min(days, default=""), max(days, default=""))
    return content


def _add(content: TrainingContent, table: pa.Table, made_up: str | None) -> None:
    """Add up a table; addresses that begin as those made up for files have no site."""
    content.documents += len(table)
    sizes = pc.binary_length(table["text"]).to_pylist()
    content.text_bytes += sum(sizes)
    content.blanks += pc.sum(pc.count_substring(table["text"], " ")).as_py() or 0
    content.languages.update(one or "unknown" for one in table["language"].to_pylist())
    for url, size in zip(table["url"].to_pylist(), sizes, strict=True):
        if made_up is None or not (url or made_up).startswith(made_up):
            content.sites[site_of(url or "")] += size


# -- the document -------------------------------------------------------------------------


def summary_text(content: TrainingContent, version: str) -> str:
    """The summary as Markdown: `summary.md`, the template's sections and fields, filled in."""
    template = resources.files("skord.cli.publish").joinpath("summary.md").read_text("utf-8")
    crawled = [one for one in content.dumps if not one.card["source"]]
    first, last = content.days
    return Template(template).substitute(
        version=version,
        ask=EMPTY,
        dumps=", ".join(one.dump for one in content.dumps),
        size=content.band() or f"{EMPTY} which of the template's sizes, by the model's tokenizer?",
        documents=f"{content.documents:,}",
        text_bytes=f"{content.text_bytes:,}",
        content="main text of web pages" if crawled else "texts of own files",
        acquired=f"{last[5:7]}/{last[:4]} (pages fetched from {first} to {last}). "
        if last
        else f"{EMPTY} when was the last of the data acquired? ",
        languages=_languages(content),
        public_used="yes" if crawled else "no",
        public_datasets=CRAWLS if crawled else "none in this corpus",
        crawls=_crawls(crawled) if crawled else "",
        private="\n".join(_private([one for one in content.dumps if one.card["source"]])),
        archive=": it read them from Common Crawl's archive (2.1), whose crawler is CCBot, from "
        f"{first} to {last}"
        if crawled
        else "",
        domain_names="of this corpus below, by size of the text"
        if content.sites
        else "none: this corpus is of files without addresses",
        domains=_domains(content) if content.sites else "",
        reservations=_listed(content, _reservations) + (f"\n{ROBOTS}" if crawled else ""),
        illegal_content=_listed(content, _illegal_content),
        other=_listed(content, _other),
    )


CRAWLS = (
    "Common Crawl, a public archive of the web, compiled by the Common Crawl Foundation and not "
    "by this software: the crawls below"
)

ROBOTS = (
    "* Common Crawl says that CCBot keeps to robots.txt as it stood on the day of the visit; "
    "nothing here checks that."
)


def _languages(content: TrainingContent) -> str:
    characters: Counter[str] = Counter()
    for one in content.dumps:
        characters.update({code: n for code, (_, n) in one.figures["languages"].items()})
    total = max(content.documents, 1)
    return ", ".join(
        f"{code} {100 * number / total:.1f} % ({number:,} documents, {characters[code]:,} characters)"
        for code, number in _largest_first(content.languages)
    )


def _crawls(crawled: Sequence[DumpContent]) -> str:
    """A table of the dumps of Common Crawl."""
    rows = [
        f"| Common Crawl CC-MAIN-{one.dump} | <{CRAWL_PAGE.format(one.dump)}> "
        f"| {sum(number for number, _ in one.figures['languages'].values()):,} |\n"
        for one in crawled
    ]
    return "".join(["| dataset | address | documents here |\n|---|---|--:|\n", *rows, "\n"])


def _private(own: Sequence[DumpContent]) -> Iterator[str]:
    for one in own:
        origin = describe_origin(one.card["source"], one.dump)
        yield (
            f"{origin[0].upper()}{origin[1:]}, the provider's own files. {EMPTY} where are they "
            "from: licensed by their owners, obtained from others, or own?"
        )
    if not own:
        yield f"None in this corpus. {EMPTY} is the model trained on any? Which?"


def _domains(content: TrainingContent) -> str:
    """Shares of top-level domains, and a table of the largest domains."""
    largest = content.largest_sites()
    shares = ", ".join(f"{name} {100 * share:.1f} %" for name, share in content.top_level().items())
    rows = [f"| {site or '(none)'} | {100 * share:.2f} % |\n" for site, share in largest]
    return (
        f"{shares}\n\nThe largest tenth of the {len(content.sites):,} registered domains, "
        f"{len(largest):,}; small and medium enterprises may give the largest twentieth or 1,000, "
        f"whichever is less:\n\n| domain | share of the text |\n|---|--:|\n{''.join(rows)}\n"
    )


def _listed(content: TrainingContent, sentences: Callable[[DumpContent], Iterable[str]]) -> str:
    """The sentences on each dump, a line each."""
    return "\n".join(f"* {one.dump}: {each}" for one in content.dumps for each in sentences(one))


def _reservations(one: DumpContent) -> Iterator[str]:
    found = one.card["reservations"]
    if not found:
        yield "no reservation was looked for when pages were chosen ([ExportCorpus] reservations is empty)."
    else:
        yield (
            f"pages with these reservations were left out: {', '.join(found['deciding'])}; "
            f"{found['left_out']:,} pages."
        )
        kinds = ", ".join(f"{name} {number:,}" for name, number in found["pages"].items())
        yield f"reservations found on pages of the dump, by kind: {kinds or 'none'}."
    removed = ", ".join(f"{kind} {n:,}" for kind, n in sorted(one.figures["removed"].items()))
    yield (
        f"removed on request, by what the request named: {removed} pages."
        if removed
        else "no page was removed on request."
    )


def _illegal_content(one: DumpContent) -> Iterator[str]:
    lost = {
        name: number for _, _, reasons in one.card["stages"] for name, number in reasons.items()
    }
    lost |= one.card["left_out"]
    measures = [name for name in one.card["limits"] if name.startswith((*BLOCK_LISTS, *UNWANTED))]
    for name in measures:
        what = "hosts or addresses on block lists" if name in BLOCK_LISTS else f"`{name}`"
        yield f"{what} ({name}): {lost.get(name, 0):,} pages left out."
    if not measures:
        yield "no limit in force is aimed at illegal content."
    replaced = ", ".join(
        f"{kind} {one.figures['replaced'].get(kind, 0):,}" for kind in one.card["kinds"]
    )
    yield (
        f"personal data replaced by stand-ins, by kind: {replaced}."
        if replaced
        else "personal data was not replaced."
    )


def _other(one: DumpContent) -> Iterator[str]:
    card = one.card
    yield (
        f"made by Skörd {card['version']}; licence of the collection: {card['licence']} "
        f"({card['licence_link']}). Requests for removal: "
        + (card["contact"] or f"{EMPTY} where do they go?")
    )
