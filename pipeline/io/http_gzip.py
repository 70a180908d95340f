"""Whether gzip bytes are whole: every member's CRC and length, RFC 1952.

WARC and WET files, and each record of a WARC file, are gzip members one after the other.
Readers commonly take a cut or damaged end for the end of the file, so it is checked here,
while the bytes pass.
"""

from __future__ import annotations

import zlib

_GZIP_ONLY = 16 + zlib.MAX_WBITS
_INPUT_STEP_BYTES = 64 * 1024
_OUTPUT_STEP_BYTES = 256 * 1024


class GzipCheck:
    """Checks gzip members chunk by chunk; what they hold is thrown away piece by piece.

    >>> import gzip
    >>> two = gzip.compress(b"a") + gzip.compress(b"b")
    >>> check = GzipCheck()
    >>> check.feed(two[:30])
    >>> check.whole
    False
    >>> check.feed(two[30:])
    >>> check.whole, check.members
    (True, 2)
    """

    def __init__(self) -> None:
        self.members = 0
        """Members that ended as they should."""
        self.padding_bytes = 0
        """Zero bytes between and after members, which gzip(1) passes over as well."""
        self._member = zlib.decompressobj(_GZIP_ONLY)
        self._inside = False
        self._broken = False

    @property
    def whole(self) -> bool:
        """Whether there was at least one member, all were intact and none is unfinished."""
        return self.members > 0 and not self._inside and not self._broken

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes; those after the first damage are not looked at.

        In short steps: zlib hands back a copy of what it left of its input each time.
        """
        for start in range(0, len(chunk), _INPUT_STEP_BYTES):
            self._feed_step(chunk[start : start + _INPUT_STEP_BYTES])

    def _feed_step(self, chunk: bytes) -> None:
        while chunk and not self._broken:
            if not self._inside:
                members = chunk.lstrip(b"\0")
                self.padding_bytes += len(chunk) - len(members)
                chunk = members
            self._inside = bool(chunk)
            try:
                self._member.decompress(chunk, _OUTPUT_STEP_BYTES)
            except zlib.error:
                self._broken = True
                return
            if self._member.eof:
                chunk = self._member.unused_data
                self._member = zlib.decompressobj(_GZIP_ONLY)
                self._inside = False
                self.members += 1
            else:
                chunk = self._member.unconsumed_tail


def is_one_member(body: bytes) -> bool:
    """Whether the bytes are exactly one whole gzip member.

    >>> import gzip
    >>> record = gzip.compress(b"WARC/1.0")
    >>> is_one_member(record), is_one_member(record[:-1]), is_one_member(record + record)
    (True, False, False)
    """
    check = GzipCheck()
    check.feed(body)
    return check.whole and check.members == 1 and not check.padding_bytes
