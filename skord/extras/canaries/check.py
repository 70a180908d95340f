"""Have the known pages go through the graph with the settings of a run, and look at how they end."""

from __future__ import annotations

import json
import logging
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import luigi

from skord.core.config import sites
from skord.core.driver import run
from skord.core.dumps import CANARIES, Source, SourceKind, keep_source
from skord.core.failures import ConfigError, PipelineError, ShardError
from skord.core.preflight import tasks_to_make
from skord.core.settings import Setting, settings_in_force
from skord.core.storage.filesystem import Storage
from skord.core.tasks.declaration import TaskDeclaration, with_all_upstream
from skord.extras.canaries.pages import (
    SHARDS,
    Canary,
    canaries_of,
    known_languages,
    write_canaries,
)
from skord.text.languages import LABEL_OF_CODE

logger = logging.getLogger("luigi-interface")

Row: TypeAlias = "Mapping[str, Any]"

REPLACED = {"dump": CANARIES, "dumps": "", "replace": "false", "max_failure_share": "1.0",
            "crawled_robots": "false", "site_warcs": "[]"}  # fmt: skip
"""Parameters of tasks that are others for the known pages, to what they are."""

_passed: set[str] = set()
"""Tasks with all below them, in words, through which the pages went well in this process."""


class canaries(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [canaries]
    """Known pages that go through the graph before a run."""

    enabled = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="have known pages go through the graph before a run, and end it if they do not "
        "end as they should",
    )
    languages: Sequence[str] = luigi.ListParameter(
        default=(), description="of the wanted languages those of which a text is taken; empty: all"
    )


# -- how they end ------------------------------------------------------------------------


def _conversion_fault(canary: Canary, row: Row) -> str | None:
    if row["charset"].lower().replace("-", "_") != canary.page.charset.replace("-", "_"):
        return f"it was read as {row['charset']}, and is {canary.page.charset}"
    found = {_plain(line) for line in row["content"].split("\n")}
    wanted = (canary.page.text.split("\n\n", 1)[0], *canary.lines)
    missing = [one for one in wanted if _plain(one) not in found]
    return f"{missing[0][:60]!r} is not in its Markdown" if missing else None


def _text_fault(canary: Canary, row: Row) -> str | None:
    known, found = _plain(canary.page.text), _plain(row["text"] or "")
    if 0.5 <= len(found) / len(known) <= 1.5:
        return None
    return f"its main text has {len(found)} characters, and should have some {len(known)}"


def _quality_fault(canary: Canary, row: Row) -> str | None:
    del canary
    if row["passes_all_quality_filters"]:
        return None
    return f"it does not pass {', '.join(row['failed_filters'] or ['the filters'])}"


def _reservation_fault(canary: Canary, row: Row) -> str | None:
    sources = [one["source"] for one in row["reservations"]]
    if canary.is_reserved == bool(sources):
        return None
    stated = "says no, and that was not found" if canary.is_reserved else "says nothing"
    return f"its owner {stated}" + (f", and {sources[0]} was found" if sources else "")


def _duplicate_fault(canary: Canary, row: Row) -> str | None:
    if row["dedup_keep"] or canary.is_copy:
        return None
    return f"it was taken for a duplicate of {row['duplicate_of']}"


EXPECTED: Mapping[str, tuple[Sequence[str], Callable[[Canary, Row], str | None]]] = {
    "CCNet": ([], lambda *_: None),
    "WARCIndex": ([], lambda *_: None),
    "FetchHTMLDocuments": ([], lambda *_: None),
    "ConvertToMarkdown": (["charset", "content"], _conversion_fault),
    "DetectReservations": (["reservations"], _reservation_fault),
    "ProcessMarkdown": (["text"], _text_fault),
    "FilterDocuments": (["passes_all_quality_filters", "failed_filters"], _quality_fault),
    "Deduplicate": (["dedup_keep", "duplicate_of"], _duplicate_fault),
}
"""Tasks that are looked at, in graph order: what is read of each, and what is wrong with a page's row.

In each of them a page must be there and must not have failed.
"""


def _plain(text: str) -> str:
    """Letters and digits alone, which no markup changes."""
    return re.sub(r"[\W_]+", "", text)


def faults(task: TaskDeclaration, known: Sequence[Canary]) -> Iterator[str]:
    """A sentence for each page that does not end as it should in a task that is made."""
    family, store = task.task_family, task.store
    columns, fault_of = EXPECTED[family]
    rows: dict[str, Row] = {}
    for shard in range(store.complete_manifest("CCNet")["num_shards"]):
        wanted = {family: ["failure", *columns], "CCNet": ["url", "failure"]}
        for _, batch in store.side_by_side(shard, wanted):
            for row in batch.to_pylist():
                own = {name.removeprefix(f"{family}."): value for name, value in row.items()}
                rows[row["CCNet.url"] if family != "CCNet" else own["url"]] = own
    for one in known:
        row = rows.get(one.page.url)
        if row is None:
            fault: str | None = f"it is not selected{_reason(task, one)}"
        elif row["failure"]:
            fault = f"it failed there ({row['failure']})"
        else:
            fault = fault_of(one, row)
        if fault:
            yield f"{one.name} ({one.page.url}): {fault}"
    copies = [one for one in known if one.is_copy] if family == "Deduplicate" else []
    kept = [one.name for one in copies if rows.get(one.page.url, {}).get("dedup_keep")]
    if copies and len(kept) != 1:
        yield f"of near-duplicates not one is kept, but {', '.join(kept) or 'none'}"


def _reason(task: TaskDeclaration, canary: Canary) -> str:
    for number in task.store.numbers("CCNet", "refused"):
        for row in task.store.read_table(task.store.path("CCNet", number, "refused")).to_pylist():
            if row["url"] == canary.page.url:
                return f" ({row['reason']})"
    return ""


# -- the way there -----------------------------------------------------------------------


def check_canaries(task: TaskDeclaration) -> None:
    """Raise ShardError unless known pages end as they should with the settings of a task.

    They go through the task and all below it, each with its parameters, in this process and in a
    folder that is removed. What went well is not done again in the process.
    """
    if task.dump == CANARIES:
        if task.publishes_files:
            raise ConfigError(f"{CANARIES} are known pages that are never published")
        return
    if not canaries().enabled:
        return
    wanted = [one for one in with_all_upstream([task]) if one.task_family in EXPECTED]
    words = set(map(_words, wanted))
    if words - _passed:
        (selecting,) = (one for one in wanted if one.task_family == "CCNet")
        known = canaries_of(_languages(selecting.languages))
        with tempfile.TemporaryDirectory(prefix="skord-canaries-") as name, _apart(Path(name)):
            _run(wanted, known, Path(name))
        families = ", ".join(one.task_family for one in wanted)
        logger.info("%d known pages end as they should: %s", len(known), families)
        _passed.update(words)


def _words(task: TaskDeclaration) -> str:
    """A task and all below it with their parameters, whatever the dump."""
    words = []
    for one in with_all_upstream([task]):
        given = one.to_str_params().items()
        words.append([one.task_family, *sorted(pair for pair in given if pair[0] not in REPLACED)])
    return json.dumps(words)


def _languages(wanted: Sequence[str]) -> list[str]:
    """Those of the wanted languages of which a text is taken, in the order in which they are wanted."""
    named, there = canaries().languages, known_languages()
    asked = there if "all" in wanted else wanted
    found = [one for code in asked for one in there if code in (one, LABEL_OF_CODE.get(one))]
    found = [one for one in found if not named or one in named or LABEL_OF_CODE.get(one) in named]
    if not found:
        raise ConfigError(
            f"[canaries]: the package has texts of {', '.join(there)}, and none of those is wanted "
            "([CCNet] languages, [canaries] languages): set enabled to false"
        )
    return found


@contextmanager
def _apart(folder: Path) -> Iterator[None]:
    """Work in a folder, in this process, without a word but errors."""
    settings: list[Setting] = [
        ("pipeline", "data_dir", str(folder / "data")),
        ("pipeline", "strict", "false"),
        ("executor", "kind", "local"),
        ("executor", "network_kind", ""),
        ("executor", "workers", "0"),
        ("executor", "progress", "false"),
        ("DownloadWET", "share", "1.0"),
        ("DownloadWET", "num_shards_wanted", str(SHARDS)),
        ("Deduplicate", "dumps", ""),
        *(("sites", name, "[]") for name, _ in sites.get_params() if name != "either"),
    ]
    level = logger.level
    with settings_in_force(settings):
        logger.setLevel(logging.CRITICAL)
        try:
            yield
        finally:
            logger.setLevel(level)


def _run(tasks: Sequence[TaskDeclaration], known: Sequence[Canary], folder: Path) -> None:
    write_canaries(known, folder / "pages")
    source = Source(kind=SourceKind.WARC, path=str(folder / "pages"))
    keep_source(CANARIES, source, Storage(str(folder / "data")))
    for task in tasks_to_make(_companion(task) for task in tasks):
        try:
            run(task)
        except PipelineError as error:
            raise ShardError(f"known pages ([canaries]) cannot go through: {error}") from error
        found = list(faults(task, known)) if task.task_family in EXPECTED else []
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            raise ShardError(
                f"{task.task_family}: a known page does not end as it should: {found[0]}{more}: mend "
                "the setting or what else has changed, or set [canaries] enabled = false"
            )


def _companion(task: TaskDeclaration) -> TaskDeclaration:
    """The same task of the known pages, its parameters those that were given or set."""
    given = task.to_str_params()
    known: TaskDeclaration = type(task).from_str_params(
        {name: REPLACED.get(name, given[name]) for name in given}
    )
    return known
