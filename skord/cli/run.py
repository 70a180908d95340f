"""Run a task of the graph and all that it needs."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

import luigi
from luigi.task_register import Register

from skord.cli.console import complete_line, print_line, run_tasks, sharded_tasks
from skord.cli.parser import USAGE_ERROR, reworded_complaint
from skord.core.config import open_storage
from skord.core.dumps import Source, keep_source, source
from skord.core.failures import ConfigError
from skord.core.odd_yields import check_complete_yields
from skord.core.preflight import Check, check_settings, check_value, checks
from skord.core.registry import module_of
from skord.core.settings import Setting, settings_in_force
from skord.core.storage.filesystem import Storage
from skord.slurm.dry_run import dry_run_lines
from skord.sources.files import guessed_kind
from skord.sources.shards import checked_files


def run(options: argparse.Namespace) -> int:
    """Run the task that the options name, with the words that follow its name."""
    if Path(options.task).exists():
        raise ConfigError(
            f"{options.task} is no task but files: skord corpus {options.task} --out FOLDER makes a "
            "corpus of them"
        )
    module_of(options.task)
    words = parse_task_words(options.task, options.rest)
    strict = [("pipeline", "strict", "true")] if options.strict else []
    with ExitStack() as stack:
        stack.enter_context(settings_in_force([*words.settings, *strict]))
        check_settings()
        if options.source:
            only_looks = options.check or options.dry_run
            chosen = name_source(options, named_dump(words.parameters), is_kept=not only_looks)
            stack.enter_context(settings_in_force(source_settings(chosen) if only_looks else []))
        task = task_with(options.task, words.parameters)
        if options.check:
            return print_checks(checks(list(sharded_tasks([task]))))
        if options.dry_run:
            print("\n".join(dry_run_lines([task])))
            return 0
        if options.strict:
            check_complete_yields(sharded_tasks([task]))
        if task.complete():
            print_line(complete_line(task))
            return 0
        return 0 if run_tasks([task]) else 1


def print_checks(found: Iterable[Check]) -> int:
    """A line for each thing that was looked at; returns the exit status."""
    status = 0
    for one in found:
        print(f"{'ok' if one.is_well else 'WRONG':<7}{one.name:<20}{one.finding}", flush=True)
        status = status if one.is_well else 1
    return status


# -- a task's own words -------------------------------------------------------------------


@dataclass(frozen=True)
class TaskWords:
    """The words behind a task's name.

    Attributes:
        parameters: of the task, by name, as text.
        settings: of any task or section, Luigi's included, as `--CCNet-rule top` gives them.
    """

    parameters: Mapping[str, str]
    settings: Sequence[Setting]


class TaskParser(argparse.ArgumentParser):
    """An `ArgumentParser` whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        """Say it and leave."""
        sys.stderr.write(f"skord: {reworded_complaint(message)}\n")
        sys.exit(USAGE_ERROR)


def parse_task_words(family: str, words: Sequence[str]) -> TaskWords:
    """Sort the options of a task from those of all others; a misspelt one ends the process."""
    parser = task_parser(family)
    own = {name for name, _ in Register.get_task_cls(family).get_params()}
    words = [_as_the_task_calls_it(word, own) for word in words]
    options, rest = parser.parse_known_args(list(words))
    if rest:
        known = [word for action in parser._actions for word in action.option_strings]
        parser.error(unknown_option(rest[0], known))
    parameters, settings = {}, []
    for place, text in vars(options).items():
        section, _, name = place.partition(" ")
        if name == "languages":
            settings.append(("CCNet", name, text))  # of all tasks, whichever it is given for
        elif section:
            settings.append((section, name, text))
        else:
            parameters[name] = text
    return TaskWords(parameters, settings)


def _as_the_task_calls_it(word: str, own: Collection[str]) -> str:
    """`--dump`, `--dumps` and `--input` are one option where a task has only one of the first two.

    >>> _as_the_task_calls_it("--dumps", {"dump"}), _as_the_task_calls_it("--input=a", {"dumps"})
    ('--dump', '--dumps=a')
    """
    option, mark, value = word.partition("=")
    if option == "--input" or (option in ("--dump", "--dumps") and option[2:] not in own):
        option = "--dump" if "dump" in own else "--dumps"
    return option + mark + value


def task_parser(family: str) -> TaskParser:
    """The parser of a task's words: its parameters, and those of all tasks and sections.

    Values stay text. Each is kept under "SECTION NAME", the task's own under " NAME".
    """
    parser = TaskParser(
        prog=f"skord run {family}", add_help=False, argument_default=argparse.SUPPRESS
    )
    parser.add_argument("--help-all", action="help", help="all these options")
    for section, is_without_section, name, parameter in Register.get_all_params():
        if is_without_section and name.startswith("help"):
            continue
        flag = name.replace("_", "-")
        qualified = flag if is_without_section else f"{section.replace('_', '-')}-{flag}"
        _add_option(parser, qualified, f"{section} {name}", parameter)
        if section == family:
            _add_option(parser, flag, f" {name}", parameter)
    return parser


def _add_option(parser: TaskParser, flag: str, place: str, parameter: luigi.Parameter[Any]) -> None:
    """An option with a value, which a switch may do without."""
    described: dict[str, Any] = {
        "dest": place,
        "help": (parameter.description or "").replace("%", "%%"),
    }
    if not isinstance(parameter, luigi.BoolParameter):
        parser.add_argument(f"--{flag}", metavar="VALUE", **described)
    else:
        parser.add_argument(f"--{flag}", nargs="?", const="true", metavar="VALUE", **described)


def unknown_option(word: str, known: Sequence[str]) -> str:
    """A sentence for an option that there is not.

    >>> unknown_option("--dmup", ["--dump", "--languages"])
    'there is no option --dmup: did you mean --dump?'
    """
    if not word.startswith("-"):
        return f"one word too many: {word!r}: give options as --name value"
    near = difflib.get_close_matches(word.partition("=")[0], known, n=1)
    hint = f"did you mean {near[0]}?" if near else "skord init writes a file with all there are"
    return f"there is no option {word}: {hint}"


def task_with(family: str, given: Mapping[str, str]) -> luigi.Task:
    """The task with these parameters, the others as the settings have them."""
    cls = Register.get_task_cls(family)
    values = {}
    for name, parameter in cls.get_params():
        flag = f"--{name.replace('_', '-')}"
        if name in given:
            values[name] = check_value(family, name, parameter, given[name])
        elif not parameter.has_task_value(family, name):
            raise ConfigError(f"{family} needs {flag}")
    task: luigi.Task = cls(**values)
    return task


# -- files of one's own -------------------------------------------------------------------


def name_source(options: argparse.Namespace, dump: str, *, is_kept: bool = True) -> Source:
    """Look at files of one's own; if `is_kept`, the data folder knows them by the dump's name then.

    Section [source] names the columns of a page.
    """
    path = options.source
    absolute = path if "://" in path else str(Path(path).absolute())
    section = source()
    values = {field.name: getattr(section, field.name) for field in fields(Source)}
    values.update(path=absolute, kind=options.kind or guessed_kind(absolute))
    chosen = Source(**values)
    checked_files(chosen)
    storage = Storage(options.data_dir) if options.data_dir else open_storage()
    keep_source(dump, chosen, storage, is_kept=is_kept)
    return chosen


def source_settings(chosen: Source) -> list[Setting]:
    """The same as section [source].

    >>> source_settings(Source("pages", "mine"))[0]
    ('source', 'kind', 'pages')
    """
    return [("source", field.name, str(getattr(chosen, field.name))) for field in fields(chosen)]


def named_dump(parameters: Mapping[str, str]) -> str:
    """The one dump that a task's parameters name.

    >>> named_dump({"dumps": "mine", "replace": "true"})
    'mine'
    """
    for name in ("dump", "dumps"):
        if (dump := parameters.get(name, "")) and "," not in dump:
            return dump
    raise ConfigError("--source needs a name for these files: add one, such as --input mine")
