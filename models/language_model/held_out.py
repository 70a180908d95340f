"""How well a language model foretells text that it was not made from."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from skord.core.failures import ConfigError
from skord.models.language_model.files import LanguageFiles
from skord.models.language_model.perplexity import breaks_as_spaces, normalize_for_language_model
from skord.models.language_model.scorer import Scorer

LEAST_WORDS = 8
SEED = 1


@dataclass(frozen=True)
class HeldOut:
    """Figures of one model on some texts.

    Attributes:
        texts: how many have a perplexity.
        bits: a character of the normalised text, which compares models of other pieces, too.
        median_perplexity: for a piece.
        in_order: share of the lines of eight words or more that are likelier than the same words
            shuffled; None where there is no such line.
    """

    texts: int
    bits: float
    median_perplexity: float
    in_order: float | None

    def __str__(self) -> str:
        order = (
            "" if self.in_order is None else f", {self.in_order:.1%} of lines told from shuffled"
        )
        return (
            f"{self.texts} texts held out: {self.bits:.3f} bits a character, perplexity "
            f"{self.median_perplexity:.0f} in the median{order}"
        )


def held_out_figures(files: LanguageFiles, texts: Sequence[str]) -> HeldOut:
    """The figures of a model on texts.

    Raises:
        ConfigError: no text has a perplexity.
    """
    scorer = Scorer(files)
    lines = [normalize_for_language_model(breaks_as_spaces(text)) for text in texts]
    values, pieces = scorer.perplexities(lines), scorer.num_pieces(lines)
    scored = [
        (value, number, len(line))
        for value, number, line in zip(values, pieces, lines, strict=True)
        if value is not None
    ]
    if not scored:
        raise ConfigError("no held-out text has a perplexity: give more text")
    bits = sum(math.log2(value) * (number + 1) for value, number, _ in scored)
    return HeldOut(
        texts=len(scored),
        bits=bits / sum(length for *_, length in scored),
        median_perplexity=median(value for value, *_ in scored),
        in_order=_in_order(scorer, [line for text in texts for line in text.split("\n")]),
    )


def _in_order(scorer: Scorer, lines: Sequence[str]) -> float | None:
    chance = random.Random(SEED)
    long_enough = [words for line in lines if len(words := line.split()) >= LEAST_WORDS]
    shuffled = [chance.sample(words, len(words)) for words in long_enough]
    good, bad = (
        scorer.perplexities([normalize_for_language_model(" ".join(words)) for words in some])
        for some in (long_enough, shuffled)
    )
    pairs = [(a, b) for a, b in zip(good, bad, strict=True) if a is not None and b is not None]
    return sum(a < b for a, b in pairs) / len(pairs) if pairs else None
