"""Forty wrong commands as a person types them, in an empty folder, and what is then to be read."""

import gzip
import os
import random
import re
import shlex
import subprocess
import sys

import pytest

from tests.cli.test_wrong_commands import BROKEN, WRONG_THINGS, WRONG_WORDS
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

DOES = re.compile(
    r"did you mean|known are|give |set |see skord|skord |run |name another|choose|write |save |"
    r"remove |check |must |needs? |nearest|there is no |no such file|is a directory|raise "
)
"""What to do, or what is not there: one of these stands in every last line."""

OTHERS = [
    ("extract empty.html", 1, "empty.html: no text"),
    ("extract page.pdf", 1, "page.pdf is a PDF, which is no HTML"),
    ("extract noise.html", 1, "noise.html is neither HTML nor text"),
    ("extract page.json", 1, "page.json is neither HTML nor text"),
    ("extract pages", 1, "pages is a folder: skord extract pages/*.html, or skord run"),
    ("extract page.html.gz", 1, "gunzip -c page.html.gz | skord extract -"),
    ("extract file:///nowhere/a.html", 1, "/nowhere/a.html: no such file"),
    ("init pages", 1, "name another, or remove it"),
    ("report --dumps 2024-10 --out pages", 1, "skord run Deduplicate --dump 2024-10"),
    ("run CCNet --dump 2024-10 --colour red", 2, "there is no option --colour"),
    ("run CCNet --dump 2024-10 --langauges da", 2, "did you mean --languages?"),
    ("run CCNet", 1, "CCNet needs --dump"),
    ("run CCNet --dump 2024-10 --CCNet-rule all", 1, "write it as in rule = any"),
    ("run CCNet --dump 2024-10 now", 2, "one word too many: 'now': give options as --name"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Nearly empty: an empty page, files that are none, a folder."""
    made = tmp_path_factory.mktemp("desk")
    (made / "empty.html").write_text("")
    (made / "page.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n")
    (made / "noise.html").write_bytes(random.Random(1).randbytes(3000))
    (made / "page.json").write_text('{"id": 1}')
    (made / "page.html.gz").write_bytes(gzip.compress(b"<p>Ord.</p>"))
    (made / "pages").mkdir()
    return made


def typed(folder, *words):
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}:{ROOT}"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    return done.returncode, done.stdout, done.stderr


def check_one_sentence(out, err, sentence):
    """One line, last and alone; no traceback, nothing of Luigi's."""
    lines = err.splitlines()
    assert lines, out
    assert sentence in lines[-1]
    assert DOES.search(lines[-1]), lines[-1]
    assert len(lines) == 1, lines
    for noise in ("Traceback", "Error:", ":(", 'File "', "Luigi Execution Summary"):
        assert noise not in out + err


COMMANDS = [
    *((words, 2, sentence) for words, sentence in WRONG_WORDS),
    *((words, 1, sentence) for words, sentence in WRONG_THINGS),
    *OTHERS,
]


def test_there_are_more_than_forty():
    assert len(COMMANDS) + len(BROKEN) >= 55


@pytest.mark.parametrize(("words", "status", "sentence"), COMMANDS)
def test_a_wrong_command_is_one_sentence(folder, words, status, sentence):
    ended, out, err = typed(folder, "skord", *shlex.split(words))

    check_one_sentence(out, err, sentence)
    assert ended == status
    assert err.startswith("skord")
