"""`skord sample`, of `skord.cli.sample`: what is refused, and what a run begins with."""

import configparser
import json
from argparse import Namespace

import pytest

from skord.cli.sample import MARK, SampleRun, build, build_sample, serve_sample
from skord.core.failures import ConfigError

DUMP = "2024-10"


def options(folder, **changed):
    values = {
        "folder": folder, "pages": 1200, "share": 0.001, "seed": "1", "part": "1/2",
        "dump": DUMP, "harvest": False, "fault": [], "port": 0, "languages": "",
        "kind": "common_crawl", "workers": 3, "executor": "local",
    }  # fmt: skip
    return Namespace(**{**values, **changed})


def test_a_crawl_of_any_size_is_built_in_parts(tmp_path, capsys):
    build_sample(options(tmp_path / "crawl"))
    assert capsys.readouterr().out == (
        f"{tmp_path}/crawl: 1,200 pages in 2 files, part 1/2; whole when all parts are built\n"
    )
    build_sample(options(tmp_path / "crawl", part="2/2"))
    assert capsys.readouterr().out.endswith(" in 2 files, whole\n")


@pytest.mark.parametrize("part", ["3/2", "0/2", "1", "a/2", "1/b", "-1/2"])
def test_a_part_that_is_none_is_refused(tmp_path, part):
    with pytest.raises(ConfigError, match=rf"--part {part}: give a part of all"):
        build_sample(options(tmp_path / "crawl", part=part))


@pytest.mark.parametrize("share", [1.5, -0.1])
def test_shares_of_no_size_are_refused(tmp_path, share):
    with pytest.raises(ConfigError, match=f"--share {share}: give a share from 0 to 1"):
        build_sample(options(tmp_path / "crawl", share=share))
    assert not (tmp_path / "crawl").exists()


def test_shares_of_nothing_and_of_all_are_built(tmp_path):
    for share in (0, 1):
        build_sample(options(tmp_path / str(share), pages=2, share=share, part="1/1"))


def test_the_harvest_is_of_latvian_pages(tmp_path):
    built = build(tmp_path / "crawl", DUMP, harvest=True)
    rows = map(json.loads, (tmp_path / "crawl/gold.jsonl").read_text().splitlines())
    assert "lv" in {row["lang"] for row in rows}
    assert built.pages == built.captures, "neither robots.txt nor errors"


def test_faults_and_folders_that_are_none_are_refused(tmp_path):
    with pytest.raises(ConfigError, match=f"{tmp_path}/no is no folder: skord sample build"):
        serve_sample(options(tmp_path / "no"))
    with pytest.raises(ConfigError, match="--fault: 'rain' is no fault"):
        serve_sample(options(tmp_path, fault=["rain=1"]))


def a_run(folder, **changed):
    return SampleRun(options(folder, **changed))


def test_a_folder_that_no_sample_made_is_left_alone(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("x")

    with pytest.raises(ConfigError, match="holds something that no sample run made"):
        a_run(tmp_path / "mine")._empty()
    assert (tmp_path / "mine/thesis.txt").exists()


def test_a_folder_of_ours_is_emptied_but_for_what_others_put_there(tmp_path):
    run = a_run(tmp_path / "new/sample")
    run._empty()
    assert [path.name for path in run.folder.iterdir()] == [MARK]
    for name in ("crawl", "data", "logs", "own", "notes"):
        (run.folder / name).mkdir()

    run._empty()

    assert sorted(path.name for path in run.folder.iterdir()) == [MARK, "notes"]
    (tmp_path / "empty").mkdir()
    a_run(tmp_path / "empty")._empty()


def read(path):
    settings = configparser.ConfigParser()
    settings.read(path)
    return settings


def test_settings_are_those_of_the_run(tmp_path):
    settings = read(a_run(tmp_path)._write_settings("http://127.0.0.1:9"))

    assert settings["pipeline"]["data_dir"] == f"{tmp_path}/data"
    assert settings["crawl"]["base_url"] == "http://127.0.0.1:9"
    assert settings["crawl"]["collinfo_url"] == "http://127.0.0.1:9/collinfo.json"
    assert (settings["executor"]["workers"], settings["executor"]["kind"]) == ("3", "local")
    assert dict(settings["CCNet"]) == {"num_partitions": "4"}
    assert "source" not in settings
    assert "GradeDocuments" not in settings
    assert a_run(tmp_path).name == DUMP


def test_a_harvest_and_ones_own_files_add_theirs(tmp_path):
    harvest = read(a_run(tmp_path, harvest=True)._write_settings("u"))
    assert harvest["CCNet"]["min_score"] == "0.01"
    assert harvest["GradeDocuments"]["language"] == "lv"
    own = a_run(tmp_path, kind="warc", executor="slurm")
    settings = read(own._write_settings("u"))
    assert dict(settings["source"]) == {"kind": "warc", "path": f"{tmp_path}/own"}
    assert settings["executor"]["kind"] == "slurm"
    assert (own.is_own, own.name) == (True, "own-warc")
