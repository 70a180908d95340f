"""What looks odd in what a task made: the one place for the rules, few and quiet.

Read are the manifest, the footers where rows failed, and few columns of at most `SHARDS_READ`
shards, compared with one another and with earlier dumps of the same settings in the data folder.
A rule needs a least number of documents, so that chance does not trigger it.
"""

from __future__ import annotations

import json
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from skord.core.config import pipeline
from skord.core.dumps import source_of
from skord.core.failures import PipelineError, ShardError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.declaration import TaskDeclaration, with_all_upstream

logger = logging.getLogger("luigi-interface")

SHARDS_READ = 64
"""Of more shards, so many are read, evenly spaced."""

EARLIER_DUMPS = 3
"""So many dumps before this one are compared with it."""

LEAST = 50
"""Fewer documents than these show no share."""

LEAST_FOR_NONE = 5000
"""From so many documents on it is odd that a rule concerns none of them."""

ALL_LANGUAGES = "all"

COLUMNS: Mapping[str, Sequence[str]] = {
    "CCNet": ["nlines", "original_nlines"],
    "WARCIndex": ["failure"],
    "FetchHTMLDocuments": ["failure"],
    "ConvertToMarkdown": ["failure", "charset", "date"],
    "ProcessMarkdown": ["failure", "text"],
    "FilterDocuments": ["failure", "passes_all_quality_filters", "content_length"],
    "Deduplicate": ["failure", "dedup_keep"],
    "ExportCorpus": ["failure", "in_corpus"],
}
"""Tasks whose documents are looked at one by one, to what of theirs is read."""

DECISIONS = {
    "FilterDocuments": "passes_all_quality_filters",
    "Deduplicate": "dedup_keep",
    "ExportCorpus": "in_corpus",
}
"""Columns that say whether a document goes on, null where it did not come."""

REASONS = ("failure", "failed_filters", "left_out")
"""Columns that say why it does not."""

LENGTHS = {"CCNet": "CCNet.length", "FilterDocuments": "FilterDocuments.content_length"}
"""Tasks that measure how long texts are, to the column."""

CATEGORIES = ("charset", "year")
"""Columns of which a value that vanishes is odd."""


@dataclass(frozen=True)
class Measure:
    """A figure of one language: a quotient, and the number that it was divided by."""

    name: str
    value: float
    base: int

    def is_far(self, others: Sequence[float]) -> bool:
        """Whether it differs fourfold from the median, and by far more than others do.

        Shares are compared where `LEAST` documents would be usual.
        """
        usual = median(others)
        if not usual or min(usual, 1.0) * self.base < LEAST:
            return False
        deviation = median(abs(math.log(one / usual)) for one in others if one)
        far = max(math.log(4), 8 * deviation)
        return not self.value or abs(math.log(self.value / usual)) > far


@dataclass
class Yield:
    """What came into a task and what goes on, counted over the shards that were read.

    Attributes:
        came: language to documents that came into the task, and `left` those that go on.
        characters: of the documents that go on, by language, where the task measures them.
        one_line: language to documents whose text is one line or none.
        lines: lines of all documents before and after repeated paragraphs were removed.
        sites: language to site to documents that go on.
        seen: name of a category to its values, to how many documents have each.
    """

    pages: int = 0
    came: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    characters: Counter[str] = field(default_factory=Counter)
    one_line: Counter[str] = field(default_factory=Counter)
    lines: Counter[str] = field(default_factory=Counter)
    sites: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    seen: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    @classmethod
    def added_up(cls, parts: Iterable[Yield]) -> Yield:
        """The yield of several shards together."""
        whole = cls()
        for part in parts:
            whole.pages += part.pages
            for name in ("came", "left", "characters", "one_line", "lines"):
                getattr(whole, name).update(getattr(part, name))
            for name in ("sites", "seen"):
                for key, counts in getattr(part, name).items():
                    getattr(whole, name)[key].update(counts)
        return whole

    def measures(self, language: str) -> Iterator[Measure]:
        """What is compared of a language, where there are documents enough."""
        came, left = self.came[language], self.left[language]
        if self.pages:
            yield Measure("documents for each page of the crawl", came / self.pages, self.pages)
        if came:
            yield Measure("the share of documents that go on", left / came, came)
        if left >= LEAST and self.characters[language]:
            yield Measure("characters of a document", self.characters[language] / left, left)


def report_odd_yields(task: TaskDeclaration, manifest: Mapping[str, Any]) -> None:
    """Log a warning for each odd yield of a task whose shards are all made.

    Raises:
        ShardError: there are some, and `[pipeline] strict` makes them an error.
    """
    lines = odd_yields(task, manifest)
    for line in lines:
        logger.warning("%s %s looks odd: %s", task.task_family, task.dump, line)
    if pipeline().strict:
        _refuse(task, lines)


def check_complete_yields(tasks: Iterable[TaskDeclaration]) -> None:
    """Raise ShardError for odd yields of tasks, or of any upstream, that are complete already."""
    for task in with_all_upstream(tasks):
        manifest = task.store.manifest(task.task_family)
        if manifest and manifest["stamp"] == task.fingerprint:
            _refuse(task, odd_yields(task, manifest))


def _refuse(task: TaskDeclaration, lines: Sequence[str]) -> None:
    if lines:
        more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
        raise ShardError(
            f"{task.task_family} {task.dump} looks odd: {lines[0]}{more}: mend the cause, or give "
            "the command without --strict, and the task is completed as it is"
        )


def odd_yields(task: TaskDeclaration, manifest: Mapping[str, Any]) -> list[str]:
    """A sentence for each thing about a task's output that a person should look at.

    Args:
        task: whose shards are all in place.
    """
    manifest = {**manifest, "task": task.task_family}
    try:
        found = [*_failing_shards(task, manifest), *_counted_oddities(task, manifest)]
        if task.task_family in COLUMNS and manifest["rows"] + _pages(manifest):
            found += _document_oddities(task, manifest)
    except (PipelineError, OSError, KeyError) as error:  # a column that an old version had not
        found = [f"its yields cannot be compared: {error}"]
    return found


def _pages(manifest: Mapping[str, Any]) -> int:
    return int(manifest["counts"].get("pages", 0))


# -- from manifests and footers -----------------------------------------------------------


def _failing_shards(task: TaskDeclaration, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Shards of nothing but failures, or of far more than the others."""
    if not any(name.startswith("failure.") for name in manifest["counts"]):
        return
    store = task.store
    paths = [store.path(task.task_family, number) for number in range(manifest["num_shards"])]
    shares = {}
    for number, footer in enumerate(store.storage.each(store.footer, paths)):
        counts = footer.counts if footer else {}
        failed = sum(n for name, n in counts.items() if name.startswith("failure."))
        if judged := counts.get("judged", 0):
            shares[number] = (failed / judged, judged)
    usual = median([share for share, _ in shares.values()]) if shares else 0.0
    for number, (share, judged) in shares.items():
        if share == 1 and judged >= 3 and len(shares) > 1:
            yield f"shard {number:05d} holds nothing but failures: {_counted(judged)}"
        elif judged >= LEAST and share > max(0.25, 5 * usual):
            yield (
                f"in shard {number:05d} {_percent(share)} of {_counted(judged)} failed, in most "
                f"shards {_percent(usual)}"
            )


def _counted_oddities(task: TaskDeclaration, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Filters and the removal of duplicates, where they decide nothing or nearly everything."""
    counts = manifest["counts"]
    judged = counts.get("judged", 0)
    for name in task.filters():
        stopped = counts.get(f"filter.{name}", 0)
        if judged >= LEAST and stopped >= 0.9 * judged:
            yield f"the filter {name} stops {_percent(stopped / judged)} of {_counted(judged)}"
        elif judged >= LEAST_FOR_NONE and not stopped:
            yield f"the filter {name} stops none of {_counted(judged)}"
    competing = counts.get("removed", 0) + counts.get("kept", 0)
    removed = counts.get("removed", 0)
    if "removed" in counts and competing >= LEAST and removed >= 0.9 * competing:
        yield f"{_percent(removed / competing)} of {_counted(competing)} are near-duplicates"
    elif "removed" in counts and competing >= LEAST_FOR_NONE and not removed:
        yield f"none of {_counted(competing)} is a near-duplicate"


# -- from columns -------------------------------------------------------------------------


def _document_oddities(task: TaskDeclaration, manifest: Mapping[str, Any]) -> Iterator[str]:
    store, family = task.store, task.task_family
    numbers = _spaced(int(manifest["num_shards"]))
    parts = {number: _shard_yield(store, family, number) for number in numbers}
    whole = Yield.added_up(parts.values())
    source = source_of(store.dump, store.storage)
    is_own = source.is_own
    yield from _lost_languages(store, manifest, whole, set(numbers), is_own=is_own)
    yield from _weak_languages(family, whole)
    if not source.is_text:
        yield from _short_texts(whole)
    yield from _large_sites(family, whole)
    yield from _gaps_of_years(whole.seen["year"])
    if not is_own:
        yield from _odd_shards(parts)
        yield from _unlike_earlier(store, manifest, whole)
    before = whole.lines["before"]
    came = sum(whole.came.values())
    if family == "CCNet" and came >= LEAST_FOR_NONE and before == whole.lines["after"]:
        yield f"not one paragraph of {_counted(came)} is a repeat"


def _spaced(size: int) -> list[int]:
    read = min(size, SHARDS_READ)
    return [number * size // read for number in range(read)]


def _shard_yield(store: ColumnStore, family: str, number: int) -> Yield:
    """Count one shard."""
    found = Yield()
    index = ["language", "source_domain", "length"]
    wanted = {"CCNet": index, family: COLUMNS[family]}
    if family == "CCNet":
        wanted = {"CCNet": [*index, *COLUMNS[family]]}
        footer = store.footer(store.path(family, number))
        found.pages = footer.counts.get("pages", 0) if footer else 0
    for _, batch in store.side_by_side(number, wanted):
        _count_batch(family, batch, found)
    return found


def _count_batch(family: str, batch: pa.Table, into: Yield) -> None:
    came, left = _came_and_left(family, batch)
    language = pc.fill_null(batch["CCNet.language"], "unknown")
    columns = {"language": language, "site": batch["CCNet.source_domain"]}
    if family == "CCNet":
        into.lines["before"] += pc.sum(batch["CCNet.original_nlines"]).as_py() or 0
        into.lines["after"] += pc.sum(batch["CCNet.nlines"]).as_py() or 0
    if family in LENGTHS:
        columns["length"] = batch[LENGTHS[family]]
    if family == "ConvertToMarkdown":
        columns["charset"] = batch["ConvertToMarkdown.charset"]
        columns["year"] = pc.utf8_slice_codeunits(batch["ConvertToMarkdown.date"], 0, 4)
    if family == "ProcessMarkdown":
        text = pc.fill_null(batch["ProcessMarkdown.text"], "")
        columns["one_line"] = pc.invert(pc.match_substring(text, "\n"))
    into.came.update(_tally(language.filter(came)))
    gone_on = pa.table(columns).filter(left)
    into.left.update(_tally(gone_on["language"]))
    if family in LENGTHS:
        sums = gone_on.group_by("language").aggregate([("length", "sum")])
        for one, total in zip(*(sums[name].to_pylist() for name in sums.column_names), strict=True):
            into.characters[str(one)] += int(total or 0)
    if "one_line" in columns:
        into.one_line.update(_tally(gone_on["language"].filter(gone_on["one_line"])))
    if family == "Deduplicate":
        pairs = zip(gone_on["language"].to_pylist(), gone_on["site"].to_pylist(), strict=True)
        for (one, site), number in Counter(pairs).items():
            into.sites[one][site] += number
            into.sites[ALL_LANGUAGES][site] += number
    for name in CATEGORIES:
        if name in columns:
            into.seen[name].update(_tally(gone_on[name].drop_null()))


def _came_and_left(family: str, batch: pa.Table) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Which rows came into the task, and which go on."""
    decision = DECISIONS.get(family)
    if decision:
        decided = batch[f"{family}.{decision}"]
        return decided.is_valid(), pc.fill_null(decided, False)
    if family == "CCNet":
        rows = pa.chunked_array([np.ones(len(batch), bool)])
        return rows, rows
    failure = batch[f"{family}.{FAILURE.name}"]
    return pc.not_equal(pc.fill_null(failure, ""), "upstream"), failure.is_null()


def _tally(column: pa.ChunkedArray) -> Counter[str]:
    counts = column.value_counts()
    names, numbers = counts.field("values").to_pylist(), counts.field("counts").to_pylist()
    return Counter(dict(zip(names, numbers, strict=True)))


# -- rules --------------------------------------------------------------------------------


def _lost_languages(
    store: ColumnStore, manifest: Mapping[str, Any], whole: Yield, read: set[int], *, is_own: bool
) -> Iterator[str]:
    """Wanted languages of which no page goes on, with why and with one page."""
    family, size = str(manifest["task"]), int(manifest["num_shards"])
    wanted = _wanted_languages(store, manifest)
    missing = [one for one in wanted if not whole.left[one]]
    for number in (number for number in range(size) if number not in read):
        if not (
            missing := [one for one in missing if not _shard_yield(store, family, number).left[one]]
        ):
            return
    for language in missing:
        if family != "CCNet":
            if whole.came[language]:
                yield _lost_sentence(store, family, read, language, whole.came[language])
            continue
        refused = _first_refused(store, size, language)
        if refused or (not is_own and _pages(manifest) >= LEAST):
            reasons = (
                f"such as {refused['url']} ({refused['reason']})"
                if refused
                else "no page was refused of it either"
            )
            yield f"no page of {language} among {_pages(manifest):,} pages is selected, {reasons}"


def _wanted_languages(store: ColumnStore, manifest: Mapping[str, Any]) -> list[str]:
    selected = manifest if manifest["task"] == "CCNet" else store.manifest("CCNet") or {}
    wanted = json.loads(selected.get("settings", {}).get("languages", "[]"))
    return [] if ALL_LANGUAGES in wanted else wanted


def _lost_sentence(
    store: ColumnStore, family: str, numbers: Iterable[int], language: str, came: int
) -> str:
    for number in sorted(numbers):
        path = store.path(family, number)
        with store.open_parquet(path) as file:
            names = [name for name in file.schema_arrow.names if name in REASONS]
        wanted = {
            "CCNet": ["url", "language"],
            family: [*dict.fromkeys([*COLUMNS[family], *names])],
        }
        for _, batch in store.side_by_side(number, wanted):
            is_it = pc.equal(pc.fill_null(batch["CCNet.language"], "unknown"), language)
            for row in batch.filter(pc.and_(is_it, _came_and_left(family, batch)[0])).to_pylist():
                reasons = [row[f"{family}.{name}"] for name in names]
                words = [", ".join(r) if isinstance(r, list) else r for r in reasons if r]
                why = f" ({'; '.join(words)})" if words else ""
                return (
                    f"none of {_counted(came)} of {language} goes on, such as "
                    f"{row['CCNet.url']}{why}"
                )
    return f"none of {_counted(came)} of {language} goes on"


def _first_refused(store: ColumnStore, size: int, language: str) -> dict[str, Any] | None:
    """A page of the language that CCNet refused, and why."""
    for number in _spaced(size):
        path = store.path("CCNet", number, "refused")
        if store.footer(path) is not None:
            table = store.read_table(path, ["url", "reason", "language"])
            rows = table.filter(pc.equal(table["language"], language)).slice(0, 1).to_pylist()
            if rows:
                return dict(rows[0])
    return None


def _weak_languages(family: str, whole: Yield) -> Iterator[str]:
    """Languages of which the task lets through less than half of what is usual."""
    came, left = sum(whole.came.values()), sum(whole.left.values())
    for language, number in sorted(whole.came.items()):
        share, usual = whole.left[language] / number, left / came
        if family != "CCNet" and number >= LEAST and 0 < share < 0.5 * usual:
            yield (
                f"{_percent(share)} of {_counted(number)} of {language} go on, of all "
                f"{_percent(usual)}"
            )


def _short_texts(whole: Yield) -> Iterator[str]:
    """Languages whose texts are their titles alone."""
    for language, number in sorted(whole.one_line.items()):
        if whole.left[language] >= LEAST and number >= 0.5 * whole.left[language]:
            share = number / whole.left[language]
            yield (
                f"{_percent(share)} of {_counted(whole.left[language])} of {language} have a text "
                "of one line or none"
            )


def _large_sites(family: str, whole: Yield) -> Iterator[str]:
    """Sites that are half of what is kept of a language, or of all."""
    if family != "Deduplicate":
        return
    reported: set[str] = set()
    for language in (ALL_LANGUAGES, *sorted(whole.left)):
        sites = whole.sites.get(language, Counter())
        total = sum(sites.values())
        for site, number in sites.most_common(1):
            if total >= LEAST and len(sites) > 2 and number >= 0.5 * total and site not in reported:
                reported.add(site)
                of = "" if language == ALL_LANGUAGES else f" in language {language}"
                yield f"{site} is {_percent(number / total)} of {_counted(total)} kept{of}"


def _gaps_of_years(years: Counter[str]) -> Iterator[str]:
    """Years of which there is nothing, between two of which there is much."""
    known = {int(year): number for year, number in years.items() if year.isdigit()}
    for year in sorted(known):
        number, following = known[year], known.get(year + 2, 0)
        if min(number, following) >= LEAST and year + 1 not in known:
            yield (
                f"no page is of {year + 1}, though {number:,} are of {year} and {following:,} of "
                f"{year + 2}"
            )


def _odd_shards(parts: Mapping[int, Yield]) -> Iterator[str]:
    """Shards of which the figures of a language are far from those of the others."""
    for language in sorted({name for part in parts.values() for name in part.came}):
        by_name: dict[str, dict[int, Measure]] = defaultdict(dict)
        for number, part in parts.items():
            for measure in part.measures(language):
                by_name[measure.name][number] = measure
        for name, measures in by_name.items():
            values = [one.value for one in measures.values()]
            for number, measure in measures.items():
                if len(values) >= 4 and measure.is_far(values):
                    yield (
                        f"shard {number:05d}, {language}: {name}: {measure.value:.3g}, in most "
                        f"shards {median(values):.3g}"
                    )


def _unlike_earlier(store: ColumnStore, manifest: Mapping[str, Any], whole: Yield) -> Iterator[str]:
    """What is far from earlier dumps of the same settings."""
    family = str(manifest["task"])
    earlier = [
        Yield.added_up(_shard_yield(other, family, n) for n in _spaced(shards)[::4] or [0])
        for other, shards in _earlier_dumps(store, manifest)
    ]
    if not earlier:
        return
    for language in sorted({name for one in earlier for name in one.came}):
        before: dict[str, list[float]] = defaultdict(list)
        for one in earlier:
            for measure in one.measures(language):
                before[measure.name].append(measure.value)
        for measure in whole.measures(language):
            values = before[measure.name]
            if values and measure.is_far(values):
                yield (
                    f"{language}: {measure.name}: {measure.value:.3g}, in earlier dumps "
                    f"{median(values):.3g}"
                )
    for category in CATEGORIES:
        counts = Counter[str]()
        for one in earlier:
            counts.update(one.seen[category])
        total, here = sum(counts.values()), sum(whole.seen[category].values())
        for value, number in sorted(counts.items()):
            if (
                number >= LEAST
                and not whole.seen[category][value]
                and number * here >= LEAST * total
            ):
                yield (
                    f"no page has the {category} {value}, in earlier dumps "
                    f"{_percent(number / total)} do"
                )


def _earlier_dumps(
    store: ColumnStore, manifest: Mapping[str, Any]
) -> Iterator[tuple[ColumnStore, int]]:
    """The last complete dumps before this one whose task had the same settings, and their shards."""
    names = [name for name in store.storage.names(str(manifest["task"])) if name < store.dump]
    found = 0
    for name in sorted(names, reverse=True):
        other = ColumnStore(store.storage, name, store.batch_rows)
        noted = other.manifest(str(manifest["task"]))
        if noted and not source_of(name, store.storage).is_own and _alike(noted, manifest):
            yield other, int(noted["num_shards"])
            found += 1
            if found == EARLIER_DUMPS:
                return


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(
        value == other["settings"].get(name)
        for name, value in one["settings"].items()
        if name != "dump"
    )


# -- words --------------------------------------------------------------------------------


def _percent(share: float) -> str:
    """A share in words; never rounded to nothing or to all.

    >>> _percent(0.5), _percent(0.9999), _percent(0.0001), _percent(1)
    ('50 %', '99 %', '1 %', '100 %')
    """
    return f"{share if share in (0, 1) else min(max(share, 0.01), 0.99):.0%}".replace("%", " %")


def _counted(number: int) -> str:
    return f"{number:,} document{'s' * (number != 1)}"
