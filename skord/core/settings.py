"""Settings, through Luigi's public API: the package's below a user's, and a command line's above.

Luigi reads `luigi.cfg` in the folder where a command is given, and the file that LUIGI_CONFIG_PATH
names. The defaults of tasks and of sections such as [crawl] stand in the code, and, explained, in
`luigi.cfg` beside this module; of that file only Luigi's own sections have to be put in force.
"""

from __future__ import annotations

import configparser
import contextlib
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from importlib import resources
from typing import TypeAlias

import luigi
from luigi.cmdline_parser import CmdlineParser
from luigi.configuration import get_config
from luigi.task_register import Register

from skord.extras import rooms

Setting: TypeAlias = "tuple[str, str, str]"
"""Section, name and value, as they stand in luigi.cfg: ("CCNet", "rule", "top")."""

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

_given: ContextVar[tuple[Setting, ...]] = ContextVar("given_settings", default=())


def default_settings() -> str:
    """The text of the package's luigi.cfg: every setting with its default, extras' behind it."""
    extras = resources.files("skord.extras")
    files = [
        resources.files("skord.core").joinpath("luigi.cfg"),
        *(extras.joinpath(name, "luigi.cfg") for name in rooms()),
    ]
    return "\n".join(file.read_text("utf-8") for file in files if file.is_file())


def use_package_defaults() -> None:
    """Put the package's settings of Luigi itself in force, where no file of the user has them."""
    shipped = configparser.ConfigParser(interpolation=None)
    shipped.read_string(default_settings())
    config = get_config()
    for section in LUIGI_SECTIONS & set(shipped.sections()):
        for name, value in shipped.items(section):
            if not config.has_option(section, name):
                config.set(section, name, value)


@contextlib.contextmanager
def settings_in_force(settings: Sequence[Setting]) -> Iterator[None]:
    """Have these settings override the files', here and in every worker started meanwhile.

    >>> with settings_in_force([("CCNet", "rule", "100 % top")]):
    ...     get_config().get("CCNet", "rule"), given_settings()
    ('100 % top', (('CCNet', 'rule', '100 % top'),))
    """
    config = get_config()
    before = [(section, name, _raw_value(section, name)) for section, name, _ in settings]
    token = _given.set((*_given.get(), *settings))
    try:
        for section, name, value in settings:
            config.set(section, name, value.replace("%", "%%"))
        yield
    finally:
        _given.reset(token)
        for section, name, raw in reversed(before):
            if raw is None:
                config.remove_option(section, name)
            else:
                config.set(section, name, raw)


def _raw_value(section: str, name: str) -> str | None:
    """What the files say, before references in it are replaced."""
    config = get_config()
    return config.get(section, name, raw=True) if config.has_option(section, name) else None


def default_text(parameter: luigi.Parameter) -> str:
    """What a setting is when nobody sets it, as luigi.cfg would say it; Luigi has no public way."""
    return str(parameter.serialize(parameter.normalize(parameter._default)))


def given_settings() -> tuple[Setting, ...]:
    """What this process's command line sets, be it `skord` or `python -m luigi`."""
    return (*_given.get(), *_settings_of_luigis_command())


def _settings_of_luigis_command() -> Iterator[Setting]:
    """The `--Task-parameter` options for tasks and sections of ours, where Luigi parsed some."""
    parser = CmdlineParser.get_instance()
    if parser is None:
        return
    for section, _, name, _ in Register.get_all_params():
        value = getattr(parser.known_args, f"{section}_{name}", None)
        is_ours = Register.get_task_cls(section).__module__.startswith(("pipeline.", "skord."))
        if is_ours and value:
            yield section, name, "true" if value is True else str(value)
