r"""Words of a text, and the overlap of two texts measured in runs of four words.

The measure is that of the article-extraction benchmark (Zyte 2020): precision, recall and
F1 over multisets of 4-grams of words. One thing differs: a character of a script that is
written without spaces is a word of its own, or a Japanese sentence would be a single word.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from skord.models.line_classifier.features.characters import STANDING_ALONE

SHINGLE_WORDS = 4
_ALONE = "".join(f"{chr(span.start)}-{chr(span.stop - 1)}" for span in STANDING_ALONE)
# The underscore is markup.
_WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
# An image, its alternative text and address included: neither is text that a reader sees.
# The address may hold balanced brackets, as in `File_(1).jpg`.
IMAGE = re.compile(r"!\[(?:[^\[\]\\\n]++|\\.)*+\]\((?:[^()\n\\]++|\\.|\([^()\n]*+\))*+\)")


class Overlap(NamedTuple):
    """How well an extracted text matches gold; each figure from 0 to 1."""

    precision: float
    recall: float
    f1: float


def words(text: str) -> list[str]:
    r"""Words of `text` in lower case, without images and punctuation.

    >>> words("Ett *test* av foo\\_bar, 日本 ![alt](a_(1).jpg)")
    ['ett', 'test', 'av', 'foo', 'bar', '日', '本']
    """
    return _WORD.findall(IMAGE.sub(" ", text).lower())


def shingles(text: str) -> Counter[tuple[str, ...]]:
    """All runs of four words with their counts; a shorter text is one run of all its words.

    >>> sorted(shingles("a b c d e"))
    [('a', 'b', 'c', 'd'), ('b', 'c', 'd', 'e')]
    """
    tokens = words(text)
    if not tokens:
        return Counter()
    runs = max(len(tokens) - SHINGLE_WORDS + 1, 1)
    return Counter(tuple(tokens[i : i + SHINGLE_WORDS]) for i in range(runs))


def overlap(extracted: str, gold: str, neutral: str = "") -> Overlap:
    """Precision, recall and F1 of an extracted text; two texts without a word agree.

    Args:
        extracted: the text to score.
        gold: what it should be.
        neutral: text of the page that the gold says nothing of, such as code that it lacks;
            what the extracted text has of it, beyond the gold, counts neither way.

    >>> overlap("ja a b c d", "a b c d")
    Overlap(precision=0.5, recall=1.0, f1=0.6666666666666666)
    >>> overlap("a b c d pip install a b", "a b c d", "d pip install a b")
    Overlap(precision=0.5, recall=1.0, f1=0.6666666666666666)
    """
    have, want = shingles(extracted), shingles(gold)
    if neutral:
        have -= (have - want) & shingles(neutral)
    if not have or not want:
        agree = float(not have and not want)
        return Overlap(agree, agree, agree)
    shared = (have & want).total()
    precision, recall = shared / have.total(), shared / want.total()
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    return Overlap(precision, recall, f1)
