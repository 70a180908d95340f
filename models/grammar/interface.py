"""The grader of a language: its shipped or own grammar, with its word forms."""

from __future__ import annotations

import hashlib
import lzma
from functools import cache
from pathlib import Path

import numpy as np

from skord.core.failures import ConfigError
from skord.models.grammar.accents import RESTORED, AccentRestorer
from skord.models.grammar.forms import BUNDLED, dictionary_digest, dictionary_path, load_forms
from skord.models.grammar.grader import Grader
from skord.models.grammar.grammar import ChunkGrammar, parse_grammar
from skord.models.grammar.grammaticality import FEATURES, Calibration

EMBEDDED = "embedded"
SHIPPED = Path(__file__).with_name("embedded")
ENDING = ".grammar.xz"


def graded_languages(folder: str = EMBEDDED) -> list[str]:
    """Codes of the languages that there is a grammar for, sorted.

    >>> graded_languages()
    ['da', 'is', 'lv', 'nb', 'nn', 'sv']
    """
    paths = {path.name for place in _grammar_folders(folder) for path in place.glob(f"*{ENDING}")}
    return sorted(name.removesuffix(ENDING) for name in paths)


def grammar_language(language: str, folder: str = EMBEDDED) -> str | None:
    """The grammar that a text of that language is graded by; fastText's `no` is Bokmål.

    >>> grammar_language("no"), grammar_language("fo")
    ('nb', None)
    """
    known = graded_languages(folder)
    code = "nb" if language == "no" and "no" not in known else language
    return code if code in known else None


@cache
def load_grammar(language: str, folder: str = EMBEDDED) -> ChunkGrammar:
    """The grammar of a language; read once per process.

    Raises:
        ConfigError: there is none, or the file is something else.
    """
    path = grammar_path(language, folder)
    try:
        return parse_grammar(lzma.decompress(path.read_bytes()).decode())
    except (OSError, lzma.LZMAError, ValueError) as error:
        raise ConfigError(f"{path} is no grammar: {error}") from error


@cache
def load_grader(language: str, folder: str = EMBEDDED, dictionaries: str = BUNDLED) -> Grader:
    """The grader of a language; one per process, for it remembers words.

    Args:
        folder: "embedded", or one with `LANG.grammar.xz` of your own; several with ":" between.
        dictionaries: see `forms.dictionary_path`.

    Raises:
        ConfigError: there is no grammar, or no dictionary of a language that has one.
    """
    return Grader(load_grammar(language, folder), load_forms(language, dictionaries))


@cache
def load_calibration(language: str, folder: str = EMBEDDED) -> Calibration | None:
    """The weights of `grammaticality` in a grammar; None in one that was never calibrated.

    Raises:
        ConfigError: there is no grammar, or its weights are none.
    """
    path, head = grammar_path(language, folder), load_grammar(language, folder).head
    if not head.get("calibration"):
        return None
    try:
        calibration = Calibration(**head["calibration"])
        shape = np.array(calibration.weights, float).shape
        lengths = (len(calibration.words), len(calibration.constants))
        numbers = np.array([*calibration.words, *calibration.constants], float)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path} has no calibration: {error}") from error
    if lengths != shape[:1] * 2 or shape[1:] != (len(FEATURES),) or not np.isfinite(numbers).all():
        raise ConfigError(f"{path} has a calibration of another shape")
    return calibration


@cache
def load_restorer(
    language: str, folder: str = EMBEDDED, dictionaries: str = BUNDLED
) -> AccentRestorer | None:
    """What puts accents back; None for languages in which nobody leaves them out like that."""
    if language not in RESTORED:
        return None
    return AccentRestorer(load_grammar(language, folder), load_forms(language, dictionaries))


def grader_name(language: str, folder: str = EMBEDDED, dictionaries: str = BUNDLED) -> str:
    """Language and digests of grammar and dictionary: what decides its grades."""
    digest = hashlib.sha256(grammar_path(language, folder).read_bytes()).hexdigest()[:12]
    path = dictionary_path(language, dictionaries)
    return f"{language}-{digest}-{dictionary_digest(path) if path else 'no-dictionary'}"


def grammar_path(language: str, folder: str = EMBEDDED) -> Path:
    """Where the grammar of a language lies: in the first folder that has it."""
    places = [place / f"{language}{ENDING}" for place in _grammar_folders(folder)]
    return next((path for path in places if path.exists()), places[-1])


def _grammar_folders(folder: str) -> list[Path]:
    """The folders of a search path, such as `mine:embedded`."""
    named = folder.split(":")
    return [SHIPPED if one in ("", EMBEDDED) else Path(one) for one in named]
