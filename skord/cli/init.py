"""Write the file of settings, every one of them explained and none of them in force."""

from __future__ import annotations

import argparse
import re
from dataclasses import fields

from skord.core.failures import ConfigError
from skord.core.settings import default_settings
from skord.slurm.settings import SlurmSettings

HEAD = """\
# Settings that differ from the defaults. Every setting there is stands below as a comment with its
# default: take the "#" away before those that you change. The same by `skord init`.
"""

OF_ANY_TASK = """\
# In the section of any task, such as [CCNet]: what one worker may take, in GB, and the share of rows
# that may fail before the task refuses to be complete.
# mem_gb = 2.0
# max_failure_share = 0.05
"""

OF_SLURM = """\
# For [executor] kind = slurm; [slurm.CCNet] is for one task alone. What each means stands in
# slurm/settings.py and on the page of settings.
# [slurm]
"""

_SETTING = re.compile(r"^(?=[a-z_]+ ?=)", re.MULTILINE)


def run(options: argparse.Namespace) -> None:
    """Write it, unless there is one."""
    try:
        with options.file.open("x", encoding="utf-8") as file:
            file.write(commented_settings())
    except FileExistsError as error:
        raise ConfigError(
            f"{options.file} is there already, and stays as it is: name another"
        ) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ConfigError(f"there is no folder {options.file.parent}: make it first") from error
    print(f"{options.file}: change what you want, then skord run … beside it")


def commented_settings() -> str:
    """The same with every setting as a comment, those that any task has and Slurm's behind them."""
    settings = _SETTING.sub("# ", default_settings().partition("\n\n")[2])
    slurm = "".join(
        f"# {one.name} = {one.default}".rstrip() + "\n" for one in fields(SlurmSettings)
    )
    return f"{HEAD}{settings.rstrip()}\n\n{OF_ANY_TASK}\n{OF_SLURM}{slurm}"
