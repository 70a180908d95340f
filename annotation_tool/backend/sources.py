"""Pages to annotate: out of a data folder's dump, WARC files, HTML files, or JSONL."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from skord.annotation_tool.backend.labels import uncertainty, visible
from skord.annotation_tool.backend.published import (
    NotPublishedError,
    SourcePage,
    read_published,
)
from skord.core.failures import ConfigError, DocumentError, FailureCode
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE
from skord.crawl.warc.payload import is_html
from skord.crawl.warc.records import BadRecord, iter_warc, read_response, response_of
from skord.html.charset.decode import decode
from skord.html.cleaning import html_lang
from skord.html.converter import convert_page
from skord.markdown.extraction import split_lines
from skord.models.language_id.lid176 import load_language_model
from skord.text.json_lines import read_json_lines
from skord.text.languages import language_of

Place = tuple[int, int]
"""Shard and row of a page in a dump."""

_CONTENT = "ConvertToMarkdown.content"
_COLUMNS = {
    "ConvertToMarkdown": ["url", "content", FAILURE.name],
    "FetchHTMLDocuments": ["record"],
    "CCNet": ["language"],
}
_JUDGED = {"ConvertToMarkdown": ["content"], "ProcessMarkdown": ["line_probabilities"]}
_HTML_ENDINGS = frozenset([".html", ".htm", ".xhtml"])
_WARC_ENDINGS = frozenset([".warc", ".arc"])


class SourceFailure(FailureCode):
    """Why something in a source is no page to annotate, besides the codes of conversion."""

    not_a_page = "not_a_page"
    """A record or line without an HTML page in it: a request, a redirect, an image."""
    not_published_form = "not_published_form"
    """A line of JSONL that is neither a page with its HTML nor of the published tool."""
    failed_upstream = "failed_upstream"
    """A row of a dump that has no Markdown."""


def site_of(url: str) -> str:
    """Host of an address without `www.`; "" if it has none.

    >>> site_of("https://www.Ostersund.se/a"), site_of("page.html")
    ('ostersund.se', '')
    """
    try:
        host = urlsplit(url).hostname or ""
    except ValueError:
        return ""
    return host.removeprefix("www.")


def _identify(markdown: str) -> str:
    """The language that lid.176 takes a text for; "" where it does not know."""
    return language_of(load_language_model().scores(markdown)) or ""


def _rows(
    path: Path, columns: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The rows of a dump, shard by shard, each with its place."""
    store = ColumnStore(Storage(str(path.parent)), path.name)
    names = store.storage.names(store.folder("ConvertToMarkdown"))
    for shard in sorted(int(name[:5]) for name in names if name.endswith(".parquet")):
        number = 0
        for _, table in store.side_by_side(shard, columns):
            for row in table.to_pylist():
                yield (shard, number), row
                number += 1


def _stated_address(html: str) -> str:
    """The address that a page states (`rel=canonical`, `og:url`); "" if it states none."""
    tree = LexborHTMLParser(html)
    found = [
        node.attributes.get(name) or ""
        for selector, name in (
            ("link[rel=canonical]", "href"),
            ("meta[property='og:url']", "content"),
        )
        for node in tree.css(selector)
    ]
    return next((url for url in found if url.startswith(("http://", "https://"))), "")


def _has_html_alone(row: Any) -> bool:
    """Whether a line is a page without Markdown, which is made of its HTML."""
    return isinstance(row, dict) and "content" not in row and bool({"html", "html_b64"} & {*row})


class PageReader:
    """Reads pages one after another, and counts what is none.

    Attributes:
        passed_over: failure code to how many records or lines.
    """

    def __init__(self) -> None:
        self.passed_over: Counter[str] = Counter()

    def read(
        self, path: Path, languages: Collection[str] = frozenset(), least_sure: int | None = None
    ) -> Iterator[SourcePage]:
        """The pages of one file or folder.

        Args:
            languages: only pages of these; all where it is empty.
            path: `data_dir/dump`; a WARC or ARC file; an HTML file or a folder of such; JSONL.
            least_sure: only so many pages, those first of whose lines ProcessMarkdown was least
                sure; for a dump alone. None: all pages, in their order.
        """
        pages = self._pages_of(path, languages, least_sure)
        return (page for page in pages if not languages or page.lang in languages)

    def _pages_of(
        self, path: Path, languages: Collection[str], least_sure: int | None
    ) -> Iterator[SourcePage]:
        stem = path.name.removesuffix(".gz")
        ending = Path(stem).suffix.lower()
        if (path.parent / "ConvertToMarkdown" / path.name).is_dir():
            if least_sure is None:
                for place, row in _rows(path, _COLUMNS):
                    yield from self._row(row, f"{path.name}/{place[0]:05d}")
            else:
                yield from self._least_sure(path, languages, least_sure)
        elif least_sure is not None:
            raise ConfigError(
                f"--least-sure {least_sure}: {path} is no dump of a data folder, such as "
                "data/2024-10; pages of your own are shown least sure first as it is"
            )
        elif (path / "ConvertToMarkdown").is_dir():
            dumps = sorted(folder.name for folder in (path / "ConvertToMarkdown").iterdir())
            raise ConfigError(
                f"{path} is a data folder: name a dump in it, such as {path / dumps[0]}"
                if dumps
                else f"{path} is a data folder without pages: run ConvertToMarkdown first"
            )
        elif path.is_dir():
            yield from self._folder(path)
        elif not path.exists():
            raise ConfigError(f"{path}: there is no such file, folder or dump")
        elif ending in _WARC_ENDINGS:
            yield from self._warc(path)
        elif ending in (".jsonl", ".json"):
            yield from self._json_lines(path, languages)
        elif ending in _HTML_ENDINGS:
            yield from self.pages_of_html(path.name, path.read_bytes(), None, path.name)
        else:
            raise ConfigError(
                f"{path}: give data_dir/dump, a WARC file, HTML or a folder of it, or JSONL"
            )

    def _folder(self, folder: Path) -> Iterator[SourcePage]:
        files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in _HTML_ENDINGS)
        if not files:
            raise ConfigError(f"{folder}: there is no HTML file, and no dump by this name")
        for file in files:
            name = str(file.relative_to(folder))
            for page in self.pages_of_html(name, file.read_bytes(), None, name):
                site = page.site or (name.partition("/")[0] if "/" in name else "")
                yield page._replace(site=site)

    def _warc(self, path: Path) -> Iterator[SourcePage]:
        for record in iter_warc(path):
            if isinstance(record, BadRecord):
                self.passed_over[str(record.reason)] += 1
                continue
            try:
                response = response_of(record)
            except DocumentError as error:
                self.passed_over[str(error.code)] += 1
                continue
            if response.status != 200 or not is_html(response.content_type, response.body):
                self.passed_over[SourceFailure.not_a_page] += 1
                continue
            place = f"{path.name}@{record.offset}"
            yield from self.pages_of_html(response.url, response.body, response.content_type, place)

    def _least_sure(
        self, path: Path, languages: Collection[str], count: int
    ) -> Iterator[SourcePage]:
        """The pages of a dump of whose lines ProcessMarkdown was least sure, these first."""
        if not (path.parent / "ProcessMarkdown" / path.name).is_dir():
            raise ConfigError(
                f"--least-sure {count}: {path} has no predictions yet: run ProcessMarkdown"
            )
        doubts: list[tuple[float, Place]] = []
        for place, row in _rows(path, {**_JUDGED, "CCNet": ["language"]}):
            stored, content = row["ProcessMarkdown.line_probabilities"], row[_CONTENT]
            language = row["CCNet.language"] or ""
            if stored and content and (not languages or language in languages):
                doubts.append((-uncertainty(stored, visible(split_lines(content))), place))
        chosen = {place: at for at, (_, place) in enumerate(nsmallest(count, doubts))}
        pages = [
            (chosen[place], page)
            for place, row in _rows(path, _COLUMNS)
            if place in chosen
            for page in self._row(row, f"{path.name}/{place[0]:05d}")
        ]
        return (page for _, page in sorted(pages, key=lambda pair: pair[0]))

    def _row(self, row: dict[str, Any], place: str) -> Iterator[SourcePage]:
        markdown = row["ConvertToMarkdown.content"]
        if markdown is None:
            self.passed_over[SourceFailure.failed_upstream] += 1
            return
        response = read_response(row["FetchHTMLDocuments.record"])
        yield SourcePage(
            digest=hashlib.sha256(response.body).hexdigest(),
            url=row["ConvertToMarkdown.url"],
            site=site_of(row["ConvertToMarkdown.url"]),
            lang=row["CCNet.language"] or "",
            source=place,
            markdown=markdown,
            archived=response.body,
            content_type=response.content_type,
        )

    def _json_lines(self, path: Path, languages: Collection[str]) -> Iterator[SourcePage]:
        for number, row in enumerate(read_json_lines(path), 1):
            place = f"{path.name}:{number}"
            if _has_html_alone(row):
                if not languages or row.get("lang", "") in {*languages, ""}:
                    yield from self._with_html(row, place)
                continue
            try:
                page = read_published(row, place)
            except NotPublishedError:
                self.passed_over[SourceFailure.not_published_form] += 1
                continue
            if languages and page.lang and page.lang not in languages:
                continue
            site, lang = page.site or site_of(page.url), page.lang or _identify(page.markdown)
            yield page._replace(site=site, lang=lang)

    def _with_html(self, row: dict[str, Any], place: str) -> Iterator[SourcePage]:
        """A page with its HTML, as `line_classifier.training.dataset` reads its folders."""
        packed = row.get("html_b64")
        body = base64.b64decode(packed) if packed else row["html"].encode("utf-8", "replace")
        url = row.get("url") or row.get("id") or place
        for page in self.pages_of_html(url, body, None, row.get("id") or place):
            site = row.get("split_key") or page.site
            yield page._replace(site=site, lang=row.get("lang") or page.lang)

    def pages_of_html(
        self, url: str, body: bytes, content_type: str | None, place: str
    ) -> Iterator[SourcePage]:
        """One page, or none where it cannot be converted."""
        html = decode(body, content_type).text
        try:
            markdown = convert_page(html)
        except DocumentError as error:
            self.passed_over[str(error.code)] += 1
            return
        yield SourcePage(
            digest=hashlib.sha256(body).hexdigest(),
            url=url,
            site=site_of(url) or site_of(_stated_address(html)),
            lang=(html_lang(html) or "").split("-")[0].lower() or _identify(markdown),
            source=place,
            markdown=markdown,
            archived=body,
            content_type=content_type,
        )
