"""From a page's Markdown and a verdict on each line to the page's text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from pipeline.markdown.images import split_text_and_images
from pipeline.markdown.mojibake import mended
from pipeline.markdown.plain_lines import plain_markdown

Floats = NDArray[np.float32]

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def split_lines(markdown: str) -> list[str]:
    r"""The lines that a line classifier judges, each without its "\n".

    "\n" alone ends a line; text after the last one is not judged.

    >>> split_lines("# Rubrik\n\nText\u2028mer\n")
    ['# Rubrik', '', 'Text\u2028mer']
    """
    return markdown.split("\n")[:-1]


def probabilities(logits: Floats) -> Floats:
    """Logits as probabilities of being main text.

    >>> probabilities(np.array([-200, 0, 200], np.float32)).tolist()
    [0.0, 0.5, 1.0]
    """
    clipped = np.clip(logits.astype(np.float64), -500, 500)
    found: Floats = np.asarray(1 / (1 + np.exp(-clipped)), dtype=np.float32)
    return found


def as_bytes(line_probabilities: Floats) -> bytes:
    """One byte for each line: probability × 255, rounded.

    >>> list(as_bytes(np.array([0, 0.5, 1], np.float32)))
    [0, 128, 255]
    """
    return np.rint(line_probabilities * 255).astype(np.uint8).tobytes()


def from_bytes(line_probabilities: bytes) -> Floats:
    """The probabilities that `as_bytes` wrote, to within 1/510."""
    found: Floats = np.divide(
        np.frombuffer(line_probabilities, np.uint8), np.float32(255), dtype=np.float32
    )
    return found


def kept_lines(markdown: str, line_probabilities: Floats, threshold: float) -> list[str]:
    r"""The lines whose probability is at or above the threshold.

    Args:
        markdown: ends in "\n", as the converter's does.
        line_probabilities: one for each "\n".
        threshold: from 0 to 1.

    >>> kept_lines("# Titel\n\nMeny\nText\n", np.array([1, 0.9, 0.1, 0.5]), 0.5)
    ['# Titel', '', 'Text']

    Raises:
        ValueError: there is not one probability for each line, or text after the last.
    """
    if markdown and not markdown.endswith("\n"):
        raise ValueError("the Markdown does not end in a line break, so its end has no verdict")
    verdicts = line_probabilities >= threshold
    return [line for line, keep in zip(split_lines(markdown), verdicts, strict=True) if keep]


def kept_text(markdown: str, line_probabilities: Floats, threshold: float) -> str:
    r"""The lines that `kept_lines` keeps, each with its "\n"."""
    return "".join(f"{line}\n" for line in kept_lines(markdown, line_probabilities, threshold))


def fold_blank_lines(text: str) -> str:
    r"""The text with single blank lines, and none at its start and end.

    >>> fold_blank_lines("\n\nEn.\n\n\n\nTvå.\n")
    'En.\n\nTvå.'
    """
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


def extracted(
    markdown: str, logits: Floats, threshold: float, page_url: str | None = None
) -> dict[str, object]:
    """The columns of ProcessMarkdown for one page.

    The verdict is taken on the probabilities as stored, so that what is decided later from
    the column agrees.

    Args:
        markdown: ends in "\n".
        logits: one for each "\n".
        threshold: least probability of a line that is kept.
        page_url: by which addresses of images become absolute; None leaves them.
    """
    stored = as_bytes(probabilities(logits))
    kept = kept_lines(plain_markdown(markdown), from_bytes(stored), threshold)
    text, images = text_of_lines(kept, page_url)
    return {
        "text": text,
        "images": images,
        "kept_lines": len(kept),
        "line_probabilities": stored,
    }


def text_of_lines(
    kept: Sequence[str], page_url: str | None = None
) -> tuple[str, list[dict[str, object]]]:
    r"""The text that kept lines make, and its images: position in the text, and URL.

    Mojibake in the lines is mended (ftfy) and images are set aside, in this order, as in the
    published pipeline. Where lines or images went, one blank line stays.

    >>> text_of_lines(["# VÃ¤dret", "", "![sol](s.png)", "", "Sol."], "http://a.example/b/")
    ('# Vädret\n\nSol.', [{'position': 8, 'url': 'http://a.example/b/s.png'}])
    """
    split, images = split_text_and_images(mended("".join(f"{line}\n" for line in kept)))
    text = fold_blank_lines(split)
    places = [min(len(fold_blank_lines(split[:at])), len(text)) for at, _ in images]
    return text, [
        {"position": at, "url": absolute(url, page_url)}
        for at, (_, url) in zip(places, images, strict=True)
    ]


def absolute(address: str, page_url: str | None) -> str:
    """An address as seen from a page (RFC 3986, section 5); as it is where that fails.

    >>> absolute("//b.example/c.png", "https://a.example/d/e"), absolute("/c.png", None)
    ('https://b.example/c.png', '/c.png')
    """
    try:
        return urljoin(page_url, address) if page_url else address
    except ValueError:  # brackets that are no IPv6 address
        return address
