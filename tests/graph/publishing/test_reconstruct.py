"""Pages rebuilt from the small form of the selection."""

import gzip
import hashlib
import json
import shutil
import zlib
from pathlib import Path

import pyarrow as pa
import pytest

from tests.graph.bench import DUMP
from tests.graph.publishing.ccnet_forms import (
    MINIFY,
    copy_of,
    documents,
    files,
    replace_shard,
    rows,
    run,
    selection,
)

REBUILT = ("title", "raw_content", "line_ids", "original_nlines", "original_length", "length",
           "content_length", "digest", "url", "warc_file", "warc_date", "language")  # fmt: skip


def reconstruct(bench, minified, out, *options):
    return bench.run(
        "-m", "pipeline", "reconstruct", "--out", str(out), "--minified", str(minified), *options
    )


def rebuilt(out):
    return [row for path in sorted(out.glob("*.parquet")) for row in rows(path)]


def minified(bench):
    return Path(bench.data, "MinifyCCNet", DUMP)


def wet_folder(bench):
    return Path(bench.data, "DownloadWET", DUMP, "files")


def same_pages(actual, pages):
    """Every page, byte for byte."""
    chosen = {(row["url"], row["digest"]): row for row in actual}
    assert len(actual) == len(chosen) == len(pages)
    for page in pages:
        row = chosen[page["url"], page["digest"]]
        assert row["failure"] is None
        assert {name: row[name] for name in REBUILT} == {name: page[name] for name in REBUILT}
        assert row["record_id"] == page["id"]


def test_pages_are_rebuilt_from_a_folder(ccnet, crawl_folder, tmp_path):
    status, output = reconstruct(ccnet, minified(ccnet), tmp_path, "--wet", str(crawl_folder))

    assert status == 0, output
    assert f"3 files: {len(selection(ccnet))} documents rebuilt, 0 not" in output
    same_pages(rebuilt(tmp_path), selection(ccnet))
    assert [row["digest"] for row in rebuilt(tmp_path)] == [
        row["digest"] for row in selection(ccnet)
    ]


@pytest.mark.parametrize("said", [True, False])
def test_published_small_forms_are_rebuilt_from_the_crawl(ccnet, tmp_path, said):
    address = ("--wet", ccnet.url) if said else ()

    status, output = reconstruct(
        ccnet, minified(ccnet) / "files", tmp_path, "--mode", "default", "--json", *address
    )

    assert status == 0, output
    same_pages(rebuilt(tmp_path), selection(ccnet))
    published = {doc["digest"]: doc for path in files(ccnet) for doc in documents(path)}
    again = [doc for path in tmp_path.glob("*.json.gz") for doc in documents(path)]
    assert {doc["digest"]: doc for doc in again} == published


def test_published_small_forms_hold_what_the_tables_hold(ccnet):
    forms = [doc for path in files(ccnet, "MinifyCCNet") for doc in documents(path)]
    table = [row for path in sorted(minified(ccnet).glob("*.parquet")) for row in rows(path)]

    assert [doc["digest"] for doc in forms] == [row["digest"] for row in table]
    assert {path.name for path in files(ccnet, "MinifyCCNet")} <= {
        path.name.replace(".warc.wet.gz", ".json.gz") for path in wet_folder(ccnet).iterdir()
    }
    for path in files(ccnet, "MinifyCCNet"):
        names = {Path(doc["cc_segment"]).name for doc in documents(path)}
        assert names == {path.name.replace(".json.gz", ".warc.wet.gz")}


def test_a_wet_file_that_is_not_there_is_a_failure_and_is_mended(ccnet, tmp_path):
    wet = shutil.copytree(wet_folder(ccnet), tmp_path / "wet")
    [gone, *_] = sorted(wet.iterdir())
    kept = gone.read_bytes()
    gone.unlink()
    of_gone = [row for row in selection(ccnet) if gone.name[:-12] in row["warc_file"]]

    status, output = reconstruct(
        ccnet, minified(ccnet), tmp_path / "out", "--wet", str(wet), "--json"
    )

    assert status == 3
    assert f"{len(of_gone)} not; wet_missing {len(of_gone)}" in output
    pages = rebuilt(tmp_path / "out")
    assert [row["failure"] for row in pages].count("wet_missing") == len(of_gone) > 5
    same_pages(
        [row for row in pages if row["failure"] is None],
        [row for row in selection(ccnet) if row not in of_gone],
    )
    assert {row["digest"] for row in pages if row["failure"]} == {r["digest"] for r in of_gone}

    gone.write_bytes(kept)
    status, output = reconstruct(
        ccnet, minified(ccnet), tmp_path / "out", "--wet", str(wet), "--json"
    )
    assert status == 0
    same_pages(rebuilt(tmp_path / "out"), selection(ccnet))
    again = [doc for path in (tmp_path / "out").glob("*.json.gz") for doc in documents(path)]
    assert len(again) == len(selection(ccnet))


def test_records_that_are_gone_changed_or_broken_are_failures(ccnet, tmp_path):
    wet = shutil.copytree(wet_folder(ccnet), tmp_path / "wet")
    file = sorted(wet.iterdir())[0]
    pages = [row for row in selection(ccnet) if file.name[:-12] in row["warc_file"]]
    gone, changed, broken = (f"{page['digest']}".encode() for page in pages[:3])
    packed = b""
    for record in records_of(file):
        other = record.replace(changed, b"sha1:22222222222222222222222222222222")
        member = gzip.compress(other, mtime=0)
        if broken in record:
            member = member[:40] + bytes(8) + member[48:]
        packed += b"" if gone in record else member
    file.write_bytes(packed)

    status, output = reconstruct(ccnet, minified(ccnet), tmp_path / "out", "--wet", str(wet))

    assert status == 3
    assert "3 not; digest_mismatch 1, not_in_wet 2; 1 WET records cannot be read" in output
    codes = {row["digest"].encode(): row["failure"] for row in rebuilt(tmp_path / "out")}
    assert (codes[gone], codes[broken]) == ("not_in_wet", "not_in_wet")
    assert codes[changed] == "digest_mismatch"
    assert list(codes.values()).count(None) == len(codes) - 3


def records_of(file):
    packed = file.read_bytes()
    while packed:
        one = zlib.decompressobj(31)
        yield one.decompress(packed)
        packed = one.unused_data


def test_lines_that_are_no_small_form_are_failures_among_the_others(ccnet, tmp_path):
    good = documents(files(ccnet, "MinifyCCNet")[0])[0]
    lines = [
        json.dumps(good), "no JSON", json.dumps({**good, "cc_segment": "../../etc/wet/x"}),
        json.dumps({**good, "line_ids": "x"}), json.dumps({**good, "digest": ""}),
    ]  # fmt: skip
    file = tmp_path / "mixed.json.gz"
    file.write_bytes(gzip.compress("\n".join(lines).encode()))

    status, output = reconstruct(
        ccnet, file, tmp_path, "--mode", "default", "--wet", str(wet_folder(ccnet))
    )

    assert status == 3
    assert "1 documents rebuilt, 4 not; bad_segment 1, no_digest 1, not_minified 2" in output
    assert len(rebuilt(tmp_path)) == 5


def test_a_small_form_beyond_sixteen_bits_fails_in_the_published_form_alone(ccnet, tmp_path):
    copy = copy_of(ccnet, tmp_path / "c", ("DownloadWET", "HashParagraphs", "CCNet"))
    table = copy.store.read_table(copy.store.path("CCNet", 0))
    ids = table["line_ids"].to_pylist()
    ids[0] = [*ids[0], 40_000, 70_000]
    field = table.schema.field("line_ids")
    column = table.column_names.index(field.name)
    column_of_ids = pa.array(ids, field.type)
    replace_shard(copy, "CCNet", 0, table.set_column(column, field, column_of_ids))

    run(copy, MINIFY)

    first = rows(Path(copy.data, copy.store.path("MinifyCCNet", 0)))[0]
    assert first["line_ids"] == ids[0]
    assert first["failure"] == "line_id_too_large"
    assert copy.store.manifest("MinifyCCNet")["counts"]["failure.line_id_too_large"] == 1
    forms = [doc for path in files(copy, "MinifyCCNet") for doc in documents(path)]
    assert len(forms) == len(selection(copy)) - 1
    assert first["digest"] not in {doc["digest"] for doc in forms}
    status, output = reconstruct(
        copy, minified(copy) / "00000.parquet", tmp_path / "out", "--wet", str(wet_folder(copy))
    )
    assert status == 3
    assert "1 not; no_such_line 1" in output


def note_size(bench, file):
    """Have DownloadWET tell that the file came as it now is."""
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    for shard in range(bench.store.manifest("DownloadWET")["num_shards"]):
        table = bench.store.read_table(bench.store.path("DownloadWET", shard))
        noted = [
            {**row, "bytes": file.stat().st_size, "digest": digest}
            if row["file"].endswith(file.name)
            else row
            for row in table.to_pylist()
        ]
        replace_shard(bench, "DownloadWET", shard, pa.Table.from_pylist(noted, table.schema))


def test_the_small_form_knows_how_its_lines_were_counted(ccnet, tmp_path):
    copy = copy_of(ccnet, tmp_path / "c", ("DownloadWET",))
    page = selection(ccnet)[0]
    file = next(p for p in wet_folder(copy).iterdir() if p.name[:-12] in page["warc_file"])
    packed = b""
    for record in records_of(file):
        head, gap, text = record.partition(b"\r\n\r\n")
        if page["digest"].encode() in head:
            title, _, body = text.partition(b"\n")
            text = title + b"\n" + body.rstrip().replace(b"\n", b"\r") + b"\n\n\r\n\r\n"
            text = text[: len(record) - len(head + gap)]
        packed += gzip.compress(head + gap + text, mtime=0)
    file.write_bytes(packed)
    note_size(copy, file)

    run(copy, (*MINIFY, "--HashParagraphs-mode", "exact"))

    wet = ("--wet", str(wet_folder(copy)))
    for form in (minified(copy), minified(copy) / "files"):
        status, output = reconstruct(copy, form, tmp_path / form.name, *wet)
        assert status == 0, output
        same_pages(rebuilt(tmp_path / form.name), selection(copy))
    status, output = reconstruct(copy, minified(copy), tmp_path / "d", "--mode", "default", *wet)
    assert status == 3
    assert "no_such_line 1" in output


def test_a_damaged_small_form_is_said(ccnet, tmp_path):
    file = tmp_path / "cut.json.gz"
    file.write_bytes(files(ccnet, "MinifyCCNet")[0].read_bytes()[:-9])

    status, output = reconstruct(ccnet, file, tmp_path / "out")

    assert status == 1
    assert "cut.json.gz is damaged" in output
    assert rebuilt(tmp_path / "out") == []
