"""Fingerprints of the sample run: data that lie on disks stay valid when code moves.

A line of the file changes only where output changes on purpose: with a raised `version`, another
default, other weights.
"""

from pathlib import Path

import pytest

from skord.cli.sample import SETTINGS
from skord.core.registry import task_classes
from skord.extras import rooms
from tests.conftest import settings_of_file

RECORDED = Path(__file__).parent / "cases" / "fingerprints.txt"


@pytest.fixture
def sample_settings(settings, tmp_path):
    settings()
    written = tmp_path / "sample.cfg"
    values = {"folder": tmp_path, "url": "http://127.0.0.1:9", "executor": "local", "workers": 2}
    written.write_text(SETTINGS.format(**values, selection=""))
    with settings_of_file(written):
        yield


@pytest.mark.usefixtures("sample_settings")
def test_what_owners_reserve_needs_no_server_after_the_sample_run():
    assert not task_classes()["DetectReservations"](dump="2024-10").crawled_robots


@pytest.mark.usefixtures("sample_settings")
def test_the_sample_run_has_the_fingerprints_that_are_on_record():
    recorded = dict(line.split() for line in RECORDED.read_text().splitlines())

    classes = task_classes()

    assert recorded.keys() <= classes.keys() or "grading" not in rooms()
    held = {name: value for name, value in recorded.items() if name in classes}
    assert {name: classes[name](dump="2024-10").fingerprint for name in held} == held
