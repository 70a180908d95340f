"""How much of a page's text is links: menus and lists of links that passed for main text."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.transforms.extraction import from_bytes
from pipeline.transforms.text_words import string_buffers


def link_char_ratios(
    pages: pa.Array, link_spans: pa.Array, line_probabilities: pa.Array, threshold: float
) -> pa.Array:
    r"""Share of the characters of the kept lines, line feeds left out, that lie in links.

    Args:
        pages: Markdown, strings without nulls.
        link_spans: of each page, a list of structs `start`, `end`: half-open ranges of its
            characters, ascending; null where they are not known.
        line_probabilities: of each page's lines, as ProcessMarkdown keeps them.
        threshold: least probability of a line that is kept.

    Returns:
        Null where no line is kept or the links are not known.

    >>> spans = pa.array([[{"start": 0, "end": 3}]], pa.list_(pa.struct(
    ...     [("start", pa.int32()), ("end", pa.int32())])))
    >>> link_char_ratios(pa.array(["Hem om\nMeny\n"]), spans, pa.array([b"\xff\x00"]), 0.5)[0]
    <pyarrow.DoubleScalar: 0.5>
    """
    from pipeline.transforms import text_kernels  # noqa: PLC0415 - takes half a second

    starts, data = string_buffers(pages)
    verdict_starts, probabilities = string_buffers(line_probabilities)
    spans = link_spans.values
    chars, linked = np.zeros((2, len(pages)), np.int64)
    text_kernels.count_linked(
        data, starts, _kept(threshold)[probabilities], verdict_starts,
        link_spans.offsets.to_numpy().astype(np.int64), spans.field(0).to_numpy(),
        spans.field(1).to_numpy(), chars, linked,
    )  # fmt: skip
    unknown = link_spans.is_null().to_numpy(zero_copy_only=False)
    return pa.array(linked / np.maximum(chars, 1), mask=unknown | (chars == 0))


def _kept(threshold: float) -> NDArray[np.uint8]:
    """For each of the 256 stored probabilities whether its line is kept."""
    return (from_bytes(bytes(range(256))) >= threshold).astype(np.uint8)
