"""All commands together."""

from __future__ import annotations

import functools

from skord.cli.arguments.decide import DECIDE
from skord.cli.arguments.look import LOOK, LOOK_CLOSER
from skord.cli.arguments.make import MAKE, REPAIR
from skord.cli.arguments.parser import Group, Parser, build_parser
from skord.cli.arguments.publish import PUBLISH
from skord.cli.arguments.sample import SAMPLE, SHELL
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
        group.below,
    )
    for group in (MAKE, LOOK, TRAIN, SAMPLE, LOOK_CLOSER, DECIDE, REPAIR, PUBLISH, SHELL)
)

PROG = "skord"

DESCRIPTION = "Clean text corpora for smaller languages out of Common Crawl."

EPILOG = """\
skord COMMAND --help tells of one command; skord study and skord publish list theirs, which are
understood without that word, too. Settings: luigi.cfg, which skord init writes. skord completion
SHELL prints what makes a shell complete these words.
Exit status: 0 done; 1 it could not be done, and the last line says why; 2 misspelt; 3 done in
part: something is left, and each part has its reason; 130 stopped by Ctrl-C: given again, the
same command goes on where it was."""


@functools.cache
def command_line(*, whole: bool = False) -> Parser:
    """The parser of `skord`.

    Args:
        whole: with the options of all commands, for what does not parse but looks at them.
    """
    return build_parser(PROG, DESCRIPTION, EPILOG, GROUPS, whole=whole)
