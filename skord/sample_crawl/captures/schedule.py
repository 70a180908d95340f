"""When and where each capture of a sample crawl takes place: all of it out of hashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from skord.core.failures import ConfigError
from skord.sample_crawl.captures.pages import number_of
from skord.sample_crawl.crawl_files import Capture, record_id_of

SEGMENTS = 2
"""Segments of a dump: windows of time, each with its own folder."""

WINDOW_S = 3 * 3600
"""Seconds of a segment's window."""

_CRAWL_DAYS = 13


def place_captures(captures: Iterable[Capture], dump: str, seed: str) -> list[Capture]:
    """Give each capture its segment, time and id; a URL that comes again comes later."""
    starts = segment_starts(dump)
    seen: Counter[str] = Counter()
    placed: list[Capture] = []
    for capture in captures:
        turn = seen[capture.url]
        seen[capture.url] += 1
        chance = number_of(seed, dump, capture.url)
        segment = (chance + turn) % SEGMENTS
        moment = starts[segment] + timedelta(seconds=(chance // 7 + turn) % WINDOW_S)
        placed.append(at_time(capture, dump, moment, segment))
    return placed


def at_time(capture: Capture, dump: str, moment: datetime, segment: int) -> Capture:
    """The capture at a time, with the id that follows from it."""
    when = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    record_id = record_id_of(dump, when, capture.url)
    return replace(capture, date=when, record_id=record_id, segment=segment)


def segment_starts(dump: str) -> list[datetime]:
    """Return when the segments of a dump start, the crawl ending in the dump's week."""
    year, _, week = dump.partition("-")
    try:
        monday = date.fromisocalendar(int(year), int(week), 1)
    except ValueError:
        raise ConfigError(f"dump must be year and ISO week such as 2024-10, not {dump!r}") from None
    first = datetime(monday.year, monday.month, monday.day, tzinfo=UTC)
    first -= timedelta(days=_CRAWL_DAYS)
    gap = timedelta(days=_CRAWL_DAYS / SEGMENTS)
    return [first + number * gap for number in range(SEGMENTS)]


def file_of(capture: Capture, dump: str, files: int) -> str:
    """Return the WARC file that a capture is in, out of `files` of the "warc" subset."""
    if capture.subset != "warc":
        return crawl_file(dump, capture.segment, capture.subset, 0)
    mine = list(range(capture.segment, files, SEGMENTS)) or [0]
    place = mine[number_of("file", capture.record_id) % len(mine)]
    return crawl_file(dump, place % SEGMENTS, "warc", place // SEGMENTS)


def crawl_file(dump: str, segment: int, subset: str, number: int) -> str:
    """Return a WARC file's path below the root, made up as Common Crawl makes them up."""
    start = segment_starts(dump)[segment]
    end = start + timedelta(seconds=WINDOW_S)
    span = f"{start:%Y%m%d%H%M%S}-{end:%Y%m%d%H%M%S}"
    folder = f"crawl-data/CC-MAIN-{dump}/segments/{start.timestamp() * 1000:.0f}.{segment}/{subset}"
    return f"{folder}/CC-MAIN-{span}-{number:05d}.warc.gz"


def warc_names(dump: str, files: int) -> list[str]:
    """Return the paths of the "warc" subset, spread over the segments."""
    return [crawl_file(dump, place % SEGMENTS, "warc", place // SEGMENTS) for place in range(files)]
