"""Which dumps there are: those that Common Crawl has published, and sources of one's own.

The table beside this module lists them as of its last edit. `python -m pipeline dumps
--refresh` fetches the endpoint's `collinfo.json` into the data folder, and what it lists
is known from then on.

A dump is known by its id. Ids that look like Common Crawl's, such as 2024-10, are its dumps;
any other name is a source of one's own, as section [source] describes it, or as it was once named with
`--source` and is kept since in the data folder. Several sources can so lie in one data folder
beside dumps, and be deduplicated against them.
"""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from importlib import resources
from typing import Any

import luigi

from skord.core.failures import ConfigError
from skord.core.storage.filesystem import Storage

REFRESHED = "collinfo.json"
"""Name of the refreshed list under the data folder."""

PREFIX = "CC-MAIN-"


def published_dumps() -> tuple[str, ...]:
    """The ids of the shipped table, oldest first.

    >>> published_dumps()[0], "2024-10" in published_dumps()
    ('2013-20', True)
    """
    text = resources.files("skord.core").joinpath("dumps.txt").read_text()
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def known_dumps(storage: Storage) -> tuple[str, ...]:
    """The shipped table and what `collinfo.json` added, oldest first."""
    dumps = set(published_dumps())
    if storage.exists(REFRESHED):
        dumps |= set(dumps_of(json.loads(storage.read(REFRESHED))))
    return tuple(sorted(dumps))


def all_dumps(storage: Storage) -> tuple[str, ...]:
    """What `all` means: the endpoint's list where the data folder has it, else the shipped table.

    Crawls from before 2013 have no WET files.
    """
    if not storage.exists(REFRESHED):
        return published_dumps()
    listed = dumps_of(json.loads(storage.read(REFRESHED)))
    return tuple(dump for dump in listed if _WITH_WET.fullmatch(dump))


_WITH_WET = re.compile(r"\d{4}-\d\d")


def dumps_of(collinfo: Any) -> tuple[str, ...]:
    """Dump ids in a parsed `collinfo.json`; other collections are passed over.

    >>> dumps_of([{"id": "CC-MAIN-2024-10"}, {"id": "CC-NEWS"}])
    ('2024-10',)

    Raises:
        ConfigError: it is not such a list.
    """
    try:
        ids = [str(entry["id"]) for entry in collinfo]
    except (TypeError, KeyError) as error:
        raise ConfigError(
            "collinfo.json is not a list of collections: check [crawl] collinfo_url"
        ) from error
    return tuple(sorted(i.removeprefix(PREFIX) for i in ids if i.startswith(PREFIX)))


def parse_dumps(text: str, storage: Storage) -> tuple[str, ...]:
    """The dumps that `all`, or a list such as `2024-10,2024-18`, names.

    Raises:
        ConfigError: a dump is not known.
    """
    if text == "all":
        return all_dumps(storage)
    dumps = tuple(part.strip() for part in text.split(",") if part.strip())
    if not dumps:
        raise ConfigError("--dumps names no dump: say all, or a list such as 2024-10,2024-18")
    for dump in dumps:
        check_dump(dump, storage)
    return dumps


def check_dump(dump: str, storage: Storage) -> None:
    """Raise ConfigError, with the nearest known id, unless a known dump or source is named."""
    if not dump:
        raise ConfigError("no dump is named: add one, such as --dump 2024-10")
    if "," in dump:
        raise ConfigError(f"{dump} are several, and one is wanted here: give the command for each")
    known = known_dumps(storage)
    if dump in known or source_of(dump, storage).is_own:
        return
    if may_be_own(dump) and not dump.startswith(PREFIX):
        raise ConfigError(
            f"{dump!r} is no dump of Common Crawl, and {storage.shown_url} knows no files of that "
            "name: say where it is with --data-dir, or name them once, with skord run … --source FOLDER"
        )
    place = bisect.bisect(known, dump.removeprefix(PREFIX))
    near = " and ".join(known[max(place - 1, 0) : place + 1])
    raise ConfigError(
        f"{dump!r} is not a known dump (nearest: {near}); if it is new, run skord study dumps --refresh"
    )


# -- sources of one's own ---------------------------------------------------------------

SOURCES = "sources"
"""Under the data folder: the settings of each source, `NAME.json`."""

CANARIES = "canaries"
"""Name of the source of known pages, each of whose files is a shard; it is never published."""

_OF_COMMON_CRAWL = re.compile(r"\d{4}(-\d+)?")
_OWN_NAME = re.compile(r"[A-Za-z][\w-]{0,63}", re.ASCII)


class SourceKind(StrEnum):
    """What a source is made of."""

    COMMON_CRAWL = "common_crawl"
    """WET files, the index, and records fetched by range."""
    WARC = "warc"
    """WARC or ARC files; the pages are their responses of HTML with status 200."""
    PAGES = "pages"
    """HTML files, or Parquet or JSON Lines with an address and HTML."""
    TEXTS = "texts"
    """Files of plain text or Markdown, or Parquet or JSON Lines with text."""


class source(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [source]
    """What dumps that are none of Common Crawl's are made of."""

    kind = luigi.ChoiceParameter(choices=[str(kind) for kind in SourceKind], default="common_crawl")
    path = luigi.Parameter(default="")
    base_url = luigi.Parameter(default="http://localhost/")
    url_column = luigi.Parameter(default="url", description="of the address")
    html_column = luigi.Parameter(default="html", description="of a page's HTML")
    text_column = luigi.Parameter(default="text", description="of a text")
    date_column = luigi.Parameter(default="date", description="of its date, which may be missing")
    markdown = luigi.BoolParameter(default=False, parsing=luigi.BoolParameter.EXPLICIT_PARSING)


@dataclass(frozen=True)
class Source:
    """One source.

    Attributes:
        kind: what it is made of.
        path: a file, a folder, a pattern such as `crawl/*.warc.gz`, the address of a WARC file, a
            list of addresses (`.txt`, `.paths`, `.paths.gz`), or `s3://bucket/prefix`.
        base_url: what stands before the path of a file whose page has no address.
        url_column, html_column, text_column, date_column: of Parquet and JSON Lines.
        markdown: whether `text_column` holds Markdown; files are told by their names.
    """

    kind: str = SourceKind.COMMON_CRAWL
    path: str = ""
    base_url: str = "http://localhost/"
    url_column: str = "url"
    html_column: str = "html"
    text_column: str = "text"
    date_column: str = "date"
    markdown: bool = False

    @property
    def is_own(self) -> bool:
        """Whether it is anything but Common Crawl."""
        return self.kind != SourceKind.COMMON_CRAWL

    @property
    def is_text(self) -> bool:
        """Whether its pages are texts already, from which nothing is to be extracted."""
        return self.kind == SourceKind.TEXTS

    @property
    def content_column(self) -> str:
        """The column of Parquet and JSON Lines that holds what the pages are."""
        return self.text_column if self.is_text else self.html_column

    def written(self) -> str:
        """All of it as JSON, which decides a fingerprint."""
        return json.dumps({**asdict(self), "kind": str(self.kind)}, sort_keys=True)


COMMON_CRAWL = Source()


def source_of(dump: str, storage: Storage) -> Source:
    """What the dump of this name is made of.

    >>> source_of("2024-10", Storage("/nowhere")).kind
    <SourceKind.COMMON_CRAWL: 'common_crawl'>
    """
    if not may_be_own(dump):
        return COMMON_CRAWL
    kept = f"{SOURCES}/{dump}.json"
    if storage.exists(kept):
        return Source(**json.loads(storage.read(kept)))
    section = source()
    return Source(**{field.name: getattr(section, field.name) for field in fields(Source)})


def may_be_own(dump: str) -> bool:
    """Whether a source of one's own may have this name.

    >>> may_be_own("mine"), may_be_own("2024-10"), may_be_own("../x")
    (True, False, False)
    """
    return bool(_OWN_NAME.fullmatch(dump)) and not _OF_COMMON_CRAWL.fullmatch(dump)


def dump_option(dumps: Sequence[str], option: str = "--dumps") -> str:
    """What names dumps in a command, or files of one's own.

    >>> dump_option(["2024-10"], "--dump"), dump_option(["mine"])
    ('--dump 2024-10', '--input mine')
    """
    return f"{'--input' if all(map(may_be_own, dumps)) else option} {','.join(dumps)}"


def keep_source(dump: str, chosen: Source, storage: Storage, *, is_kept: bool = True) -> None:
    """Have the data folder know what a dump of this name is made of, or only see whether it can.

    Raises:
        ConfigError: the name cannot be one, or is already that of something else.
    """
    if not may_be_own(dump):
        raise ConfigError(
            f"{dump!r} cannot name files of your own: take a word that begins with a letter, "
            "such as --input mine"
        )
    kept = f"{SOURCES}/{dump}.json"
    if storage.exists(kept) and storage.read(kept).decode() != chosen.written():
        before = Source(**json.loads(storage.read(kept)))
        raise ConfigError(
            f"{dump} is {before.kind} of {before.path} in {storage.shown_url}: take another name, "
            "or another --data-dir"
        )
    if is_kept:
        storage.write(kept, chosen.written().encode())
