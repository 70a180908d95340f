"""Read the lines of a crawl's index files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from pipeline.io.gzip_members import BrokenMember, members

_CDX = re.compile(r"cdx-\d+\.gz")


def is_cdx(path: str) -> bool:
    """Whether a path of the index list is one with lines, not the list of its blocks.

    >>> is_cdx("cc-index/collections/CC-MAIN-2024-10/indexes/cdx-00007.gz")
    True
    >>> is_cdx("cc-index/collections/CC-MAIN-2024-10/indexes/cluster.idx")
    False
    """
    return _CDX.fullmatch(path.rsplit("/", 1)[-1]) is not None


def cdx_lines(stream: Any, counts: Counter[str]) -> Iterator[bytes]:
    """The lines of one index file; a block that cannot be read is counted and passed over.

    Args:
        stream: a binary file of gzip members, each with some 3,000 whole lines (ZipNum).
        counts: `broken_block` is added to.
    """
    rest = b""
    for member in members(stream):
        if isinstance(member, BrokenMember):
            counts["broken_block"] += 1
            rest = b""
            continue
        *lines, rest = (rest + member.data).split(b"\n")
        yield from lines
    if rest:
        yield rest
