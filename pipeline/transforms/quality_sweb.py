"""SWEb's measures of one text, as plain Python: the meaning of what the kernels compute fast.

The measures and their limits are those of SWEb (Norlund et al. 2024, arXiv 2410.04456).
Values equal those of its published code, with these differences:

* a page of headings alone measures infinity, not zero, and fails;
* `#hashtag` is text; a heading needs a space after its number signs, as in CommonMark.

`text_words` computes the same over Arrow buffers, and leaves the few texts to this module
whose letters must be seen in context: those with a capital sigma, whose lower case depends on
its place, several combining marks on one letter, whose order has to be made canonical, or
characters beyond the second plane of Unicode.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Sequence

_HEADING = re.compile(r"^#{1,6}(?:[ \t].*)?$", re.MULTILINE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def words_of(text: str) -> list[str]:
    """Words of a text, without ASCII punctuation, lower case, decomposed (NFD).

    >>> words_of("Hej, *Åsa*!") == ["hej", "a\\u030asa"]
    True
    """
    return unicodedata.normalize("NFD", _without_punctuation(text).lower()).split()


def ratio_alphanumeric_chars(text: str) -> float:
    """Share of letters and digits, of any script, among all characters; 0 when empty.

    >>> ratio_alphanumeric_chars("ab--")
    0.5
    """
    return sum(map(str.isalnum, text)) / max(len(text), 1)


def ratio_headings_per_non_heading_word(text: str) -> float:
    """Markdown headings (ATX) for each word outside of headings.

    Infinity when there are headings and no other word; 0 when there is neither.

    >>> ratio_headings_per_non_heading_word("# Rubrik\\n\\nfyra ord till den")
    0.25
    >>> ratio_headings_per_non_heading_word("#hashtag är text")
    0.0
    >>> ratio_headings_per_non_heading_word("# Meny\\n## Kontakt")
    inf
    """
    headings = _HEADING.findall(text)
    heading_words = sum(len(_without_punctuation(line).split()) for line in headings)
    return headings_per_word(len(headings), len(words_of(text)) - heading_words)


def headings_per_word(num_headings: int, num_other_words: int) -> float:
    """The ratio, infinity for headings alone."""
    if not num_headings:
        return 0.0
    return num_headings / num_other_words if num_other_words else math.inf


def unigram_entropy(words: Sequence[str]) -> float:
    """Entropy of the distribution of words, in nats: low when the same words recur.

    >>> unigram_entropy(["köp", "köp"])
    0.0
    >>> round(unigram_entropy(["ett", "två"]), 3)
    0.693
    """
    total = len(words)
    times = Counter(Counter(words).values())  # how many words occur once, twice, …
    return sum(num * n / total * math.log(total / n) for n, num in times.items())


def _without_punctuation(text: str) -> str:
    return text.translate(_PUNCTUATION)
