"""Rows of a table as Markdown has them."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.transforms.link_spans import has_marks, without_marks


def pipe_table(rows: Sequence[Sequence[str]]) -> str:
    r"""Rows padded to columns of one width; the first is the head.

    >>> pipe_table([["a", ""], ["bc", "d"]])
    '| a  |   |\n| -- | - |\n| bc | d |'
    """
    lengths = [[_length(text) for text in row] for row in rows]
    widths = [max(column) for column in zip(*lengths, strict=True)]
    lines = [
        "| "
        + " | ".join(
            text + " " * (width - length)
            for text, length, width in zip(row, found, widths, strict=True)
        )
        + " |"
        for row, found in zip(rows, lengths, strict=True)
    ]
    lines.insert(1, "| " + " | ".join("-" * width for width in widths) + " |")
    return "\n".join(lines)


def _length(text: str) -> int:
    return len(without_marks(text)) if has_marks(text) else len(text)
