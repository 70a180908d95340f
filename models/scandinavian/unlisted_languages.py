"""Languages that lid.176 has no label for: Faroese, North Sámi, Greenlandic.

Faroese is the matter of `interface`. Of the other two no text is at hand to train on, so they are
recognised by what any grammar of them has. North Sámi (`se`): words of closed classes that no neighbour
has, and the letters đ, ŋ, ŧ beside á (Nickel & Sammallahti, Nordsamisk grammatikk). Greenlandic
(`kl`): q at the end of words and before other letters than u, doubled vowels, and none of the letters
that Greenlandic words do not have (Fortescue, West Greenlandic).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skord.models.language_id.batches import LanguageBatches, ScoreColumns
from skord.models.scandinavian.interface import EMBEDDED, ScandinavianClassifier, load_scandinavian
from skord.text.languages import UNLISTED
from skord.text.words import TextColumn

NORTH_SAMI, GREENLANDIC = "se", "kl"

READ_CHARS = 2_000
_LEAST_WORDS, _LEAST_HITS = 4, 2
_LEAST_SAMI = 0.1
"""Share of words that are North Sámi's alone; in its prose it is .2 to .4."""
_LEAST_Q, _LEAST_DOUBLED, _MOST_FOREIGN = 0.15, 0.25, 0.04
"""Shares of words with such a q and with a doubled vowel, and of letters that are foreign; in
Greenlandic prose they are .4 to .6, .5, and .01."""
_MOST = 0.95
"""Score of a text with twice the least share or more."""

_SAMI_WORDS = """
    lea leat ledje leamaš leamašan leaš eai dát dáid dáin dása dás dán daid dainna dahje muhto
    maid maiddái dušše ahte nugo maŋŋel maŋŋá ovdal galgá galget galggašii sáhttá sáhttet ferte
    fertejit iežas iežaset bokte buot eará earát eanet dego geat geain geaid dieđut dieđuid
    gávdnojit sámi sámegiela sámegillii sámiid dárogillii báikkis jagi jagis beaivvi olbmot
    olbmuid mánáid ođđa ovttas oktan vuostá birra mielde rájes vuođul gaskkas gielda gieldda
    giella giela"""
_WORDS = frozenset(_SAMI_WORDS.split())
_SAMI_LETTERS = re.compile(r"[đŋŧ]|vuoh|vuođ|eaš|hči|áž|šš")
_WORD = re.compile(r"[^\W\d_]+")
_Q = re.compile(r"q(?!u)")
_DOUBLED = re.compile(r"aa|ii|uu")
_FOREIGN = re.compile(r"[bcdhwxyzåæøäö]")

Scores = Mapping[str, float]


def with_unlisted_languages(texts: Sequence[str], scores: Sequence[Scores]) -> list[Scores]:
    """The scores of each text, with `se` or `kl` in front where it is in one of these.

    What the others had is multiplied by what is left, so that the sum stays 1 at most.

    >>> text = "Gielda lea mearridan giddet šalddi golmma vahkkui go bidjet ođđa asfáltta."
    >>> list(with_unlisted_languages([text], [{"fi": 0.6}])[0])
    ['se', 'fi']
    """
    return [_with_unlisted(*pair) for pair in zip(texts, scores, strict=True)]


def _with_unlisted(text: str, scores: Scores) -> Scores:
    label, share = unlisted_language(text)
    if label is None:
        return scores
    left = {name: round(score * (1 - share), 6) for name, score in scores.items()}
    listed = {label: round(share, 6), **left}
    return dict(sorted(listed.items(), key=lambda pair: (-pair[1], pair[0])))


def unlisted_language(text: str) -> tuple[str | None, float]:
    """`se` or `kl` and its score, or None and 0.

    >>> unlisted_language("Inuit tamarmik inunngorput nammineersinnaassuseqarlutik assigiimmillu.")
    ('kl', 0.72)
    >>> unlisted_language("Kunta on päättänyt sulkea sillan kolmeksi viikoksi.")
    (None, 0.0)
    """
    words = _WORD.findall(text[:READ_CHARS].lower())
    if len(words) < _LEAST_WORDS:
        return None, 0.0
    sami = sum(word in _WORDS or bool(_SAMI_LETTERS.search(word)) for word in words)
    if sami >= _LEAST_HITS and sami >= _LEAST_SAMI * len(words):
        return NORTH_SAMI, _score(sami / len(words) / _LEAST_SAMI)
    q = sum(map(bool, map(_Q.search, words))) / len(words)
    doubled = sum(map(bool, map(_DOUBLED.search, words))) / len(words)
    letters = "".join(words)
    foreign = len(_FOREIGN.findall(letters)) / len(letters)
    if q >= _LEAST_Q and doubled >= _LEAST_DOUBLED and foreign <= _MOST_FOREIGN:
        return GREENLANDIC, _score(min(q / _LEAST_Q, doubled / _LEAST_DOUBLED))
    return None, 0.0


def _score(times_the_least: float) -> float:
    """From .6 at the least share to `_MOST` at twice of it, to two decimals."""
    return round(min(_MOST, 0.6 + (_MOST - 0.6) * (times_the_least - 1)), 2)


def scores_with_unlisted(
    texts: Sequence[str], scores: Sequence[Scores], classifier: ScandinavianClassifier | None
) -> list[Scores]:
    """The scores of each text, those of the Scandinavian languages and Faroese divided anew.

    Args:
        scores: what the language identifier gives each.
        classifier: of the Scandinavian languages; without one Faroese stays Icelandic.
    """
    divided = classifier.divide_scores(texts, scores) if classifier else scores
    return with_unlisted_languages(texts, divided)


def columns_with_unlisted(identifier: LanguageBatches) -> Callable[..., ScoreColumns]:
    """`LanguageBatches.columns_of` with such languages.

    Raises:
        ConfigError: the identifier does not name languages as lid.176 does.
    """
    classifier = load_scandinavian(EMBEDDED, tuple(identifier.one_by_one.labels))

    def columns_of(
        texts: TextColumn, wanted: NDArray[np.bool_], *, glued: bool, **_: Any
    ) -> ScoreColumns:
        listed = identifier.columns_of(texts, wanted, glued=glued)
        scored = np.flatnonzero(listed.counts)
        read = [texts.text(at) for at in scored.tolist()]
        of_texts = scores_with_unlisted(read, listed.of_texts(scored), classifier)
        names = list(dict.fromkeys([*listed.names, *UNLISTED]))
        number_of = {name: number for number, name in enumerate(names)}
        counts = np.zeros_like(listed.counts)
        counts[scored] = list(map(len, of_texts))
        labels = np.array([number_of[name] for each in of_texts for name in each], np.int32)
        values = np.array([value for each in of_texts for value in each.values()], np.float64)
        return ScoreColumns(names, counts, labels, values)

    return columns_of
