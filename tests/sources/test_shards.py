"""A source's files in shards, of `skord.sources.shards`: dealt, read, and what is told."""

import gzip
import json
import logging
import os
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pyarrow as pa
import pytest

from skord.core.dumps import Source, SourceKind
from skord.core.failures import ConfigError, ShardError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.warc.written_records import text_member
from skord.sources.shards import (
    SHARD_BYTES,
    checked_files,
    files_by_shard,
    log_lost_pages,
    log_refusals,
    log_shared_ids,
    num_shards,
    source_opener,
    write_own,
)

DUMP = "mine"
DATE = "2024-02-21T05:11:09Z"


@pytest.fixture(autouse=True)
def settings_of_its_own(settings):
    settings("[crawl]\nbase_url = http://127.0.0.1:9\nattempts = 2\nbackoff_s = 0.01\n")


@pytest.fixture
def store(tmp_path):
    return ColumnStore(Storage(str(tmp_path / "data")), DUMP)


@pytest.fixture
def texts(tmp_path):
    """Three rows and a line that is none, a file of text, and a row without any."""
    folder = tmp_path / "own"
    folder.mkdir()
    rows = [{"text": f"text {n}", "id": f"i{n}"} for n in (1, 2, 3)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + "no\n")
    (folder / "b.txt").write_text("En text.")
    (folder / "c.jsonl").write_text('{"text": ""}\n')
    return Source(SourceKind.TEXTS, str(folder))


def warnings(caplog):
    """Lines of the log from warnings up; settings that are read are told below, where they are."""
    return [one.getMessage() for one in caplog.records if one.levelno >= logging.WARNING]


def test_files_make_a_shard_for_each_64_mib_and_not_more_than_wanted():
    assert SHARD_BYTES == 1 << 26
    assert num_shards({"a": SHARD_BYTES, "b": 0, "c": 0}, 10) == 1
    assert num_shards({"a": SHARD_BYTES, "b": 1, "c": 0}, 10) == 2
    assert num_shards({"a": 0, "b": 0, "c": 0}, 2) == 2
    assert num_shards({}, 5) == 1


def test_files_are_dealt_with_the_shard_of_each(texts):
    dealt = files_by_shard(texts, 1.0, 9)
    assert {name: list(column) for name, column in dealt.items()} == {
        "shard": [0, 0, 0], "file": ["a.jsonl", "b.txt", "c.jsonl"],
    }  # fmt: skip
    assert len(files_by_shard(texts, 0.34, 9)["file"]) < 3


def test_pages_lie_beside_the_shard_and_a_row_for_each_file_in_it(texts, store, caplog):
    names = ["a.jsonl", "b.txt", "c.jsonl", "gone.txt"]
    write_own(texts, store, "Own", 3, names, "f", "pages")

    pages = store.read_table(store.path("Own", 3, "pages"))
    files = store.read_table(store.path("Own", 3)).to_pylist()
    texts_of = [text.strip() for text in pages["text"].to_pylist()]
    assert texts_of == ["text 1", "text 2", "text 3", "En text."]
    assert [row["failure"] for row in files[:2]] == [None, None]
    assert files[0]["bytes"] == (len(json.dumps({"text": "text 1", "id": "i1"})) + 1) * 3 + 3
    assert [(row["file"], row["warc_file"]) for row in files] == [(name, name) for name in names]
    assert files[3] == {
        "file": "gone.txt", "warc_file": "gone.txt", "bytes": 0, "failure": "unreadable",
    }  # fmt: skip
    counts = store.footer(store.path("Own", 3)).counts
    assert counts["pages"] == 4
    assert counts["bytes"] == sum(row["bytes"] for row in files)
    failed = [row["file"] for row in files if row["failure"]]
    assert counts["failure.unreadable"] == len(failed)
    assert [line.split(":")[0] for line in warnings(caplog)] == failed


def warc(folder, *members):
    (folder / "own").mkdir()
    path = folder / "own/a.warc.gz"
    path.write_bytes(b"".join(members))
    return Source(SourceKind.WARC, str(folder / "own"))


def record(kind, name, body=b"x"):
    head = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{name}>\r\n"
    head += f"WARC-Target-URI: http://a.se/{name}\r\nWARC-Date: {DATE}\r\n"
    kind = "application/http; msgtype=response"
    head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return gzip.compress(head.encode() + body + b"\r\n\r\n")


def test_of_a_warc_file_every_record_is_a_page_passed_over_or_bad(tmp_path, store, caplog):
    caplog.set_level(logging.INFO)
    answer = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>A</title><p>Hej"
    cut = record("response", "4", answer)
    source = warc(
        tmp_path, record("response", "1", answer), record("request", "2"),
        record("response", "1", answer), record("response", "3", answer.replace(b"200", b"404")),
        cut[: len(cut) // 2],
    )  # fmt: skip

    write_own(source, store, "Own", 0, ["a.warc.gz"], "f", "pages")

    counts = store.footer(store.path("Own", 0)).counts
    assert counts["pages"] == 1
    assert counts["passed_over.same_id"] == 1
    assert counts["passed_over.not_a_response"] == 1
    assert counts["passed_over.http_status"] == 1
    assert counts["bad_record.bad_gzip"] == 1
    assert counts["judged"] == 5 + 1  # and the file
    log_lost_pages(source, counts)
    assert caplog.records[-1].getMessage() == (
        f"{source.path}: 1 pages; besides: bad_gzip 1, http_status 1, not_a_response 1, same_id 1"
    )


def test_of_a_source_without_pages_it_is_told_what_it_holds(texts, caplog):
    with pytest.raises(ShardError, match=r"own holds no page or text \(not_html 1,200\): look at"):
        log_lost_pages(texts, {"passed_over.not_html": 1200, "judged": 1200})
    with pytest.raises(ShardError, match="its files are empty"):
        log_lost_pages(texts, {})
    caplog.set_level(logging.INFO)
    caplog.clear()
    log_lost_pages(texts, {"pages": 3})
    assert not caplog.records


def test_a_file_of_a_list_is_fetched_once_and_kept(tmp_path, store):
    served = tmp_path / "served"
    served.mkdir()
    member = text_member("urn:uuid:1", "http://a.se/", DATE, b"Hej", "text/plain")
    (served / "a.warc.gz").write_bytes(member)
    asked = []

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words):
            asked.append(words[1])

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(served)))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        listed = tmp_path / "files.paths"
        listed.write_text(f"{address}/a.warc.gz\n{address}/gone.warc.gz\n")
        source = Source(SourceKind.WARC, str(listed))
        opened = source_opener(source, store, "Own")
        for _ in range(2):
            with opened(f"{address}/a.warc.gz") as file:
                assert file.read() == member
        assert len(asked) == 1
        with pytest.raises(ShardError, match=r"gone\.warc\.gz is not there: take it out"):
            opened(f"{address}/gone.warc.gz")
        assert checked_files(source).is_list
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_two_files_of_a_list_with_one_name_are_refused(tmp_path):
    listed = tmp_path / "files.paths"
    listed.write_text("http://a.se/x/a.warc.gz\nhttp://b.se/a.warc.gz\nhttp://b.se/b.warc.gz\n")

    with pytest.raises(ConfigError, match=r"two files of the list are called a\.warc\.gz"):
        checked_files(Source(SourceKind.WARC, str(listed)))


def test_pages_of_several_shards_with_one_id_are_told(store, caplog):
    for shard, ids in enumerate((["a", "b"], ["c", "a"], ["a", "d"])):
        with store.writer(
            store.path("Own", shard, "pages"), pa.schema([("id", pa.string())]), "f"
        ) as out:
            out.write(pa.table({"id": ids}))

    assert log_shared_ids(store, "Own", 1, "pages") == 0
    assert not warnings(caplog)
    assert log_shared_ids(store, "Own", 3, "pages") == 2
    assert warnings(caplog)[0].startswith("2 pages have the WARC-Record-ID")


def test_settings_by_which_pages_were_refused_are_named(caplog):
    log_refusals(
        {"refused.language": 1200, "refused.too_short": 0, "pages": 3000}, 300, ["sv", "da"]
    )

    (warning,) = warnings(caplog)
    assert warning == (
        "1,200 of 3,000 pages are in none of [CCNet] languages = sv,da, and left out (language)"
    )


def test_a_lone_surrogate_costs_one_row_and_a_name_outside_utf8_nothing(tmp_path, store):
    folder = tmp_path / "surrogates"
    folder.mkdir()
    html = "<title>Bron</title><p>I går öppnades bron."
    rows = [{"url": f"http://a{n}.se/", "html": html} for n in range(5)]
    rows[2]["url"] = "http://x\udfff.se/"
    rows[3]["html"] = html + "\ud800"
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    Path(os.fsdecode(os.fsencode(folder) + b"/k\xe4lla.html")).write_text(html)
    source = Source(SourceKind.PAGES, str(folder))
    names = list(checked_files(source).sizes)

    write_own(source, store, "A", 0, names, "x", "B")

    assert names == ["a.jsonl", "k%E4lla.html"]
    pages = store.read_table(store.path("A", 0, "B")).to_pylist()
    assert [page["url"] for page in pages[:4]] == [f"http://a{n}.se/" for n in (0, 1, 3, 4)]
    assert [page["warc_file"] for page in pages] == ["a.jsonl"] * 4 + ["k%E4lla.html"]
    assert store.read_table(store.path("A", 0)).column("failure").to_pylist() == [None, None]
