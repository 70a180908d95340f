"""What a file LANG.toml can be filled with by counting text and trees of the language.

Stop words are counted as the shipped lists were: of a treebank the most frequent words of closed
classes. Without one they are the most frequent words altogether, which a person should look over.
"""

from __future__ import annotations

import gzip
import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError
from skord.html.charset.decoders import read
from skord.html.charset.letter_rules import RULES
from skord.models.grammar.treebanks.conllu import Sentence
from skord.quality.stop_words import STOP_WORDS
from skord.text.unicode_tables import QUOTES, TERMINALS, WIDE_TERMINALS

CLOSED = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})
MOST_STOP_WORDS = 10
MOST_KNOWN_WORDS = 60
LEAST_KNOWN_WORDS = 20
LEAST_END_SHARE = 0.02
"""Of the sentences, for a sign that ends them; of the lines of a text it must be twice as much."""
LEAST_PER_MILLE = 0.5
COMMON_PER_MILLE = 5.0
"""A charset without a letter as frequent as this is not one of the language's."""
CHARSETS = (
    "windows-1252", "windows-1257", "windows-1250", "windows-1254", "windows-1258", "windows-1251",
    "windows-1253", "iso-8859-15", "iso-8859-13", "iso-8859-4", "iso-8859-10", "iso-8859-2",
    "iso-8859-3", "iso-8859-14", "iso-8859-16", "iso-8859-5", "iso-8859-7", "koi8-u", "koi8-r",
)  # fmt: skip
"""That pages are in besides UTF-8, the commoner first."""
_WORD = re.compile(r"[^\W\d_]+")
_HIGH = bytes(range(0x80, 0x100))


@dataclass(frozen=True)
class Counted:
    """What was counted of a language.

    Attributes:
        stop_words: the most frequent first; empty without text.
        sentence_ends: signs besides the usual.
        per_mille: lower-case letters beyond ASCII: how many of a thousand each is.
        known_words: frequent words in ASCII that are not those of another language.
        charsets: 8-bit ones that have the letters.
    """

    words: Counter[str]
    stop_words: tuple[str, ...]
    sentence_ends: str
    per_mille: Mapping[str, float]
    known_words: tuple[str, ...]
    charsets: tuple[str, ...]

    @property
    def knows_charsets(self) -> bool:
        """Whether old pages can be known by what was counted."""
        return bool(self.charsets) and len(self.known_words) >= LEAST_KNOWN_WORDS


def read_text(paths: Sequence[Path]) -> list[str]:
    """The lines of some files, packed or not, that are not empty.

    Raises:
        ConfigError: a file is not there, is no text, or there is not a line.
    """
    lines: list[str] = []
    for path in paths:
        try:
            with (gzip.open if path.suffix == ".gz" else open)(
                path, "rt", encoding="utf-8"
            ) as file:
                lines += [line.strip() for line in file if line.strip()]
        except (OSError, EOFError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} cannot be read as text ({error})") from error
    if paths and not lines:
        raise ConfigError(f"{paths[0]} has no text")
    return lines


def count_language(language: str, lines: Iterable[str], trees: Sequence[Sentence] = ()) -> Counted:
    """Count lines of text and trees of a language.

    >>> counts = count_language("xx", ["Hän ei tule.", "Se ei ole hän."] * 9)
    >>> counts.stop_words[:2], dict(counts.per_mille), counts.charsets
    (('ei', 'hän'), {'ä': 1000.0}, ('windows-1252',))
    """
    text = [*lines, *(tree.text for tree in trees)]
    words = Counter(word for line in text for word in _WORD.findall(line.lower()))
    letters = _of_main_script(Counter(letter for word, n in words.items() for letter in word * n))
    letters = Counter({letter: n for letter, n in letters.items() if not letter.isascii()})
    total = max(1, letters.total())
    per_mille = {
        letter: round(1000 * number / total, 1)
        for letter, number in sorted(letters.items(), key=lambda pair: (-pair[1], pair[0]))
        if 1000 * number / total >= LEAST_PER_MILLE
    }
    return Counted(
        words=words,
        stop_words=_stop_words(words, trees),
        sentence_ends=_sentence_ends(text, trees),
        per_mille=per_mille,
        known_words=_known_words(language, words),
        charsets=_charsets(per_mille),
    )


def _of_main_script(letters: Counter[str]) -> Counter[str]:
    """Without those of scripts that the text only quotes."""

    def script(letter: str) -> str:
        return unicodedata.name(letter, "").partition(" ")[0]

    scripts: Counter[str] = Counter()
    for letter, number in letters.items():
        scripts[script(letter)] += number
    main = max(scripts, key=lambda one: scripts[one], default="")
    return Counter({letter: n for letter, n in letters.items() if script(letter) == main})


def _stop_words(words: Counter[str], trees: Sequence[Sentence]) -> tuple[str, ...]:
    closed = Counter(
        token.form.lower()
        for tree in trees
        for token in tree.tokens
        if token.part in CLOSED and token.form.isalpha()
    )
    return tuple(word for word, _ in _by_count(closed or words)[:MOST_STOP_WORDS])


def _by_count(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def _sentence_ends(lines: Sequence[str], trees: Sequence[Sentence]) -> str:
    """Signs that enough sentences end with; of lines where there are no trees.

    >>> [_sentence_ends(["کیا؟", *["ہاں"] * n], ()) for n in (24, 25)]
    ['؟', '']
    """
    least = LEAST_END_SHARE if trees else 2 * LEAST_END_SHARE
    last = [tree.tokens[-1].form for tree in trees] or [line[-1] for line in lines]
    usual = TERMINALS + WIDE_TERMINALS + QUOTES + ",:-–—"
    signs = Counter(
        sign
        for sign in last
        if len(sign) == 1 and unicodedata.category(sign) == "Po" and sign not in usual
    )
    return "".join(sign for sign, n in _by_count(signs) if n >= least * len(last))


def _known_words(language: str, words: Counter[str]) -> tuple[str, ...]:
    """Without those that the rules and lists of other languages have."""
    others = {word for code, some in STOP_WORDS.items() if code != language for word in some}
    for rule in RULES:
        others |= rule.known if rule.language != language else set()
    frequent = (word for word, _ in _by_count(words) if word.isascii() and len(word) > 1)
    return tuple(word for word in frequent if word not in others)[:MOST_KNOWN_WORDS]


def _charsets(per_mille: Mapping[str, float]) -> tuple[str, ...]:
    """Those that have the letters, without any that has them at the same bytes as one before."""
    common = [letter for letter, share in per_mille.items() if share >= COMMON_PER_MILLE]
    places: dict[tuple[int, ...], str] = {}
    for name in CHARSETS:
        signs = read(_HIGH, name, "replace")
        if common and all(letter in signs for letter in common):
            places.setdefault(tuple(map(signs.index, common)), name)
    return tuple(places.values())


def toml_of(language: str, counts: Counted) -> str:
    """The text of LANG.toml."""
    parts = [
        f"# {language}: see docs/how-to/language.md. What is taken out is not judged.",
        f"stop_words = {_toml_list(counts.stop_words)}",
        "# What ends a sentence besides . ! ? … and their wide forms.",
        f"sentence_ends = {json.dumps(counts.sentence_ends, ensure_ascii=False)}",
        "# Phrases of notices on cookies, privacy and terms of use, in small letters.",
        "notices = []",
    ]
    if counts.knows_charsets:
        shares = ", ".join(f'"{letter}" = {share}' for letter, share in counts.per_mille.items())
        parts += [
            "\n[letters]",
            f"charsets = {_toml_list(counts.charsets)}",
            f"words = {_toml_list(counts.known_words)}",
            f"per_mille = {{ {shares} }}",
        ]
    return "\n".join(parts) + "\n"


def _toml_list(words: Sequence[str]) -> str:
    return json.dumps(list(words), ensure_ascii=False)
