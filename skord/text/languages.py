"""Which pages are in the languages asked for. Scores come from `lid176`.

The published pipeline keeps a page when its best label is one of its languages and scores
at least 0.2. A page in two languages, a shop in English and Swedish say, is then lost
whenever the other language scores higher, so the default rule here looks at every label.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from enum import StrEnum
from functools import cache

LanguageScores = Mapping[str, float]
"""Label of the model ("sv") to a probability in [0, 1]; labels with tiny scores are absent."""

LABEL_OF_CODE = {"nb": "no", "nob": "no"}
"""Bokmål has no label in lid.176: its Norwegian label is Bokmål, and Nynorsk has "nn"."""

UNLISTED = ("fo", "se", "kl")
"""Faroese, North Sámi, Greenlandic: languages without a label in lid.176, which a second look finds
(`models.scandinavian.unlisted_languages`)."""

ALL = "all"
"""In place of codes: every language that the model knows."""

MOST_SCORE_COLUMNS = 20
"""More languages than this have no column of scores each: `language_scores` holds them."""

SCANDINAVIAN = frozenset({"sv", "da", "no", "nb", "nn", "is", "fo"})
"""Labels of the Scandinavian languages; a model has either "no" or "nb"."""

MEANT_BY = {
    "se": "sv",  # country codes, taken for languages
    "dk": "da",
    "swe": "sv",  # ISO 639-3
    "dan": "da",
    "nor": "no",
    "nno": "nn",
    "isl": "is",
    "ice": "is",
    "fao": "fo",
    "sme": "se",
    "kal": "kl",
    "swedish": "sv",
    "danish": "da",
    "norwegian": "no",
    "bokmål": "no",
    "nynorsk": "nn",
    "icelandic": "is",
    "faroese": "fo",
    "estonian": "et",
    "finnish": "fi",
    "irish": "ga",
    "latvian": "lv",
    "lithuanian": "lt",
    "polish": "pl",
    "welsh": "cy",
}
"""What people write where lid.176 wants a two-letter code; used in messages only."""


class SelectionRule(StrEnum):
    """How the scores of a page decide whether it is selected."""

    ANY = "any"
    """Any of the languages reaches the minimum, whatever the best label is."""
    TOP = "top"
    """The best label is one of the languages and reaches the minimum: the published rule."""


def language_of(scores: LanguageScores) -> str | None:
    """The label with the highest score, the first in the alphabet among equals.

    None when nothing was recognised.

    >>> language_of({"no": 0.4, "da": 0.4, "sv": 0.1})
    'da'
    """
    top, most = None, 0.0
    for label, score in scores.items():
        if top is None or score > most or (score == most and label < top):
            top, most = label, score
    return top


def with_columns(languages: Collection[str]) -> list[str]:
    """Those of the selected languages whose scores are columns of their own.

    >>> with_columns(["sv", "fi"]), with_columns([ALL])
    (['sv', 'fi'], [])
    """
    many = ALL in languages or len(languages) > MOST_SCORE_COLUMNS
    return [] if many else list(languages)


def labels_of(code: str) -> tuple[str, ...]:
    """Labels that a model may have for a language, the code itself first.

    >>> labels_of("no"), labels_of("nb"), labels_of("sv")
    (('no', 'nb'), ('nb', 'no'), ('sv',))
    """
    others = [one for one, label in LABEL_OF_CODE.items() if label == code and len(one) == 2]
    return tuple(dict.fromkeys([code, LABEL_OF_CODE.get(code, code), *others]))


def score_of(scores: LanguageScores, language: str) -> float:
    """Score of one language code; a code the model does not use reads its covering label.

    >>> score_of({"no": 0.7, "nn": 0.2}, "nb")
    0.7
    """
    return next((scores[label] for label in labels_of(language) if label in scores), 0.0)


def is_selected_language(
    scores: LanguageScores,
    languages: Collection[str],
    minimum: float,
    rule: str = SelectionRule.ANY,
) -> bool:
    """Whether a page is in one of `languages`, scoring at least `minimum` (0 to 1).

    >>> page = {"en": 0.6, "sv": 0.3}
    >>> [is_selected_language(page, ["sv", "nb"], 0.2, rule) for rule in ("any", "top")]
    [True, False]

    >>> [is_selected_language({"fi": score, "et": 0.3}, [ALL], 0.5) for score in (0.6, 0.4)]
    [True, False]

    Raises:
        ValueError: `rule` is not a `SelectionRule`.
    """
    if ALL in languages:
        return max(scores.values(), default=0.0) >= minimum
    if SelectionRule(rule) is SelectionRule.TOP:
        top = language_of(scores)
        scores = {} if top is None else {top: scores[top]}
    reached = [label for label, score in scores.items() if score >= minimum]
    if minimum > 0 and covering(tuple(languages)).isdisjoint(reached):
        return False  # as most pages of a crawl
    return any(score_of(scores, language) >= minimum for language in languages)


@cache
def covering(languages: tuple[str, ...]) -> frozenset[str]:
    """Every label that may answer for one of the languages."""
    return frozenset(label for code in languages for label in labels_of(code))


def check_languages(languages: Iterable[str], known_labels: Collection[str]) -> None:
    """Refuse a language that the model can never answer; it would select nothing, silently.

    >>> check_languages(["sv", "se"], ["da", "no", "sv"])
    Traceback (most recent call last):
    ...
    ValueError: the language model has no label 'se'; did you mean sv?

    Raises:
        ValueError: one sentence naming the code and the labels nearest to it.
    """
    named = list(languages)
    if ALL in named and len(named) > 1:
        raise ValueError(f"say {ALL}, or name languages, not both")
    for code in named:
        if re.search(r"\w[\s;:/|+]+\w", code):
            raise ValueError(f"{code!r} is no language: part codes by commas, as in et,pl")
        if code != ALL and not any(label in known_labels for label in labels_of(code)):
            near = ", ".join(_near_labels(code, known_labels))
            hint = (
                f"did you mean {near}?"
                if near
                else f"known are {len(known_labels)} such as en, et, pl, sv"
            )
            raise ValueError(f"the language model has no label {code!r}; {hint}")


def _near_labels(code: str, known_labels: Collection[str]) -> list[str]:
    """The label that is meant, or at most three that look alike.

    >>> _near_labels("se", ["sv", "is"]), _near_labels("sx", ["sa", "sb", "sc", "sd"])
    (['sv'], ['sd', 'sc', 'sb'])
    """
    wanted = code.strip().lower()
    meant = MEANT_BY.get(wanted, LABEL_OF_CODE.get(wanted, wanted))
    if meant in known_labels:
        return [meant]
    return get_close_matches(wanted, sorted(known_labels), n=3, cutoff=0.5)


def in_small_letters(text: str) -> str:
    """The text in small letters where it has more capitals than these; else as it is.

    lid.176 hardly knows words in capitals: nine of ten languages are then taken for another.

    >>> in_small_letters("KOMMUNEN HAR BESTÄMT"), in_small_letters("SVT och DR är här")
    ('kommunen har bestämt', 'SVT och DR är här')
    """
    capitals, small = sum(map(str.isupper, text)), sum(map(str.islower, text))
    return text.lower() if capitals > small else text


MIN_LETTERS = 256
"""More letters of other scripts than this are enough to go by (Uzushio's number)."""

MIN_SHARE = 0.2
"""Of all letters. A Swedish page that quotes some Greek stays a Swedish page."""

SAMPLE_CHARS = 5_120
"""Characters looked at, runs of ASCII counted as one (Uzushio's buffer)."""

_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPTS = re.compile(
    "[^\\W\\d_\x00-\u02ff\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f"
    "\uff21-\uff3a\uff41-\uff5a]+"
)
"""Letters that are not Latin ones: ASCII to IPA, the later blocks, the full-width forms."""

_ASCII = re.compile("[\x00-\x7f]+")


def telling_text(text: str) -> str:
    """Return what the language of a page is to be judged by.

    Args:
        text: of the page, without paths and link marks.

    Returns:
        The first characters outside ASCII, each run of others between them one space, where
        letters of another script than Latin abound; else the text itself.

    >>> telling_text("これは本です。see also: " * 60)[:13]
    'これは本です。 これは本で'
    >>> telling_text("Blåbärssylt")
    'Blåbärssylt'
    """
    others = sum(map(len, _OTHER_SCRIPTS.findall(text)))
    if others <= MIN_LETTERS or others < MIN_SHARE * sum(map(len, _LETTERS.findall(text))):
        return text
    return _ASCII.sub(" ", text).strip()[:SAMPLE_CHARS]
