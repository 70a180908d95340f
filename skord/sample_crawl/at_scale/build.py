"""Writes a crawl file by file, any part on its own, and then the index of all of them.

Besides what `sample_crawl.builder` writes, below the root folder:

    truth/00000.jsonl.gz    what is known of each page of the first WARC file, and so on
    truth/planted.jsonl     the passages of the planted evaluation set
    building/               lines of the index, file by file; gone when the index is made
"""

from __future__ import annotations

import gzip
import heapq
import json
import random
import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from datetime import timedelta
from fcntl import LOCK_EX, flock
from pathlib import Path

from skord.core.failures import ConfigError
from skord.crawl.cdx import twin_wet
from skord.sample_crawl.at_scale import mixture
from skord.sample_crawl.at_scale.mixture import Mixture, draw_by_share
from skord.sample_crawl.at_scale.pages import Made, framework_state, made_page, planted_passage
from skord.sample_crawl.captures.pages import number_of, page_headers
from skord.sample_crawl.captures.schedule import (
    SEGMENTS,
    WINDOW_S,
    at_time,
    crawl_file,
    segment_starts,
    warc_names,
)
from skord.sample_crawl.crawl_files import Capture, write_warc, write_wet
from skord.sample_crawl.index_files import (
    cdx_line,
    write_collinfo,
    write_index,
    write_paths,
)

WHOLE = "whole"
"""An empty file in the crawl's folder: nothing is to be built any more."""

NOTE = "mixture.json"
"""Which crawl a folder holds."""

LINES_A_BLOCK = 3000
LINES_A_CDX = 200_000
ROBOTS_OF = 3
"""One of so many sites has its robots.txt fetched in the time of a file."""

_GONE = b"<html><title>Sorry</title><h1>This did not work</h1><script>window.__STATE__="


def build_part(mix: Mixture, out: Path, dump: str, part: tuple[int, int] = (1, 1)) -> bool:
    """Write the files of one part, by number from 1 and parts, and the index once all are there.

    Returns:
        Whether the crawl is whole now.
    """
    _claim_folder(mix, out, dump)
    if (out / WHOLE).exists():
        return True
    for number in range(part[0] - 1, mix.files, part[1]):
        if not _run_path(out, number).exists():
            _write_file(mix, out, dump, number)
    with (out / NOTE).open() as note:
        flock(note, LOCK_EX)  # of parts that end together one makes the index
        if not (out / WHOLE).exists():
            if not all(_run_path(out, number).exists() for number in range(mix.files)):
                return False
            _finish(mix, out, dump)
    return True


def _claim_folder(mix: Mixture, out: Path, dump: str) -> None:
    """Note what is built here; a folder holds one crawl."""
    mixture_json = json.dumps({**asdict(mix), "dump": dump}, sort_keys=True)
    note = out / NOTE
    if note.exists():
        if note.read_text() != mixture_json:
            raise ConfigError(f"{out} holds another crawl, {note.read_text()}: name another folder")
        return
    if out.exists() and any(out.iterdir()):
        raise ConfigError(f"{out} holds something else: name an empty folder")
    for folder in (out / "building", out / "truth"):
        folder.mkdir(parents=True, exist_ok=True)
    note.write_text(mixture_json)


def _run_path(out: Path, number: int) -> Path:
    return out / "building" / f"{number:05d}.cdx"


def _write_file(mix: Mixture, out: Path, dump: str, number: int) -> None:
    """One WARC file, its WET twin, what else was fetched meanwhile, and its lines of the index."""
    first = number * mix.pages_a_file
    numbers = range(first, min(first + mix.pages_a_file, mix.pages))
    made = [made_page(mix, one) for one in numbers]
    captures = [
        _placed_capture(mix, dump, number, one.capture, str(one.truth.number)) for one in made
    ]
    order = sorted(range(len(captures)), key=lambda at: (captures[at].date, captures[at].url))
    name = warc_names(dump, mix.files)[number]
    ordered = [captures[at] for at in order]
    stored = write_warc(out, name, dump, ordered)
    write_wet(out, twin_wet(name), dump, ordered)
    for subset, besides in _captures_besides(mix, number, made).items():
        others = [_placed_capture(mix, dump, number, capture) for capture in besides]
        stored += write_warc(out, _file_beside(dump, number, subset), dump, others)
    lines = sorted(cdx_line(one, one.capture.payload_digest()).encode() for one in stored)
    with gzip.GzipFile(out / "truth" / f"{number:05d}.jsonl.gz", "wb", mtime=0) as truth:
        for at in order:
            known = {"record_id": captures[at].record_id, "url": captures[at].url}
            row = {**known, **asdict(made[at].truth)}
            truth.write(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    run = _run_path(out, number)
    partial = run.with_suffix(".partial")
    partial.write_bytes(b"".join(line + b"\n" for line in lines))
    partial.replace(run)


def _placed_capture(mix: Mixture, dump: str, file: int, capture: Capture, *turn: str) -> Capture:
    """The capture with its time, in the window of its file's segment."""
    segment = file % SEGMENTS
    second = number_of(mix.seed, capture.url, *turn) % WINDOW_S
    moment = segment_starts(dump)[segment] + timedelta(seconds=second)
    return at_time(capture, dump, moment, segment)


def _file_beside(dump: str, number: int, subset: str) -> str:
    return crawl_file(dump, number % SEGMENTS, subset, number // SEGMENTS)


def _captures_besides(mix: Mixture, number: int, made: Sequence[Made]) -> dict[str, list[Capture]]:
    """Errors, redirects, revisits and robots.txt of the sites of a file's pages."""
    dice = random.Random(f"{mix.seed} besides {number}")
    sites = sorted({one.capture.url.rpartition("/")[0].rpartition("/")[0] for one in made})
    statuses = {str(code): share for code, share in mixture.DIAGNOSTIC_STATUSES.items()}
    diagnostics = []
    for at in range(round(len(made) * mixture.DIAGNOSTICS)):
        url = f"{dice.choice(sites)}/gone/{number}-{at}"
        diagnostics.append(
            _diagnostic_capture(url, int(draw_by_share(dice, statuses) or "404"), dice)
        )
    rules = b"User-agent: *\nDisallow: /search\n"
    robots = [
        Capture(f"{site}/robots.txt", rules, 200, page_headers("text/plain", rules), "text/plain")
        for site in sites
        if number_of(mix.seed, site, str(number)) % ROBOTS_OF == 0
    ]
    return {
        "crawldiagnostics": sorted(diagnostics, key=lambda capture: capture.url),
        "robotstxt": robots,
    }


def _diagnostic_capture(url: str, status: int, dice: random.Random) -> Capture:
    if status == 304:
        return Capture(url, b"", 304, page_headers("text/html", b""), "warc/revisit")
    if status in (301, 302):
        target = f"{url.partition('/gone/')[0]}/{dice.randrange(1000)}"
        headers = (("Location", target), *page_headers("text/html", b""))
        return Capture(url, b"", status, headers, redirect=target)
    body = _GONE + framework_state(dice, mixture.ERROR_BYTES) + b"</script>"
    return Capture(url, body, status, page_headers("text/html", body))


# -- the index -----------------------------------------------------------------------------------


def _finish(mix: Mixture, out: Path, dump: str) -> None:
    """The index, sorted over all files, and the lists of files."""
    names = warc_names(dump, mix.files)
    write_paths(out, dump, "warc", sorted(names))
    write_paths(out, dump, "wet", [twin_wet(name) for name in sorted(names)])
    for subset, listed in (("robotstxt", "robotstxt"), ("crawldiagnostics", "non200responses")):
        paths = sorted(_file_beside(dump, number, subset) for number in range(mix.files))
        write_paths(out, dump, listed, paths)
    runs = [_run_path(out, number) for number in range(mix.files)]
    write_paths(out, dump, "cc-index", _write_index(out, dump, runs))
    starts = [start.strftime("%Y-%m-%dT%H:%M:%SZ") for start in segment_starts(dump)]
    write_collinfo(out, dump, starts)
    with (out / "truth" / "planted.jsonl").open("w", encoding="utf-8") as file:
        for language in mixture.SCANDINAVIAN:
            for number in range(mixture.PLANTED_PASSAGES):
                row = {"language": language, "planted": number}
                row["text"] = planted_passage(mix, language, number)
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
    (out / WHOLE).touch()
    shutil.rmtree(out / "building")


def _write_index(out: Path, dump: str, runs: Sequence[Path]) -> list[str]:
    """Merge sorted lines of all files into files of the index, one of which is in memory."""
    count = 0
    for run in runs:
        with run.open("rb") as file:
            count += sum(1 for _ in file)
    with ExitStack() as stack:
        merged = heapq.merge(*(stack.enter_context(run.open("rb")) for run in runs))
        lines = (line.decode().rstrip("\n") for line in merged)
        files = max(1, -(-count // LINES_A_CDX))
        return write_index(out, dump, lines, count, files, LINES_A_BLOCK)
