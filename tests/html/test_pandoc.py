"""The program pandoc, as `skord.html.pandoc` runs it."""

import os

from skord.html.pandoc import convert_with_pandoc

PROGRAM = """\
#!/bin/sh
if [ "$1" = --version ]; then echo "pandoc 2.9.2.1 "; exit; fi
cat > /dev/null
cut -d " " -f 5 /proc/$$/stat
"""


def test_ctrl_c_at_the_terminal_does_not_reach_it(tmp_path):
    program = tmp_path / "pandoc"
    program.write_text(PROGRAM)
    program.chmod(0o755)

    group = int(convert_with_pandoc("<p>Hej</p>", program))

    assert group != os.getpgrp()
