"""From a page's Markdown and a verdict on each line to the page's text."""

from __future__ import annotations

import ftfy
import numpy as np
from numpy.typing import NDArray

from pipeline.transforms.markdown import split_text_and_images


def line_probabilities(logits: NDArray[np.float32]) -> bytes:
    """Probabilities of the lines, one byte each: probability × 255, rounded.

    >>> list(line_probabilities(np.array([-50, 0, 50], np.float32)))
    [0, 128, 255]
    """
    clipped = np.clip(logits.astype(np.float64), -60, 60)
    return np.rint(255 / (1 + np.exp(-clipped))).astype(np.uint8).tobytes()


def kept_text(markdown: str, probabilities: bytes, threshold: float) -> tuple[str, int]:
    r"""The lines at or above the threshold, and how many they are.

    Args:
        markdown: ends in "\n"; "\n" alone ends a line.
        probabilities: of each line, as `line_probabilities` gives them.
        threshold: from 0 to 1.

    >>> kept_text("# Titel\n\nMeny\nText\n", bytes([255, 255, 3, 200]), 0.5)
    ('# Titel\n\nText\n', 3)

    Raises:
        ValueError: there is not one probability for each line.
    """
    lines = markdown.split("\n")[:-1]
    kept = [line for line, p in zip(lines, probabilities, strict=True) if p >= threshold * 255]
    return "".join(f"{line}\n" for line in kept), len(kept)


def extracted(markdown: str, logits: NDArray[np.float32], threshold: float) -> dict[str, object]:
    """The columns of ProcessMarkdown for one page.

    Mojibake in the kept lines is mended (ftfy) and images are set aside, in this order, as
    in the published pipeline; outer blank lines go.
    """
    probabilities = line_probabilities(logits)
    kept, count = kept_text(markdown, probabilities, threshold)
    text, images = split_text_and_images(ftfy.fix_text(kept))
    leading = len(text) - len(text.lstrip("\n"))
    return {
        "text": text.strip("\n"),
        "images": [{"position": max(at - leading, 0), "url": url} for at, url in images],
        "kept_lines": count,
        "line_probabilities": probabilities,
    }
