"""A command that works with the graph: under the settings that its command line gives."""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path

from luigi.configuration import add_config_path

from skord.cli.console import log_to_console, noted_settings_in_force
from skord.core.settings import Setting, settings_in_force


def run_command(options: argparse.Namespace) -> int:
    """Do the command; returns its exit status."""
    _use_settings_beside(options.data_dir)
    log_to_console()
    command = options.does
    run = getattr(importlib.import_module(command.module), command.function)
    with settings_in_force(common_settings(options)), noted_settings_in_force():
        return int(run(options) or 0)


def common_settings(options: argparse.Namespace) -> list[Setting]:
    """What the options that every command takes set.

    >>> common_settings(argparse.Namespace(data_dir="s3://mine/web", verbose=True, debug=False))
    [('pipeline', 'data_dir', 's3://mine/web'), ('pipeline', 'verbose', 'true')]
    """
    switches = {"verbose": options.verbose, "debug": options.debug}
    return [
        *([("pipeline", "data_dir", options.data_dir)] if options.data_dir else []),
        *(("pipeline", name, "true") for name, is_on in switches.items() if is_on),
    ]


def _use_settings_beside(data_dir: str | None) -> None:
    """Read the luigi.cfg that lies beside a data folder, as `skord sample run` leaves one.

    Without the settings that made them, its shards would seem to be made with other ones. A file
    that LUIGI_CONFIG_PATH names is read instead. Workers find it by that variable.
    """
    settings = Path(data_dir).absolute().parent / "luigi.cfg" if data_dir else None
    if settings and settings.is_file() and "LUIGI_CONFIG_PATH" not in os.environ:
        os.environ["LUIGI_CONFIG_PATH"] = str(settings)
        add_config_path(str(settings))
