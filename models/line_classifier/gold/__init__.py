"""Line labels that people made by reading pages; README.md says who, how and by what rules.

`labels.jsonl` holds no text. A page is known by the SHA-256 of its HTML, a line by 32 bits of
the SHA-256 of its words, so that the labels find their lines again when the converter has
changed some of them.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, NamedTuple

from skord.markdown.plain_lines import plain_lines
from skord.models.line_classifier.training.dataset import in_test

LABELS = Path(__file__).with_name("labels.jsonl")

_HASH_CHARACTERS = 8
_WORDS = re.compile(r"\w+")


class GoldPage(NamedTuple):
    """One person's labels of one page.

    Attributes:
        page: SHA-256 of the archived bytes, in hex.
        source: what file or record the page is in, for those who have it.
        site: by which pages are split into training and test.
        lang: of the page.
        annotator: the name under which it was read; a second reading has one of its own.
        is_test: the page is of a test site and never trained on.
        is_ignored: no page to learn from; its labels mean nothing.
        lines: hash of each visible line's words, in order.
        labels: "1" keep or "0" remove for each of them.
    """

    page: str
    source: str
    site: str
    lang: str
    annotator: str
    is_test: bool
    is_ignored: bool
    lines: tuple[str, ...]
    labels: str


def line_hash(line: str) -> str:
    """Eight hexadecimal digits for a line's words, whatever marks stand around them.

    >>> line_hash("## Om oss") == line_hash("**Om  oss**") != line_hash("Om")
    True
    """
    words = " ".join(_WORDS.findall(line)).casefold()
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:_HASH_CHARACTERS]


def gold_of(lines: Sequence[str], kept: Sequence[int]) -> tuple[tuple[str, ...], str]:
    """`lines` and `labels` of a GoldPage.

    Args:
        lines: of the page's Markdown, as `split_lines` gives them.
        kept: a label for each, blank ones among them.

    >>> gold_of(["Meny", "", "Text"], [0, 0, 1])[1]
    '01'
    """
    plain = plain_lines(lines)
    visible = [(line, label) for line, label in zip(plain, kept, strict=True) if line.strip()]
    return tuple(line_hash(line) for line, _ in visible), "".join(str(int(k)) for _, k in visible)


def labels_of(gold: GoldPage, lines: Sequence[str]) -> list[int | None]:
    """The labels of a page's lines; None for blank lines and those that the gold has not seen.

    >>> hashes, labels = gold_of(["Meny", "Text"], [0, 1])
    >>> gold = GoldPage("", "", "", "", "", False, False, hashes, labels)
    >>> labels_of(gold, ["Meny", "", "Nytt", "# Text"])
    [0, None, None, 1]
    """
    plain = plain_lines(lines)
    numbers = [number for number, line in enumerate(plain) if line.strip()]
    hashes = [line_hash(plain[number]) for number in numbers]
    labels: list[int | None] = [None] * len(lines)
    matcher = SequenceMatcher(None, gold.lines, hashes, autojunk=False)
    for mine, theirs, size in matcher.get_matching_blocks():
        for at in range(size):
            labels[numbers[theirs + at]] = int(gold.labels[mine + at])
    return labels


def read_gold(path: Path = LABELS) -> list[GoldPage]:
    """All labels of a file, in its order."""
    with path.open(encoding="utf-8") as rows:
        return [gold_page(json.loads(row)) for row in rows]


def write_gold(path: Path, pages: Iterable[GoldPage]) -> int:
    """Write labels, by source and annotator, one page a line; returns how many."""
    ordered = sorted(pages, key=lambda gold: (gold.source, gold.page, gold.annotator))
    rows = [json.dumps({**gold._asdict(), "lines": "".join(gold.lines)}) for gold in ordered]
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return len(rows)


def gold_page(row: Mapping[str, Any]) -> GoldPage:
    """A parsed line of such a file.

    Raises:
        KeyError, TypeError: a field is missing, or there is one too many.
    """
    joined = row["lines"]
    lines = (joined[at : at + _HASH_CHARACTERS] for at in range(0, len(joined), _HASH_CHARACTERS))
    # A page marked for the test stays there, whatever becomes of the split.
    is_test = row["is_test"] or in_test(row["site"])
    return GoldPage(**{**row, "lines": tuple(lines), "is_test": is_test})
