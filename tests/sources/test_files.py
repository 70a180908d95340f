"""Which files a source has, of what kind they are, and what is said of those that are none."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.core.dumps import Source, SourceKind, keep_source, source_of
from skord.core.failures import ConfigError
from skord.core.storage.filesystem import Storage
from skord.sources.files import files_of, guessed_kind
from skord.sources.shards import checked_files, num_shards

WARC = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"


@pytest.fixture
def folder(tmp_path):
    for name, content in {
        "a.warc.gz": gzip.compress(WARC),
        "below/b.arc": b"filedesc://x 0.0.0.0 20060329081352 text/plain 0\n",
        "below/.hidden.warc": WARC,
        "readme.rst": b"no page",
    }.items():
        path = tmp_path / "own" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "own"


def warc(path) -> Source:
    return Source(SourceKind.WARC, str(path))


def test_a_folder_stands_for_all_files_of_the_kind_below_it(folder):
    assert list(files_of(warc(folder)).sizes) == ["a.warc.gz", "below/b.arc"]


def test_a_pattern_and_a_single_file_stand_for_what_they_name(folder):
    assert list(files_of(warc(folder / "*.gz")).sizes) == ["a.warc.gz"]
    assert list(files_of(warc(folder / "below/b.arc")).sizes) == ["b.arc"]


def test_links_to_files_elsewhere_are_left_out_aloud(folder, tmp_path, caplog):
    (tmp_path / "secret.warc").write_bytes(WARC)
    (folder / "out.warc").symlink_to(tmp_path / "secret.warc")
    (folder / "within.warc").symlink_to(folder / "below/b.arc")
    (tmp_path / "link").symlink_to(folder)

    for path in (folder, tmp_path / "link"):
        assert list(files_of(warc(path)).sizes) == ["a.warc.gz", "below/b.arc", "within.warc"]
        assert f"{path} holds links to 1 file elsewhere, which are left out" in caplog.text


def test_a_list_names_addresses_and_paths_of_the_crawl(tmp_path):
    listed = tmp_path / "warc.paths.gz"
    listed.write_bytes(gzip.compress(b"crawl-data/b.warc.gz\n# remark\nhttp://a.example/a.warc\n"))

    files = files_of(warc(listed))

    assert files.is_list
    assert list(files.sizes) == ["crawl-data/b.warc.gz", "http://a.example/a.warc"]


def test_kinds_are_told_by_names(folder, tmp_path):
    assert guessed_kind(str(folder)) == "warc"
    (tmp_path / "t").mkdir()
    (tmp_path / "t/a.md").write_text("Hej")
    assert guessed_kind(str(tmp_path / "t")) == "texts"


def test_small_files_make_one_shard_and_large_ones_several():
    assert num_shards({"a": 1, "b": 2}, 1000) == 1
    assert num_shards({"a": 1 << 30, "b": 1 << 30, "c": 1}, 1000) == 3
    assert num_shards({"a": 1 << 30, "b": 1 << 30}, 1) == 1


def rows(tmp_path, name, row):
    path = tmp_path / name
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist([row]), path)
    else:
        path.write_text(json.dumps(row) + "\n")
    return str(path)


BAD = {
    "no.warc.gz": (b"hello", "neither a WARC nor an ARC file"),
    "cut.warc.gz": (gzip.compress(WARC)[:14], "neither a WARC nor an ARC file"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_warc_file_that_is_none_is_named(tmp_path, name):
    content, sentence = BAD[name]
    (tmp_path / name).write_bytes(content)

    with pytest.raises(ConfigError, match=f"^{name} is {sentence}"):
        checked_files(warc(tmp_path))


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl"])
def test_a_column_that_is_missing_is_named_with_those_there_are(tmp_path, name):
    path = rows(tmp_path, name, {"address": "http://a.example/", "html": "<p>Hej"})

    with pytest.raises(ConfigError, match=r"no column 'url' but address, html: say which"):
        checked_files(Source(SourceKind.PAGES, path))
    assert checked_files(Source(SourceKind.PAGES, path, url_column="address")).sizes


@pytest.mark.parametrize(("name", "kind"), [("a.parquet", "Parquet"), ("a.jsonl", "JSON Lines")])
def test_a_table_that_is_none_is_named(tmp_path, name, kind):
    (tmp_path / name).write_bytes(b"hello\n")

    with pytest.raises(ConfigError, match=f"^{name} is no {kind}"):
        checked_files(Source(SourceKind.TEXTS, str(tmp_path)))


def test_what_holds_nothing_or_several_kinds_is_said(tmp_path, folder):
    with pytest.raises(ConfigError, match="holds nothing that can be read here"):
        (tmp_path / "empty").mkdir()
        guessed_kind(str(tmp_path / "empty"))
    (folder / "a.html").write_text("<p>Hej")
    with pytest.raises(ConfigError, match=r"several kinds \(warc, pages\)"):
        guessed_kind(str(folder))
    with pytest.raises(ConfigError, match="there is no"):
        guessed_kind(str(tmp_path / "nowhere"))
    with pytest.raises(ConfigError, match=r"holds no texts \(\.txt, \.md\)"):
        checked_files(Source(SourceKind.TEXTS, str(folder)))


def test_the_data_folder_remembers_what_a_name_stands_for(tmp_path, settings):
    settings()
    storage = Storage(str(tmp_path / "data"))
    one, other = warc("/one"), warc("/other")

    keep_source("mine", one, storage)
    keep_source("mine", one, storage)

    assert source_of("mine", storage) == one
    assert not source_of("other", storage).is_own
    with pytest.raises(ConfigError, match="mine is warc of /one"):
        keep_source("mine", other, storage)
    for name in ("2024-10", "2012", "../x", "a/b", ""):
        with pytest.raises(ConfigError, match="cannot name files"):
            keep_source(name, one, storage)
