"""The sections of luigi.cfg that belong to no single task, and a check of all of them."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping

import luigi
from luigi.cmdline_parser import CmdlineParser
from luigi.configuration import get_config
from luigi.task_register import Register

from pipeline.core.console import is_luigis_command, last_words, speak, supply_defaults
from pipeline.core.failures import ConfigError
from pipeline.core.registry import load_graph
from pipeline.core.storage import Storage

supply_defaults()
if is_luigis_command():
    speak()
    sys.excepthook = last_words

Parameters = Mapping[str, Mapping[str, luigi.Parameter]]
"""By section and name, what reads a setting."""

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
    verbose = luigi.BoolParameter(default=False)
    debug = luigi.BoolParameter(default=False)


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
    """Raise ConfigError for the first section, key or value of luigi.cfg that nothing can read.

    Luigi passes over keys it does not know, so a misspelt limit would simply not count. Values
    that the command line gives are looked at, too.
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
            name = key.replace("-", "_")
            if name not in sections[section]:
                raise ConfigError(_unknown(f"[{section}] {key}", key, sections[section]))
            _check_value(section, key, sections[section][name], config.get(section, key))
    _check_options(sections)


def _check_options(sections: Parameters) -> None:
    """The same for what the command line sets of tasks anywhere in the graph."""
    parser = CmdlineParser.get_instance()
    for section, parameters in sections.items() if parser else ():
        for name, parameter in parameters.items():
            text = getattr(parser.known_args, f"{section}_{name}", None)
            if isinstance(text, str):
                _check_value(section, name, parameter, text)


def _check_value(section: str, key: str, parameter: luigi.Parameter, text: str) -> None:
    try:
        parameter.parse(text)
    except (ValueError, SyntaxError) as error:
        default = parameter.serialize(parameter.normalize(parameter._default))
        raise ConfigError(
            f"[{section}] {key} = {text} cannot be read ({error}): write it as in {key} = {default}"
        ) from error


def _is_slurm(section: str) -> bool:
    return section == "slurm" or section.startswith("slurm.")


def _known_keys() -> Parameters:
    load_graph()
    classes = [Register.get_task_cls(name) for name in Register.task_names()]
    ours = [cls for cls in classes if cls.__module__.split(".")[0] == "pipeline"]
    return {cls.__name__: dict(cls.get_params()) for cls in ours}


def _unknown(what: str, word: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(known), n=1)
    hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"
    return f"luigi.cfg: {what} is not a setting of this pipeline; {hint}"
