"""Attempts: their numbers, what their manifests say, and what their array tasks printed."""

from dataclasses import replace

import pytest

from skord.slurm.submission.attempts import (
    TAIL_BYTES,
    Manifest,
    attempts_in,
    next_folder,
    write_attempt,
)


@pytest.fixture
def manifest() -> Manifest:
    return Manifest(
        name="skord-1", family="CCNet", dump="2024-10", params="{}", phase="shard",
        fingerprint="f", options=(), groups=((3, 1), (2,)), mem_gb=2.0, needs_min=30, time_min=60,
        alone=False, warn_s=60, limit=0, failure_history={3: ["memory"]},
    )  # fmt: skip


def test_attempts_are_numbered_from_one_and_listed_in_order(tmp_path, manifest):
    folders = [next_folder(tmp_path) for _ in range(3)]
    for folder in folders[1:]:
        write_attempt(folder, manifest, "#!/bin/sh\n")

    assert [folder.name for folder in folders] == ["attempt-001", "attempt-002", "attempt-003"]
    assert [attempt.folder for attempt in attempts_in(tmp_path)] == folders[1:]


def test_a_manifest_is_read_as_it_was_written(tmp_path, manifest):
    write_attempt(next_folder(tmp_path), manifest, "#!/bin/sh\n")

    (attempt,) = attempts_in(tmp_path)

    assert attempt.manifest == manifest


def test_an_array_is_described_by_what_it_asked_for(tmp_path, manifest):
    two = write_attempt(next_folder(tmp_path), manifest, "")
    one = write_attempt(next_folder(tmp_path), replace(manifest, groups=((7,),)), "")
    pilots = write_attempt(next_folder(tmp_path), replace(manifest, pilots=3), "")
    two.note_job("9")

    assert two.describe().startswith("job 9, 3 items in 2 array tasks, 2 GB, 60 min (")
    assert ", 1 item in 1 array task, 2 GB" in one.describe()
    assert "3 items in 3 pilot jobs, 2 GB" in pilots.describe()


@pytest.mark.parametrize(
    ("printed", "tail"),
    [
        ("a\nevent=begin 1\nb\nevent=begin 2\nc", " 2\nc"),
        ("no word of it", "no word of it"),
        ("a" * TAIL_BYTES + "b" * TAIL_BYTES, "b" * TAIL_BYTES),
    ],
)
def test_the_end_of_what_an_array_task_printed_since_it_began(tmp_path, manifest, printed, tail):
    attempt = write_attempt(next_folder(tmp_path), manifest, "")
    assert attempt.log_tail(1) == ""
    attempt.log(1).parent.mkdir(exist_ok=True)
    attempt.log(1).write_text(printed)

    assert attempt.log_tail(1) == tail
