"""Records made by hand, so that the readers are not tested with the project's own writers."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2].parent / "shared"
SAMPLES = SHARED / "data" / "crawl" / "crawl_samples.tar.gz"


@pytest.fixture(scope="session")
def wet_record() -> Callable[..., bytes]:
    """Build one WET record; a header given as None is left out, a new one is added."""

    def build(text: bytes, **changes: str | None) -> bytes:
        headers: dict[str, str | None] = {
            "WARC-Type": "conversion",
            "WARC-Target-URI": "https://example.se/om",
            "WARC-Date": "2024-02-21T05:11:09Z",
            "WARC-Record-ID": "<urn:uuid:11111111-2222-4333-8444-555555555555>",
            "WARC-Refers-To": "<urn:uuid:AAAAAAAA-bbbb-4ccc-8ddd-eeeeeeeeeeee>",
            "WARC-Block-Digest": "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "WARC-Identified-Content-Language": "swe,eng",
            "Content-Type": "text/plain",
            "Content-Length": str(len(text)),
        }
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
        return "\r\n".join(["WARC/1.0", *lines, "", ""]).encode() + text + b"\r\n\r\n"

    return build


@pytest.fixture(scope="session")
def warc_member() -> Callable[..., bytes]:
    """Build one gzip member with one response record around an HTTP message."""

    def build(http: bytes, **changes: str | None) -> bytes:
        headers: dict[str, str | None] = {
            "WARC-Type": "response",
            "WARC-Date": "2024-02-21T05:11:09Z",
            "WARC-Record-ID": "<urn:uuid:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee>",
            "Content-Length": str(len(http)),
            "Content-Type": "application/http; msgtype=response",
            "WARC-Target-URI": "https://example.se/om",
        }
        headers |= {name.replace("_", "-"): value for name, value in changes.items()}
        lines = [f"{name}: {value}" for name, value in headers.items() if value is not None]
        record = "\r\n".join(["WARC/1.0", *lines, "", ""]).encode() + http + b"\r\n\r\n"
        return gzip.compress(record, mtime=0)

    return build


@pytest.fixture(scope="session")
def crawl_samples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Unpack the real crawl files that lie beside a development checkout."""
    if not SAMPLES.is_file():
        pytest.skip(f"no real crawl files: {SAMPLES} is absent")
    folder = tmp_path_factory.mktemp("crawl_samples")
    with tarfile.open(fileobj=io.BytesIO(SAMPLES.read_bytes())) as archive:
        archive.extraction_filter = getattr(tarfile, "data_filter", None)  # from Python 3.11.4 on
        archive.extractall(folder)
    return folder
