"""Whether the commands of a shell block are ones that there are, without running them."""

import importlib.util
import re
import shlex
import tomllib

import luigi.interface  # noqa: F401 - declares options that the parser reads
from luigi.cmdline_parser import CmdlineParser

from benchmarks.__main__ import MODULES
from skord.cli.commands import command_line
from skord.cli.parser import parse_words as command_options
from skord.cli.run import parse_task_words, task_with
from skord.core.registry import load_graph, module_of
from tests.conftest import ROOT

ELSEWHERE = frozenset(
    {".", "apt-get", "cat", "cd", "cp", "curl", "echo", "export", "git", "head", "ls", "mkdir"}
    | {
        "pip",
        "printf",
        "python3",
        "scancel",
        "scontrol",
        "sqlite3",
        "squeue",
        "ssh",
        "tail",
        "tmux",
    }
)
"""Programs that are not ours: their words are not looked at."""

SEPARATORS = re.compile(r"^(?:&&|\|\|?|;)$")


def commands(text: str) -> list[list[str]]:
    """The commands of a block, each as words, without comments and redirections.

    >>> commands("A=1 python -m x a \\\\\\n  b  # why\\nmake y && make z > out")
    [['python', '-m', 'x', 'a', 'b'], ['make', 'y'], ['make', 'z']]
    """
    actual: list[list[str]] = []
    for line in text.replace("\\\n", " ").splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars=";|&<>")
        lexer.whitespace_split = True
        words: list[str] = []
        for word in [*lexer, ";"]:
            if not SEPARATORS.match(word):
                words.append(word)
                continue
            words = words[: words.index(">")] if ">" in words else words
            while words and re.match(r"\w+=", words[0]):
                words = words[1:]
            if words:
                actual.append(words)
            words = []
    return actual


def check(words: list[str]) -> None:
    """Raise AssertionError unless there is such a command, with such options."""
    program, *rest = words
    if program.endswith("python"):
        program = "python"
    if program == "make":
        check_make(rest)
    elif program == "skord":
        check_skord(rest)
    elif program == "python" and rest[:1] == ["-m"]:
        check_module(rest[1], rest[2:])
    elif program == "python" and rest[:1] == ["-c"]:
        compile(rest[1], "-c", "exec")
    elif program == "pip" and "-e" in rest:
        check_extras(rest[rest.index("-e") + 1])
    else:
        assert program in ELSEWHERE or program.startswith(".venv/"), f"what is {program}?"


def check_make(words: list[str]) -> None:
    """Targets are in the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    for word in words:
        if "=" in word:
            continue
        target = "bench-%" if word.startswith("bench-") else word
        assert re.search(rf"^{re.escape(target)}:", makefile, re.MULTILINE), f"make {word}"
        if target != word:
            check_benchmark(word.removeprefix("bench-"))


def check_benchmark(name: str) -> None:
    """There is a benchmark of that name."""
    module = MODULES.get(name, "")
    assert (ROOT / "benchmarks" / f"{module.replace('.', '/')}.py").is_file(), name


def check_module(module: str, words: list[str]) -> None:
    """`python -m …` of ours takes these words; another module is there."""
    if module in ("pipeline", "skord"):
        check_skord(words)
    elif module == "benchmarks":
        check_benchmark(words[0])
    elif module == "luigi":
        load_graph()
        with CmdlineParser.global_instance(words) as command:
            assert command.get_task_obj()
    else:
        assert importlib.util.find_spec(module), f"there is no module {module}"


def check_skord(words: list[str]) -> None:
    """The command takes these words; what follows a task's name is the task's."""
    if words[0] == "run":
        output = command_options(command_line(), words)
        module_of(output.task)
        assert task_with(output.task, parse_task_words(output.task, output.rest).parameters)
    else:
        parse(words)


def parse(words: list[str]) -> None:
    """The command line takes these words."""
    parser = command_line()
    try:
        parser.parse_args(words)
    except SystemExit as error:
        raise AssertionError(f"{parser.prog} {shlex.join(words)}") from error


def check_extras(target: str) -> None:
    """`.[a,b]`: extras of pyproject.toml."""
    known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for name in re.findall(r"[\w-]+", target.partition("[")[2]):
        assert name in known, f"there is no extra {name}"
