"""Carry labels over to other lines of the same pages, after a change of the converter.

    python -m skord.models.line_classifier.gold.realign --before FOLDER --after FOLDER

Both folders hold `<page>.md` for pages of `labels.jsonl`, by the SHA-256 of their HTML: Markdown
of the former converter, whose lines the labels are of, and of the present one. The labels go by
words, so that the same words are kept.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

from skord.markdown.extraction import split_lines
from skord.markdown.plain_lines import plain_lines
from skord.models.line_classifier.gold import (
    LABELS,
    GoldPage,
    gold_of,
    labels_of,
    read_gold,
    write_gold,
)

_WORDS = re.compile(r"\w+")


def carried_labels(
    before: Sequence[str], labels: Sequence[int | None], after: Sequence[str]
) -> list[int]:
    """Labels of other lines of a page: what most of a line's words had.

    A line of which no word is found has the label of the line before it.

    Args:
        before: the lines that are labelled, in their plain form.
        labels: theirs; None for blank ones.
        after: the lines to label, in their plain form.

    >>> carried_labels(["Meny", "En bro", "Bron."], [0, 1, 1], ["Meny", "", "En", "bro Bron."])
    [0, 0, 1, 1]
    """
    old = [(word, label) for line, label in zip(before, labels, strict=True) for word in _of(line)]
    new = [(word, number) for number, line in enumerate(after) for word in _of(line)]
    votes = [0] * len(after)
    matcher = SequenceMatcher(None, [w for w, _ in old], [w for w, _ in new], autojunk=False)
    for mine, theirs, size in matcher.get_matching_blocks():
        for at in range(size):
            votes[new[theirs + at][1]] += 1 if old[mine + at][1] else -1
    voted: list[int] = []
    for vote in votes:
        voted.append(int(vote > 0) if vote else (voted or [0])[-1])
    return voted


def realigned_gold(gold: GoldPage, before: str, after: str) -> GoldPage:
    """A page's labels, of the lines of another Markdown of it."""
    former = split_lines(before)
    lines = split_lines(after)
    labels = carried_labels(plain_lines(former), labels_of(gold, former), plain_lines(lines))
    hashes, digits = gold_of(lines, labels)
    return gold._replace(lines=hashes, labels=digits)


def main() -> None:
    """Rewrite both readings; pages without both Markdowns stay as they are."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    chosen = parser.parse_args()
    for path in (LABELS, LABELS.with_name("second_readings.jsonl")):
        _rewrite(path, chosen.before, chosen.after)


def _rewrite(path: Path, before: Path, after: Path) -> None:
    pages, changed = [], 0
    for gold in read_gold(path):
        texts = [folder / f"{gold.page}.md" for folder in (before, after)]
        if all(text.exists() for text in texts):
            former, present = (text.read_bytes().decode("utf-8", "replace") for text in texts)
            gold = realigned_gold(gold, former, present)  # noqa: PLW2901
            changed += 1
        pages.append(gold)
    write_gold(path, pages)
    print(f"{path.name}: {changed} of {len(pages)} pages carried over")


def _of(line: str) -> list[str]:
    return [word.casefold() for word in _WORDS.findall(line)]


if __name__ == "__main__":
    main()
