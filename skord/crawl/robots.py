"""The Robots Exclusion Protocol, RFC 9309, for files that were archived with the pages.

Python's own `urllib.robotparser` takes the first rule that fits and knows no wildcards. Protego
0.7 passes over a group named `CCBot/2.0` and a file that begins with a byte order mark, which
the RFC (§2.2.1, §2.3) wants read: a crawler's owner could say no and not be heard.

Where the RFC leaves a choice, the site is believed: a rule that does not begin with "/" is read
as if it did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from skord.crawl.urls import canonical_escapes, path_of

MAX_BYTES = 500 * 1024
"""What lies beyond is not read; RFC 9309 §2.5 asks for no less."""

_TOKEN = re.compile(r"[A-Za-z_-]+|\*")


@dataclass(frozen=True)
class Rule:
    """One `allow` or `disallow`; `*` stands for anything, a final `$` for the end."""

    allow: bool
    pattern: str

    def fits(self, path: str) -> bool:
        """Whether the path begins as the pattern says. Takes linear time for each `*`.

        >>> Rule(False, "/a*.pdf$").fits("/a/b.pdf"), Rule(False, "/a*.pdf$").fits("/a.pdf?b")
        (True, False)
        """
        first, parts, whole = self._cut
        if not path.startswith(first):
            return False
        at = len(first)
        for part in parts:
            position = path.find(part, at)
            if position < 0:
                return False
            at = position + len(part)
        return not whole or at == len(path) or (bool(parts) and path.endswith(parts[-1]))

    @cached_property
    def _cut(self) -> tuple[str, list[str], bool]:
        """What stands before the first `*`, between and behind them, and whether it is the end."""
        first, *parts = self.pattern.removesuffix("$").split("*")
        return first, parts, self.pattern.endswith("$")


def rules_for(robots: str, agent: str) -> tuple[Rule, ...]:
    """The rules that a crawler must keep: those of its name, or of `*` where it has none.

    Args:
        robots: text of the file.
        agent: the crawler's product token, such as "CCBot".

    >>> rules_for("User-agent: *\\nDisallow: /a\\n\\nUser-agent: CCBot\\nDisallow: /b", "CCBot")
    (Rule(allow=False, pattern='/b'),)
    """
    groups = list(groups_of(robots[:MAX_BYTES]))
    named = [group for group in groups if agent.lower() in group.agents]
    chosen = named or [group for group in groups if "*" in group.agents]
    return tuple(rule for group in chosen for rule in group.rules)


@dataclass(frozen=True)
class Group:
    """One group of a file.

    Attributes:
        agents: product tokens in lower case, sorted.
        rules: its `allow` and `disallow`, in order.
        extra: keys of other rules that were asked for, and their values.
    """

    agents: tuple[str, ...]
    rules: tuple[Rule, ...]
    extra: tuple[tuple[str, str], ...] = ()


def groups_of(robots: str, extra: Sequence[str] = ()) -> Iterator[Group]:
    """The groups of a file; rules before the first are passed over.

    Args:
        robots: text of the file.
        extra: names of further rules, in lower case, such as "content-usage".
    """
    agents: set[str] = set()
    rules: list[Rule] = []
    others: list[tuple[str, str]] = []
    for key, value in named_lines(robots, ("user-agent", "allow", "disallow", *extra)):
        if key == "user-agent":
            if rules or others:
                yield Group(tuple(sorted(agents)), tuple(rules), tuple(others))
                agents, rules, others = set(), [], []
            token = _TOKEN.match(value)
            agents.add(token[0].lower() if token else "")
        elif agents and key in extra:
            others.append((key, value))
        elif agents:
            rules.append(Rule(key == "allow", pattern_of(value)))
    yield Group(tuple(sorted(agents)), tuple(rules), tuple(others))


def named_lines(robots: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys that count and their values; all others are passed over (RFC 9309 §2.2.4)."""
    for line in re.split(r"\r\n?|\n", robots.removeprefix("\ufeff")):
        key, colon, value = line.partition("#")[0].partition(":")
        key = key.strip().lower()
        if colon and key in names:
            yield key, value.strip()


def pattern_of(value: str) -> str:
    """The pattern as it is compared; "" for one that says nothing."""
    if not value:
        return ""
    return canonical_escapes(value if value[0] in "/*" else f"/{value}")


def robots_allow(rules: tuple[Rule, ...], url: str) -> bool:
    """Whether an address may be fetched: the longest pattern that fits decides, or `allow`.

    >>> rules = (Rule(False, "/"), Rule(True, "/press"))
    >>> robots_allow(rules, "https://example.se/press/1"), robots_allow(rules, "https://example.se/")
    (True, False)
    """
    path = path_of(url)
    fitting = [rule for rule in rules if rule.pattern and rule.fits(path)]
    return max(((len(rule.pattern), rule.allow) for rule in fitting), default=(0, True))[1]


def forbids_anything(rules: tuple[Rule, ...]) -> bool:
    """Whether there is an address that they forbid; those of most sites do."""
    return any(rule.pattern and not rule.allow for rule in rules)


def robots_lines(rules: tuple[Rule, ...]) -> str:
    """The rules as lines.

    >>> robots_lines((Rule(False, "/a"), Rule(True, "/a/b")))
    'Disallow: /a\\nAllow: /a/b'
    """
    return "\n".join(f"{'Allow' if rule.allow else 'Disallow'}: {rule.pattern}" for rule in rules)


def rules_of_lines(lines: str) -> tuple[Rule, ...]:
    """The rules that `robots_lines` wrote."""
    pairs = (line.split(": ", 1) for line in lines.split("\n") if line)
    return tuple(Rule(key == "Allow", pattern) for key, pattern in pairs)
