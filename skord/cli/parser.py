"""The parser of the command line: groups of commands, one sentence for what is misspelt."""

from __future__ import annotations

import argparse
import difflib
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NoReturn

USAGE_ERROR = 2
"""Exit status when words are misspelt."""

INCOMPLETE = 3
"""Exit status when something is left: a text that cannot be made again, a page to be removed."""

BELOW: Mapping[str, str] = {
    "study": "look closer, decide, repair: funnel, plan, what-if, verify, grade …",
    "publish": "publish, remove, make again: export, compact, removals, rebuild …",
}
"""Words that group commands, and what the list shows of them."""

_CHOICE = re.compile(r"(?:argument (?P<name>[^:]+): )?invalid choice: '(?P<word>[^']*)'")
_COMPLAINTS: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"argument (\S+): invalid int value: '(.*)'"), r"\1 \2: give a whole number"),
    (re.compile(r"argument (\S+): invalid float value: '(.*)'"), r"\1 \2: give a number"),
    (
        re.compile(r"argument (\S+): expected (?:one|at least one) argument"),
        r"\1 stands without a value: write one behind it",
    ),
    (
        re.compile(r"argument (\S+): ignored explicit argument '(.*)'"),
        r"\1 takes no value: leave =\2 out",
    ),
    (
        re.compile(r"argument (\S+): not allowed with argument (\S+)"),
        r"\1 and \2 do not go together: give one of them",
    ),
    (
        re.compile(r"ambiguous option: (\S+) could match ([^,]+).*", re.DOTALL),
        r"there is no option \1: did you mean \2?",
    ),
)
"""What argparse writes, and what is written here."""
_OTHER_SPELLINGS = re.compile(r"(?<=[a-z])/--[a-z-]+")
"""Of an option that is missing."""
_CHOICES = re.compile(r"choose from (?P<known>.*)\)")


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        name: as typed; a verb of a command is written behind it, as in "sample run". A command may
            have verbs and be a command without one, as "train" and "train evaluate" are.
        help: one line of the list of commands.
        module: of the function that does it.
        function: takes the parsed options, returns an exit status or None for 0.
        declare: adds options and arguments to the command's own parser.
        description: of the command's own help; `help` when empty.
        reads_settings: whether it works under luigi.cfg; if not, it starts without Luigi.
    """

    name: str
    help: str
    module: str
    declare: Callable[[argparse.ArgumentParser], object]
    function: str = "run"
    description: str = ""
    reads_settings: bool = True


@dataclass(frozen=True)
class Group:
    """Commands for one purpose.

    Attributes:
        title: above them in the list; those of a group without one are not listed.
        commands: in the order of the list.
        below: the word that stands before them, as in `skord study funnel`, and whose help lists them;
            they are understood without it, too.
    """

    title: str
    commands: Sequence[Command]
    below: str = ""


class Parser(argparse.ArgumentParser):
    """An `ArgumentParser` whose errors are one sentence, with what was perhaps meant."""

    _words: Sequence[str] = ()
    joined: frozenset[str] = frozenset()
    """Commands of two words whose first is a command, too."""
    below: Mapping[str, Sequence[Group]] = {}
    """Words that stand before commands, and those commands."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As ever; the words are kept for error messages."""
        self._words = sys.argv[1:] if args is None else args
        if self._words and self._words[0] in self.below:
            self._words = self._without_first(self._words[0], self._words[1:])
        if " ".join(self._words[:2]) in self.joined:
            self._words = [" ".join(self._words[:2]), *self._words[2:]]
        return super().parse_known_args(self._words, namespace)

    def _without_first(self, word: str, words: Sequence[str]) -> Sequence[str]:
        """The words behind one that groups commands; its help, or an error, ends the process."""
        groups = self.below[word]
        known = {command.name.split()[0] for group in groups for command in group.commands}
        if words and words[0] in known:
            return words
        if words and words[0] not in ("-h", "--help"):
            self.error(f"there is no {word} command {words[0]!r}: {nearest_word(words[0], known)}")
        listed = "\n".join(_listing(groups))
        print(f"usage: {self.prog} {word} COMMAND …\n\n{listed}")
        sys.exit()

    def error(self, message: str) -> NoReturn:
        """Say it and leave."""
        sentence = reworded_complaint(message, self._words)
        sys.stderr.write(f"{self.prog}: {sentence}; see {self.prog} --help\n")
        sys.exit(USAGE_ERROR)


def reworded_complaint(message: str, words: Sequence[str] = ()) -> str:
    """argparse's complaint on a wrong word, or a missing option, with the nearest right one.

    >>> complaint = "argument COMMAND: invalid choice: 'stauts' (choose from 'status', 'why')"
    >>> reworded_complaint(complaint)
    "there is no COMMAND 'stauts': did you mean status?"
    >>> reworded_complaint("argument --by: invalid choice: 'x' (choose from 'words', 'chunks')")
    "there is no --by 'x': known are chunks, words"
    >>> reworded_complaint("the following arguments are required: --dump/--dumps", ["--dmup", "a"])
    'there is no option --dmup: did you mean --dump?'
    >>> reworded_complaint("argument --port: invalid int value: '1e3'")
    '--port 1e3: give a whole number'
    """
    message = _OTHER_SPELLINGS.sub("", message)
    _, is_missing, missing = message.partition("arguments are required: ")
    named = missing.split(", ")
    for word in (word.partition("=")[0] for word in words if is_missing):
        near = word.startswith("--") and difflib.get_close_matches(word, named, n=1)
        if near:
            return f"there is no option {word}: did you mean {near[0]}?"
    wrong = _CHOICE.match(message)
    if not wrong:
        for pattern, sentence in _COMPLAINTS:
            if match := pattern.fullmatch(message):
                return match.expand(sentence)
        return message
    listed = _CHOICES.search(message)
    known = [part.strip(" '\"") for part in listed["known"].split(",")] if listed else []
    nearest = nearest_word(wrong["word"], known)
    return f"there is no {wrong['name'] or 'choice'} '{wrong['word']}': {nearest}"


def nearest_word(word: str, known: Iterable[str]) -> str:
    """The nearest known word, or all of them.

    >>> nearest_word("funel", ["funnel", "why"])
    'did you mean funnel?'
    """
    choices = sorted(known)
    near = difflib.get_close_matches(word.lower(), choices, n=1) or [
        one for one in choices if one.lower() == word.lower()
    ]
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(choices)}"


def build_parser(prog: str, description: str, epilog: str, groups: Sequence[Group]) -> Parser:
    """The whole command line, its commands listed by purpose."""
    below: dict[str, list[Group]] = {}
    for group in groups:
        if group.below:
            below.setdefault(group.below, []).append(group)
    shown = [group for group in groups if group.title and not group.below]
    more = [Command(word, BELOW[word], "", lambda _: None) for word in below]
    listed = "\n".join(_listing([*shown, *([Group("more", more)] if more else [])]))
    top = Parser(
        prog=prog,
        usage="%(prog)s COMMAND …",
        description=f"{description}\n\n{listed}",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"{prog} {version('skord')}")
    commands = top.add_subparsers(
        required=True, prog=prog, metavar="COMMAND", dest="command", help=argparse.SUPPRESS
    )
    top.below = below
    for word in below:
        commands.add_parser(word, help=BELOW[word], description=BELOW[word])
    verbs: dict[str, argparse._SubParsersAction[Parser]] = {}
    words_before = {c.name: f"{g.below} " if g.below else "" for g in groups for c in g.commands}
    all_commands = [command for group in groups for command in group.commands]
    names = {command.name for command in all_commands}
    top.joined = frozenset(name for name in names if " " in name and name.split(" ")[0] in names)
    for command in all_commands:
        name, _, verb = command.name.partition(" ")
        typed = f"{prog} {words_before[command.name]}{name}"
        text = command.description or command.help
        if not verb or name in names:
            typed = f"{prog} {words_before[command.name]}{command.name}"
            leaf = commands.add_parser(
                command.name, help=command.help, description=text, prog=typed
            )
        else:
            if name not in verbs:
                branch = commands.add_parser(name, help=command.help, prog=typed)
                verbs[name] = branch.add_subparsers(required=True, metavar="VERB", dest="verb")
            leaf = verbs[name].add_parser(verb, help=command.help, description=text)
        command.declare(leaf)
        _common(leaf)
        leaf.set_defaults(does=command, leaf=leaf)
    return top


def parse_words(parser: Parser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """Parse the words, of which none ask for help; an unknown option is reported with the nearest.

    Options unknown to `run` and `corpus` are their tasks'.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["help"]:
        words = [*words[1:], "--help"]
    if words and words[0].startswith("--") and words[0] not in ("--help", "--version"):
        parser.error(f"options stand behind the command, as in {parser.prog} status {words[0]} …")
    options: argparse.Namespace
    options, rest = parser.parse_known_args(words or ["--help"])
    if rest and options.does.name not in ("run", "corpus"):
        leaf: Parser = options.leaf
        known = [word for action in leaf._actions for word in action.option_strings]
        word = rest[0].partition("=")[0]
        complaint = f"there is no option {word}: {nearest_word(word, known)}"
        leaf.error(complaint if word.startswith("-") else f"one word too many: {rest[0]!r}")
    options.rest = rest
    return options


def _listing(groups: Sequence[Group]) -> Iterator[str]:
    for group in groups:
        yield f"{group.title}:"
        helps: dict[str, str] = {}
        for command in group.commands:
            helps.setdefault(command.name.split()[0], command.help)
        for name, text in helps.items():
            yield f"  {name:<14}{text}"
        yield ""


def _common(leaf: argparse.ArgumentParser) -> None:
    """What every command takes."""
    common = leaf.add_argument_group("everywhere")
    common.add_argument(
        "--data-dir", metavar="FOLDER", help="folder or s3://bucket/prefix; [pipeline] data_dir"
    )
    common.add_argument(
        "--verbose", action="store_true", help="every step, Luigi's own log among them"
    )
    common.add_argument("--debug", action="store_true", help="errors with their traceback")


# -- options of many commands ---------------------------------------------------------------


def of_dump(
    parser: argparse.ArgumentParser,
    *,
    required: bool = True,
    text: str = "a dump, such as 2024-10, or the name of files of your own",
) -> None:
    """The option that names one dump, or one input."""
    parser.add_argument(
        "--dump",
        "--dumps",
        "--input",
        required=required,
        metavar="NAME",
        help=text,
    )


def of_dumps(
    parser: argparse.ArgumentParser,
    *,
    required: bool = True,
    text: str = "dumps, such as 2024-10,2024-18, or names of files of your own",
) -> None:
    """The option that names dumps and inputs."""
    parser.add_argument(
        "--dumps",
        "--dump",
        "--input",
        required=required,
        default=None if required else "",
        metavar="NAME,…",
        help=text,
    )


def as_json(parser: argparse.ArgumentParser) -> None:
    """The option of commands that programs read."""
    parser.add_argument(
        "--json", action="store_true", help="one JSON value on standard output, for programs"
    )
