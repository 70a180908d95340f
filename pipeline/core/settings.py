"""The sections of luigi.cfg that belong to no single task, and a check of all of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

import luigi
from luigi.configuration import get_config
from luigi.task_register import Register

from pipeline.core.failures import ConfigError
from pipeline.core.graph_modules import load_graph
from pipeline.core.storage import Storage

LUIGI_SECTIONS = frozenset(
    [
        "batch_notifier",
        "core",
        "cors",
        "email",
        "env",
        "execution_summary",
        "resources",
        "retcode",
        "scheduler",
        "sendgrid",
        "smtp",
        "task_history",
        "task_status",
        "worker",
        "logging",
        "DEFAULT",
    ]
)
"""Sections that Luigi itself reads and checks."""


class pipeline(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [pipeline]
    """Where results lie and what may be replaced."""

    data_dir = luigi.Parameter(default="data")
    replace = luigi.BoolParameter(default=False, parsing=luigi.BoolParameter.EXPLICIT_PARSING)
    min_free_gb = luigi.FloatParameter(default=1.0)
    batch_documents = luigi.IntParameter(default=500)


class executor(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [executor]
    """Where shards run."""

    kind = luigi.Parameter(default="local")
    workers = luigi.IntParameter(default=-1)
    memory_gb = luigi.FloatParameter(default=0.0)
    log_dir = luigi.Parameter(default="logs")
    progress = luigi.BoolParameter(default=True, parsing=luigi.BoolParameter.EXPLICIT_PARSING)


def open_storage() -> Storage:
    """The storage that [pipeline] data_dir names."""
    return Storage(pipeline().data_dir)


def check_settings() -> None:
    """Raise ConfigError for the first section or key of luigi.cfg that nothing reads.

    Luigi passes over keys it does not know, so a misspelt limit would simply not count.
    """
    config = get_config()
    sections = _known_keys()
    if any(map(_is_slurm, config.sections())):
        from slurm.settings import check_sections  # noqa: PLC0415 - only who names it needs it

        check_sections()
    for section in config.sections():
        if section in LUIGI_SECTIONS or _is_slurm(section):
            continue
        if section not in sections:
            raise ConfigError(_unknown(f"section [{section}]", section, sections))
        for key in config[section]:
            if key.replace("-", "_") not in sections[section]:
                raise ConfigError(_unknown(f"[{section}] {key}", key, sections[section]))


def _is_slurm(section: str) -> bool:
    return section == "slurm" or section.startswith("slurm.")


def _known_keys() -> Mapping[str, frozenset[str]]:
    load_graph()
    classes = [Register.get_task_cls(name) for name in Register.task_names()]
    ours = [cls for cls in classes if cls.__module__.split(".")[0] == "pipeline"]
    return {cls.__name__: frozenset(name for name, _ in cls.get_params()) for cls in ours}


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
    return f"luigi.cfg: {what} is not a setting of this pipeline; {hint}"
