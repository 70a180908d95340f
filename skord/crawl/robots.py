"""The Robots Exclusion Protocol, RFC 9309, for files that were archived with the pages.

Python's own `urllib.robotparser` takes the first rule that fits and knows no wildcards. Protego
0.7 passes over a group named `CCBot/2.0` and a file that begins with a byte order mark, which
the RFC (§2.2.1, §2.3) wants read: a crawler's owner could say no and not be heard.

Where the RFC leaves a choice, the site is believed: a rule that does not begin with "/" is read
as if it did, misspelt keys and a missing colon are read as Google's parser reads them, and every
name of a `User-agent` line counts, digits included.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from skord.crawl.urls import canonical_escapes, path_of

MAX_BYTES = 500 * 1024
"""What lies beyond is not read; RFC 9309 §2.5 asks for no less."""

_BOUNDARIES = re.compile(r"[\s,;|]+")
"""What stands between two names of one `User-agent` line."""
_NAME = re.compile(r"[a-z0-9_.-]+")
_WHOLE_NAME = re.compile(r"[a-z0-9_.-]+( [a-z0-9_.-]+)*")
_STRAY_BYTE = re.compile("[\udc80-\udcff]")
_TOKEN = re.compile(r"[a-z_-]+")
"""A product token as RFC 9309 §2.2.1 and Google's parser have it, without digits."""

_KEYS = (
    ("user-agent", re.compile(r"user[- _]?agent", re.IGNORECASE)),
    ("allow", re.compile(r"allow", re.IGNORECASE)),
    ("disallow", re.compile(r"dis{1,2}allow|dis{1,2}alow|diasllow|disallaw", re.IGNORECASE)),
)
"""How keys begin; the misspellings are those that Google's parser accepts."""


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
            agents |= agents_of(value)
        elif agents and key in extra:
            others.append((key, value))
        elif agents:
            rules.append(Rule(key == "allow", pattern_of(value)))
    yield Group(tuple(sorted(agents)), tuple(rules), tuple(others))


def agents_of(value: str) -> set[str]:
    """The names of a `User-agent` line, in lower case; a name with version or digits counts twice.

    A list of names is read name by name, and a name of several words as a whole, too; what stands
    in brackets is a remark. `{""}` for a line that names nobody.

    >>> [sorted(agents_of(value)) for value in ("AI2Bot", "GPTBot/1.1, CCBot", "Kangaroo Bot", "*")]
    [['ai', 'ai2bot'], ['ccbot', 'gptbot'], ['bot', 'kangaroo', 'kangaroo bot'], ['*']]
    """
    whole = value.lower().partition("(")[0]
    names = {" ".join(whole.split())}
    for part in _BOUNDARIES.split(whole):
        if part == "*":
            names.add(part)
        for form in (_NAME, _TOKEN):
            if match := form.match(part):
                names.add(match[0].rstrip("."))
    return {name for name in names if name == "*" or _WHOLE_NAME.fullmatch(name)} or {""}


def named_lines(robots: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Keys that count and their values; all others are passed over (RFC 9309 §2.2.4).

    >>> list(named_lines("Useragent: a\\nDissallow /b\\nAllow me in", ["user-agent", "disallow"]))
    [('user-agent', 'a'), ('disallow', '/b')]
    """
    for line in re.split(r"\r\n?|\n", robots.removeprefix("\ufeff")):
        written, colon, value = line.partition("#")[0].strip().partition(":")
        if not colon:
            words = written.split()
            if len(words) != 2:
                continue
            written, value = words
        key = key_of(written.strip())
        if key in names:
            yield key, value.strip()


def key_of(written: str) -> str:
    """The key that is meant, in lower case.

    >>> key_of("User Agent"), key_of("DISALOW"), key_of("Sitemap")
    ('user-agent', 'disallow', 'sitemap')
    """
    meant = (key for key, form in _KEYS if form.match(written))
    return next(meant, written.lower())


def pattern_of(value: str) -> str:
    """The pattern as it is compared; "" for one that says nothing.

    A `$` that is not the last sign stands for itself, as `%24` always does (RFC 9309 §2.2.3).

    >>> pattern_of("/pris$/*.html$"), pattern_of("/pris%24")
    ('/pris%24/*.html$', '/pris%24')
    """
    if not value:
        return ""
    pattern = canonical_escapes(value if value[0] in "/*" else f"/{value}")
    end = "$" if pattern.endswith("$") else ""
    return pattern.removesuffix("$").replace("$", "%24") + end


def robots_text(stored: bytes) -> str:
    """The text of a file: UTF-8, or UTF-16 where a byte order mark says so.

    Bytes that are no UTF-8 become percent escapes, as they stand in addresses.

    >>> robots_text("Disallow: /å".encode()), robots_text("Disallow: /å".encode("latin-1"))
    ('Disallow: /å', 'Disallow: /%E5')
    """
    start = stored[:MAX_BYTES]
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return start.decode("utf-16", "replace")
    text = start.decode("utf-8", "surrogateescape")
    return _STRAY_BYTE.sub(lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def robots_allow(rules: tuple[Rule, ...], url: str) -> bool:
    """Whether an address may be fetched: the longest pattern that fits decides, or `allow`.

    >>> rules = (Rule(False, "/"), Rule(True, "/press"))
    >>> robots_allow(rules, "https://example.se/press/1"), robots_allow(rules, "https://example.se/")
    (True, False)
    """
    path = compared_path(url)
    fitting = [rule for rule in rules if rule.pattern and rule.fits(path)]
    return max(((len(rule.pattern), rule.allow) for rule in fitting), default=(0, True))[1]


def compared_path(url: str) -> str:
    """Path and query of an address as patterns are compared with them, `*` and `$` escaped.

    >>> compared_path("https://example.se/pris$?a=*")
    '/pris%24?a=%2A'
    """
    return path_of(url).replace("$", "%24").replace("*", "%2A")


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
    return tuple(Rule(key == "Allow", pattern_of(pattern)) for key, pattern in pairs)
