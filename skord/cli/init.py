"""Write the file of settings, every one of them explained and none of them in force."""

from __future__ import annotations

import argparse
import re

from skord.core.failures import ConfigError
from skord.core.settings import default_settings

HEAD = """\
# Settings that differ from the defaults. Every setting there is stands below as a comment with its
# default: take the "#" away before those that you change. The same by `skord init`.
"""

_SETTING = re.compile(r"^(?=[a-z_]+ ?=)", re.MULTILINE)


def run(options: argparse.Namespace) -> None:
    """Write it, unless there is one."""
    try:
        with options.file.open("x", encoding="utf-8") as file:
            file.write(commented_settings())
    except FileExistsError as error:
        raise ConfigError(f"{options.file} is there already: name another, or remove it") from error
    print(f"{options.file}: change what you want, then skord run … beside it")


def commented_settings() -> str:
    """The same with every setting as a comment."""
    return HEAD + _SETTING.sub("# ", default_settings().partition("\n\n")[2])
