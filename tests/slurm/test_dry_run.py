"""What `skord run TASK --dry-run` prints, beside what is submitted."""

import json

import pytest

from skord.slurm.submission.sbatch import Needs
from tests.conftest import run_python

NEEDS = Needs(2.0, 30)


@pytest.mark.parametrize(
    "settings",
    [{}, {"max_concurrent": 2, "account": "p 1"}, {"mode": "pilot_jobs", "max_array": 2}],
)
def test_a_preview_is_what_is_then_submitted(submitter, programs, settings):
    one = submitter(**settings)
    numbers = one.work.numbers

    command, script = one.preview(numbers, NEEDS)
    assert not one.folder.exists()
    attempt = one.write(numbers, NEEDS, one.settings.max_concurrent, (), {})
    one.send(attempt)

    sent = json.loads((attempt.folder / "sbatch.json").read_text())
    random = attempt.manifest.name[-4:]
    theirs = next(word for word in command if word.startswith("--job-name="))[-4:]
    assert [word.replace(theirs, random) for word in command] == sent
    assert script.replace(theirs, random) == (attempt.folder / "job.sh").read_text()


def skord(folder, *words):
    done = run_python("-m", "skord", "run", *words, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def test_the_command_prints_lines_and_scripts_of_every_phase_and_makes_nothing(tmp_path, programs):
    (tmp_path / "luigi.cfg").write_text(
        "[crawl]\nbase_url = http://127.0.0.1:9\n[executor]\nkind = slurm\n"
        "[slurm]\naccount = our-project\n[slurm.HashParagraphs]\ntime_min = 240\n"
    )
    before = sorted(tmp_path.rglob("*"))

    status, printed, _ = skord(tmp_path, "HashParagraphs", "--dump", "2024-10", "--dry-run")

    assert status == 0
    lines = printed.splitlines()
    commands = [line.split() for line in lines if line.startswith("sbatch ")]
    assert len(commands) == 3  # paths and files of DownloadWET, and the keys
    assert all("--account=our-project" in command for command in commands)
    assert ["--time=240" in command for command in commands] == [False, False, True]
    assert "one item; how many there are is known once what it needs is complete" in printed
    assert sum(line.startswith("#   exec ") for line in lines) == 3
    assert programs.asked("sbatch") == []
    assert sorted(path for path in tmp_path.rglob("*") if "bin" not in path.parts) == [
        path for path in before if "bin" not in path.parts
    ]


def test_without_slurm_in_the_settings_it_is_said_what_to_set(tmp_path):
    status, _, errors = skord(tmp_path, "DownloadWET", "--dump", "2024-10", "--dry-run")

    assert status == 1
    assert errors.splitlines()[-1].endswith("or add --executor-kind slurm")
