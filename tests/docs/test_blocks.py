"""Every code block that a user reads is run, or says what it needs and is looked at."""

import contextlib
import io
import json
import re
import subprocess

import pytest

from skord.core.failures import ConfigError
from skord.core.preflight import check_settings
from skord.text.own_languages import read_languages
from tests.conftest import ROOT
from tests.docs.blocks import NEEDS, all_blocks
from tests.docs.commands import check, commands
from tests.docs.conftest import HTML

BLOCKS = all_blocks()
PYTHON_PAGES = sorted({block.page for block in BLOCKS if block.language == "python"})
ON_A_SAMPLE = {
    block.page for block in BLOCKS if block.language == "python" and '"sample/' in block.text
}
LANGUAGES = {"python", "pycon", "bash", "ini", "toml", "text", "html", "markdown"}


def name(block):
    return f"{block.page}:{block.line}"


def of(language, *, run=None):
    wanted = [
        block
        for block in BLOCKS
        if block.language == language and (run is None or run == (not block.needs))
    ]
    return pytest.mark.parametrize("block", wanted, ids=name)


@of("toml")
def test_files_of_languages_are_read_as_such(block, tmp_path):
    (tmp_path / "et.toml").write_text(block.text, encoding="utf-8")

    read = read_languages(str(tmp_path))

    assert set(read.stop_words["et"]) >= {"ja", "on"}
    assert read.letters["et"].charsets


def test_blocks_say_what_they_are():
    assert {block.language for block in BLOCKS} <= LANGUAGES
    assert {need for block in BLOCKS for need in block.needs} <= set(NEEDS)
    assert len([block for block in BLOCKS if block.language == "bash"]) > 30


@of("bash")
def test_commands_are_ones_that_there_are(block):
    for words in commands(block.text):
        check(words)


def test_commands_that_there_are_not_are_told():
    for text in (
        "make coffee",
        "python -m pipeline brew",
        "python -m pipeline why --colour red x",
        "python -m luigi --module pipeline.dedup Deduplicate --dump 2024-10 --colour red",
        "python -m models.nobody",
        "skord run Deduplicat --dump 2024-10",
        "skord funel --dump 2024-10",
        "pip install -e '.[coffee]'",
        "pyhton -m pipeline status",
    ):
        with pytest.raises((AssertionError, ConfigError, SystemExit)):
            check(commands(text)[0])


@pytest.mark.slow
@of("bash", run=True)
def test_shell_blocks_run(block, desks):
    desk = desks(block.page)

    done = subprocess.run(
        ["bash", "-eo", "pipefail", "-c", block.text],
        cwd=desk.folder,
        env=desk.environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    following = BLOCKS[BLOCKS.index(block) + 1 :][:1]
    if following and following[0].is_output:
        assert following[0].text.strip() in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted(ON_A_SAMPLE))
def test_python_blocks_run_on_a_sample(page, desks, monkeypatch):
    monkeypatch.chdir(desks(page).folder)

    run_python_blocks(page)


@pytest.mark.parametrize("page", [page for page in PYTHON_PAGES if page not in ON_A_SAMPLE])
def test_python_blocks_run(page, tmp_path, monkeypatch):
    (tmp_path / "page.html").write_text(HTML)
    monkeypatch.chdir(tmp_path)

    run_python_blocks(page)


@pytest.mark.slow
def test_the_notebook_runs_on_a_sample(desks, monkeypatch):
    page = "docs/how-to/corpus.ipynb"
    desk = desks(page)
    monkeypatch.chdir(desk.folder)
    notebook = json.loads((ROOT / page).read_text("utf-8"))
    cells = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    session: dict = {}
    printed = io.StringIO()

    with contextlib.redirect_stdout(printed):
        for number, cell in enumerate(cells):
            exec(compile(cell, f"{page}, cell {number}", "exec"), session)

    assert len(cells) >= 7
    assert re.search(r"Deduplicate +complete +\d+ rows", printed.getvalue())
    assert "unigram_entropy from 4.6: " in printed.getvalue()
    assert all(c["outputs"] == [] for c in notebook["cells"] if c["cell_type"] == "code")


def run_python_blocks(page):
    """The blocks of a page are one session; what a block prints stands below it, if anything."""
    session: dict = {}
    here = [block for block in BLOCKS if block.page == page]
    for block, following in zip(here, [*here[1:], None], strict=True):
        if block.language != "python":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * block.line + block.text, page, "exec"), session)
        if following and following.is_output:
            assert printed.getvalue().strip() == following.text.strip()


@of("ini")
def test_settings_are_ones_that_there_are(block, settings):
    path = settings()
    own = path.read_text()
    for section in re.findall(r"^\[(\w+)\]$", block.text, re.MULTILINE):
        own = re.sub(rf"^\[{section}\]\n(?:[^\[].*\n)*", "", own, flags=re.MULTILINE)
    path.write_text(own + block.text)

    check_settings()
