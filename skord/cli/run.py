"""Run a task of the graph and all that it needs: the short form of Luigi's command."""

from __future__ import annotations

import argparse
import itertools
from dataclasses import fields
from pathlib import Path

from luigi.retcodes import run_with_retcodes

from skord.core.config import open_storage
from skord.core.console.usage import USAGE_ERROR, say_shortly
from skord.core.dumps import Source, keep_source, source
from skord.core.failures import ConfigError
from skord.core.registry import module_of
from skord.core.storage.filesystem import Storage
from skord.sources.files import guessed_kind
from skord.sources.shards import checked_files


def run(options: argparse.Namespace) -> int:
    """Have Luigi run it, with the words that follow the task's name."""
    module = module_of(options.task)
    say_shortly("skord")
    if options.source:
        name_source(options)
    try:
        run_with_retcodes(["--module", module, options.task, *options.rest])
    except SystemExit as ended:
        return USAGE_ERROR if ended.code == USAGE_ERROR else int(bool(ended.code))
    return 0


def name_source(options: argparse.Namespace) -> None:
    """Look at files of one's own, and have the data folder know them by the dump's name.

    What a page's columns are called, section [source] says.

    Raises:
        ConfigError: no name is given, or the files are not what they should be.
    """
    dump = named_dump(options.rest)
    path = options.source
    absolute = path if "://" in path else str(Path(path).absolute())
    section = source()
    said = {field.name: getattr(section, field.name) for field in fields(Source)}
    said.update(path=absolute, kind=options.kind or guessed_kind(absolute))
    chosen = Source(**said)
    checked_files(chosen)
    storage = Storage(options.data_dir) if options.data_dir else open_storage()
    keep_source(dump, chosen, storage)


def named_dump(words: list[str]) -> str:
    """The one dump that a task's options name.

    >>> named_dump(["--dumps", "mine", "--CCNet-rule", "top"]), named_dump(["--dump=mine"])
    ('mine', 'mine')

    Raises:
        ConfigError: it is none, or several.
    """
    split = [part for word in words for part in word.split("=", 1)]
    for option, value in itertools.pairwise(split):
        if option in ("--dump", "--dumps") and "," not in value:
            return value
    raise ConfigError("--source needs a name for these files: add one, such as --dumps mine")
