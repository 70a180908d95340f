"""The classifier that a setting names, and what it makes of lid.176's scores."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.models.array_file import digest_of, unpack_arrays
from skord.native import sum_letter_grams, write_letters
from skord.text.words import string_buffers

LANGUAGES = ("sv", "da", "no", "nn", "is", "fo")
"""Labels as lid.176 names them, "no" being Bokmål, and Faroese."""

LANES = 8
"""Labels that the weights in memory have room for, so that a row is added at once."""


@dataclass(frozen=True, eq=False)
class Weights:
    """A weights file: an int8 for each bucket of n-grams and language.

    Attributes:
        steps: shape (buckets, LANES), a power of two of buckets; zeros after the last language.
        scale: the weight of a step.
        longest: letters of the longest n-gram.
        prior: how much the logarithm of lid.176's scores counts beside.
        name: start of the file's SHA-256.
    """

    steps: NDArray[np.int8]
    scale: float
    longest: int
    prior: float
    name: str = ""


def stepped_weights(table: NDArray[np.float32], longest: int, prior: float) -> Weights:
    """Weights of shape (buckets, languages) in steps of a 127th of the largest."""
    scale = float(np.abs(table).max() / 127)
    return Weights(_padded_rows(np.rint(table / scale).astype(np.int8)), scale, longest, prior)


def write_weights(path: Path, weights: Weights) -> None:
    """Write the file."""
    np.savez_compressed(
        path,
        steps=weights.steps[:, : len(LANGUAGES)],
        scale=np.array(weights.scale, np.float64),
        longest=np.array(weights.longest, np.int64),
        prior=np.array(weights.prior, np.float64),
        languages=np.array(LANGUAGES),
    )


def _padded_rows(steps: NDArray[np.int8]) -> NDArray[np.int8]:
    padded = np.zeros((len(steps), LANES), np.int8)
    padded[:, : steps.shape[1]] = steps
    return padded


def read_weights(path: Path) -> Weights:
    """The weights in a file.

    Raises:
        ConfigError: there is none, or it holds something else.
    """
    try:
        content = path.read_bytes()
        weights = unpack_arrays(content)
        languages, steps = weights["languages"].tolist(), weights["steps"]
        scale, prior = float(weights["scale"]), float(weights["prior"])
        longest = int(weights["longest"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError) as error:
        raise ConfigError(
            f"cannot read the Scandinavian classifier {path}: {error}; name its weights, embedded or none"
        ) from error
    if languages != [*LANGUAGES]:
        raise ConfigError(f"{path} distinguishes other languages: {languages}")
    buckets = steps.shape[0] if steps.shape[1:] == (len(LANGUAGES),) else 0
    if steps.dtype != np.int8 or not buckets or buckets & (buckets - 1):
        raise ConfigError(f"{path} holds a Scandinavian classifier of an impossible shape")
    return Weights(_padded_rows(steps), scale, longest, prior, digest_of(content))


MOST_LETTERS = 1000
"""A page's language is clear by then."""

BLANK = 1
_LATIN_END = 0x250


class Letters(NamedTuple):
    """Letters of some texts, one after another, and where each text's begin (one entry more)."""

    letters: NDArray[np.uint8]
    starts: NDArray[np.int64]


@cache
def letter_table() -> NDArray[np.uint8]:
    """Number of each code point's lower-case letter, Latin up to U+024F; `BLANK` for others.

    The last entry stands for every code point above.
    """
    numbers: dict[str, int] = {}
    table = np.full(_LATIN_END + 1, BLANK, np.uint8)
    for code in range(_LATIN_END):
        lower = chr(code).lower()
        if chr(code).isalpha() and len(lower) == 1:
            table[code] = numbers.setdefault(lower, BLANK + 1 + len(numbers))
    return table


def read_letters(texts: Sequence[str]) -> Letters:
    """The first `MOST_LETTERS` letters and blanks of each text.

    >>> read_letters(["Åh, 2 får!"]).starts.tolist()
    [0, 8]
    """
    starts, data = string_buffers(pa.array(texts, pa.string()))
    letters = np.empty(int(starts[-1] - starts[0]) + 2 * len(texts), np.uint8)
    firsts = np.zeros(len(texts) + 1, np.int64)
    size = write_letters(starts, data, letter_table(), MOST_LETTERS, letters, firsts)
    return Letters(letters[:size], firsts)


EMBEDDED = "embedded"
NONE = "none"
WEIGHTS = Path(__file__).parent / "weights.npz"

LEAST_SUM = 0.05
"""Texts to which lid.176 gives the Scandinavian languages less than this are left as they are."""
SURE_OF_SWEDISH = 0.66
"""Where it gives Swedish this share of that sum, it is hardly ever wrong, and is left alone."""
LEAST_SCORE = 0.01
"""Scores below are not listed, as in lid.176's lists."""
_FLOOR = 0.02
"""Added to lid.176's scores, which must not rule a language out."""

_PLACES = {label: place for place, label in enumerate(LANGUAGES)}

ICELANDIC_ONLY = "þéö"
"""Letters of Icelandic that Faroese does not write (ö in old prints); 23 of 1,000 in its news."""
FAROESE_ONLY = "ø"
"""Beside the letters that both write, which Danish and Norwegian do not."""
LOG_ODDS_A_LETTER = 0.015
"""By which each letter of a text without any of the first speaks against Icelandic. By their share
it would be 0.023; less, for letters do not stand in a text as if each were drawn alone."""
MOST_LOG_ODDS = 3.0
OF_ANOTHER_LETTER = 4.0
"""By which a letter that Icelandic does not have speaks against it; names may hold one."""
FAROESE_WORDS = """
    at av eg einki eisini ella fyri hava henda hendan hesi hesin hesum hetta hevur hevði hon ikki
    meg millum nógv nógvar nógvir ongin ov seg sum síni tað teg teimum teir teirra tess tey tit tá
    tí tú tær varð vit vóru yvir
    altíð bleiv blivu hvat hvussu hvør hvørt ið ímillum kundi men nakar nakað nakrar nakrir níggju
    nøkur ongantíð onkur sambært sjey skuldi so søgn síðani tann tó tríggir tríggjar trý tvey"""
"""Words of closed classes, and hardly another, that Icelandic does not write so, and the other way
round. None is taken from what is measured on: each is the other's spelling of a common word."""
ICELANDIC_WORDS = """
    af að eða ekki einnig fyrir hafa hafi hafði hefur hún margir með mig mikið milli sem sig svo
    voru"""
LOG_ODDS_A_WORD = 3.0
"""By which one of them speaks for its language: other texts quote, and print wrongly."""
MOST_OF_WORDS = 9.0
SURE_AGAINST_FAROESE = 2.0
"""Faroese was trained on one translator's New Testament, whose runs of letters other Faroese does
not have. Where they speak for Icelandic by more than this, half of the rest is taken back."""
READ_CHARS = 1000
_WORD = re.compile(r"[^\W\d_]+")
_SPEAKS_FOR = {
    **dict.fromkeys(FAROESE_WORDS.split(), 1),
    **dict.fromkeys(ICELANDIC_WORDS.split(), -1),
}

Scores = Mapping[str, float]
Shares: TypeAlias = "NDArray[np.float64]"


class ScandinavianClassifier:
    """Divides what a language identifier gives the Scandinavian languages among them.

    Attributes:
        name: the start of the weights' SHA-256, and that letters and words count, for fingerprints.
    """

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self.name = _model_name(weights.name)

    def divide_scores(self, texts: Sequence[str], scores: Sequence[Scores]) -> list[Scores]:
        """The scores of each text with those of `LANGUAGES` divided anew; best first.

        Their sum stays, and so do all other labels. A text's scores do not depend on the others.
        """
        sums = _of_languages(scores)
        totals = sums.sum(axis=1)
        doubtful = sums[:, LANGUAGES.index("sv")] < SURE_OF_SWEDISH * totals
        chosen = np.flatnonzero((totals >= LEAST_SUM) & doubtful)
        divided = list(scores)
        shares = self.shares([texts[place] for place in chosen.tolist()], sums[chosen])
        rows = (shares * totals[chosen, np.newaxis]).round(6).tolist()
        for place, row in zip(chosen.tolist(), rows, strict=True):
            divided[place] = _label_scores(scores[place], row)
        return divided

    def shares(self, texts: Sequence[str], scores: Shares) -> Shares:
        """Probability of each of `LANGUAGES`, given that a text is in one of them.

        Args:
            scores: of lid.176, shape (texts, LANGUAGES). What it gives Icelandic speaks for
                Faroese as much, for which it has no label.
        """
        letters = read_letters(texts)
        weights = self._weights
        sums, counts = np.zeros((len(texts), LANES), np.int32), np.zeros(len(texts), np.int64)
        sum_letter_grams(letters, weights.longest, weights.steps, sums, counts)
        logits = weights.scale * sums / np.maximum(counts, 1)[:, np.newaxis]
        faroese, icelandic = (logits[:, LANGUAGES.index(code)] for code in ("fo", "is"))
        faroese += np.maximum(icelandic - SURE_AGAINST_FAROESE - faroese, 0) / 2
        prior = np.log(scores + _FLOOR)
        prior[:, LANGUAGES.index("fo")] = prior[:, LANGUAGES.index("is")]
        weighed = logits[:, : len(LANGUAGES)] + weights.prior * prior
        weighed[:, LANGUAGES.index("is")] -= [against_icelandic(text) for text in texts]
        powers = np.exp(weighed - weighed.max(axis=1, initial=0.0, keepdims=True))
        shares: Shares = powers / powers.sum(axis=1, keepdims=True)
        return shares


def against_icelandic(text: str) -> float:
    """Log odds against Icelandic that letters and common words of a text give.

    >>> against_icelandic("Það er nótt."), against_icelandic("Tjaldrið er ein vaðfuglur.")
    (0.0, 0.33)
    >>> against_icelandic("Føði"), against_icelandic("Tey koma aftur."), against_icelandic("Svo að")
    (4.06, 3.18, -5.925)
    """
    read = text[:READ_CHARS].lower()
    return round(_of_letters(read) + _of_words(read), 9)


def _of_words(text: str) -> float:
    more = sum(_SPEAKS_FOR.get(word, 0) for word in _WORD.findall(text))
    return max(-MOST_OF_WORDS, min(MOST_OF_WORDS, LOG_ODDS_A_WORD * more))


def _of_letters(letters: str) -> float:
    """Counted runs of letters do not show what a text has none of.

    Nearly every Icelandic sentence has one of `ICELANDIC_ONLY`, which Faroese never writes.
    """
    if any(letter in letters for letter in ICELANDIC_ONLY):
        return 0.0
    number = sum(map(str.isalpha, letters))
    absent = min(LOG_ODDS_A_LETTER * number, MOST_LOG_ODDS)
    return absent + OF_ANOTHER_LETTER * any(one in letters for one in FAROESE_ONLY)


def _of_languages(scores: Sequence[Scores]) -> Shares:
    """Scores of `LANGUAGES`; shape (texts, languages)."""
    shares = np.zeros((len(scores), len(LANGUAGES)))
    for row, of_text in zip(shares, scores, strict=True):
        for label, score in of_text.items():
            if label in _PLACES:
                row[_PLACES[label]] = score
    return shares


def _label_scores(scores: Scores, row: Sequence[float]) -> Scores:
    listed = {label: score for label, score in scores.items() if label not in _PLACES}
    listed |= {
        label: score for label, score in zip(LANGUAGES, row, strict=True) if score >= LEAST_SCORE
    }
    return dict(sorted(listed.items(), key=lambda pair: (-pair[1], pair[0])))


def name_of_scandinavian(setting: str) -> str | None:
    """The name of the classifier that a setting names, which is not loaded; None for "none".

    Raises:
        ConfigError: the file cannot be read.
    """
    if setting == NONE:
        return None
    try:
        return _model_name(digest_of(_weights_path(setting).read_bytes()))
    except OSError as error:
        raise ConfigError(f"cannot read the weights {setting}: {error}") from error


def _model_name(digest: str) -> str:
    return f"scandinavian-{digest}-letters-words-2"


def _weights_path(setting: str) -> Path:
    return WEIGHTS if setting == EMBEDDED else Path(setting)


@cache
def load_scandinavian(setting: str, labels: Sequence[str]) -> ScandinavianClassifier | None:
    """The classifier that a setting names; None for "none".

    Args:
        setting: embedded, none, or the path of a weights file.
        labels: of the language identifier whose scores are divided.

    Raises:
        ConfigError: the file is missing or something else, or the identifier does not name
            languages as lid.176 does.
    """
    if setting == NONE:
        return None
    if missing := [name for name in LANGUAGES if name not in labels and name != "fo"]:
        raise ConfigError(
            f"the language model has no label {missing[0]!r}, so its scores cannot be divided: "
            "set scandinavian_model = none"
        )
    return ScandinavianClassifier(read_weights(_weights_path(setting)))
