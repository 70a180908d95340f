"""When and where each capture of a sample crawl takes place: all of it out of hashes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import format_datetime
from http import HTTPStatus

from skord.core.failures import ConfigError
from skord.sample_crawl.captures.drafts import Draft, number_of
from skord.sample_crawl.crawl_files import Fetch, record_id_of

SEGMENTS = 2
"""Segments of a dump: windows of time, each with its own folder."""

WINDOW_S = 3 * 3600
"""Seconds of a segment's window."""

_CRAWL_DAYS = 13


@dataclass(frozen=True)
class Placed:
    """A draft that has its time and segment."""

    draft: Draft
    fetch: Fetch


def place_drafts(drafts: Sequence[Draft], dump: str, seed: str) -> list[Placed]:
    """Give each draft its segment, time and id; a URL that comes again comes later."""
    starts = segment_starts(dump)
    seen: Counter[str] = Counter()
    taken: set[tuple[str, str]] = set()
    placed: list[Placed] = []
    for draft in drafts:
        turn = seen[draft.url]
        seen[draft.url] += 1
        chance = number_of(seed, dump, draft.url)
        segment = (chance + turn) % SEGMENTS
        moment = starts[segment] + timedelta(seconds=(chance // 7 + turn) % WINDOW_S)
        when = draft.date or moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        again = (str(turn),) if (draft.url, when) in taken else ()
        taken.add((draft.url, when))
        record_id = record_id_of(dump, when, draft.url, *again)
        placed.append(Placed(draft, fetch_of(draft, when, record_id, segment)))
    return placed


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


def fetch_of(draft: Draft, when: str, record_id: str, segment: int) -> Fetch:
    """A draft as a capture, at its time."""
    return Fetch(
        url=draft.url,
        date=when,
        record_id=record_id,
        head=draft.head if draft.head is not None else _http_head(draft, when),
        body=draft.body,
        status=draft.status,
        mime=draft.mime,
        charset=draft.charset,
        languages=draft.languages,
        truncated=draft.truncated,
        redirect=draft.redirect,
        text=draft.text,
        subset=draft.subset,
        segment=segment,
    )


def _http_head(draft: Draft, when: str) -> bytes:
    moment = datetime.fromisoformat(when)
    headers = (("Date", format_datetime(moment, usegmt=True)), *draft.headers)
    lines = [f"HTTP/1.1 {draft.status} {HTTPStatus(draft.status).phrase}"]
    return "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers), "", ""]).encode()


def file_of(fetch: Fetch, dump: str, files: int) -> str:
    """Return the WARC file that a capture goes to, out of `files` of the "warc" subset."""
    if fetch.subset != "warc":
        return crawl_file(dump, fetch.segment, fetch.subset, 0)
    mine = list(range(fetch.segment, files, SEGMENTS)) or [0]
    place = mine[number_of("file", fetch.record_id) % len(mine)]
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
