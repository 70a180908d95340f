"""Labels of a page's lines: one byte for each line, 1 keep or 0 remove."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from skord.markdown.plain_lines import plain_lines

KEEP = 1
_LEAST = 1 / 510
"""Half a step of a stored probability; no loss is taken to be infinite."""


class Change(NamedTuple):
    """Lines `first` to `last`, both included, become kept or removed."""

    first: int
    last: int
    keep: bool


class LineRangeError(ValueError):
    """A change names lines that the page does not have."""


def apply_changes(labels: bytes, changes: Iterable[Change]) -> bytes:
    r"""The labels after some changes, later ones over earlier ones.

    >>> apply_changes(bytes(5), [Change(1, 3, True), Change(2, 2, False)])
    b'\x00\x01\x00\x01\x00'

    Raises:
        LineRangeError: a change reaches outside the page or ends before it begins.
    """
    labels_now = bytearray(labels)
    for change in changes:
        if not 0 <= change.first <= change.last < len(labels_now):
            raise LineRangeError(
                f"lines {change.first} to {change.last} of a page of {len(labels_now)} lines"
            )
        labels_now[change.first : change.last + 1] = bytes([change.keep]) * (
            change.last - change.first + 1
        )
    return bytes(labels_now)


def kept_lines(labels: bytes) -> list[int]:
    r"""Numbers of the kept lines, from 0.

    >>> kept_lines(b"\x00\x01\x01")
    [1, 2]
    """
    return [number for number, label in enumerate(labels) if label == KEEP]


def from_selected(numbers: Iterable[int], lines: int) -> bytes:
    r"""The labels of which `numbers` are the kept lines.

    >>> from_selected([2, 1], 3)
    b'\x00\x01\x01'

    Raises:
        LineRangeError: a number is not one of a line.
    """
    return apply_changes(bytes(lines), (Change(number, number, True) for number in numbers))


def visible(lines: Sequence[str]) -> NDArray[np.bool_]:
    """Which lines say anything in their plain form: blank ones and tags alone count for nothing.

    >>> visible(["# A", "", "  ", "<table>", "<td>a</td>", "</table>"]).tolist()
    [True, False, False, False, True, False]
    """
    return np.array([bool(line.strip()) for line in plain_lines(lines)], bool)


def uncertainty(probabilities: bytes, seen: NDArray[np.bool_]) -> float:
    """Mean entropy of the visible lines' predictions, in bits; 0 without lines.

    >>> uncertainty(bytes([0, 128, 255]), np.array([True, True, False]))
    0.51
    """
    p = _probabilities(probabilities)[seen]
    if not p.size:
        return 0.0
    entropy = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
    return round(float(entropy.mean()), 3)


def loss(labels: bytes, probabilities: bytes, seen: NDArray[np.bool_]) -> float:
    """Mean cross entropy of the visible lines' labels under the predictions, in nats.

    Large where model and annotator differ: a hard page, or a slip of the mouse.

    >>> loss(bytes([1, 0]), bytes([255, 255]), np.array([True, True]))
    3.118
    """
    p = _probabilities(probabilities)[seen]
    if not p.size:
        return 0.0
    kept = np.frombuffer(labels, np.uint8)[seen] == KEEP
    return round(float(-np.log(np.where(kept, p, 1 - p)).mean()), 3)


def _probabilities(stored: bytes) -> NDArray[np.float64]:
    """Probabilities of one byte each (× 255), kept off 0 and 1."""
    return np.clip(np.frombuffer(stored, np.uint8) / 255, _LEAST, 1 - _LEAST)
