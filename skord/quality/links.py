"""How much of a page's text is links, and how many other sites its markup links to."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from skord.native import count_linked
from skord.text.words import string_buffers

_LINK = re.compile(
    rb"""<a\b[^>]{0,500}?\bhref\s{0,9}=\s{0,9}["']?\s{0,9}(?:https?:)?//([a-z0-9.-]{1,255})""",
    re.IGNORECASE,
)
_LEAST_WORDS = 100


def foreign_domain_rate(body: bytes, url: str, words: int) -> float:
    """Other sites that a page links to, for every hundred words of its text.

    Farms of links name dozens in a few paragraphs; so do rolls of blogs and directories.

    Args:
        body: HTML in any charset that has ASCII in its place.
        words: of its main text; it counts as a hundred at least.

    >>> page = b'<a href="https://a.example/1">x</a> <a href=//www.b.example>y</a>'
    >>> foreign_domain_rate(page, "https://www.a.example/", 50)
    1.0
    """
    own = _site_of_host((urlsplit(url).hostname or "").encode())
    sites = {_site_of_host(host) for host in _LINK.findall(body)} - {own}
    return 100 * len(sites) / max(words, _LEAST_WORDS)


def _site_of_host(host: bytes) -> bytes:
    """The last two labels, which are the site in all but a few countries."""
    return b".".join(host.lower().strip(b".").split(b".")[-2:])


def link_char_ratios(
    texts: pa.Array,
    pages: pa.Array,
    link_spans: pa.Array,
    line_verdicts: pa.Array,
) -> pa.Array:
    r"""Share of the characters of texts, line feeds left out, that links show.

    Where links stood is known of the page's Markdown, which also has tags, images and signs of
    markup in them. What of these the text has not is not counted.

    Args:
        texts: the kept lines in their plain form, strings without nulls.
        pages: the Markdown that they were kept of, likewise.
        link_spans: of each page, a list of structs `start`, `end`: half-open ranges of its
            characters, ascending; null where they are not known.
        line_verdicts: of each page's lines one byte each, 1 if it was kept, as ProcessMarkdown
            writes them.

    Returns:
        Null where a text is empty or the links are not known.

    >>> spans = pa.array([[{"start": 4, "end": 16}]], pa.list_(pa.struct(
    ...     [("start", pa.int32()), ("end", pa.int32())])))
    >>> page = "<td><em>Hem</em> om</td>\nMeny\n"
    >>> link_char_ratios(pa.array(["*Hem* om"]), pa.array([page]), spans,
    ...     pa.array([b"\x01\x00"]))[0]
    <pyarrow.DoubleScalar: 0.375>
    """
    starts, data = string_buffers(pages)
    verdict_starts, verdicts = string_buffers(line_verdicts)
    spans = link_spans.values
    linked = np.zeros(len(pages), np.int64)
    count_linked(
        starts, data, (verdicts, verdict_starts),
        (link_spans.offsets.to_numpy().astype(np.int64), spans.field(0).to_numpy(),
         spans.field(1).to_numpy()), linked,
    )  # fmt: skip
    chars = _text_lengths(texts)
    unknown = link_spans.is_null().to_numpy(zero_copy_only=False)
    return pa.array(np.minimum(linked, chars) / np.maximum(chars, 1), mask=unknown | (chars == 0))


def _text_lengths(texts: pa.Array) -> NDArray[np.int64]:
    """Characters of each text, line feeds left out."""
    counts = pc.subtract(pc.utf8_length(texts), pc.count_substring(texts, "\n"))
    return np.asarray(counts.to_numpy(zero_copy_only=False), np.int64)
