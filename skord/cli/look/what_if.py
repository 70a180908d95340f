"""Which pages would pass or fall if the limits were others; decided anew, measured once."""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from skord.cli.declarations import SettingCount, WhatIfSetting
from skord.cli.json_output import print_json
from skord.cli.look.features import limits_in_force
from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.core.readable import check_readable
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import ID
from skord.extras import declared
from skord.quality.features import FEATURES, features_on_request, tasks_on_request
from skord.quality.limits import decide_quality, quality_limits
from skord.rights.reservations import are_reserved, parse_reservation_pattern

ALL = "all"
RESERVATIONS = "reservations"
SHOWN_CHARACTERS = 600

Limits = dict[str, tuple[float, float]]


@dataclass(frozen=True)
class Flip:
    """A page that the change decides otherwise.

    Attributes:
        passes: whether it passes then; it was the other way round.
        reasons: the features that stop it: then, if it falls; before, if it passes.
    """

    id: str
    url: str
    language: str
    text: str
    passes: bool
    reasons: Mapping[str, float]


@dataclass
class Outcome:
    """What a change of limits does to a dump.

    Attributes:
        before: pages that pass now, by language and `all`; `after`, with the change; `risen` and
            `fallen`, that pass only with it, and only without.
        flips: some of them, evenly spread over the dump.
        settings: name of a setting of an extra to what it would do to the pages that pass then.
    """

    before: Counter[str] = field(default_factory=Counter)
    after: Counter[str] = field(default_factory=Counter)
    risen: Counter[str] = field(default_factory=Counter)
    fallen: Counter[str] = field(default_factory=Counter)
    flips: list[Flip] = field(default_factory=list)
    settings: dict[str, SettingCount] = field(default_factory=dict)


def run(options: argparse.Namespace) -> None:
    """Count and show the pages that flip."""
    store = ColumnStore(open_storage(), options.dump)
    check_readable(options.dump)
    now = limits_now(store)
    changes = [part for text in options.changes for part in text.split(",")]
    patterns, settings = reservation_change(changes), setting_changes(changes)
    others = (RESERVATIONS, *(one.name for one in declared(WhatIfSetting)))
    then = changed_limits(
        now, [one for one in changes if not any(_sets(one, name) for name in others)]
    )
    outcome = what_if(store, now, then, options.show, patterns, settings)
    if options.json:
        print_json(values_of(outcome, options.dump, now, then))
        return
    if patterns:
        print(f"left out as reserved by {', '.join(patterns)}")
    if then != now or patterns:
        print("\n".join(lines_of(outcome, now, then)))
    elif not outcome.settings:
        print("no page changes: these are the limits in force")
    for setting in declared(WhatIfSetting):
        if setting.name in outcome.settings:
            print("\n".join(setting.lines(outcome.settings[setting.name])))


def limits_now(store: ColumnStore) -> Limits:
    """The limits in force, the export's among them where what they are of has been measured."""
    unmeasured = {
        one.name
        for task in tasks_on_request()
        if store.manifest(task) is None
        for one in features_on_request(task)
    }
    in_force = limits_in_force(store.dump)
    return {name: pair for name, pair in in_force.items() if name not in unmeasured}


def _sets(change: str, name: str) -> bool:
    return change.partition("=")[0].strip() == name


def reservation_change(changes: Sequence[str]) -> list[str]:
    """The reservations that are to decide, as `--set reservations=A+B` names them.

    >>> reservation_change(["reservations=tdmrep_*+robots_txt:GPTBot", "num_words=5"])
    ['tdmrep_*', 'robots_txt:GPTBot']
    """
    values = [one.partition("=")[2] for one in changes if _sets(one, RESERVATIONS)]
    patterns = [part.strip() for text in values for part in text.split("+") if part.strip()]
    try:
        list(map(parse_reservation_pattern, patterns))
    except ValueError as error:
        raise ConfigError(f"--set reservations: {error}") from error
    return patterns


def setting_changes(changes: Sequence[str]) -> dict[str, str]:
    """Settings of extras to the values that `--set` gives them."""
    asked = {}
    for setting in declared(WhatIfSetting):
        for value in (one.partition("=")[2].strip() for one in changes if _sets(one, setting.name)):
            if value not in setting.values:
                known = ", ".join(setting.values)
                raise ConfigError(f"--set {setting.name}={value}: give {known}")
            asked[setting.name] = value
    return asked


def changed_limits(now: Mapping[str, tuple[float, float]], changes: Sequence[str]) -> Limits:
    """The limits in force with those of `--set` in their place.

    >>> changed_limits({"unigram_entropy": (3.0, math.inf)}, ["unigram_entropy=2.5"])
    {'unigram_entropy': (2.5, inf)}
    >>> changed_limits({"top_2_gram_char_ratio": (0, 0.2)}, ["top_2_gram_char_ratio=0.3"])
    {'top_2_gram_char_ratio': (0, 0.3)}
    >>> changed_limits({"content_length": (100, math.inf)}, ["content_length=off"])
    {}
    >>> changed_limits({}, ["content_length=5..1"])
    Traceback (most recent call last):
    skord.core.failures.ConfigError: --set content_length=5..1: no value lies between 5 and 1
    """
    asked: Limits = dict(now)
    for change in (part for text in changes for part in text.split(",")):
        name, equals, value = (word.strip() for word in change.partition("="))
        if not equals or not value:
            raise ConfigError(f"--set {change!r}: give NAME=VALUE, NAME=LOW..HIGH or NAME=off")
        try:
            known = (
                now.get(name)
                or quality_limits({name: (-math.inf, math.inf)}, (), has_later=True)[name]
            )
        except ValueError as error:
            raise ConfigError(f"--set {change!r}: {error}") from error
        asked.pop(name, None)
        if value != "off":
            low, high = asked[name] = _pair(name, value, known)
            if not low <= high:
                raise ConfigError(f"--set {change}: no value lies between {low:g} and {high:g}")
    return asked


def _pair(name: str, written: str, known: tuple[float, float]) -> tuple[float, float]:
    """Lowest and highest value.

    >>> [_pair("chars", written, (0, 9)) for written in ("2..", "..3", "2..3")]
    [(2.0, inf), (-inf, 3.0), (2.0, 3.0)]
    """
    low, dots, high = written.partition("..")
    try:
        if dots:
            return float(low or -math.inf), float(high or math.inf)
        value = float(written)
    except ValueError as error:
        raise ConfigError(f"--set {name}={written}: {written!r} is no number") from error
    has_low, has_high = known[0] not in (0, -math.inf), math.isfinite(known[1])
    if has_low != has_high:
        return (value, known[1]) if has_low else (known[0], value)
    raise ConfigError(
        f"--set {name}={written}: it has {'two limits' if has_low else 'no limit yet'}: "
        f"give {name}=LOW..HIGH, either of which may be left out"
    )


def what_if(
    store: ColumnStore,
    now: Limits,
    then: Limits,
    show: int,
    reserving: Sequence[str] = (),
    settings: Mapping[str, str] | None = None,
) -> Outcome:
    """Decide every page of a dump by both sets of limits.

    So many pages that flip are kept to `show`; patterns of `reserving` decide then, and do not now;
    `settings` are those of extras then.

    Raises:
        ConfigError: FilterDocuments is not complete, or a task on request whose columns are asked.
    """
    tried = [one for one in declared(WhatIfSetting) if one.name in (settings or {})]
    for task in [*_tasks_beside({*now, *then}, reserving), *(one.task for one in tried)]:
        store.complete_manifest(task)
    manifest = store.complete_manifest("FilterDocuments")
    outcome = Outcome(settings={one.name: one.count((settings or {})[one.name]) for one in tried})
    num_shards = int(manifest["num_shards"])
    for shard in range(num_shards):
        kept = len(outcome.flips)
        room = math.ceil((show - kept) / (num_shards - shard))
        for counted in outcome.settings.values():
            counted.room = math.ceil(show * (shard + 1) / num_shards)
        outcome.flips += _decide_shard(store, shard, now, then, outcome, room, reserving)
    return outcome


def _decide_shard(
    store: ColumnStore,
    shard: int,
    now: Limits,
    then: Limits,
    outcome: Outcome,
    room: int,
    reserving: Sequence[str],
) -> list[Flip]:
    beside = _tasks_beside({*now, *then}, reserving)
    later_names = {name for names in beside.values() for name in names}
    names = sorted({*now, *then} - later_names)
    wanted = {"FilterDocuments": [*names, "language", "failure"], **beside}
    flips: list[Flip] = []
    for group, batch in store.side_by_side(shard, wanted):
        plain = batch.rename_columns(
            [n if n.endswith(f".{RESERVATIONS}") else n.split(".")[-1] for n in batch.schema.names]
        )
        judged = plain["failure"].is_null().combine_chunks()
        before, why_before = (part for part in decide_quality(plain, now))
        after, why_after = (part for part in decide_quality(plain, then))
        was, is_ = pc.and_(before, judged), pc.and_(after, judged)
        if reserving:
            reserved = are_reserved(batch[f"DetectReservations.{RESERVATIONS}"], reserving)
            is_ = pc.and_not(is_, pa.array(reserved, pa.bool_()))
        languages = pc.fill_null(plain["language"], "unknown")
        for counter, mask in (
            (outcome.before, was),
            (outcome.after, is_),
            (outcome.risen, pc.and_not(is_, was)),
            (outcome.fallen, pc.and_not(was, is_)),
        ):
            _count(counter, languages, mask)
        ids = {*batch[ID.name].filter(is_).to_pylist()} if outcome.settings else set()
        for counted in outcome.settings.values():
            counted.add(store, shard, group, ids)
        rows = pc.indices_nonzero(pc.xor(was, is_)).to_pylist()[: room - len(flips)]
        if rows:
            passes = is_.take(rows).to_pylist()
            why = [
                (why_before if rises else why_after)[row].as_py()
                for row, rises in zip(rows, passes, strict=True)
            ]
            flips += _flips(store, shard, group, plain.take(rows), why, passes)
    return flips


def _tasks_beside(names: Collection[str], reserving: Sequence[str]) -> dict[str, list[str]]:
    """Tasks on request and the columns of theirs that decide."""
    wanted = {
        task: [one.name for one in features_on_request(task) if one.name in names]
        for task in tasks_on_request()
    }
    if reserving:
        wanted["DetectReservations"] = [RESERVATIONS]
    return {task: columns for task, columns in wanted.items() if columns}


def _count(counter: Counter[str], languages: pa.ChunkedArray, mask: pa.BooleanArray) -> None:
    chosen = languages.filter(mask).to_pylist()
    counter.update(chosen)
    counter[ALL] += len(chosen)


def _flips(
    store: ColumnStore,
    shard: int,
    group: int,
    rows: pa.Table,
    reasons: Sequence[Sequence[str]],
    passes: Sequence[bool],
) -> Iterator[Flip]:
    """The pages of these rows, their texts read only now."""
    wanted = {"ProcessMarkdown": ["text"], "ConvertToMarkdown": ["url"]}
    _, texts = next(store.side_by_side(shard, wanted, group))
    by_id = {
        page: (url, text)
        for page, url, text in zip(
            texts[ID.name].to_pylist(),
            texts["ConvertToMarkdown.url"].to_pylist(),
            texts["ProcessMarkdown.text"].to_pylist(),
            strict=True,
        )
    }
    for row, names, passed in zip(rows.to_pylist(), reasons, passes, strict=True):
        url, text = by_id[row["id"]]
        why = {name: row[name] for name in names}
        yield Flip(row["id"], url, row["language"] or "unknown", text or "", passed, why)


def values_of(outcome: Outcome, dump: str, now: Limits, then: Limits) -> dict[str, Any]:
    """What a change does, for programs; null where there is no limit."""
    changed = [name for name in sorted({*now, *then}) if now.get(name) != then.get(name)]
    counts = ("before", "after", "risen", "fallen")
    return {
        "dump": dump,
        "limits": {name: {"now": now.get(name), "then": then.get(name)} for name in changed},
        "languages": {
            language: {name: getattr(outcome, name)[language] for name in counts}
            for language, _ in sorted((outcome.before + outcome.after).most_common(), key=_order)
        },
        "pages": outcome.flips,
        **{one.name: outcome.settings.get(one.name) for one in declared(WhatIfSetting)},
    }


def lines_of(outcome: Outcome, now: Limits, then: Limits) -> Iterator[str]:
    """What a change does, for people."""
    for name in sorted({*now, *then}):
        if now.get(name) != then.get(name):
            yield f"{name}: {_limits_text(now.get(name))} → {_limits_text(then.get(name))}"
    yield ""
    yield f"{'language':<12}{'pass now':>10}{'then':>10}{'risen':>10}{'fallen':>10}"
    for language, _ in sorted((outcome.before + outcome.after).most_common(), key=_order):
        cells = (outcome.before, outcome.after, outcome.risen, outcome.fallen)
        yield f"{language:<12}" + "".join(f"{counter[language]:>10,}" for counter in cells)
    of_filters = {feature.name for feature in FEATURES}
    if outcome.risen[ALL] and any(now.get(n) != then.get(n) for n in of_filters):
        yield "Pages that would pass are not compared with others until Deduplicate runs again."
    for flip in outcome.flips:
        why = ", ".join(f"{n} = {v:g}" for n, v in flip.reasons.items()) or "reservations"
        yield ""
        outcome_then = (
            f"would pass (stopped now by {why})" if flip.passes else f"would fall by {why}"
        )
        yield f"--- {flip.url}  [{flip.language}]  {outcome_then}"
        text = flip.text.strip()
        yield text[:SHOWN_CHARACTERS] + ("…" if len(text) > SHOWN_CHARACTERS else "")


def _order(entry: tuple[str, int]) -> tuple[bool, int, str]:
    language, number = entry
    return language != ALL, -number, language


def _limits_text(pair: tuple[float, float] | None) -> str:
    return f"{pair[0]:g} to {pair[1]:g}" if pair else "no limit"
