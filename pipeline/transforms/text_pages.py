"""A page of a WET file as title and lines, read in either of two ways.

`default` takes the text as it stands. `exact` gives the lines that cc_net 1.0 gives for the
same record (facebookresearch/cc_net, `process_wet_file`), which reads the whole file as text
and finds records by their first line. Where that reading loses whole records or stops, it is
not followed: headers are found by name, whatever their number; a URL keeps its spaces; a
record that is not UTF-8 costs itself, not its file; and what stands after a line "WARC/1.0"
is lost, but never taken for a record of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from urllib.parse import urlsplit

_VERSION_LINE = "WARC/1.0"


class Mode(StrEnum):
    """Whose rules the selection follows."""

    DEFAULT = "default"
    """This project's: what is read, kept and scored is the text as a reader sees it."""
    EXACT = "exact"
    """Those of cc_net 1.0, so that both select the same pages with the same fields."""


@dataclass(frozen=True)
class TextPage:
    """One page of a WET file.

    Args:
        id: WARC-Record-ID of the response record.
        url: as crawled.
        warc_date: of the capture, ISO 8601 in UTC.
        warc_file: path of the WARC file that holds the response.
        title: the first line.
        lines: the others, stripped.
        digest: WARC-Block-Digest of the WET record, such as "sha1:3I42H3S6…"; "" if absent.
        content_length: bytes of the WET record's text, title and line breaks counted.
    """

    id: str
    url: str
    warc_date: str
    warc_file: str
    title: str
    lines: Sequence[str]
    digest: str = ""
    content_length: int = 0

    @cached_property
    def length(self) -> int:
        """Characters of the paragraphs, line breaks counted."""
        return sum(map(len, self.lines)) + max(len(self.lines) - 1, 0)

    @property
    def nlines(self) -> int:
        """How many paragraphs there are."""
        return len(self.lines)

    @property
    def source_domain(self) -> str:
        """Host and port of the URL as written; "" where it has none.

        >>> TextPage("", "https://WWW.Example.se:8080/om", "", "", "", []).source_domain
        'WWW.Example.se:8080'
        """
        try:
            return urlsplit(self.url).netloc
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
    if Mode(mode) is Mode.EXACT:
        return _exact_lines(text)
    title, _, rest = text.rstrip("\n").partition("\n")
    return title.strip(), [line.strip() for line in rest.split("\n")] if rest else []


def _exact_lines(text: str) -> tuple[str, list[str]]:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [line.strip() for line in text.split("\n")]
    lines.append("")  # the record ends in two line breaks, of which a last line takes one
    if _VERSION_LINE in text and _VERSION_LINE in lines:
        del lines[lines.index(_VERSION_LINE) :]
    if lines[-2:] == ["", ""]:
        del lines[max(len(lines) - 2, 1) :]
    return (lines[0], lines[1:]) if lines else ("", [])
