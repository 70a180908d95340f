"""A task's own words, and files of one's own with a name, of `skord.cli.run`."""

from argparse import Namespace

import pytest
from luigi.configuration import get_config

from pipeline.cc_net import CCNet
from skord.cli.main import main
from skord.cli.run import name_source, named_dump, parse_task_words, task_with
from skord.core.config import open_storage
from skord.core.dumps import source_of
from skord.core.failures import ConfigError
from skord.core.registry import load_graph
from skord.core.settings import settings_in_force


@pytest.fixture
def pages(tmp_path, settings):
    settings()
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text("<p>Hej")
    return folder


def options(pages, kind="", data_dir=""):
    return Namespace(source=str(pages), kind=kind, data_dir=data_dir)


def test_the_data_folder_knows_the_files_by_the_dumps_name(pages):
    name_source(options(pages), "mine")

    source = source_of("mine", open_storage())
    assert (source.path, str(source.kind)) == (str(pages), "pages")
    assert source.is_own


def test_a_path_is_kept_whole_and_a_kind_that_is_given_counts(pages, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (pages / "b.txt").write_text("Hej")
    name_source(options("pages", kind="texts"), "mine")
    source = source_of("mine", open_storage())
    assert (source.path, str(source.kind)) == (str(pages), "texts")


def test_another_data_folder_is_meant_where_one_is_named(pages, tmp_path):
    name_source(options(pages, data_dir=str(tmp_path / "other")), "mine")
    assert not source_of("mine", open_storage()).is_own


@pytest.mark.parametrize("parameters", [{"dumps": "a,b"}, {"dump": ""}, {}])
def test_files_without_a_name_are_told(parameters):
    with pytest.raises(ConfigError, match="--source needs a name"):
        named_dump(parameters)


# -- a task's words -----------------------------------------------------------------------


def words_of(family, words):
    load_graph()
    said = parse_task_words(family, words.split())
    return said.parameters, said.settings


@pytest.mark.parametrize(
    ("words", "parameters", "given"),
    [
        ("--dump 2024-10 --rule top", {"dump": "2024-10", "rule": "top"}, []),
        ("--dump=2024-10 --repl", {"dump": "2024-10", "replace": "true"}, []),
        ("--CCNet-rule top", {}, [("CCNet", "rule", "top")]),
        ("--crawl-base-url http://a", {}, [("crawl", "base_url", "http://a")]),
        ("--pipeline-replace", {}, [("pipeline", "replace", "true")]),
        ("--pipeline-replace false", {}, [("pipeline", "replace", "false")]),
        ("--language-first --workers 2", {"language_first": "true"}, [("core", "workers", "2")]),
        ("--local-scheduler", {}, [("core", "local_scheduler", "true")]),
    ],
)
def test_a_tasks_options_are_told_from_those_of_sections(settings, words, parameters, given):
    assert words_of("CCNet", words) == (parameters, given)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--dmup=1", "skord: there is no option --dmup=1: did you mean --dump?\n"),
        ("--CCNet-rul=1 x", None),
        ("x", "skord: one word too many: 'x': give options as --name value\n"),
        ("--zzzzz 1", "skord: there is no option --zzzzz: skord init writes a file with all there are\n"),
        ("--rule", "skord: --rule stands without a value: write one behind it\n"),
    ],
)  # fmt: skip
def test_a_wrong_word_is_one_sentence(settings, capsys, words, said):
    with pytest.raises(SystemExit) as ended:
        words_of("CCNet", words)
    assert ended.value.code == 2
    if said:
        assert capsys.readouterr().err == said


def test_a_task_gets_its_words_and_the_settings_in_force(settings):
    load_graph()
    with settings_in_force([("CCNet", "min_score", "0.5"), ("CCNet", "rule", "any")]):
        task = task_with("CCNet", {"dump": "2024-10", "rule": "top"})
    assert isinstance(task, CCNet)
    assert (task.dump, task.rule, task.min_score) == ("2024-10", "top", 0.5)
    assert not get_config().has_section("CCNet") or not get_config().options("CCNet")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "^CCNet needs --dump$"),
        ({"dump": "d", "rule": "all"}, "^\\[CCNet\\] rule = all: give any or top"),
        ({"dump": "d", "num_partitions": "x"}, "num_partitions = x: give a whole number"),
    ],
)
def test_a_parameter_that_is_missing_or_unreadable_is_named(settings, given, sentence):
    load_graph()
    with pytest.raises(ConfigError, match=sentence):
        task_with("CCNet", given)


# -- the preflight ------------------------------------------------------------------------


def test_check_looks_at_everything_and_starts_nothing(pages, capsys, tmp_path):
    words = ["run", "Deduplicate", "--input", "mine", "--source", str(pages), "--check"]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    names = ["tasks", "data", "log", "executor", "dumps", "models", "endpoint"]
    assert [line.split()[:2] for line in lines] == [["ok", name] for name in names]
    assert "lid.176" in lines[5]
    assert not (tmp_path / "data/CCNet").exists()
    assert not (tmp_path / "data/sources").exists(), "the name is free yet"


def test_check_names_each_thing_that_is_wrong(pages, capsys):
    words = ["run", "Deduplicate", "--input", "mine", "--source", str(pages), "--check"]
    assert main([*words, "--languages", "xx", "--executor-kind", "slrum"]) == 1
    wrong = [line for line in capsys.readouterr().out.splitlines() if line.startswith("WRONG")]
    assert ["set it to local or slurm" in wrong[0], "no label 'xx'" in wrong[1]] == [True, True]


@pytest.mark.parametrize("option", ["--dump", "--dumps", "--input"])
def test_one_dump_is_named_by_any_of_three_options(settings, option):
    assert words_of("ExportCorpus", f"{option} mine") == ({"dump": "mine"}, [])
    name = "dumps" if option == "--dumps" else "dump"
    assert words_of("Deduplicate", f"{option} mine") == ({name: "mine"}, [])
    assert words_of("DeduplicateIndividually", f"{option}=mine") == ({"dumps": "mine"}, [])
