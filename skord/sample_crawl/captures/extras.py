"""What a crawl holds besides ordinary pages: robots.txt, errors, redirects, PDF, oddities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from skord.crawl.warc.written_records import gzip_member
from skord.sample_crawl.captures.pages import number_of, page_headers
from skord.sample_crawl.crawl_files import Capture, Gold
from skord.sample_crawl.wet_text import visible_text

_NOT_FOUND = "<html><head><title>404</title></head><body><h1>404 Not Found</h1></body></html>"
_ERROR = "<html><head><title>500</title></head><body><h1>Internal Server Error</h1></body></html>"
_ROBOTS = "User-agent: *\nDisallow: /search\nDisallow: /login\nSitemap: {site}/sitemap.xml\n"
_CASES = ("Bygglov för altan", "Ansökan om parkering", "Klagomål om buller", "Bidrag till förening")
_CASE_ROWS = 400
_KEPT_BYTES = 9000


def extras_of(captures: Sequence[Capture]) -> list[Capture]:
    """Return the extras that belong to the sites of a crawl's pages.

    One robots.txt a site, and on the first few sites: a page not found, a server error, a
    redirect, a PDF, an image, and a page that the crawler cut short.
    """
    sites = sorted({_site_of(capture.url) for capture in captures if capture.gold is not None})
    if not sites:
        return []
    first, second, third = (sites[number % len(sites)] for number in range(3))
    return [
        *(_robots(site) for site in sites),
        _html(f"{first}/removed", 404, _NOT_FOUND),
        _html(f"{second}/removed.html", 404, _NOT_FOUND),
        _html(f"{third}/search?q=%22", 500, _ERROR),
        _redirect(f"{first}/start", f"{first}/"),
        _file_capture(f"{first}/files/minutes.pdf", "application/pdf", small_pdf()),
        _file_capture(f"{second}/images/small.jpg", "image/jpeg", small_jpeg()),
        _cut_short(f"{third}/diarium?ar=2023"),
    ]


def repeated_capture(captures: Sequence[Capture]) -> list[Capture]:
    """Return one page a second time, as a crawl sometimes fetches a URL twice."""
    page = _chosen_page(captures, "repeat")
    if page is None or page.gold is None:
        return []
    again = replace(page.gold, variant_of=page.url, edit="exact", outcome="duplicate")
    return [replace(page, gold=again)]


def one_stored_packed(captures: Sequence[Capture]) -> list[Capture]:
    """Return the captures with one page stored as it came over the wire, still in gzip."""
    chosen = _chosen_page(captures, "packed")
    return [_packed_variant(capture) if capture is chosen else capture for capture in captures]


def _chosen_page(captures: Sequence[Capture], purpose: str) -> Capture | None:
    """Pick an ordinary page of which no variant exists."""
    copied = {capture.gold.variant_of for capture in captures if capture.gold is not None}
    ordinary = [
        capture
        for capture in captures
        if capture.gold is not None and capture.gold.outcome == "kept" and capture.url not in copied
    ]
    return min(ordinary, key=lambda capture: number_of(purpose, capture.url), default=None)


def _packed_variant(capture: Capture) -> Capture:
    body = gzip_member(capture.body, 6)
    content_type = dict(capture.headers)["Content-Type"]
    headers = (
        ("Server", "nginx"),
        ("Content-Type", content_type),
        ("Content-Encoding", "gzip"),
        ("Content-Length", str(len(body))),
    )
    return replace(capture, body=body, headers=headers)


def _site_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _plain_headers(content_type: str, body: bytes) -> tuple[tuple[str, str], ...]:
    return (
        ("Server", "Apache"),
        ("Content-Type", content_type),
        ("Content-Length", str(len(body))),
    )


def _robots(site: str) -> Capture:
    body = _ROBOTS.format(site=site).encode()
    headers = _plain_headers("text/plain", body)
    return Capture(f"{site}/robots.txt", body, 200, headers, "text/plain", subset="robotstxt")


def _html(url: str, status: int, page: str) -> Capture:
    body = page.encode()
    headers = _plain_headers("text/html", body)
    return Capture(url, body, status, headers, subset="crawldiagnostics")


def _redirect(url: str, target: str) -> Capture:
    headers = (("Location", target), *_plain_headers("text/html", b""))
    return Capture(url, b"", 301, headers, redirect=target, subset="crawldiagnostics")


def _file_capture(url: str, mime: str, body: bytes) -> Capture:
    return Capture(url, body, 200, _plain_headers(mime, body), mime)


def _cut_short(url: str) -> Capture:
    """Return a long list of cases whose HTML ends in the middle."""
    rows = "".join(
        f"<tr><td>2023-{number:04d}</td><td>{_CASES[number % len(_CASES)]}</td></tr>\n"
        for number in range(1, _CASE_ROWS)
    )
    page = f"<!doctype html><title>Diarium 2023</title><h1>Diarium 2023</h1><table>{rows}</table>"
    body = page.encode()[:_KEPT_BYTES]
    return Capture(
        url,
        body,
        headers=page_headers("text/html; charset=utf-8", body),
        charset="utf-8",
        languages="swe",
        truncated="length",
        text=visible_text(body.decode("utf-8", "ignore")),
        gold=Gold(lang="sv", layout="bare", kind="thin", title="Diarium 2023", outcome="truncated"),
    )


def small_pdf() -> bytes:
    """Return a PDF of one empty page, with a true cross-reference table."""
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] >>",
    )
    content, places = b"%PDF-1.4\n", []
    for number, written in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return content + (
        b"xref\n0 4\n0000000000 65535 f \n%strailer\n<< /Size 4 /Root 1 0 R >>\n"
        b"startxref\n%d\n%%%%EOF\n" % (table, len(content))
    )


def small_jpeg() -> bytes:
    """Return a baseline JPEG of one grey pixel.

    Tables (ITU T.81): every quantiser is 1, and both Huffman tables have a single code of
    one bit, for "no difference" and "end of block", so that the picture is the bits 00.
    """
    one_code = bytes([1, *[0] * 15, 0])
    parts = (
        (0xE0, b"JFIF\0\x01\x01\0\0\x01\0\x01\0\0"),
        (0xDB, b"\0" + b"\x01" * 64),
        (0xC0, bytes([8, 0, 1, 0, 1, 1, 1, 0x11, 0])),
        (0xC4, b"\x00" + one_code),
        (0xC4, b"\x10" + one_code),
        (0xDA, bytes([1, 1, 0, 0, 63, 0])),
    )
    written = (bytes([0xFF, mark]) + (len(x) + 2).to_bytes(2) + x for mark, x in parts)
    return b"\xff\xd8" + b"".join(written) + b"\x3f\xff\xd9"
