"""Every page of a source can be read again at its place, whatever form its file has."""

import gzip
import io
import json
import tarfile
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from zstandard import ZstdCompressionDict, ZstdCompressor

from skord.core.dumps import Source, SourceKind
from skord.core.failures import DocumentError
from skord.crawl.warc.fetch import WantedRecord
from skord.crawl.warc.framing import BadRecord
from skord.crawl.warc.records import proven_response, read_response
from skord.crawl.warc.written_records import page_member, record_member
from skord.sources.files import files_of
from skord.sources.pages import PassedOver, SourcePage, pages_of
from skord.sources.read_again import SourceReader, fetch_own
from skord.sources.warc_files import NotWARCError, check_start
from tests.conftest import SHARED

HTML = "<title>Bron</title><p>I går öppnades bron över ån.</p>".encode()
VERSION = b"1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n"
ARC = b"filedesc://a.arc 0.0.0.0 20060329081352 text/plain %d\n%s\n" % (len(VERSION), VERSION)


def response(number: int) -> bytes:
    url = f"http://a.example/{number}"
    return page_member(
        f"urn:uuid:00000000-0000-0000-0000-{number:012}", url, None, HTML * number, "utf-8"
    )


def arc_record(number: int) -> bytes:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + HTML * number
    head = f"http://a.example/{number} 192.0.2.1 20060329081352 text/html {len(block)}\n"
    return head.encode() + block + b"\n"


def forms() -> dict[str, bytes]:
    packed = [response(number) for number in (1, 2, 3)]
    plain = b"".join(map(gzip.decompress, packed))
    arc = [ARC, *map(arc_record, (1, 2, 3))]
    return {
        "members.warc.gz": b"".join(packed),
        "plain.warc": plain,
        "stream.warc.gz": gzip.compress(plain),
        "plain.arc": b"".join(arc),
        "members.arc.gz": b"".join(map(gzip.compress, arc)),
        "stream.arc.gz": gzip.compress(b"".join(arc)),
        "frames.warc.zst": b"".join(zstandard(gzip.decompress(one)) for one in packed),
        "stream.warc.zst": zstandard(plain),
        "stream.arc.zst": zstandard(b"".join(arc)),
        "dictionary.warc.zst": with_dictionary(packed, packed_too=False),
        "packed_dictionary.warc.zst": with_dictionary(packed, packed_too=True),
        "empty_first.warc.gz": gzip.compress(b"") + b"".join(packed),
    }


def zstandard(data: bytes) -> bytes:
    return bytes(pa.compress(data, "zstd", asbytes=True))


def with_dictionary(packed: list[bytes], *, packed_too: bool) -> bytes:
    """Frames as of ArchiveTeam's and Browsertrix's files: the dictionary in a frame before them."""
    dictionary = (
        b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response"
    )
    packer = ZstdCompressor(dict_data=ZstdCompressionDict(dictionary))
    stored = zstandard(dictionary) if packed_too else dictionary
    head = b"\x5d\x2a\x4d\x18" + len(stored).to_bytes(4, "little") + stored
    skipped = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"12345"
    frames = [packer.compress(gzip.decompress(one)) for one in packed]
    return head + frames[0] + skipped + b"".join(frames[1:])


def read(source: Source) -> tuple[list[SourcePage], Counter[str]]:
    pages, others = [], Counter()
    files = files_of(source)
    for name, size in files.sizes.items():
        with files.open(name) as file:
            for actual in pages_of(source, file, name, size):
                if isinstance(actual, SourcePage):
                    pages.append(actual)
                else:
                    others[
                        f"bad: {actual.reason}" if isinstance(actual, BadRecord) else str(actual)
                    ] += 1
    return pages, others


def again(source: Source, page: SourcePage) -> bytes:
    with SourceReader(source, files_of(source).open) as reader:
        place = (page.warc_file, page.warc_record_offset, page.warc_record_length)
        return reader.member(page.id, page.url, page.warc_date, place, page.payload_digest)


@pytest.mark.parametrize("name", list(forms()))
def test_every_form_of_crawl_file(tmp_path, name):
    (tmp_path / name).write_bytes(forms()[name])
    source = Source(SourceKind.WARC, str(tmp_path))

    pages, _ = read(source)

    assert [page.url for page in pages] == [f"http://a.example/{n}" for n in (1, 2, 3)]
    assert len({page.id for page in pages}) == 3
    for number, page in enumerate(pages, 1):
        actual, is_same = proven_response(gzip.decompress(again(source, page)), page.payload_digest)
        assert is_same
        assert (actual.record_id, actual.url, actual.body) == (page.id, page.url, HTML * number)
        assert page.text.split("\n")[:2] == ["Bron", "I går öppnades bron över ån."]


def test_a_member_is_handed_on_as_it_stands(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(response(1) + response(2))
    source = Source(SourceKind.WARC, str(tmp_path))

    assert [again(source, page) for page in read(source)[0]] == [response(1), response(2)]


def test_what_is_no_page_is_told_apart(tmp_path):
    not_found = gzip.decompress(response(1)).replace(b"200 OK", b"404 No")
    image = gzip.decompress(response(1)).replace(b"text/html", b"image/png")
    request = record_member(
        [("WARC-Type", "request"), ("WARC-Target-URI", "http://a.example/")], b"GET"
    )
    damaged = response(2)[:-9] + b"\0" * 9
    (tmp_path / "a.warc.gz").write_bytes(
        gzip.compress(not_found) + gzip.compress(image) + request + damaged + response(3)
    )

    pages, others = read(Source(SourceKind.WARC, str(tmp_path)))

    assert [page.url for page in pages] == ["http://a.example/3"]
    assert others == {"http_status": 1, "not_html": 1, "not_a_response": 1, "bad: bad_gzip": 1}


def table(tmp_path, name: str, rows: list[dict]) -> None:
    if name.endswith(".parquet"):
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / name, row_group_size=2)
        return
    written = "".join(json.dumps(row) + "\n" for row in rows).encode()
    pack = {".gz": gzip.compress, ".zst": zstandard}.get(name[name.rindex(".") :], bytes)
    (tmp_path / name).write_bytes(pack(written))


ROWS = [
    {"url": f"http://a.example/{n}", "html": "<p>Hej å hå " * n, "date": "2024-02-21", "more": n}
    for n in range(1, 6)
]


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl", "a.jsonl.gz", "a.jsonl.zst"])
def test_rows_of_html(tmp_path, name):
    table(tmp_path, name, [*ROWS, {**ROWS[0], "url": "ftp://a"}, {**ROWS[0], "html": None}])
    source = Source(SourceKind.PAGES, str(tmp_path))

    pages, others = read(source)

    assert others == {PassedOver.no_address: 1, PassedOver.no_content: 1}
    assert [page.url for page in pages] == [row["url"] for row in ROWS]
    for row, page in zip(ROWS, pages, strict=True):
        actual = read_response(again(source, page))
        assert (actual.body.decode(), actual.date) == (row["html"], "2024-02-21T00:00:00Z")


def test_files_of_html_get_addresses_and_keep_their_charset(tmp_path):
    (tmp_path / "a b").mkdir()
    page = '<meta charset="iso-8859-10"><title>Å</title><p>Ån'.encode("iso-8859-10")
    (tmp_path / "a b/å.html").write_bytes(page)
    source = Source(SourceKind.PAGES, str(tmp_path), base_url="https://")

    (actual,) = read(source)[0]

    assert actual.url == "https://a%20b/%C3%A5.html"
    assert actual.text == "Å\nÅn"
    assert read_response(again(source, actual)).body == page


@pytest.mark.parametrize("name", ["a.parquet", "a.jsonl.gz"])
def test_rows_of_text_need_no_address(tmp_path, name):
    table(tmp_path, name, [{"text": "Hej å hå"}, {"text": " "}, {"text": "Då"}])
    source = Source(SourceKind.TEXTS, str(tmp_path))

    pages, others = read(source)

    assert others == {PassedOver.no_content: 1}
    assert [page.text for page in pages] == ["\nHej å hå", "\nDå"]
    assert len({page.url for page in pages}) == 2
    assert "Hej å hå" in gzip.decompress(again(source, pages[0])).decode()


@pytest.mark.parametrize(
    ("kind", "name"), [(SourceKind.TEXTS, "a.txt.gz"), (SourceKind.PAGES, "a.html")]
)
def test_a_file_that_is_too_large_for_a_page_is_none(tmp_path, monkeypatch, kind, name):
    monkeypatch.setattr("skord.sources.pages.MAX_PAGE_BYTES", 1000)
    pack = gzip.compress if name.endswith("gz") else bytes
    (tmp_path / name).write_bytes(pack(b"<p>a " * 201))
    (tmp_path / f"b{name}").write_bytes(pack(b"<p>a " * 200))

    pages, others = read(Source(kind, str(tmp_path)))

    assert [page.warc_file for page in pages] == [f"b{name}"]
    assert others == {PassedOver.too_large: 1}


def test_addresses_that_are_declared_as_bytes_are_addresses(tmp_path):
    rows = {"url": [b"http://a.example/\xc3\xa5", b"http://\xff"], "text": ["Hej", "Hej"]}
    pq.write_table(pa.table({**rows, "html": rows["text"]}), tmp_path / "a.parquet")

    pages, others = read(Source(SourceKind.PAGES, str(tmp_path)))

    assert [page.url for page in pages] == ["http://a.example/å"]
    assert others == {PassedOver.no_address: 1}
    assert read(Source(SourceKind.TEXTS, str(tmp_path)))[0][0].url == "http://a.example/å"
    assert again(
        Source(SourceKind.TEXTS, str(tmp_path)), read(Source(SourceKind.TEXTS, str(tmp_path)))[0][0]
    )


@pytest.mark.parametrize("kind", [SourceKind.TEXTS, SourceKind.PAGES])
@pytest.mark.parametrize("cell", [None, "", 5, ["Hej"], False])
def test_a_cell_that_is_no_text_is_no_page(tmp_path, kind, cell):
    table(tmp_path, "a.jsonl", [{"url": "http://a.example/", "text": cell, "html": cell}])

    assert read(Source(kind, str(tmp_path))) == ([], {PassedOver.no_content: 1})


def test_a_file_that_changed_costs_its_page_and_no_more(tmp_path):
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_bytes(HTML)
    source = Source(SourceKind.PAGES, str(tmp_path))
    first, second = read(source)[0]
    (tmp_path / "a.html").write_bytes(HTML + b" ")

    with pytest.raises(DocumentError, match="source_changed"):
        again(source, first)
    (tmp_path / "a.html").unlink()
    with pytest.raises(DocumentError, match="source_changed"):
        again(source, first)
    assert again(source, second)
    with pytest.raises(DocumentError, match="source_changed"):
        again(source, replace(second, warc_record_offset=7, payload_digest="X"))


@pytest.mark.slow
def test_the_pages_of_real_archives_are_all_found_again(tmp_path):
    archive = SHARED / "data/crawl/crawl_samples.tar.gz"
    if not archive.exists():
        pytest.skip("the shared crawl files are not here")
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    source = Source(SourceKind.WARC, str(tmp_path))
    files = files_of(source)
    counts = Counter()
    with SourceReader(source, files.open) as reader:
        for name, size in files.sizes.items():
            content = io.BytesIO((tmp_path / name).read_bytes())
            try:
                check_start(content, name)
            except NotWARCError:
                counts["not WARC"] += 1
                continue
            for page in pages_of(source, content, name, size):
                if isinstance(page, SourcePage):
                    place = (name, page.warc_record_offset, page.warc_record_length)
                    packed = reader.member(page.id, page.url, None, place, page.payload_digest)
                    assert read_response(packed).record_id == page.id
                    counts["page"] += 1

    assert counts["page"] >= 380
    assert counts["not WARC"] <= 12


@pytest.mark.parametrize("name", ["a.warc.gz", "a.arc.gz"])
def test_a_file_whose_first_member_is_damaged_is_one_of_members_all_the_same(tmp_path, name):
    damaged = response(1)[:-9] + b"\0" * 9
    (tmp_path / name).write_bytes(damaged + response(2) + response(3))

    pages, others = read(Source(SourceKind.WARC, str(tmp_path)))

    assert [page.url for page in pages] == ["http://a.example/2", "http://a.example/3"]
    assert others == {"bad: bad_gzip": 1}


def test_records_are_fetched_again_from_the_files_of_the_source_alone(tmp_path):
    (tmp_path / "a.warc.gz").write_bytes(response(1) + response(2))
    source = Source(SourceKind.WARC, str(tmp_path))
    pages = read(source)[0]
    digests = (pages[0].payload_digest, "A" * 32)
    wanted = [
        WantedRecord(one.id, one.warc_file, one.warc_record_offset, one.warc_record_length, digest)
        for one, digest in zip(pages, digests, strict=True)
    ]

    fetched = fetch_own(source, ["a.warc.gz"], files_of(source).open, wanted)
    others = fetch_own(source, ["b.warc.gz"], files_of(source).open, wanted)

    assert fetched[0].record == response(1)
    assert [one.failure is None for one in fetched] == [True, False]
    assert [(one.record, one.failure) for one in others] == [(None, "source_changed")] * 2
