"""Reservations in the files of a site: robots.txt, /.well-known/tdmrep.json and /ai.txt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from skord.crawl.robots import (
    MAX_BYTES,
    Group,
    Rule,
    compared_path,
    groups_of,
    named_lines,
    pattern_of,
)
from skord.rights.page_signals import tdm_words
from skord.rights.reservations import EVERYBODY, Reservation, Source, reservation_line
from skord.rights.structured_fields import refused_uses, refuses_training

FILES = {"/robots.txt": "robots", "/.well-known/tdmrep.json": "tdmrep", "/ai.txt": "ai"}
"""Path on the site to the name of the file."""

_USAGE, _SIGNAL = "content-usage", "content-signal"

_REFUSALS: Mapping[str, tuple[Source, str, Callable[[str], object]]] = {
    _USAGE: (Source.aipref_robots_txt, "Content-Usage", refused_uses),
    _SIGNAL: (Source.content_signal_robots_txt, "Content-Signal", refuses_training),
}
"""Rules of robots.txt that say what may be used, by name: source, name as written, who refuses."""


@dataclass(frozen=True)
class SiteFiles:
    """Texts of a site's files; None where there is none."""

    robots: str | None = None
    tdmrep: str | None = None
    ai: str | None = None


@dataclass(frozen=True)
class SiteStatements:
    """What the files say, ready to be asked of addresses.

    Attributes:
        groups: for each different group that some agent follows: the agents and the group.
        licences: addresses of licences that robots.txt names.
        tdm: locations of tdmrep.json with the words of each, in order.
        ai: the group of ai.txt for everybody.
    """

    groups: Sequence[tuple[Sequence[str], Group]] = ()
    licences: Sequence[str] = ()
    tdm: Sequence[tuple[Rule, str | None]] = ()
    ai: Group = field(default_factory=lambda: Group((), ()))

    def reservations(self, url: str) -> list[Reservation]:
        """What is reserved of an address, tdmrep.json left out (`tdm_at`)."""
        path = compared_path(url)
        return [
            *(one for agents, group in self.groups for one in _of_group(agents, group, path)),
            *(reservation_line(Source.rsl_robots_txt, EVERYBODY, one) for one in self.licences),
            *_of_ai_txt(self.ai, path),
        ]

    def tdm_at(self, url: str) -> str | None:
        """Words of tdmrep.json that reserve an address; its first location that fits decides."""
        path = compared_path(url) if self.tdm else ""
        return next((words for rule, words in self.tdm if rule.fits(path)), None)


@lru_cache(maxsize=4096)
def site_statements(files: SiteFiles, agents: Sequence[str]) -> SiteStatements:
    """Read a site's files, for some crawlers, once for all of its pages that come near one another."""
    robots = (files.robots or "")[:MAX_BYTES]
    groups = list(groups_of(robots, extra=tuple(_REFUSALS)))
    chosen: dict[Group, list[str]] = {}
    for agent in agents:
        chosen.setdefault(_for_agent(groups, agent), []).append(agent)
    ai = _for_agent(list(groups_of((files.ai or "")[:MAX_BYTES])), EVERYBODY)
    return SiteStatements(
        groups=[
            (tuple(names), group) for group, names in chosen.items() if group.rules or group.extra
        ],
        licences=[
            value
            for _, value in named_lines(robots, ("license",))
            if value.lower().startswith(("http://", "https://"))
        ],
        tdm=list(_tdm_locations(files.tdmrep)),
        ai=ai,
    )


def _for_agent(groups: Sequence[Group], agent: str) -> Group:
    """All groups that a crawler must follow, as one."""
    named = [group for group in groups if agent.lower() in group.agents]
    chosen = named or [group for group in groups if EVERYBODY in group.agents]
    return Group(
        (agent.lower() if named and agent != EVERYBODY else EVERYBODY,),
        tuple(rule for group in chosen for rule in group.rules),
        tuple(line for group in chosen for line in group.extra),
    )


def deciding_rule(rules: Sequence[Rule], path: str) -> Rule | None:
    """The rule that decides over a path: the longest that fits, `allow` before `disallow`."""
    fitting = [rule for rule in rules if rule.pattern and rule.fits(path)]
    return max(fitting, key=lambda rule: (len(rule.pattern), rule.allow), default=None)


def _of_group(agents: Sequence[str], group: Group, path: str) -> Iterator[Reservation]:
    rule = deciding_rule(group.rules, path)
    if rule is not None and not rule.allow:
        for agent in agents:
            name = agent if group.agents != (EVERYBODY,) else EVERYBODY
            words = f"User-agent: {name} Disallow: {rule.pattern}"
            yield reservation_line(Source.robots_txt, agent, words)
        return
    for name, (source, shown, refuses) in _REFUSALS.items():
        lines = [value for key, value in group.extra if key == name]
        for value in _refusing_rules(lines, path, refuses):
            for agent in agents:
                yield reservation_line(source, agent, f"{shown}: {value}")


def _refusing_rules(
    values: Sequence[str], path: str, refuses: Callable[[str], object]
) -> Iterator[str]:
    """The rules of use that decide over a path and refuse: those of the longest pattern.

    draft-ietf-aipref-attach §3: a value that begins with "/" has a path, which a blank ends. Of
    several with one path each counts, and a refusal outranks a permission.
    """
    rules = []
    for value in values:
        path_pattern, usage = (
            [*value.split(None, 1), ""][:2] if value.startswith("/") else ("/", value)
        )
        rules.append((Rule(True, pattern_of(path_pattern)), usage, value))
    fitting = [one for one in rules if one[0].fits(path)]
    longest = max((len(rule.pattern) for rule, _, _ in fitting), default=0)
    for rule, usage, value in fitting:
        if len(rule.pattern) == longest and refuses(usage):
            yield value


def _of_ai_txt(group: Group, path: str) -> Iterator[Reservation]:
    """A page without a file name is asked for as what it is, `index.html`, too.

    ai.txt names kinds of files (`Disallow: *.html`); most addresses of pages do not.
    """
    if not group.rules:
        return
    plain = path.partition("?")[0]
    is_named = "." in plain.rsplit("/", 1)[-1]
    for asked in (path,) if is_named else (path, f"{plain.rstrip('/')}/index.html"):
        rule = deciding_rule(group.rules, asked)
        if rule is not None and not rule.allow:
            yield reservation_line(
                Source.ai_txt, EVERYBODY, f"User-agent: * Disallow: {rule.pattern}"
            )
            return


def _tdm_locations(text: str | None) -> Iterator[tuple[Rule, str | None]]:
    """Locations of a tdmrep.json; what is none of the format counts for nothing."""
    try:
        rows = json.loads((text or "[]").removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return
    for row in rows if isinstance(rows, list) else [rows]:
        if isinstance(row, dict) and isinstance(row.get("location"), str):
            yield Rule(False, pattern_of(row["location"])), _tdm_reservation(row)


def _tdm_reservation(row: Mapping[str, Any]) -> str | None:
    if str(row.get("tdm-reservation")).strip() != "1" or row.get("tdm-reservation") is True:
        return None
    policy = row.get("tdm-policy")
    return f"location: {row['location']}; " + tdm_words([policy] if isinstance(policy, str) else [])
