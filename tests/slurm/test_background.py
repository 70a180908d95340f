"""Which running testbed is meant by nobody's naming one, of `skord.slurm.testbed.background`."""

import subprocess
import sys
import tempfile
from contextlib import contextmanager

import pytest

from skord.core.failures import ConfigError
from skord.slurm.testbed.background import PREFIX, only_testbed, own_testbed, owner_of_testbed


@contextmanager
def running(folder):
    """A process that is named as a testbed is, and owns the folder till the end."""
    folder.mkdir()
    command = [sys.executable, "-c", "input(print(flush=True))", "skord.slurm.testbed"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout.readline()  # before that it is not known by its name
        (folder / "owner.pid").write_text(str(process.pid))
        try:
            yield folder
        finally:
            process.kill()


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """The system's folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_one_that_runs_is_meant(temporary):
    (temporary / f"{PREFIX}ended").mkdir()

    with running(temporary / f"{PREFIX}one") as one:
        assert only_testbed() == one


def test_without_any_or_with_several_the_folder_must_be_named(temporary):
    with pytest.raises(ConfigError, match=r"say --folder.* is running: none$"):
        only_testbed()
    with (
        running(temporary / f"{PREFIX}2") as two,
        running(temporary / f"{PREFIX}1") as one,
        pytest.raises(ConfigError, match=f"is running: {one}, {two}$"),
    ):
        only_testbed()


def test_a_pid_of_another_program_owns_nothing(tmp_path):
    with own_testbed(tmp_path):
        assert (tmp_path / "owner.pid").exists()
        assert owner_of_testbed(tmp_path) is None
    assert not (tmp_path / "owner.pid").exists()
