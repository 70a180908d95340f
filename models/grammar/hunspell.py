"""All word forms of a hunspell dictionary, written out (hunspell(5); affixes of two levels).

Entries with the same flags and the same last letters take the same endings, so these are worked
out once for each such pair: the seven million forms of the Latvian dictionary take seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from skord.core.failures import ConfigError

Flags = frozenset[str]

MAX_LEVELS = 2
"""Endings on one another at most, as in hunspell."""

_FIELD = re.compile(r"\t|\s+(?=[a-z]{2}:)")
_CLASS = re.compile(r"\[[^\]]*\]|.")
_SPELLED_OUT = ("al:", "st:")
"""Fields in which the Danish dictionary hides forms of the entry."""


@dataclass(frozen=True)
class Rule:
    """One rule of an affix: what goes, what comes, what may follow, where it applies."""

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
    """What an `.aff` file says, as far as writing forms out goes."""

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
    said = re.search(rb"^SET\s+(\S+)", raw, re.MULTILINE)
    charset = said[1].decode("ascii").replace("ISO8859", "iso-8859") if said else "latin-1"
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
