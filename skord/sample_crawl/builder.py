"""Builds a crawl in miniature, in Common Crawl's true layout, out of pages at hand.

What a dump consists of, below the root folder:

    collinfo.json                                        which dumps there are
    crawl-data/CC-MAIN-{dump}/{warc,wet,…}.paths.gz      lists of files
    crawl-data/CC-MAIN-{dump}/segments/{segment}/        warc/, wet/, robotstxt/, crawldiagnostics/
    cc-index/collections/CC-MAIN-{dump}/indexes/         cdx-00000.gz …, cluster.idx
    gold.jsonl                                           the truth, for tests only

The same input gives the same bytes: ids, times and places follow from hashes.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from skord.core.failures import ConfigError
from skord.crawl.cdx import twin_wet
from skord.sample_crawl.captures.extras import extras_of, one_stored_packed, repeated_capture
from skord.sample_crawl.captures.pages import number_of, page_captures
from skord.sample_crawl.captures.schedule import (
    SEGMENTS,
    crawl_file,
    file_of,
    place_captures,
    warc_names,
)
from skord.sample_crawl.crawl_files import Capture, Stored, write_warc, write_wet
from skord.sample_crawl.index_files import cdx_line, write_collinfo, write_index, write_paths
from skord.sample_crawl.page_source import PageSource

_TURNED_OVER_BYTES = 16


@dataclass(frozen=True)
class Damage:
    """How many ordinary pages to spoil, each in one way.

    Attributes:
        corrupt_members: the response's gzip member in the WARC file cannot be unpacked.
        wrong_digests: the index gives a digest that the payload does not have.
        missing_from_index: the index has no line for the capture.
    """

    corrupt_members: int = 0
    wrong_digests: int = 0
    missing_from_index: int = 0


def chosen_for_damage(placed: Sequence[Capture], damage: Damage, seed: str) -> dict[str, str]:
    """Choose ordinary pages to damage; return the outcome to expect by record id.

    Raises:
        ConfigError: there are fewer ordinary pages than damage asked for.
    """
    wanted = (
        ["bad_gzip"] * damage.corrupt_members
        + ["digest_mismatch"] * damage.wrong_digests
        + ["not_in_index"] * damage.missing_from_index
    )
    times = Counter(one.url for one in placed)
    copied = {one.gold.variant_of for one in placed if one.gold}
    ordinary = [
        one.record_id
        for one in placed
        if one.gold
        and one.gold.outcome in ("kept", None)
        and one.url not in copied
        and times[one.url] == 1
    ]
    if len(wanted) > len(ordinary):
        raise ConfigError(f"damage to {len(wanted)} pages, but only {len(ordinary)} are ordinary")
    ordinary.sort(key=lambda record_id: number_of(seed, "damage", record_id))
    return dict(zip(ordinary, wanted, strict=False))


def index_digest(stored: Stored, spoiled: Mapping[str, str]) -> str:
    """Return the digest that the index gives for a capture: a wrong one where that is wanted."""
    digest = stored.capture.payload_digest()
    if spoiled.get(stored.capture.record_id) == "digest_mismatch":
        return digest[::-1] if digest != digest[::-1] else "A" * len(digest)
    return digest


def corrupt(out: Path, stored: Iterable[Stored]) -> None:
    """Turn over a few bytes in the middle of each member; its length stays."""
    for one in stored:
        content = bytearray((out / one.filename).read_bytes())
        start = one.offset + one.length // 2
        part = content[start : start + _TURNED_OVER_BYTES]
        content[start : start + _TURNED_OVER_BYTES] = bytes(byte ^ 0xFF for byte in part)
        (out / one.filename).write_bytes(content)


CDX_FILES, LINES_A_BLOCK = 2, 20
"""Files that the index is cut into, and lines of one gzip member of them."""

MAX_FILES = 8
PAGES_A_FILE = 8
"""At least so many pages there are for each WARC file, on average, unless a number is given."""

_SUBSET_LISTS = {"robotstxt": "robotstxt", "crawldiagnostics": "non200responses"}


@dataclass(frozen=True)
class Built:
    """What was built.

    Attributes:
        pages: HTML pages with a WET record.
        captures: responses stored, in all subsets.
        index_lines: lines of the index.
        warc_files: files of the "warc" subset, and as many WET files.
        bytes_written: of all WARC and WET files.
    """

    dump: str
    pages: int
    captures: int
    index_lines: int
    warc_files: int
    bytes_written: int


def build_crawl(
    pages: Iterable[PageSource],
    out: Path,
    *,
    dump: str = "2024-10",
    files: int | None = None,
    seed: int = 0,
    damage: Damage | None = None,
    with_extras: bool = True,
) -> Built:
    """Build one dump; several may be built into the same folder, one after the other.

    A dump that an earlier call built there is replaced.

    Args:
        pages: such as `bundled_pages`.
        out: the crawl's root folder.
        dump: year and ISO week, such as "2024-10".
        files: WARC files, spread over the segments; when not given eight, or fewer when there are
            few pages, since a crawl has no file without one.
        seed: changes times and places, and which pages are damaged.
        damage: what to spoil.
        with_extras: add robots.txt, errors, a repeated capture and so on.

    Raises:
        ConfigError: nothing to build from, an impossible dump or number, more damage
            asked for than there are ordinary pages, or a dump of the same name in `out`
            that is not a sample crawl's.
    """
    captures = [capture for page in pages for capture in page_captures(page)]
    if not captures:
        raise ConfigError("nothing to build a crawl from: there is no page")
    if files is None:
        files = min(MAX_FILES, max(len(captures) // PAGES_A_FILE, 1))
    if with_extras:
        captures = one_stored_packed(captures)
        captures += [*repeated_capture(captures), *extras_of(captures)]
    placed = place_captures(captures, dump, str(seed))
    spoiled = chosen_for_damage(placed, damage or Damage(), str(seed))
    _clear_dump(out, dump)
    stored, bytes_written = _write_files(out, dump, placed, files, spoiled)
    lines = [
        cdx_line(one, index_digest(one, spoiled))
        for one in stored
        if spoiled.get(one.capture.record_id) != "not_in_index"
    ]
    lines.sort(key=str.encode)
    files_of_index = min(CDX_FILES, max(len(lines), 1))  # none is empty: there are none on the web
    index = write_index(out, dump, lines, len(lines), files_of_index, LINES_A_BLOCK)
    write_paths(out, dump, "cc-index", index)
    write_collinfo(out, dump, [one.date for one in placed])
    _write_gold(out / "gold.jsonl", dump, placed, spoiled)
    return Built(
        dump=dump,
        pages=sum(one.text is not None for one in placed),
        captures=len(placed),
        index_lines=len(lines),
        warc_files=files,
        bytes_written=bytes_written,
    )


def _clear_dump(out: Path, dump: str) -> None:
    """Remove what an earlier sample crawl left of the dump; a real dump is left alone."""
    name = f"CC-MAIN-{dump}"
    for folder in (out / "crawl-data" / name, out / "cc-index" / "collections" / name):
        if not folder.exists():
            continue
        if not (out / "gold.jsonl").is_file():
            raise ConfigError(f"{folder} exists and is not a sample crawl's; choose another folder")
        shutil.rmtree(folder)


def _write_files(
    out: Path, dump: str, placed: Sequence[Capture], files: int, spoiled: dict[str, str]
) -> tuple[list[Stored], int]:
    """Write WARC and WET files and their lists; return where captures lie, and bytes."""
    by_file: dict[str, list[Capture]] = {name: [] for name in warc_names(dump, files)}
    for subset in _SUBSET_LISTS:
        by_file |= {crawl_file(dump, segment, subset, 0): [] for segment in range(SEGMENTS)}
    for one in placed:
        by_file[file_of(one, dump, files)].append(one)
    stored: list[Stored] = []
    bytes_written = 0
    for name, captures in by_file.items():
        captures.sort(key=lambda one: (one.date, one.url, one.record_id))
        stored += write_warc(out, name, dump, captures)
        bytes_written += (out / name).stat().st_size
    names = sorted(warc_names(dump, files))
    for name in names:
        write_wet(out, twin_wet(name), dump, by_file[name])
        bytes_written += (out / twin_wet(name)).stat().st_size
    corrupt(out, [one for one in stored if spoiled.get(one.capture.record_id) == "bad_gzip"])
    write_paths(out, dump, "warc", names)
    write_paths(out, dump, "wet", [twin_wet(name) for name in names])
    for subset, listed in _SUBSET_LISTS.items():
        write_paths(out, dump, listed, sorted(name for name in by_file if f"/{subset}/" in name))
    return stored, bytes_written


def _write_gold(path: Path, dump: str, placed: Sequence[Capture], spoiled: dict[str, str]) -> None:
    """Write what is known about each page; rows of other dumps stay."""
    first_ids: dict[str, str] = {}
    for one in placed:
        first_ids.setdefault(one.url, one.record_id)
    rows = []
    for one in placed:
        if one.gold is None:
            continue
        facts = asdict(one.gold)
        facts["gold"] = facts.pop("text")
        facts["variant_of"] = first_ids.get(facts["variant_of"] or "")
        facts["outcome"] = spoiled.get(one.record_id, facts["outcome"])
        about = {"dump": dump, "record_id": one.record_id, "url": one.url}
        rows.append(about | facts)
    if path.is_file():
        known = (json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line)
        rows += [row for row in known if row["dump"] != dump]
    rows.sort(key=lambda row: (str(row["dump"]), str(row["record_id"])))
    written = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    path.write_text(written, encoding="utf-8")
