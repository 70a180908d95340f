"""Texts made again from pointers and the crawl."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from skord.sample_crawl.faults import NO_FAULTS
from skord.sample_crawl.server import CrawlServer
from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import command, copy_of, corpus, folder


def rebuild(bench, pointers, out, *options):
    return command(bench, "rebuild", str(pointers), "--out", str(out), *options)


def rows(out):
    return [
        row
        for path in sorted(Path(out).glob("*.parquet"))
        for row in pq.read_table(path).to_pylist()
    ]


def test_every_text_is_made_again_byte_for_byte(exported, tmp_path):
    status, output = rebuild(exported, folder(exported) / "pointers", tmp_path / "out")

    assert status == 0, output
    files = len(list((folder(exported) / "pointers").iterdir()))
    assert f"{files} files: {len(corpus(exported))} texts made again, 0 not" in output
    actual = [(row["id"], row["url"], row["text"]) for row in rows(tmp_path / "out")]
    assert actual == [(row["id"], row["url"], row["text"]) for row in corpus(exported)]
    status, output = rebuild(exported, next((folder(exported) / "data").iterdir()), tmp_path / "a")
    assert (status, "is no table of pointers" in output) == (1, True)


def test_what_cannot_be_made_again_is_listed_and_mended_later(exported, crawl_folder, tmp_path):
    pointers = tmp_path / "some.parquet"
    whole = pq.read_table(folder(exported) / "pointers/2024-10-00000.parquet")
    table = whole.slice(0, 12).to_pylist()
    table[0]["text_digest"] = bytes(12)
    table[1]["lines"] = b"\xff\xff\x03\x01"
    table[2]["warc_file"] = "crawl-data/CC-MAIN-2024-10/nowhere.warc.gz"
    table[3]["id"] = bytes(16)
    table[4]["payload_digest"] = bytes(8)
    with pq.ParquetFile(folder(exported) / "pointers/2024-10-00000.parquet") as file:
        about = {b"skord": file.metadata.metadata[b"skord"]}
    pq.write_table(pa.Table.from_pylist(table, whole.schema.with_metadata(about)), pointers)
    crawl = shutil.copytree(crawl_folder, tmp_path / "crawl")

    with CrawlServer(crawl, NO_FAULTS) as server:
        status, output = rebuild(exported, pointers, tmp_path / "out", "--crawl", server.url)

    assert status == 3, output
    codes = [row["failure"] for row in rows(tmp_path / "out")]
    assert codes[:4] == ["text_differs", "no_such_line", "http_not_found", "other_record"]
    assert codes[4:] == ["digest_mismatch", *[None] * 7]
    assert all(
        (row["text"] is None) == (row["failure"] is not None) for row in rows(tmp_path / "out")
    )
    assert "text_differs  urn:uuid:" in output
    assert "7 texts made again, 5 not" in output

    before = (tmp_path / "out/some.parquet").stat().st_mtime_ns
    status, output = rebuild(exported, pointers, tmp_path / "out", "--crawl", "http://127.0.0.1:9")
    assert status == 3
    assert (tmp_path / "out/some.parquet").stat().st_mtime_ns == before


def test_a_pointer_takes_some_seventy_bytes(whole, tmp_path):
    """In one file, and without its footer, which counts for nothing in a real one.

    An id and two digests do not shrink: 16, 8 and 12 bytes. The texts here, of some 1,200 bytes,
    are short, so their pointers are a twentieth of them; of a real page's text they are less.
    """
    bench = copy_of(whole, tmp_path / "bench", "")
    status, output = command(bench, "export", "--dumps", DUMP)
    assert status == 0, output

    (pointers,) = (folder(bench) / "pointers").iterdir()

    metadata = pq.ParquetFile(pointers).metadata
    footer = metadata.serialized_size + len(b"\0\0\0\0PAR1")
    assert metadata.num_rows == len(corpus(bench)) > 100
    assert pointers.stat().st_size - footer <= 70 * metadata.num_rows
