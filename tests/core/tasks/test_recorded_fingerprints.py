"""Fingerprints of the sample run: data that lie on disks stay valid when code moves.

A line of the file changes only where output changes on purpose: with a raised `version`, another
default, other weights.
"""

from pathlib import Path

from luigi.configuration import add_config_path

from pipeline.cli.sample import SETTINGS
from pipeline.core.registry import task_classes

RECORDED = Path(__file__).parent / "cases" / "fingerprints.txt"


def test_the_sample_run_has_the_fingerprints_that_are_on_record(settings, tmp_path):
    settings()
    written = tmp_path / "sample.cfg"
    values = {"folder": tmp_path, "url": "http://127.0.0.1:9", "executor": "local", "workers": 2}
    written.write_text(SETTINGS.format(**values, selection=""))
    assert add_config_path(str(written))
    recorded = dict(line.split() for line in RECORDED.read_text().splitlines())

    classes = task_classes()

    assert {name: classes[name](dump="2024-10").fingerprint for name in recorded} == recorded
