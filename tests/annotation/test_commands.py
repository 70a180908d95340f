"""The command line, as a person starts it.

Through `skord.annotation_tool.backend.exchange` and `skord.annotation_tool.backend.published`.
"""

import re
import subprocess
import sys
from contextlib import contextmanager

import pytest
import requests

from skord.cli.main import main
from tests.conftest import ROOT, run_python


@contextmanager
def serving(*options: str):
    command = [sys.executable, "-m", "skord", "annotate", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()


def test_pages_are_served_under_the_address_that_is_printed(articles, tmp_path):
    token = tmp_path / "token"
    options = [articles, "--database", tmp_path / "a.sqlite", "--token-file", token]
    with serving(*map(str, options)) as address:
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{32}", address)
        with requests.Session() as browser:
            page = browser.get(address, timeout=240)
            assert page.headers["Content-Security-Policy"].startswith("default-src 'none'")
            state = browser.get(f"{page.url}api/state", timeout=240).json()
    assert state["pages"] == 3
    assert state["languages"] == {"da": 1, "sv": 2}
    assert state["classifiers"][0].startswith("embedded-")


def test_what_cannot_work_is_said_in_a_sentence(tmp_path):
    empty = run_python("-m", "skord", "annotate", "--database", str(tmp_path / "a.sqlite"))
    assert empty.returncode == 1
    assert "name some, as in skord annotate PAGES" in empty.stderr
    assert "Traceback" not in empty.stderr


@pytest.mark.parametrize(
    "command", [["export", "x.jsonl", "--annotator", "a"], ["agreement", "a", "b"]]
)
def test_a_database_that_is_not_there_is_not_made(command, tmp_path, capsys):
    path = tmp_path / "absent.sqlite"
    assert main(["annotate", *command, "--database", str(path)]) == 1
    assert "there is no such file" in capsys.readouterr().err
    assert not path.exists()
