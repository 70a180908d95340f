"""A page of a WET file as title and lines, read in either of two ways.

`default` takes the text as it stands. `exact` gives the lines that cc_net 1.0 gives for the
same record (facebookresearch/cc_net, `process_wet_file`), which reads the whole file as text
and finds records by their first line. Where that reading loses whole records or stops, it is
not followed: headers are found by name, whatever their number; a URL keeps its spaces; a
record that is not UTF-8 costs itself, not its file; and what stands after a line "WARC/1.0"
is lost, but never taken for a record of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from skord.ccnet.choices import Mode
from skord.native import split_page
from skord.text.words import TextColumn

_USUAL_URL = re.compile(r"https?://([A-Za-z0-9.:_-]+)(?=[/?#]|\Z)")
"""Of what it matches, `urlsplit` gives the same host and port, in several times the time."""


class TextBody(NamedTuple):
    r"""The lines of a page, stripped, as the compiled loops read them.

    Args:
        joined: the lines as UTF-8, "\n" between each two.
        nlines: how many there are; none, or one empty line, are both joined to nothing.
        length: characters of `joined`.

    >>> TextBody.of(["Ett stycke.", "Ännu ett."])
    TextBody(joined=b'Ett stycke.\n\xc3\x84nnu ett.', nlines=2, length=21)
    """

    joined: bytes
    nlines: int
    length: int

    @classmethod
    def of(cls, lines: Sequence[str]) -> TextBody:
        """Lines without line feeds."""
        text = "\n".join(lines)
        return cls(text.encode(), len(lines), len(text))

    @property
    def lines(self) -> list[str]:
        """The lines one by one."""
        return self.joined.decode().split("\n") if self.nlines else []


class TextPage(NamedTuple):
    """One page of a WET file.

    Args:
        id: WARC-Record-ID of the response record.
        warc_date: of the capture, ISO 8601 in UTC; None where it is not known.
        warc_file: path of the WARC file that holds the response.
        digest: WARC-Block-Digest of the WET record, such as "sha1:3I42H3S6…"; "" if absent.
        content_length: bytes of the WET record's text, title and line breaks counted.
        ip: address of the machine that answered; None where that is not known.
    """

    id: str
    url: str
    warc_date: str | None
    warc_file: str
    title: str
    body: TextBody
    digest: str = ""
    content_length: int = 0
    ip: str | None = None


@dataclass(frozen=True, eq=False)
class TextPages:
    """Some pages, column by column; see `TextPage`.

    Args:
        ids: and so on, the text of each page; "" is a date that is not known.
        numbers: lines, their characters, and bytes of the WET record's text; shape (pages, 3).
        warc_files: one for each page.
        ips: one for each page.
    """

    ids: TextColumn
    urls: TextColumn
    warc_dates: TextColumn
    titles: TextColumn
    bodies: TextColumn
    digests: TextColumn
    numbers: NDArray[np.int64]
    warc_files: Sequence[str]
    ips: Sequence[str | None]

    @classmethod
    def of(cls, pages: Iterable[TextPage]) -> TextPages:
        """Such as these, in their order."""
        held = list(pages)
        numbers = [(page.body.nlines, page.body.length, page.content_length) for page in held]
        return cls(
            TextColumn.of(page.id.encode() for page in held),
            TextColumn.of(page.url.encode() for page in held),
            TextColumn.of((page.warc_date or "").encode() for page in held),
            TextColumn.of(page.title.encode() for page in held),
            TextColumn.of(page.body.joined for page in held),
            TextColumn.of(page.digest.encode() for page in held),
            np.array(numbers, np.int64).reshape(-1, 3),
            [page.warc_file for page in held],
            [page.ip for page in held],
        )

    @classmethod
    def from_native(
        cls, columns: Sequence[tuple[bytes, bytes]], numbers: bytes, warc_file: str
    ) -> TextPages:
        """Those of one file, as `skord.native.wet_pages` gives them."""
        ids, urls, dates, titles, bodies, digests = map(TextColumn.from_native, columns)
        of_pages = np.frombuffer(numbers, np.int64).reshape(-1, 3)
        places = [warc_file] * len(of_pages), [None] * len(of_pages)
        return cls(ids, urls, dates, titles, bodies, digests, of_pages, *places)

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[TextPage]:
        for at, (nlines, length, size) in enumerate(self.numbers.tolist()):
            body = TextBody(self.bodies.text(at).encode(), nlines, length)
            yield TextPage(
                self.ids.text(at),
                self.urls.text(at),
                self.warc_dates.text(at) or None,
                self.warc_files[at],
                self.titles.text(at),
                body,
                self.digests.text(at),
                size,
                self.ips[at],
            )

    def part(self, first: int, end: int) -> TextPages:
        """The pages from `first` on before `end`."""
        return TextPages(
            self.ids.part(first, end),
            self.urls.part(first, end),
            self.warc_dates.part(first, end),
            self.titles.part(first, end),
            self.bodies.part(first, end),
            self.digests.part(first, end),
            self.numbers[first:end],
            self.warc_files[first:end],
            self.ips[first:end],
        )

    @property
    def nlines(self) -> NDArray[np.int64]:
        """How many paragraphs each has."""
        return self.numbers[:, 0]

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Characters of the paragraphs, line breaks counted."""
        return self.numbers[:, 1]


def source_domain(url: str) -> str:
    """Host and port of a URL as written; "" where it has none.

    >>> source_domain("https://WWW.Example.se:8080/om")
    'WWW.Example.se:8080'
    """
    if usual := _USUAL_URL.match(url):
        return usual[1]
    try:
        return urlsplit(url).netloc
    except ValueError:  # half an IPv6 address; cc_net stops here
        return ""


def split_lines(text: str, mode: str = Mode.DEFAULT) -> tuple[str, list[str]]:
    r"""Title and paragraphs of a WET text; lines are stripped of white space on both sides.

    By default "\n" alone ends a line, and line breaks at the end say nothing.

    >>> split_lines("Titel\n Ett stycke. \n\nEtt till.\n")
    ('Titel', ['Ett stycke.', '', 'Ett till.'])

    In exact mode "\r" ends a line as well, the text ends before a line "WARC/1.0", and two
    empty lines end a record: a text without a line break at its end has one of them only,
    which stays as a paragraph.

    >>> split_lines("Titel\nEtt stycke.\rEtt till.", "exact")
    ('Titel', ['Ett stycke.', 'Ett till.', ''])
    """
    title, body = split_block(text.encode(), mode)
    return title, body.lines


def split_block(block: bytes, mode: str = Mode.DEFAULT) -> tuple[str, TextBody]:
    """What `split_lines` does, for the bytes of a WET record; they must be UTF-8."""
    title, joined, nlines, length = split_page(block, Mode(mode) is Mode.EXACT)
    return title, TextBody(joined, nlines, length)
