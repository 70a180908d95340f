"""Members of a crawl's files, written by hand: one response each, as a range request gives it."""

import gzip


def response_member(
    http: bytes,
    url: str = "http://a.example/",
    record: str = "urn:uuid:1",
    digest: str = "",
    date: str = "2024-03-01T00:00:00Z",
) -> bytes:
    """A packed record without a time in its bytes.

    Args:
        http: status line, headers and body.
        url, record: its address and its id.
        digest: of the block, such as "sha1:ABC"; "" for a record that has none.
        date: when it was fetched.
    """
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <{record}>\r\n"
        f"WARC-Target-URI: {url}\r\nWARC-Date: {date}\r\n"
        + (f"WARC-Block-Digest: {digest}\r\n" if digest else "")
        + "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n", mtime=0)
