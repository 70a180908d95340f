"""What can be known before anything starts: settings, disk, dump, models, what is complete."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Iterable, Mapping

import luigi
from luigi.configuration import get_config
from luigi.task_register import Register

from skord.core.config import executor, pipeline
from skord.core.dumps import check_dump
from skord.core.executor import executor_class, executor_of_section
from skord.core.failures import ConfigError
from skord.core.registry import load_graph
from skord.core.settings import LUIGI_SECTIONS, given_settings
from skord.core.tasks.declaration import TaskDeclaration

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
    for kind in filter(None, (executor().kind, executor().network_kind)):
        executor_class(kind)
    task.store.storage.check(pipeline().min_free_gb)
    check_dump(str(task.dump), task.store.storage)
    for one in check_tasks([task]):
        one.check_online()


def check_tasks(tasks: Iterable[TaskDeclaration]) -> list[TaskDeclaration]:
    """Check those that are to be made, and return them, those upstream first; some more than once.

    Raises:
        ConfigError: one cannot be made.
    """
    wanted: list[TaskDeclaration] = []
    for task in tasks:
        if task.complete():
            continue
        wanted += check_tasks(task.upstream())
        if not task.is_made:
            task.check_reads()
            task.check()
            _check_not_complete_otherwise(task)
            wanted.append(task)
    return wanted


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
        + ": pass --replace to make it again, or set them back"
    )


# -- luigi.cfg ---------------------------------------------------------------------------


def check_settings() -> None:
    """Raise ConfigError for the first section, key or value of luigi.cfg that nothing can read.

    Luigi passes over keys it does not know, so a misspelt limit would simply not count. Values
    that the command line gives are looked at, too.
    """
    config = get_config()
    sections = _known_keys()
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


def check_value(section: str, key: str, parameter: luigi.Parameter, text: str) -> None:
    """Raise ConfigError when the parameter cannot read the text."""
    try:
        parameter.parse(text)
    except (ValueError, SyntaxError) as error:
        default = parameter.serialize(parameter.normalize(parameter._default))
        raise ConfigError(
            f"[{section}] {key} = {text} cannot be read ({error}): write it as in {key} = {default}"
        ) from error


def _known_keys() -> Parameters:
    load_graph()
    classes = [Register.get_task_cls(name) for name in Register.task_names()]
    ours = [cls for cls in classes if cls.__module__.split(".")[0] in ("pipeline", "skord")]
    return {cls.__name__: dict(cls.get_params()) for cls in ours}


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
    return f"luigi.cfg: {what} is not a setting of this pipeline; {hint}"
