"""The picture of what grading took."""

from argparse import Namespace
from xml.etree import ElementTree

import pytest

from pipeline.cli.grade import run, write_times
from pipeline.core.failures import ConfigError

ROWS = [
    {"words": 2.0**n, "texts": 3.0, "median_s": n / 1e3, "p90_s": n / 5e2, "max_s": n / 1e2,
     "words_per_s": 1e5}
    for n in range(4, 9)
]  # fmt: skip


def test_times_become_a_picture_of_three_lines(tmp_path, capsys):
    write_times(ROWS, tmp_path / "times.svg")

    picture = ElementTree.parse(tmp_path / "times.svg").getroot()
    assert picture.get("aria-label") == "Seconds that grading took, by words of a text"
    lines = [one for one in picture.iter() if (one.get("id") or "").startswith("line2d")]
    assert len(lines) > 3
    assert capsys.readouterr().out == f"{tmp_path / 'times.svg'}\n"


def test_a_folder_that_is_not_there_is_one_sentence(tmp_path):
    with pytest.raises(ConfigError, match="cannot be written"):
        write_times(ROWS, tmp_path / "nowhere" / "times.svg")


def test_a_picture_is_of_times_alone(settings):
    settings()
    with pytest.raises(ConfigError, match="give both"):
        run(Namespace(dump="2024-10", out="a.svg", times=False))
