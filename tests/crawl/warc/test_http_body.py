"""Bodies: chunks joined, compression undone, lies in headers told from damage."""

from __future__ import annotations

import gzip
import zlib

import brotli
import pytest
import zstandard

from skord.core.failures import DocumentError
from skord.crawl.warc.http_body import decoded_body

PAGE = "<html><p>Sæbygård ligger på Læsø</p></html>".encode() * 50


def chunked(body: bytes, size: int = 100) -> bytes:
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x;a=b\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(body) + packer.flush()


PACKERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": raw_deflate,
    "br": brotli.compress,
    "identity": bytes,
    "utf-8": bytes,
    "": bytes,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
    "gzip;q=1.0": gzip.compress,
    '"gzip"': gzip.compress,
    "aws-chunked, gzip": gzip.compress,
    "zstd": lambda body: b"\x50\x2a\x4d\x18\4\0\0\0skip" + zstandard.compress(body),
}


def decode(stored: bytes, transfer: str, content: str, *, cut: bool = False) -> bytes:
    return decoded_body(stored, transfer, content, cut=cut, max_bytes=1 << 20)


@pytest.mark.parametrize("name", PACKERS)
def test_every_coding_is_undone(name: str) -> None:
    packed = PACKERS[name](PAGE)
    assert decode(packed, "", name) == PAGE
    assert decode(chunked(packed), "chunked", name) == PAGE


@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_a_body_that_is_already_plain_stays(name: str) -> None:
    assert decode(PAGE, "", name) == PAGE
    assert decode(PAGE, "chunked", name) == PAGE


@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
def test_a_packed_body_that_breaks_off_is_an_error_unless_the_record_is_truncated(
    name: str,
) -> None:
    page = bytes(range(256)) * 40 + PAGE
    packed = PACKERS[name](page)[:-40]
    with pytest.raises(DocumentError, match="bad_encoding"):
        decode(packed, "", name)
    part = decode(packed, "", name, cut=True)
    assert 0 < len(part) < len(page)
    assert page.startswith(part)


def test_of_chunks_that_break_off_what_came_is_kept() -> None:
    whole = chunked(PAGE)
    assert decode(whole.removesuffix(b"0\r\n\r\n"), "chunked", "") == PAGE
    part = decode(whole[:1000], "chunked", "")
    assert len(part) > 800
    assert PAGE.startswith(part)


def test_what_is_no_chunk_among_chunks_is_an_error() -> None:
    with pytest.raises(DocumentError, match="bad_encoding"):
        decode(b"4\r\nWiki\r\nno size\r\n", "chunked", "")


def test_all_gzip_members_are_read() -> None:
    two = gzip.compress(b"Forsta ") + gzip.compress(b"andra")
    assert decode(two, "", "gzip") == b"Forsta andra"
    assert decode(two + bytes(20), "", "gzip") == b"Forsta andra"
    assert decode(two + b"<!-- cached -->", "", "gzip") == b"Forsta andra"
    with pytest.raises(DocumentError, match="too_large"):
        decoded_body(two, "", "gzip", cut=False, max_bytes=11)


@pytest.mark.parametrize("missing", range(1, 9))
def test_a_gzip_stream_without_its_trailer_is_whole(missing: int) -> None:
    assert decode(gzip.compress(PAGE)[:-missing], "", "gzip") == PAGE


def test_a_zlib_stream_without_its_checksum_is_whole() -> None:
    assert decode(zlib.compress(PAGE)[:-4], "", "deflate") == PAGE


def test_zstandard_is_undone_in_all_its_frames_and_a_plain_body_stays() -> None:
    packer = zstandard.ZstdCompressor()
    packed = packer.compress(PAGE)
    assert decode(packed, "", "zstd") == PAGE
    assert decode(packed + packer.compress(b"slut"), "", "zstd") == PAGE + b"slut"
    assert decode(PAGE, "", "zstd") == PAGE
    with pytest.raises(DocumentError, match="bad_encoding"):
        decode(packed[:-5], "", "zstd")
    with pytest.raises(DocumentError, match="too_large"):
        decode(packer.compress(bytes(30 << 20)), "", "zstd")


@pytest.mark.parametrize("name", ["gzip", "br"])
def test_corrupt_data_is_an_error(name: str) -> None:
    packed = bytearray(PACKERS[name](PAGE))
    packed[12:24] = b"\xff" * 12
    with pytest.raises(DocumentError, match="bad_encoding"):
        decode(bytes(packed), "", name)


def test_a_bomb_stops_at_the_limit() -> None:
    with pytest.raises(DocumentError, match="too_large"):
        decode(PACKERS["gzip"](bytes(30 << 20)), "", "gzip")


@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate ", "br"])
def test_a_body_may_be_as_long_as_the_limit(name: str) -> None:
    packed = PACKERS[name](PAGE)
    assert decoded_body(packed, "", name, cut=False, max_bytes=len(PAGE)) == PAGE
    with pytest.raises(DocumentError, match="too_large"):
        decoded_body(packed, "", name, cut=False, max_bytes=len(PAGE) - 1)


def test_a_coding_that_is_not_read_is_an_error_and_not_garbage() -> None:
    with pytest.raises(DocumentError, match="compress"):
        decode(b"\x1f\x9d\x90", "", "compress")


def test_an_empty_body_is_empty_in_every_coding() -> None:
    assert decode(b"", "", "gzip") == b""
    assert decode(b"0\r\n\r\n", "chunked", "") == b""


def test_chunks_may_end_with_a_line_feed_alone() -> None:
    assert decode(b"4\nWiki\n5\npedia\n0\n\n", "chunked", "") == b"Wikipedia"


@pytest.mark.parametrize("name", ["", "gzip", "deflate", "br", "zstd", "identity"])
def test_gzip_is_undone_whatever_its_header_says(name: str) -> None:
    packed = gzip.compress(PAGE)
    assert decode(packed, "", name) == PAGE
    assert decode(packed, "gzip", name) == PAGE
    if name == "gzip":
        assert decode(gzip.compress(packed), "", name) == PAGE


@pytest.mark.parametrize("end", [b"", b"6", b"6 ", b"64\r", b"64;a=b", b"0"])
def test_chunks_that_break_off_in_a_size_are_what_came(end: bytes) -> None:
    assert decode(chunked(PAGE).removesuffix(b"0\r\n\r\n") + end, "chunked", "") == PAGE


def test_sizes_of_chunks_may_begin_with_noughts() -> None:
    stored = (
        chunked(PAGE).replace(b"64;", b"000000000064;").replace(b"\r\n0\r\n", b"\r\n0000000000\r\n")
    )
    assert decode(stored, "chunked", "") == PAGE
