"""What a data folder was made with: the settings that decide bytes, kept beside the columns.

They are noted when a run starts, for luigi.cfg and command lines differ from call to call. Later
commands work under those of tasks that have data, and are refused others, unless what depends on
them may be made again.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence

import luigi
from luigi.configuration import get_config
from luigi.task_register import Register

from skord.core.config import pipeline
from skord.core.failures import ConfigError
from skord.core.registry import task_classes
from skord.core.settings import Setting, default_text
from skord.core.storage.column_store import made_path
from skord.core.storage.filesystem import Storage
from skord.core.tasks.declaration import TaskDeclaration, cached_settings

logger = logging.getLogger("luigi-interface")

MADE_WITH = "made_with.json"
"""Name of the file under the data folder."""

EXTENDED = {("Deduplicate", "dumps")}
"""A list that grows with each dump; fingerprints cover what the dumps before it are."""

FIRST_TO_READ = "CCNet"
"""The task that reads the sections of no single task first."""

SHARED: Mapping[str, Sequence[str]] = {
    "sites": (),
    "languages": (),
    "pipeline": ("batch_documents",),
}
"""Sections of no single task, and which of their settings decide bytes; where none is named, all."""

LATER = {
    "CCNet": ("languages", "refuse_no_language"),
    "Deduplicate": ("dumps",),
    "ExportCorpus": ("reservations", "personal_data", "passages", "format"),
}
"""Settings of tasks that decide bytes though they are not among its significant parameters."""

Noted = Mapping[str, Mapping[str, str]]
"""Section and name to the value, as text."""


def noted_settings(storage: Storage) -> list[Setting]:
    """What the folder was made with, but for what luigi.cfg sets.

    Of the tasks that have data there, or had and will be made again.
    """
    config = get_config()
    return [
        (section, name, text)
        for section, names in _read(storage).items()
        if _has_data(storage, section) or storage.names(made_path(_first_of(section)))
        for name, text in names.items()
        if not config.has_option(section, name)
    ]


def note_settings(storage: Storage, *, replace: bool) -> None:
    """Note what the settings in force say; others than those noted before must be meant.

    Args:
        replace: whether what was made with others may be made again.

    Raises:
        ConfigError: a task has data there that was made with another setting.
    """
    noted = {section: dict(names) for section, names in _read(storage).items()}
    changed = []
    deciding = list(_deciding())
    has_data = {section: _has_data(storage, section) for section, _, _ in deciding}
    for section, is_held in has_data.items():
        if replace or not is_held:
            noted.setdefault(section, {})  # what is not in it has its default
    for section, name, parameter in deciding:
        # Of data that was there before the first note, the fingerprints of its shards alone decide.
        if section not in noted or not get_config().has_option(section, name):
            continue
        now = get_config().get(section, name)
        if has_data[section] and (section, name) not in EXTENDED:
            before = noted.get(section, {}).get(name, default_text(parameter))
            if _value(parameter, before) != _value(parameter, now):
                changed.append(f"[{section}] {name} = {before}, not {now}")
        noted[section][name] = now
    if changed and not replace:
        raise ConfigError(
            f"{storage.shown_url} was made with {', '.join(changed)}: leave that out, name another "
            "folder, or give --replace, which makes again all that depends on it and discards what is "
            "there"
        )
    if noted != _read(storage):
        storage.write(MADE_WITH, json.dumps(noted, indent=1, sort_keys=True).encode())


def log_replaced(tasks: Sequence[TaskDeclaration]) -> None:
    """Say what will be made again, and so be gone as it is, of these complete tasks."""
    with cached_settings():
        replaced = [(task, task.store.manifest(task.task_family)) for task in tasks]
        gone = [
            (f"{task.task_family} {task.dump}", int(manifest.get("rows", 0)))
            for task, manifest in replaced
            if manifest and manifest.get("stamp") != task.fingerprint
        ]
    if gone:
        names = ", ".join(name for name, _ in gone)
        logger.warning(
            "--replace: made again with other settings: %s; what is there now (%s rows) is discarded",
            names,
            f"{max(rows for _, rows in gone):,}",
        )


def _deciding() -> Iterator[tuple[str, str, luigi.Parameter]]:
    """Section, name and parameter of every setting that decides bytes."""
    shared = {name for name, _ in TaskDeclaration.get_params()}
    for family, cls in task_classes().items():
        for name, parameter in cls.get_params():
            is_own = parameter.significant and name not in shared
            if is_own or name in LATER.get(family, ()):
                yield family, name, parameter
    for section, names in SHARED.items():
        params = dict(Register.get_task_cls(section).get_params())
        yield from ((section, name, params[name]) for name in names or params)


def _value(parameter: luigi.Parameter, text: str) -> object:
    return parameter.normalize(parameter.parse(text))


def _has_data(storage: Storage, section: str) -> bool:
    return bool(storage.names(_first_of(section)))


def _first_of(section: str) -> str:
    """The first task that reads a section."""
    return FIRST_TO_READ if section in SHARED else section


def _read(storage: Storage) -> Noted:
    if not storage.exists(MADE_WITH):
        return {}
    try:
        noted: Noted = json.loads(storage.read(MADE_WITH))
    except ValueError as error:
        raise ConfigError(
            f"{storage.shown(MADE_WITH)} is damaged: remove it, and give the settings again"
        ) from error
    return noted


def asked_to_replace(tasks: Sequence[luigi.Task]) -> bool:
    """Whether [pipeline] replace, or one of the tasks, says that columns may be made again."""
    return bool(pipeline().replace) or any(getattr(task, "replace", False) for task in tasks)
