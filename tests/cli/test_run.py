"""Files of one's own get a name, of `skord.cli.run`."""

from argparse import Namespace

import pytest

from skord.cli.run import name_source, named_dump
from skord.core.config import open_storage
from skord.core.dumps import source_of
from skord.core.failures import ConfigError


@pytest.fixture
def pages(tmp_path, settings):
    settings()
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text("<p>Hej")
    return folder


def options(pages, *rest, kind="", data_dir=""):
    return Namespace(source=str(pages), rest=list(rest), kind=kind, data_dir=data_dir)


def test_the_data_folder_knows_the_files_by_the_dumps_name(pages):
    name_source(options(pages, "--dump", "mine"))

    source = source_of("mine", open_storage())
    assert (source.path, str(source.kind)) == (str(pages), "pages")
    assert source.is_own


def test_a_path_is_kept_whole_and_a_kind_that_is_given_counts(pages, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (pages / "b.txt").write_text("Hej")
    name_source(options("pages", "--dump=mine", kind="texts"))
    source = source_of("mine", open_storage())
    assert (source.path, str(source.kind)) == (str(pages), "texts")


def test_another_data_folder_is_meant_where_one_is_named(pages, tmp_path):
    name_source(options(pages, "--dump", "mine", data_dir=str(tmp_path / "other")))
    assert not source_of("mine", open_storage()).is_own


@pytest.mark.parametrize("words", [["--dumps", "a,b"], ["--dump"], ["mine"], []])
def test_files_without_a_name_are_told(words):
    with pytest.raises(ConfigError, match="--source needs a name"):
        named_dump(words)
