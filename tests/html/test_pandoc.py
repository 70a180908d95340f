"""The program pandoc, as `skord.html.pandoc` runs it."""

import os
from pathlib import Path

import pytest

from skord.core.failures import DocumentError
from skord.html.pandoc import convert_with_pandoc

PROGRAM = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "pandoc 2.9.2.1 "; exit; fi
cat > /dev/null
"""


def pandoc(folder: Path, does: str) -> Path:
    program = folder / "pandoc"
    program.write_text(PROGRAM + does)
    program.chmod(0o755)
    return program


def test_ctrl_c_at_the_terminal_does_not_reach_it(tmp_path):
    group = int(
        convert_with_pandoc("<p>Hej</p>", pandoc(tmp_path, 'cut -d " " -f 5 /proc/$$/stat'))
    )

    assert group != os.getpgrp()


@pytest.mark.parametrize(
    ("does", "detail"),
    [
        ("printf 'pandoc: a\\nstack\\nfull\\n' >&2; exit 2", "full"),
        ("exit 3", "exit status 3"),
    ],
)
def test_the_last_line_that_it_complains_with_says_why_it_failed(tmp_path, does, detail):
    with pytest.raises(DocumentError, match=f"{detail}$"):
        convert_with_pandoc("<p>Hej</p>", pandoc(tmp_path, does))
