"""Where a text of the corpus came from, in so few bytes that it can be made again by anybody.

A pointer names a page's record in the crawl, which lines of its Markdown are the text, and the
text's digest (after CCNet, Wenzek et al. 2020, section 3.5, which does so for WET records).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, groupby, pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.failures import DocumentError, FailureCode
from skord.markdown.extraction import joined_lines, text_of_lines
from skord.markdown.plain_lines import plain_page
from skord.markdown.rendering import plain_text
from skord.publishing.pseudonyms import REGIONS, pseudonymise
from skord.publishing.removals.requests import DIGEST_BYTES, text_digest
from skord.publishing.replaced_kinds import Replaced
from skord.text.cuts import cut_out

POINTERS_SCHEMA = pa.schema(
    [
        ("id", pa.binary()),
        ("url", pa.string()),
        ("warc_file", pa.string()),
        ("offset", pa.int64()),
        ("length", pa.int32()),
        ("payload_digest", pa.binary()),
        ("lines", pa.binary()),
        ("text_digest", pa.binary(DIGEST_BYTES)),
    ]
)
"""`id`: 16 bytes of the WARC-Record-ID's UUID. `offset`, `length`: bytes of the gzip member.
`payload_digest`: the first 8 bytes of SHA-1. `lines`: see `packed_lines`. `text_digest`: the
first 12 bytes of the SHA-256 of the text in UTF-8."""

CUTS_FIELD = pa.field("cuts", pa.binary())
"""Beside those, where repeated passages are cut out of texts: see `packed_cuts`."""

PAYLOAD_BYTES = 8

ENCODINGS = {"offset": "DELTA_BINARY_PACKED", "length": "DELTA_BINARY_PACKED"}
"""What Parquet does with columns that need no dictionary; the others are plain."""

REBUILT_SCHEMA = pa.schema(
    [("id", pa.string()), ("url", pa.string()), ("text", pa.string()), ("failure", pa.string())]
)
"""Columns of what is made again; `text` is null where there is a `failure`."""

_UUID = re.compile(
    r"urn:uuid:([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})"
)


class PointerFailure(FailureCode):
    """Why a record that came does not give the text again."""

    no_such_line = "no_such_line"
    """The page's Markdown has fewer lines than were kept of it."""
    text_differs = "text_differs"
    """A text was made, and is not the one that the digest is of."""


def packed_id(written: str) -> bytes:
    """An id in 16 bytes; one that is no UUID stays as it is written.

    >>> len(packed_id("urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11")), packed_id("<x:1>")
    (16, b'<x:1>')
    """
    uuid = _UUID.fullmatch(written)
    return bytes.fromhex("".join(uuid.groups())) if uuid else written.encode()


def unpacked_id(packed: bytes) -> str:
    """The id that `packed_id` packed.

    >>> unpacked_id(packed_id("urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11"))
    'urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11'
    """
    if len(packed) != 16:
        return packed.decode()
    digits = packed.hex()
    cuts = ((0, 8), (8, 12), (12, 16), (16, 20), (20, 32))
    return "urn:uuid:" + "-".join(digits[start:end] for start, end in cuts)


def packed_digest(written: str | None) -> bytes | None:
    """The first bytes of a digest in base32, as index and records have it; None for none.

    They distinguish a record that was replaced from the one meant; the text's own digest proves.

    >>> packed_digest("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ").hex()
    'da39a3ee5e6b4b0d'
    """
    try:
        return base64.b32decode((written or "").rpartition(":")[2])[:PAYLOAD_BYTES] or None
    except binascii.Error:
        return None


def packed_lines(kept: NDArray[np.bool_]) -> bytes:
    """Which lines were kept: how many are not, then how many are, and so on, as LEB128.

    >>> list(packed_lines(np.array([False, False, True, True, True, False])))
    [2, 3]
    >>> list(packed_lines(np.array([True] * 200)))
    [0, 200, 1]
    """
    runs = [(bool(value), len(list(run))) for value, run in groupby(kept.tolist())]
    lengths = [length for _, length in runs[: len(runs) - (not runs[-1][0])]] if runs else []
    start = [0] if runs and runs[0][0] else []
    return b"".join(map(_leb128, [*start, *lengths]))


def _leb128(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def unpacked_lines(packed: bytes) -> Iterator[int]:
    """The numbers of the lines that were kept, counted from 0.

    >>> list(unpacked_lines(bytes([2, 3, 1, 1])))
    [2, 3, 4, 6]
    """
    number, keep = 0, False
    for length in _numbers(packed):
        if keep:
            yield from range(number, number + length)
        number, keep = number + length, not keep


def _numbers(packed: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield number
            number = shift = 0


def packed_cuts(ranges: Sequence[tuple[int, int]]) -> bytes:
    """Ranges of characters that were cut out: how many stay, how many go, and so on, as LEB128.

    >>> list(packed_cuts([(2, 5), (9, 10)]))
    [2, 3, 4, 1]
    """
    edges = [0, *(edge for pair in ranges for edge in pair)]
    return b"".join(_leb128(after - before) for before, after in pairwise(edges))


def unpacked_cuts(packed: bytes) -> list[tuple[int, int]]:
    """What `packed_cuts` packed.

    >>> unpacked_cuts(packed_cuts([(0, 5), (9, 300)]))
    [(0, 5), (9, 300)]
    """
    edges = list(accumulate(_numbers(packed)))
    return list(zip(edges[::2], edges[1::2], strict=True))


def lines_of(line_verdicts: bytes) -> bytes:
    """`packed_lines` of a row of ProcessMarkdown."""
    return packed_lines(np.frombuffer(line_verdicts, np.uint8) > 0)


def text_again(
    markdown: str,
    lines: bytes,
    kinds: Iterable[str],
    digest: bytes,
    cuts: bytes = b"",
    *,
    is_plain: bool = False,
) -> str:
    """The text of a pointer out of its page's Markdown, proven by its digest.

    Args:
        markdown: of the whole page, as the converter makes it.
        lines: `packed_lines` of those kept.
        kinds: what stand-ins were put in for; see `pseudonyms`.
        digest: `text_digest` of the text.
        cuts: `packed_cuts` of what was cut out of the lines.
        is_plain: whether the texts were written without markup.

    Raises:
        DocumentError: no_such_line, text_differs.
    """
    plain = plain_page(markdown)
    wanted, number = list(unpacked_lines(lines)), plain.count(b"\n")
    if wanted and wanted[-1] >= number:
        raise DocumentError(PointerFailure.no_such_line, f"{wanted[-1]} of {number}")
    kept = np.zeros(number, bool)
    kept[wanted] = True
    candidates = [text_of_lines(joined_lines(plain, kept))[0]]
    if kept.all():  # a plain text of one's own is no Markdown
        candidates.append(markdown.strip("\n"))
    left = [cut_out(candidate, unpacked_cuts(cuts)) for candidate in candidates]
    written = [*map(plain_text, left), *left[1:]] if is_plain else left
    asked = list(kinds)
    # Where telephone numbers were replaced, the page's language decided which are some.
    languages = (None, *REGIONS) if Replaced.phone_numbers in asked else (None,)
    for language in languages:
        for text in (pseudonymise(one, asked, language).text for one in written):
            if text_digest(text) == digest:
                return text
    raise DocumentError(PointerFailure.text_differs)
