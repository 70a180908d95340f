"""Languages that a user adds: a folder with a file LANG.toml for each, and its models beside.

    stop_words = ["ja", "on", "ei"]        # words that any text of some length has
    sentence_ends = "।"                    # what ends a sentence besides . ! ? …
    notices = ["käytämme evästeitä"]       # phrases of notices on cookies, in small letters
    [letters]                              # for old pages that do not say their charset
    charsets = ["windows-1252"]            # what they may be in, likeliest first
    words = ["ja", "on", "ei"]             # frequent words without accents
    per_mille = { "ä" = 880, "ö" = 110 }   # of the letters beyond ASCII, how many are which

Each entry may be missing. What a file says of a language stands in place of what is shipped for it.
`skord study language LANG --text … --treebank … --out FOLDER` writes the file.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from skord.core.config import languages
from skord.core.failures import ConfigError

ENDING = ".toml"


@dataclass(frozen=True)
class Letters:
    """How old pages of a language are known.

    Attributes:
        charsets: what they may be in besides UTF-8, likeliest first.
        words: frequent words without accents, lower case.
        per_mille: lower-case letters beyond ASCII, and how many of a thousand each is.
    """

    charsets: tuple[str, ...]
    words: tuple[str, ...]
    per_mille: Mapping[str, float] = field(hash=False)


@dataclass(frozen=True)
class OwnLanguages:
    """What the files of a folder say, by language code.

    Attributes:
        stop_words: function words.
        sentence_ends: signs.
        notices: phrases of all languages, sorted; a page's notice is often in another one.
        letters: of the languages whose old pages can be told.
    """

    stop_words: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sentence_ends: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    letters: Mapping[str, Letters] = field(default_factory=dict)

    def digest(self, *parts: str) -> str:
        """Twelve hexadecimal digits of some of the attributes; empty where they say nothing.

        >>> OwnLanguages().digest("notices"), len(OwnLanguages(notices=("a",)).digest("notices"))
        ('', 12)
        """
        entries = [(name, value) for name in parts if (value := getattr(self, name))]
        return hashlib.sha256(repr(entries).encode()).hexdigest()[:12] if entries else ""


def own_languages() -> OwnLanguages:
    """What the folder of section [languages] says; nothing without one.

    Raises:
        ConfigError: there is no such folder, or a file in it has another form.
    """
    return read_languages(_languages_folder())


def with_own_folder(named: str) -> str:
    """A search path of models with the folder of section [languages] at its front, if any."""
    own = _languages_folder()
    return ":".join([own, named]) if own else named


def _languages_folder() -> str:

    return str(languages().folder)  # type: ignore[no-untyped-call]


@cache
def read_languages(folder: str) -> OwnLanguages:
    """What the files of a folder say; nothing of no folder.

    Raises:
        ConfigError: there is no such folder, or a file in it has another form.
    """
    if not folder:
        return OwnLanguages()
    if not Path(folder).is_dir():
        raise ConfigError(f"[languages] folder: there is no folder {folder}")
    files = {path.stem: path for path in sorted(Path(folder).glob(f"*{ENDING}"))}
    entries = {code: _read_language(path) for code, path in files.items()}
    return OwnLanguages(
        stop_words={
            code: tuple(one["stop_words"]) for code, one in entries.items() if "stop_words" in one
        },
        sentence_ends={
            code: one["sentence_ends"] for code, one in entries.items() if one.get("sentence_ends")
        },
        notices=tuple(
            sorted({phrase for one in entries.values() for phrase in one.get("notices", ())})
        ),
        letters={
            code: _parse_letters(one["letters"], files[code])
            for code, one in entries.items()
            if "letters" in one
        },
    )


_FORMS: Mapping[str, type] = {
    "stop_words": list,
    "sentence_ends": str,
    "notices": list,
    "letters": dict,
}


def _read_language(path: Path) -> dict[str, Any]:
    try:
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from error
    for name, value in entries.items():
        if name not in _FORMS:
            raise ConfigError(f"{path} has {name}: there is {', '.join(_FORMS)}")
        if not isinstance(value, _FORMS[name]) or (
            isinstance(value, list) and not _is_word_list(value)
        ):
            raise ConfigError(f"{path}: {name} is {value!r}: see docs/how-to/language.md")
    return entries


def _is_word_list(value: Any) -> bool:
    """Whether it is a list of words or phrases in small letters."""
    return isinstance(value, list) and all(
        isinstance(one, str) and one.strip() and one == one.lower() for one in value
    )


def _parse_letters(entries: Mapping[str, Any], path: Path) -> Letters:
    charsets, words, shares = (entries.get(name) for name in ("charsets", "words", "per_mille"))
    charsets = [str(one).lower() for one in charsets or ()]
    if not (
        charsets
        and _is_word_list(charsets)
        and _is_word_list(words)
        and isinstance(shares, dict)
        and shares
    ):
        raise ConfigError(f"{path}: [letters] needs charsets, words and per_mille")
    for letter, share in shares.items():
        if len(letter) != 1 or letter.isascii() or not isinstance(share, int | float) or share <= 0:
            raise ConfigError(f"{path}: [letters] per_mille has {letter!r} = {share!r}")
    return Letters(tuple(charsets), tuple(words or ()), dict(shares))
