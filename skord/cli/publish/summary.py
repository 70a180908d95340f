"""What a provider of a model may say of a corpus in the public summary of its training content.

The template is the Commission's, first of 24 July 2025, adopted as C(2025) 8311 on 5 December 2025, for
Article 53(1)(d) of the AI Act. Its sections and fields stand here in its order, so that an answer can be
carried over; questions are in our words. What ran is filled in; what only the provider of a model can
answer stays an empty field with the question.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from math import ceil
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from skord.cli.json_output import print_json
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
    if options.json:
        print_json({"summary": options.out, "top_level": content.top_level(),
                    "domains": content.largest_sites(), **vars(content)})  # fmt: skip
    else:
        print(f"{options.out}: what is left to answer begins with “To be answered”")


@dataclass
class DumpContent:
    """One published dump.

    Attributes:
        card: what its dataset card says, as in the manifest.
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
        least, most = (_band(number) for number in (self.blanks, self.text_bytes))
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


def _band(tokens: float) -> str:
    return next(name for end, name in BANDS if tokens < end)


def _largest_first(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _top_level(site: str) -> str:
    last = site.rpartition(".")[2]
    return "addresses without a name" if not last or last.isdecimal() else f".{last}"


def gather_content(stores: Sequence[ColumnStore]) -> TrainingContent:
    """Add up the published files of dumps, row group by row group.

    Raises:
        ConfigError: one of them is not published.
    """
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


# -- in words ----------------------------------------------------------------------------


def summary_text(content: TrainingContent, version: str) -> str:
    """The summary as Markdown.

    Args:
        content: of the published files.
        version: of this software.
    """
    return "\n".join(
        [
            "# Public summary of training content",
            "",
            "In the order of the Commission's template C(2025) 8311 (Article 53(1)(d) of Regulation (EU) "
            f"2024/1689). Filled in by Skörd {version} from the published files of "
            + ", ".join(one.dump for one in content.dumps)
            + ". It covers this corpus alone: other data of the same model belong into the same "
            "summary. A field without an answer is for the provider of the model, who also "
            "answers for the rest.",
            "",
            *_general(content),
            *_sources(content),
            *_processing(content),
            "",
        ]
    )


def _asked(question: str) -> str:
    return f"{EMPTY} {question}"


def _table(title: str, rows: Mapping[str, str]) -> Iterator[str]:
    """Fields of the template under their title."""
    yield f"### {title}"
    yield ""
    yield from _fields(rows)


def _fields(rows: Mapping[str, str]) -> Iterator[str]:
    """Fields of the template, and what stands in them."""
    yield "| field | answer |"
    yield "|---|---|"
    yield from (f"| {name} | {value} |" for name, value in rows.items())
    yield ""


def _general(content: TrainingContent) -> Iterator[str]:
    yield from _fields(
        {
            "Version of the summary": _asked("which, and where are those before it?"),
            "Last update": _asked("on which day?"),
        }
    )
    yield "## 1. General information"
    yield ""
    yield from _table(
        "1.1 Provider identification",
        {
            "Provider's name and contact details": _asked("who provides the model?"),
            "Authorised representative's name and contact details": _asked(
                "who, if the provider is outside of the Union?"
            ),
        },
    )
    yield from _table(
        "1.2 Model identification",
        {
            "Versioned model names": _asked("which models does this summary cover?"),
            "Model dependencies": _asked(
                "is it a modified or fine-tuned version of another model? Which?"
            ),
            "Date of placement on the Union market": _asked("on which day?"),
        },
    )
    yield from _modalities(content)


def _modalities(content: TrainingContent) -> Iterator[str]:
    yield "### 1.3 Modalities, overall training data size and other characteristics"
    yield ""
    size = content.band() or _asked("which of the template's sizes, by the model's tokenizer?")
    crawled = any(not one.card["source"] for one in content.dumps)
    kind = "main text of web pages" if crawled else "texts of own files"
    yield "| modality | training data size | types of content |"
    yield "|---|---|---|"
    yield (
        f"| text | {size}; in numbers: {content.documents:,} documents, {content.text_bytes:,} "
        f"bytes (UTF-8) | {kind} |"
    )
    yield "| image, audio, video, other | none in this corpus | |"
    yield ""
    first, last = content.days
    characters: Counter[str] = Counter()
    for one in content.dumps:
        for code, (_, number) in one.figures["languages"].items():
            characters[code] += number
    total = max(content.documents, 1)
    acquired = (
        f"{last[5:7]}/{last[:4]} (pages fetched from {first} to {last}). "
        if last
        else _asked("when was the last of the data acquired? ")
    )
    languages = ", ".join(
        f"{code} {100 * number / total:.1f} % ({number:,} documents, {characters[code]:,} characters)"
        for code, number in _largest_first(content.languages)
    )
    later = _asked("is the model trained on data acquired later?")
    yield from _fields(
        {
            "Latest date of data acquisition or collection": f"{acquired}{later}",
            "Linguistic characteristics": languages,
            "Other relevant characteristics": _asked("are there any, of regions or people?"),
        }
    )


def _sources(content: TrainingContent) -> Iterator[str]:
    crawled = [one for one in content.dumps if not one.card["source"]]
    own = [one for one in content.dumps if one.card["source"]]
    yield "## 2. List of data sources"
    yield ""
    listed = (
        "Common Crawl, a public archive of the web, compiled by the Common Crawl Foundation and not "
        "by this software: the crawls below"
    )
    yield from _table(
        "2.1 Publicly available datasets",
        {
            "Used for this corpus": "yes" if crawled else "no",
            "Modalities": "text",
            "Large publicly available datasets": listed if crawled else "none in this corpus",
            "Other publicly available datasets": _asked("which is the model trained on besides?"),
        },
    )
    if crawled:
        yield "| dataset | address | documents here |"
        yield "|---|---|--:|"
        for one in crawled:
            name = f"Common Crawl CC-MAIN-{one.dump}"
            documents = sum(number for number, _ in one.figures["languages"].values())
            yield f"| {name} | <{CRAWL_PAGE.format(one.dump)}> | {documents:,} |"
        yield ""
    yield from _private(own)
    yield from _domains(content)
    yield from _own_data()


def _private(own: Sequence[DumpContent]) -> Iterator[str]:
    yield "### 2.2 Private non-publicly available datasets obtained from third parties"
    yield ""
    yield "#### 2.2.1 Datasets commercially licensed by rightsholders or their representatives"
    yield ""
    yield _asked("are there agreements on licences with rightsholders? Of which modalities?")
    yield ""
    yield "#### 2.2.2 Private datasets obtained from other third parties"
    yield ""
    for one in own:
        origin = describe_origin(one.card["source"], one.dump)
        yield (
            f"{origin[0].upper()}{origin[1:]}, the provider's own files. "
            + _asked("where are they from: licensed by their owners, obtained from others, or own?")
        )
    if not own:
        yield "None in this corpus. " + _asked("is the model trained on any? Which?")
    yield ""


def _domains(content: TrainingContent) -> Iterator[str]:
    """Crawlers, and the domains of pages, which those of archives have, too."""
    first, last = content.days
    archive = any(not one.card["source"] for one in content.dumps)
    said = "This software asked no site for its pages" + (
        f": it read them from Common Crawl's archive (2.1), whose crawler is CCBot, from {first} to {last}"
        if archive
        else ""
    )
    yield from _table(
        "2.3 Data crawled and scraped from online sources",
        {
            "Crawlers used by the provider or on their behalf": f"{said}. "
            + _asked("did the provider, or somebody for them, crawl sites for this model?"),
            "Names of the crawlers": _asked("which?"),
            "Their purposes": _asked("what for?"),
            "Their behaviour": _asked(
                "do they keep to robots.txt, pay walls, sign-in pages, captchas?"
            ),
            "Period of collection": _asked("from when to when?"),
            "Types of content and online sources": _asked("what was crawled, and where?"),
            "Modalities": _asked("text alone?"),
            "Most relevant domain names": "of this corpus below, by size of the text"
            if content.sites
            else "none: this corpus is of files without addresses",
        },
    )
    if content.sites:
        yield from _shares_of_domains(content)


def _shares_of_domains(content: TrainingContent) -> Iterator[str]:
    yield ", ".join(f"{name} {100 * share:.1f} %" for name, share in content.top_level().items())
    yield ""
    largest = content.largest_sites()
    yield (
        f"The largest tenth of the {len(content.sites):,} registered domains, {len(largest):,}; small and "
        "medium enterprises may give the largest twentieth or 1,000, whichever is less:"
    )
    yield ""
    yield "| domain | share of the text |"
    yield "|---|--:|"
    yield from (f"| {site or '(none)'} | {100 * share:.2f} % |" for site, share in largest)
    yield ""


def _own_data() -> Iterator[str]:
    none = "None in this corpus. "
    yield from _table(
        "2.4 User data",
        {
            "From interactions with the model": none + _asked("is the model trained on any?"),
            "From interactions with the provider's other services or products": none
            + _asked("is the model trained on any? Of which services, which modalities?"),
        },
    )
    yield from _table(
        "2.5 Synthetic data",
        {
            "Created by the provider or on their behalf": "None was made for this corpus; pages of "
            "the web may be machine-made. "
            + _asked("is the model trained on any? Which modalities?"),
            "General-purpose models on the market that made it": _asked("which?"),
            "Other models that made it": _asked("which, the provider's own among them?"),
        },
    )
    yield "### 2.6 Other sources of data"
    yield ""
    yield _asked("are there any? Describe them.")
    yield ""


def _processing(content: TrainingContent) -> Iterator[str]:
    yield "## 3. Data processing aspects"
    yield ""
    yield (
        "### 3.1 Respect of reservation of rights from the text and data mining exception or limitation"
    )
    yield ""
    yield "Signatory to the code of practice: " + _asked("yes or no?")
    yield ""
    yield "Measures before and during the collection of data:"
    yield ""
    for one in content.dumps:
        yield from (f"* {one.dump}: {sentence}" for sentence in _reservations(one))
    if any(not one.card["source"] for one in content.dumps):
        yield (
            "* Common Crawl says that CCBot keeps to robots.txt as it stood on the day of the visit; "
            "nothing here checks that."
        )
    yield ""
    yield "### 3.2 Removal of illegal content"
    yield ""
    for one in content.dumps:
        yield from (f"* {one.dump}: {sentence}" for sentence in _illegal_content(one))
    yield ""
    yield _asked("which further measures are taken against illegal content, child sexual abuse "
                 "material and terrorist content among it?")  # fmt: skip
    yield ""
    yield "### 3.3 Other information (optional)"
    yield ""
    for one in content.dumps:
        contact = one.card["contact"]
        yield f"* {one.dump}: made by Skörd {one.card['version']}; licence of the collection: " + (
            f"{one.card['licence']} ({one.card['licence_link']}). Requests for removal: "
            + (contact or _asked("where do they go?"))
        )


def _reservations(one: DumpContent) -> Iterator[str]:
    said = one.card["reservations"]
    if not said:
        yield "no reservation was looked for when pages were chosen ([ExportCorpus] reservations is empty)."
    else:
        yield (
            f"pages with these reservations were left out: {', '.join(said['deciding'])}; "
            f"{said['left_out']:,} pages."
        )
        found = ", ".join(f"{name} {number:,}" for name, number in said["pages"].items())
        yield f"reservations found on pages of the dump, by kind: {found or 'none'}."
    yield _removed(one)


def _removed(one: DumpContent) -> str:
    removed = one.figures["removed"]
    if not removed:
        return "no page was removed on request."
    kinds = ", ".join(f"{kind} {number:,}" for kind, number in sorted(removed.items()))
    return f"removed on request, by what the request named: {kinds} pages."


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
    kinds = one.card["kinds"]
    replaced = one.figures["replaced"]
    if kinds:
        counts = ", ".join(f"{kind} {replaced.get(kind, 0):,}" for kind in kinds)
        yield f"personal data replaced by stand-ins, by kind: {counts}."
    else:
        yield "personal data was not replaced."
