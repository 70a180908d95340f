"""The readers, what each may raise of what it declares, and inputs to begin with."""

from __future__ import annotations

import gzip
import io
import itertools
import lzma
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa

from skord.ccnet.paragraph_keys import body_keys
from skord.ccnet.text_pages import split_block
from skord.core.failures import DocumentError, PipelineError, ShardError
from skord.crawl.cdx import BadCDXLine, cdx_lines, parse_cdx_line
from skord.crawl.warc.framing import BadRecord, read_records
from skord.crawl.warc.gzip import GzipCheck, Member, gzip_members
from skord.crawl.warc.payload import earliest_date, is_html
from skord.crawl.warc.records import read_response, response_of
from skord.crawl.warc.wet import read_wet
from skord.html.charset.decode import decide_charset, decode
from skord.html.converter import read_page_and_convert
from skord.html.line_context import context_of_words
from skord.markdown.extraction import kept_text, text_of_lines
from skord.markdown.plain_lines import plain_markdown
from skord.models.education import interface as education
from skord.models.grammar.forms import expand_entries, read_affixes
from skord.models.grammar.grader import Grader
from skord.models.grammar.grammar import parse_grammar
from skord.models.grammar.interface import grammar_path
from skord.models.language_id.batches import FastTextScores
from skord.models.language_id.fasttext_file import read_fasttext
from skord.models.language_id.lid176 import bundled_model
from skord.models.language_model.files import FOLDER, find_languages
from skord.models.line_classifier import interface as lines
from skord.models.line_classifier.features.dom import read_element_names
from skord.models.line_classifier.features.lines import page_features
from skord.models.line_classifier.network import read_network
from skord.models.registers import interface as registers
from skord.models.scandinavian import interface as scandinavian
from skord.models.scandinavian.interface import read_weights
from skord.models.unwanted import interface as unwanted
from skord.models.unwanted.interface import load_unwanted
from skord.native import (
    count_keys,
    dialect_markdown,
    find_lines,
    html_nodes,
    html_tokens,
    keep_lines,
    load_language_model,
    load_pieces,
    score_lines,
    wet_pages,
    wet_record,
)
from skord.near_duplicates.minhash import minhash_signatures
from skord.near_duplicates.published_minhash import published_signatures
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages
from skord.text.words import TextColumn
from tests.fuzz import calls, text_targets
from tests.fuzz.mutations import BINARY, PACKED, TEXTUAL, Mutation

MAX_BYTES = 1 << 22
CONTENT_TYPES = (None, "text/html", "text/html; charset=utf-16", "text/html; charset=windows-1252")
_UNPACKED = 1 << 62


@dataclass(frozen=True)
class Target:
    """A reader.

    Args:
        read: takes an input; returns a few words for what became of it.
        seeds: inputs to begin with.
        mutations: how they are changed.
        refusals: what it may raise.
        weight: how often its turn comes.
    """

    read: Callable[[bytes], object]
    seeds: Callable[[], list[bytes]]
    mutations: tuple[Mutation, ...]
    refusals: tuple[type[Exception], ...] = ()
    weight: int = 10


def _warc(data: bytes) -> str:
    seen: Counter[str] = Counter()
    for record in read_records(io.BytesIO(data), MAX_BYTES):
        if isinstance(record, BadRecord):
            seen[str(record.reason)] += 1
            continue
        try:
            response = response_of(record, MAX_BYTES)
        except DocumentError as error:
            seen[str(error.code)] += 1
            continue
        seen[f"html {is_html(response.content_type, response.body)}"] += 1
        earliest_date(response.date, response.http_headers)
    return " ".join(sorted(seen))


def _member(data: bytes) -> str:
    return str(read_response(data, MAX_BYTES).status)


def _wet(data: bytes) -> str:
    seen = set()
    for page in read_wet(io.BytesIO(data), MAX_BYTES):
        if isinstance(page, BadRecord):
            seen.add(str(page.reason))
        else:
            seen.add(f"lines {min(len(split_block(page.block)[1].lines), 2)}")
    wet_record(data)
    for item in gzip_members(io.BytesIO(data), MAX_BYTES):
        if isinstance(item, Member):
            wet_pages([item.data], True)
            _lines(item.data)
    return " ".join(sorted(seen))


def _lines(data: bytes) -> None:
    """Lines and keys of any bytes."""
    keys = np.frombuffer(data[: len(data) // 8 * 8], np.uint64)
    pages, places = np.sort(keys).view(np.int64), np.empty(len(keys), np.int64)
    find_lines(np.unique(keys[::2]), keys, pages, places, np.empty(len(keys), np.bool_))
    sizes = np.diff(np.arange(0, len(keys) + 3, 3).clip(max=len(keys)))
    count_keys(keys, sizes, np.empty(len(keys), np.int32))
    lines = data.count(b"\n") + 1
    keep_lines(*TextColumn.of([data]), np.array([lines]), (data * lines)[:lines].ljust(lines))


def _gzip(data: bytes) -> str:
    check = GzipCheck()
    for start in range(0, len(data), 777):
        check.feed(data[start : start + 777])
    kinds = {type(member).__name__ for member in gzip_members(io.BytesIO(data), MAX_BYTES)}
    return f"{check.whole} {' '.join(sorted(kinds))}"


def _cdx(data: bytes) -> str:
    counts: Counter[str] = Counter()
    for line in cdx_lines(io.BytesIO(data), counts):
        try:
            parse_cdx_line(line)
            counts["line"] += 1
        except BadCDXLine:
            counts["bad line"] += 1
    return " ".join(sorted(counts))


def _html(data: bytes) -> str:
    html = decode(data, None).text
    read = read_page_and_convert(html)
    markdown = read.markdown.content
    context = context_of_words(read.page.words, markdown)
    read_element_names(context["elements"])
    page_features(markdown)
    plain_markdown(markdown)
    return f"walked title {read.page.title is not None}"


def _tree(data: bytes) -> str:
    text = data.decode("utf-8", "replace")
    html_nodes(text)
    html_tokens(text, 0, "", False)
    _, links, declined = dialect_markdown(text)
    return declined or f"links {min(len(links), 2)}"


def _charset(data: bytes) -> str:
    said = CONTENT_TYPES[len(data) % len(CONTENT_TYPES)]
    decode(data, said)
    return str(decide_charset(data, said).source)


def _text(data: bytes) -> str:
    text = data.decode("utf-8", "surrogateescape").encode("utf-8", "surrogatepass")
    told = text.decode("utf-8", "surrogatepass")
    lines = told if told.endswith("\n") else f"{told}\n"
    kept_text(plain_markdown(lines), np.ones(lines.count("\n"), np.float32), None)
    text_of_lines(text)
    page_features(told)
    body_keys([text, b""])
    clean = pa.array([data.decode("utf-8", "replace"), "", None])
    published_signatures(clean)
    return f"signed {minhash_signatures(clean)['minhash'].null_count}"


def _pieces(data: bytes) -> str:
    model = load_language_model(load_pieces(data), _ngrams(), _UNPACKED)
    return str(len(score_lines(model, LINES)))


def _language_model(data: bytes) -> str:
    model = load_language_model(load_pieces(_piece_file()), data, _UNPACKED)
    return str(len(score_lines(model, LINES)))


def _fasttext(data: bytes) -> str:
    scores = FastTextScores(read_fasttext(data), 1000)
    texts, limits = TextColumn.of(line.encode() for line in LINES), (0.002, 0.01, 1000)
    told, *_ = scores.label_columns(texts, np.ones(len(LINES), np.bool_), *limits, glued=True)
    return str(len(told))


WEIGHTS: dict[str, tuple[Path, Callable[[Path], object]]] = {
    "education": (education.WEIGHTS, lambda path: education.load_education(str(path))),
    "registers": (registers.WEIGHTS, lambda path: registers.load_registers(str(path))),
    "scandinavian": (scandinavian.WEIGHTS, read_weights),
    "lines": (lines.WEIGHTS, lambda path: read_network(path, with_context=False)),
    "unwanted": (unwanted.WEIGHTS, load_unwanted),
}
"""Files of weights, `.npz` or JSON, by what they are for, and their loaders."""


def _weights(name: str, data: bytes) -> str:
    """Load a file of weights; loaders remember by path, so each gets one of its own."""
    with tempfile.TemporaryDirectory(prefix="skord-fuzz-weights-") as folder:
        path = Path(folder, "weights.npz")
        path.write_bytes(data)
        return type(WEIGHTS[name][1](path)).__name__


def _weight_file(name: str) -> list[bytes]:
    return [WEIGHTS[name][0].read_bytes()]


def _grammar_file(data: bytes) -> str:
    grader = Grader(parse_grammar(data.decode("utf-8", "replace")), ())
    grades = [grader.grade(line) for line in LINES]
    return f"known {min(grades[1].known, 1)}"


@cache
def _grammar_text() -> bytes:
    return lzma.decompress(grammar_path("sv").read_bytes())


def _affixes(data: bytes) -> str:
    forms = expand_entries(read_affixes(data), ["hund/A", "stad/AB po:noun", "och"])
    return str(min(sum(1 for _ in itertools.islice(forms, 1000)), 10))


AFFIXES = b"""SET UTF-8
AF 2
AF AB
PFX B Y 1
PFX B 0 o [^o]
SFX A Y 3
SFX A 0 s/B .
SFX A y ies [^a]y
SFX A t ter/A [a-z]t
COMPOUNDFLAG C
NEEDAFFIX D
"""

LINES = ["", "kommunen bygger en ny bro", "x" * 3000, "\u200b\ufeff", "🌲 ø é"]


# -- inputs to begin with ------------------------------------------------------------------------


@cache
def _crawl() -> Path:
    """A crawl of the bundled pages, in a folder that goes with the process."""
    import atexit  # noqa: PLC0415 - of the folder alone
    import shutil  # noqa: PLC0415
    import tempfile  # noqa: PLC0415

    from skord.sample_crawl.builder import build_crawl  # noqa: PLC0415

    folder = Path(tempfile.mkdtemp(prefix="skord-fuzz-crawl-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    build_crawl(bundled_pages()[::9], folder, files=16)
    return folder


def _files(pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(_crawl().rglob(pattern))]


def _warc_files() -> list[bytes]:
    return [data for data in _files("*.warc.gz") if len(data) < 60_000][:12] or _files("*.warc.gz")


def _one_member() -> list[bytes]:
    responses = []
    for data in _files("*.warc.gz"):
        for record in itertools.islice(gzip_members(io.BytesIO(data)), 12):
            unpacked = getattr(record, "data", b"")
            if b"WARC-Type: response" in unpacked:
                responses.append(gzip.compress(unpacked, 1, mtime=0))
    return responses[:20]


def _pages() -> list[bytes]:
    return [render_page(page)[0] for page in bundled_pages()[::12]]


def _texts() -> list[bytes]:
    return [page.text.encode() for page in bundled_pages()[::12]]


@cache
def _piece_file() -> bytes:
    return find_languages(FOLDER)["sv"].pieces.read_bytes()


@cache
def _ngrams() -> bytes:
    return find_languages(FOLDER)["nn"].ngrams.read_bytes()


WARC_REFUSALS = (DocumentError,)
MODEL_REFUSALS = (ValueError, NotImplementedError)

TARGETS: dict[str, Target] = {
    "warc": Target(_warc, _warc_files, PACKED),
    "member": Target(_member, _one_member, PACKED, WARC_REFUSALS),
    "wet": Target(_wet, lambda: _files("*.warc.wet.gz"), PACKED),
    "gzip": Target(_gzip, lambda: _files("*.warc.wet.gz")[:4], (*BINARY, *PACKED)),
    "cdx": Target(_cdx, lambda: _files("cdx-*.gz"), PACKED, (ShardError,)),
    "html": Target(_html, _pages, TEXTUAL, (DocumentError,), weight=30),
    "tree": Target(_tree, _pages, TEXTUAL, weight=20),
    "charset": Target(_charset, _pages, (*TEXTUAL, *BINARY)),
    "text": Target(_text, _texts, TEXTUAL, weight=20),
    "head": Target(text_targets.head, _pages, TEXTUAL, (DocumentError,)),
    "main-text": Target(text_targets.main_text, _pages, TEXTUAL, (PipelineError,), weight=3),
    "links": Target(text_targets.links, _pages, TEXTUAL, (DocumentError,), weight=5),
    "rights": Target(
        text_targets.rights, lambda: [text_targets.PAGE_SIGNALS, *_pages()[:9]], TEXTUAL
    ),
    "site": Target(text_targets.site, lambda: [text_targets.ROBOTS, text_targets.TDMREP], TEXTUAL),
    "addresses": Target(text_targets.addresses, lambda: [text_targets.ADDRESSES], TEXTUAL),
    "measures": Target(text_targets.measures, _texts, TEXTUAL),
    "personal": Target(
        text_targets.personal, lambda: [text_targets.PERSONS, *_texts()[:9]], TEXTUAL
    ),
    "passages": Target(text_targets.passages, _texts, TEXTUAL),
    "contamination": Target(text_targets.contamination, _texts, TEXTUAL),
    "letters": Target(text_targets.letters, _texts, TEXTUAL),
    "grammar": Target(text_targets.grammar, _texts, TEXTUAL),
    "pieces": Target(_pieces, lambda: [_piece_file()], BINARY, MODEL_REFUSALS, weight=1),
    "ngrams": Target(_language_model, lambda: [_ngrams()], BINARY, MODEL_REFUSALS, weight=1),
    **{
        f"weights-{name}": Target(
            partial(_weights, name), partial(_weight_file, name), BINARY, (PipelineError,), weight=1
        )
        for name in WEIGHTS
    },
    "grammar-file": Target(
        _grammar_file, lambda: [_grammar_text()], TEXTUAL, (ValueError,), weight=2
    ),
    "affixes": Target(
        _affixes, lambda: [AFFIXES], TEXTUAL, (*MODEL_REFUSALS, LookupError, re.error)
    ),
    "fasttext": Target(
        _fasttext,
        lambda: [bundled_model().read_bytes()],
        BINARY,
        (ValueError,),
        weight=1,
    ),
}

_STRUCTURED: tuple[Mutation, ...] = (calls.changed_call,)
for _name, _of in (
    ("near-duplicates", calls.near_duplicates),
    ("texts", calls.texts),
    ("networks", calls.networks),
):
    TARGETS[_name] = Target(
        calls.read_calls, calls.seeds(_of), _STRUCTURED, calls.REFUSALS, weight=15
    )
MODELS = ("pieces", "ngrams", "fasttext", "grammar-file", *(f"weights-{name}" for name in WEIGHTS))
"""Their inputs are as long as they are."""


def inputs_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """What was found before: target and input."""
    for path in sorted(folder.glob("*/*")):
        yield path.parent.name, path.read_bytes()
