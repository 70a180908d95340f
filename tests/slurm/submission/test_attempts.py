"""Attempts: their numbers, what their manifests say, and those of earlier versions."""

from dataclasses import replace

import pytest

from slurm.submission.attempts import Manifest, attempts_in, next_folder, write_attempt


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

    assert two.described().startswith("job 9, 3 items in 2 array tasks, 2 GB, 60 min (")
    assert ", 1 item in 1 array task, 2 GB" in one.described()
    assert "3 items in 3 pilot jobs, 2 GB" in pilots.described()
