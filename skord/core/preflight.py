"""What can be known before anything starts: settings, disk, dump, models, what is complete."""

from __future__ import annotations

import difflib
import functools
import re
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import luigi
from luigi.configuration import get_config
from luigi.task_register import Register

from skord.core.config import executor, pipeline
from skord.core.dumps import check_dump
from skord.core.error_messages import sentence_of
from skord.core.executor import (
    executor_class,
    executor_from_config,
    executor_kind,
    executor_of_section,
)
from skord.core.failures import ConfigError, PipelineError
from skord.core.registry import load_graph
from skord.core.settings import LUIGI_SECTIONS, default_text, given_settings
from skord.core.storage.filesystem import Storage
from skord.core.tasks.declaration import TaskDeclaration, cached_settings
from skord.core.tasks.languages_parameter import LanguagesParameter
from skord.extras import GraphCheck, declared

GREATEST = 10**15
"""No number of a setting is greater."""

_COUNTS = """files_at_once length match_mb max_cleaned_chars max_html_chars
num_shards_wanted shards_at_once target_bytes"""
_SHARES = """alarm_cluster_share alarm_host_share line_filter_threshold max_failure_share max_link_ratio
min_ended min_hiragana min_score min_script share similarity_limit"""

RANGES: Mapping[str, tuple[float, float]] = {
    **dict.fromkeys(_COUNTS.split(), (1, GREATEST)),
    **dict.fromkeys(_SHARES.split(), (0, 1)),
    **dict.fromkeys(["threads", "window"], (1, 1024)),
    **dict.fromkeys(["head_percentile", "tail_percentile"], (0, 99)),
    "num_partitions": (1, 65_536),
    "mem_gb": (0.1, 1e6),
    "timeout_s": (0.001, 1e6),
    "batch_documents": (1, 1_000_000),
    "connections": (1, 1024),
}
"""Least and greatest of settings that not every number from 0 on makes sense of; by name, for tasks
mean the same by it. A default that lies beyond, such as 0 for any number, is taken, too."""

Parameters = Mapping[str, Mapping[str, luigi.Parameter]]
"""By section and name, what reads a setting."""


def check_graph(task: TaskDeclaration) -> None:
    """Raise ConfigError for anything that would stop this task or one upstream of it.

    Luigi asks the last task for its requirements first, so nothing has started when
    this speaks.
    """
    if vars(type(task)).get("is_abstract"):
        raise ConfigError(f"{task.task_family} is what tasks extend, and no task")
    check_settings()
    for kind in _executor_kinds():
        executor_class(kind)
    check_dump(str(task.dump), task.store.storage)
    task.store.storage.check(pipeline().min_free_gb)  # writes there
    for one in check_tasks([task]):
        one.check_online()
    for look in declared(GraphCheck):
        look.check(task)


def check_tasks(tasks: Iterable[TaskDeclaration]) -> list[TaskDeclaration]:
    """Check those that are to be made, and return them, those upstream first.

    Raises:
        ConfigError: one cannot be made.
    """
    with cached_settings():
        wanted = tasks_to_make(tasks)
        for task in wanted:
            check_task(task)
    return wanted


def check_task(task: TaskDeclaration) -> None:
    """Raise ConfigError where a task cannot be made, or was made otherwise."""
    for name, parameter in task.get_params():
        _check_number(task.task_family, name, parameter, getattr(task, name))
    task.check_reads()
    task.check()
    _check_not_complete_otherwise(task)


@dataclass(frozen=True)
class Check:
    """One thing that was looked at before a run.

    Attributes:
        finding: what was found, or what is wrong with it and what to do.
        is_well: whether a run can start, as far as this is concerned.
    """

    name: str
    finding: str
    is_well: bool = True


def checks(tasks: Sequence[TaskDeclaration]) -> Iterator[Check]:
    """Look at all that a run of some tasks needs, and go on where one thing is not as it should be.

    Nothing is made; the endpoint gets a request or two.
    """
    wanted = tasks_to_make(tasks)
    store = tasks[0].store
    storage, folder = store.storage, Path(executor().log_dir)
    names = ", ".join(dict.fromkeys(task.task_family for task in wanted))
    yield Check("tasks", f"to make: {names}" if names else "nothing to do: all are complete")
    yield _check("data folder", lambda: _look_at_disk(storage))
    yield _check("log folder", lambda: _look_at_folder(folder))
    yield _check("executor", _look_at_executor)
    yield _check("dumps", lambda: _look_at_dumps(tasks, storage))
    with cached_settings():
        found = [
            _check(task.task_family, functools.partial(_look_at_task, task)) for task in wanted
        ]
        wrong = {check.finding: check for check in found if not check.is_well}
    models = ", ".join(
        dict.fromkeys(
            part for one in found if one.is_well for part in one.finding.split(", ") if part
        )
    )
    yield from wrong.values()
    if not wrong:
        yield Check("models", models or "none to load")
    if not wrong and wanted:
        yield _check("endpoint", lambda: _look_at_endpoint(wanted))


def _check(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look())
    except (PipelineError, OSError, ValueError) as error:
        return Check(name, sentence_of(error), is_well=False)


def _look_at_disk(storage: Storage) -> str:
    storage.check(pipeline().min_free_gb)
    room = (
        f", {shutil.disk_usage(storage.root).free / 1e9:,.0f} GB free" if storage.is_local else ""
    )
    return f"{storage.shown_url} can be written{room}"


def _look_at_folder(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        return f"{folder} can be written"


def _executor_kinds() -> list[str]:
    """The executors of tasks that need the internet and of others, each once."""
    return list(dict.fromkeys(executor_kind(needs_network=needs) for needs in (False, True)))


def _look_at_executor() -> str:
    for kind in _executor_kinds():
        executor_from_config(kind)
    workers = executor().workers
    count = "as many workers as cores" if workers < 0 else f"{workers or 'no'} worker processes"
    return (
        f"{executor().kind}, {count}"
        if executor().kind == "local"
        else f"{executor().kind} answers"
    )


def _look_at_dumps(tasks: Sequence[TaskDeclaration], storage: Storage) -> str:
    for task in tasks:
        check_dump(str(task.dump), storage)
    return ", ".join(dict.fromkeys(str(task.dump) for task in tasks))


def _look_at_task(task: TaskDeclaration) -> str:
    check_task(task)
    return ", ".join(part for part in task.fingerprint_parts() if _MODEL.fullmatch(part))


_MODEL = re.compile(r"[\w.+-]+-[0-9a-f]{8,}")
"""How a model is named among what decides a fingerprint: its name and a digest."""


def _look_at_endpoint(tasks: Sequence[TaskDeclaration]) -> str:
    for task in tasks:
        task.check_online()
    return "reached, where one is needed"


def tasks_to_make(tasks: Iterable[TaskDeclaration]) -> list[TaskDeclaration]:
    """Those of the tasks, and of what they need, that are not made yet, in the order of work."""
    seen: set[str] = set()

    def visit(task: TaskDeclaration) -> Iterator[TaskDeclaration]:
        if task.task_id not in seen:
            seen.add(task.task_id)
            if not task.complete():
                for needed in task.upstream():
                    yield from visit(needed)
                if not task.is_made:
                    yield task

    return [found for task in tasks for found in visit(task)]


def _check_not_complete_otherwise(task: TaskDeclaration) -> None:
    manifest = task.store.manifest(task.task_family)
    if manifest is None or task.replace or pipeline().replace:
        return
    if manifest.get("stamp") == task.fingerprint or task.may_be_replaced(manifest):
        return
    now = task.to_str_params(only_significant=True)
    before = manifest.get("settings", {})
    changed = [f"{k} {before.get(k)} → {v}" for k, v in now.items() if before.get(k) != v]
    raise ConfigError(
        f"{task.task_family} {task.dump} is complete with other "
        + (f"settings ({', '.join(changed)})" if changed else "inputs, models or code")
        + ": set them back, take another --data-dir, or pass --replace, which makes it and all that "
        f"depends on it again, and discards the {int(manifest.get('rows', 0)):,} rows that are there"
    )


# -- luigi.cfg ---------------------------------------------------------------------------


def check_settings() -> None:
    """Raise ConfigError for the first section, key or value of luigi.cfg that nothing can read.

    Luigi passes over keys it does not know, so a misspelt limit would simply not count. Values
    that the command line gives are looked at, too.
    """
    config = get_config()
    sections = known_settings()
    _check_executors(set(config.sections()) - LUIGI_SECTIONS - set(sections))
    for section in config.sections():
        is_known = section in sections
        if section in LUIGI_SECTIONS or (not is_known and executor_of_section(section)):
            continue
        if not is_known:
            raise ConfigError(_unknown(f"section [{section}]", section, sections))
        for key in config[section]:
            name = key.replace("-", "_")
            if name not in sections[section]:
                raise ConfigError(_unknown(f"[{section}] {key}", key, sections[section]))
            check_value(section, key, sections[section][name], config.get(section, key))
    for section, name, text in given_settings():
        if name in sections.get(section, {}):
            check_value(section, name, sections[section][name], text)


def _check_executors(sections: Iterable[str]) -> None:
    """Have each executor that has sections of its own look at them."""
    named = defaultdict(list)
    for section in sorted(sections):
        if kind := executor_of_section(section):
            named[kind].append(section)
    for kind, own in named.items():
        executor_class(kind).check_config(own)


def check_value(section: str, key: str, parameter: luigi.Parameter, text: str) -> Any:
    """What the parameter reads in the text.

    Raises:
        ConfigError: it cannot read it, or what it reads is of another kind, or out of range.
    """
    try:
        value = parameter.parse(text)
        is_fit = _is_of_kind(parameter, value)
    except (ValueError, SyntaxError, TypeError):
        is_fit = False
    if not is_fit:
        raise ConfigError(f"[{section}] {key} = {text}: give {_form(key, parameter)}")
    _check_number(section, key.replace("-", "_"), parameter, value)
    return value


def _is_of_kind(parameter: luigi.Parameter, value: Any) -> bool:
    """Whether a value that was read is one that the setting's readers can use."""
    if isinstance(parameter, luigi.DictParameter):
        return isinstance(value, Mapping)
    if isinstance(parameter, luigi.ListParameter | luigi.TupleParameter):
        return isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
    return True


_FORMS: Sequence[tuple[Any, str]] = (
    (LanguagesParameter, 'codes, as in {key} = et,pl or ["et", "pl"]'),
    (luigi.BoolParameter, "true or false"),
    (luigi.IntParameter, "a whole number, as in {key} = {default}"),
    (luigi.FloatParameter, "a number, as in {key} = {default}"),
    (luigi.DictParameter, 'names with what each has, as in {key} = {{}} or {{"name": …}}'),
    (luigi.Parameter, 'a list of words in double quotes, as in {key} = [] or ["one", "two"]'),
)
"""How a setting of a kind is written; the first that fits."""


def _form(key: str, parameter: luigi.Parameter) -> str:
    """How a setting is written."""
    if isinstance(parameter, luigi.ChoiceParameter):
        choices = str(parameter.description).rpartition("Choices: {")[2].strip("}")
        return " or ".join(sorted(choices.split(", ")))
    text = next(text for kind, text in _FORMS if isinstance(parameter, kind))
    return text.format(key=key, default=default_text(parameter) or 0.5)


def _check_number(section: str, name: str, parameter: luigi.Parameter, value: Any) -> None:
    """Raise ConfigError for a number that a setting makes no sense of."""
    if not isinstance(parameter, luigi.IntParameter | luigi.FloatParameter) or value is None:
        return
    default = float(default_text(parameter) or 0)
    least, greatest = RANGES.get(name, (0, 1e6 if name.endswith("_s") else GREATEST))
    if min(least, default) <= value <= max(greatest, default):
        return
    if greatest < GREATEST:
        wanted = f"{least:,} to {greatest:,.0f}"
    elif not value > GREATEST:
        wanted = f"{min(least, default):g} or a larger number"
    else:
        wanted = "a smaller number"
    raise ConfigError(f"[{section}] {name} = {value}: give {wanted}")


def known_settings() -> Parameters:
    """Every setting of this project's tasks and sections."""
    load_graph()
    return _settings_of(tuple(Register.task_names()))


@functools.cache
def _settings_of(names: tuple[str, ...]) -> Parameters:
    """Those of the tasks and sections of these names, which many tasks of a run ask for."""
    classes = [Register.get_task_cls(name) for name in names]
    ours = [cls for cls in classes if cls.__module__.split(".")[0] in ("pipeline", "skord")]
    return {cls.__name__: dict(cls.get_params()) for cls in ours}


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
    return f"luigi.cfg: {what} is not a setting of this pipeline; {hint}"
