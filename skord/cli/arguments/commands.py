"""All commands together."""

from __future__ import annotations

from skord.cli.arguments.decide import DECIDE
from skord.cli.arguments.look import LOOK
from skord.cli.arguments.make import MAKE
from skord.cli.arguments.parser import Group, Parser, build_parser
from skord.cli.arguments.publish import PUBLISH
from skord.cli.arguments.rehearse import REHEARSE, SHELL
from skord.cli.arguments.train import TRAIN
from skord.cli.declarations import ExtraCommand
from skord.extras import declared

GROUPS = tuple(
    Group(
        group.title,
        [
            *group.commands,
            *(one.command for one in declared(ExtraCommand) if one.group == group.title),
        ],
    )
    for group in (LOOK, DECIDE, MAKE, PUBLISH, TRAIN, REHEARSE, SHELL)
)

PROG = "skord"

DESCRIPTION = "Clean text corpora for smaller languages out of Common Crawl."

EPILOG = """\
skord COMMAND --help tells of one command. Settings: luigi.cfg, which skord init writes.
Exit status: 0 done; 1 it could not be done, and the last line says why; 2 misspelt; 3 done in
part: something is left, and each part has its reason; 130 stopped by Ctrl-C: given again, the
same command goes on where it was."""


def command_line(*, whole: bool = False) -> Parser:
    """The parser of `skord`.

    Args:
        whole: with the options of all commands, for what does not parse but looks at them.
    """
    return build_parser(PROG, DESCRIPTION, EPILOG, GROUPS, whole=whole)
