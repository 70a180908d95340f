"""The pages of a built crawl as files of one's own: WARC files, HTML, or texts."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

from skord.core.dumps import SourceKind
from skord.core.failures import DocumentError
from skord.crawl.warc.framing import BadRecord
from skord.crawl.warc.records import Response, iter_warc, response_of


def own_files(crawl: Path, out: Path, dump: str, kind: str) -> str:
    """Write them, and say what they are.

    Args:
        crawl: as `builder` made it.
        out: a folder that is made.
        dump: of the crawl.
        kind: `warc`: the WARC files of pages, damage and all; `pages`: half of the pages as HTML
            files, half as lines of `pages.jsonl`; `texts`: what is known of the pages' main text,
            by the same halves, as Markdown files and `texts.jsonl`.
    """
    out.mkdir()
    if kind == SourceKind.WARC:
        return f"{_copied_files(crawl, out, dump)} WARC files"
    contents = _texts(crawl, dump) if kind == SourceKind.TEXTS else _pages(crawl, dump)
    name = "texts" if kind == SourceKind.TEXTS else "pages"
    number = 0
    with (out / f"{name}.jsonl").open("w", encoding="utf-8") as rows:
        for number, (url, content) in enumerate(contents, 1):
            if number % 2:
                row = {"url": url, "text" if name == "texts" else "html": content.decode()}
                rows.write(json.dumps(row, ensure_ascii=False) + "\n")
            else:
                ending = "md" if name == "texts" else "html"
                (out / f"{number:04d}.{ending}").write_bytes(content)
    return f"{number} {name}"


def _copied_files(crawl: Path, out: Path, dump: str) -> int:
    files = _warc_files(crawl, dump)
    for path in files:
        shutil.copyfile(path, out / path.name)
    return len(files)


def _warc_files(crawl: Path, dump: str) -> list[Path]:
    return sorted(crawl.glob(f"crawl-data/CC-MAIN-{dump}/segments/*/warc/*.warc.gz"))


def _responses(crawl: Path, dump: str) -> Iterator[Response]:
    for path in _warc_files(crawl, dump):
        for record in iter_warc(path):
            if not isinstance(record, BadRecord):
                try:
                    yield response_of(record)
                except DocumentError:
                    continue


def _pages(crawl: Path, dump: str) -> Iterator[tuple[str, bytes]]:
    """Addresses and stored bytes of the pages that are UTF-8; headers do not come along."""
    for response in _responses(crawl, dump):
        if response.status == 200 and "html" in (response.content_type or ""):
            try:
                response.body.decode()
            except UnicodeDecodeError:
                continue
            yield response.url, response.body


def _texts(crawl: Path, dump: str) -> Iterator[tuple[str, bytes]]:
    lines = (crawl / "gold.jsonl").read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    for row in sorted(rows, key=lambda row: str(row["record_id"])):
        if row["dump"] == dump and (row["gold"] or "").strip():
            yield row["url"], row["gold"].encode()
