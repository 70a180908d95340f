"""Captures taken over from elsewhere: folders of HTML files, WARC and ARC files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlsplit

from selectolax.lexbor import LexborHTMLParser

from skord.core.failures import ConfigError, DocumentError
from skord.crawl.cdx import timestamp_of
from skord.crawl.urls import surt_of
from skord.crawl.warc.records import (
    BadRecord,
    Response,
    WARCRecord,
    http_parts,
    iter_warc,
    response_of,
)
from skord.sample_crawl.captures.drafts import Draft, Gold, page_headers
from skord.sample_crawl.wet_text import decoded_page, visible_text

_HTML_ENDINGS = (".html", ".htm", ".xhtml")


def folder_drafts(folder: Path) -> list[Draft]:
    """Return the HTML files of a folder and the folders in it, bytes as they are.

    The address is that of `<link rel=canonical>`, else http://folder.example/ and the path.

    Raises:
        ConfigError: there is no HTML file.
    """
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _HTML_ENDINGS)
    if not files:
        raise ConfigError(f"no file with ending {_HTML_ENDINGS} in {folder}")
    return [_file_draft(path, path.relative_to(folder).as_posix()) for path in files]


def _file_draft(path: Path, name: str) -> Draft:
    body = path.read_bytes()
    page, charset = decoded_page(body, None)
    link = LexborHTMLParser(page).css_first("link[rel=canonical]")
    canonical = (link.attributes.get("href") or "").strip() if link else ""
    url = canonical if _has_sort_key(canonical) else f"http://folder.example/{quote(name)}"
    return Draft(
        url=url,
        body=body,
        headers=page_headers("text/html", body),
        charset=charset,
        text=visible_text(page),
        gold=Gold(),
    )


def _has_sort_key(url: str) -> bool:
    try:
        return urlsplit(url).scheme in ("http", "https") and bool(surt_of(url))
    except ValueError:
        return False


def archive_drafts(path: Path, passed_over: Counter[str]) -> Iterator[Draft]:
    """Yield the responses of a WARC or ARC file, HTTP bytes and date as they are.

    HTML with status 200 goes to the "warc" subset, everything else to "crawldiagnostics".

    Args:
        path: the archive.
        passed_over: counts, by reason, records that cannot be taken over.
    """
    for record in iter_warc(path):
        if isinstance(record, BadRecord):
            passed_over[record.reason] += 1
        elif record.header("WARC-Type") == "response":
            try:
                yield _response_draft(record, response_of(record))
            except DocumentError as error:
                passed_over[error.code] += 1
            except ValueError:
                passed_over["unusual_url_or_date"] += 1


def _response_draft(record: WARCRecord, response: Response) -> Draft:
    """Return a draft with the record's own bytes; ValueError for an odd date or address."""
    _, _, stored = http_parts(record.block)
    timestamp_of(response.date)
    surt_of(response.url)
    mime = (response.content_type or "unk").partition(";")[0].strip().lower()
    page, charset = decoded_page(response.body, response.content_type)
    is_page = response.status == 200 and mime in ("text/html", "application/xhtml+xml")
    places = dict(response.http_headers) if 300 <= response.status < 400 else {}
    return Draft(
        url=response.url,
        body=stored,
        head=record.block[: len(record.block) - len(stored)],
        date=response.date,
        status=response.status,
        mime=mime,
        charset=charset if is_page else None,
        truncated=response.truncated,
        redirect=places.get("Location"),
        text=visible_text(page) if is_page else None,
        subset="warc" if is_page else "crawldiagnostics",
        gold=Gold() if is_page else None,
    )
