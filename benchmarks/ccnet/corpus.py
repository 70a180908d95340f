"""A synthetic crawl as WET files: sites with menus that repeat, pages with text that does not.

Sentences come from a folder `{language}/*.txt.gz`, one a line, or from the pages of the
sample crawl. Some words of each sentence are changed for others of its language, so that
as good as no line of a page's own text stands anywhere else. The headers are those of dumps
before 2020-24, the only ones that cc_net can read. Some pages hold what readers read
differently: lone carriage returns, no line break at the end, lines that look like a record's
first, repeated lines, few characters.
"""

from __future__ import annotations

import gzip
import random
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.sample_crawl.page_source import bundled_pages

SCANDINAVIAN = ("sv", "da", "nb", "nn", "is")
OTHERS = ("de", "en", "fi", "ja", "lt", "lv", "nl")
PAGES_PER_SITE = 25
SENTENCES = 4000
SCANDINAVIAN_SHARE = {"even": 0.5, "crawl": 0.02}
"""Share of sites in one of the five languages: half of them, or what a crawl has."""

Sentences = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Site:
    """What the pages of one site share."""

    host: str
    language: str
    menu: Sequence[str]
    footer: Sequence[str]


def sentences_of(folder: Path | None) -> Sentences:
    """Sentences of each language, at most `SENTENCES` of each."""
    if folder is None or not folder.is_dir():
        return _rehearsed_sentences()
    results: dict[str, list[str]] = {}
    for language in (*SCANDINAVIAN, *OTHERS):
        lines: dict[str, None] = {}
        for path in sorted((folder / language).glob("*.txt.gz")):
            text = gzip.decompress(path.read_bytes()).decode()
            lines.update(dict.fromkeys(line for line in text.split("\n") if 40 < len(line) < 400))
        if lines:
            results[language] = random.Random(language).sample(
                list(lines), min(SENTENCES, len(lines))
            )
    return results


def _rehearsed_sentences() -> Sentences:
    results: dict[str, list[str]] = {}
    for page in bundled_pages():
        results.setdefault(page.lang, []).extend(
            line for line in page.text.split("\n") if len(line) > 40
        )
    return {language: lines for language, lines in results.items() if len(lines) > 20}


def write_corpus(
    folder: Path, sentences: Sentences, pages: int, mix: str, seed: int = 1, files: int = 2
) -> list[Path]:
    """Write `files` WET files of `pages` pages in all; the same seed gives the same bytes."""
    chance = random.Random(f"{seed} {mix}")
    sites = [_site(number, sentences, mix, chance) for number in range(pages // PAGES_PER_SITE)]
    paths = []
    for number in range(files):
        path = folder / f"CC-MAIN-20190222220601-20190223002601-{number:05d}.warc.wet.gz"
        with path.open("wb") as file:
            for record in _records(sites, sentences, pages // files, chance):
                file.write(gzip.compress(record, 6, mtime=0))
        paths.append(path)
    return paths


def _site(number: int, sentences: Sentences, mix: str, chance: random.Random) -> Site:
    wanted = [code for code in SCANDINAVIAN if code in sentences]
    others = [code for code in sentences if code not in SCANDINAVIAN]
    is_wanted = number == 0 or chance.random() < SCANDINAVIAN_SHARE[mix]
    language = chance.choice(wanted if is_wanted else others)
    lines = sentences[language]
    menu = [_piece(chance.choice(lines), chance, 1, 5) for _ in range(chance.randrange(15, 60))]
    footer = [chance.choice(lines) for _ in range(chance.randrange(2, 30))]
    return Site(f"www.site{number:04d}.example", language, menu, footer)


def _piece(sentence: str, chance: random.Random, low: int, high: int) -> str:
    words = sentence.split()
    start = chance.randrange(len(words))
    return " ".join(words[start : start + chance.randint(low, high)])


def _records(
    sites: Sequence[Site], sentences: Sentences, pages: int, chance: random.Random
) -> Iterator[bytes]:
    yield b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 4\r\n\r\na: b\r\n\r\n"
    for number in range(pages):
        site = chance.choice(sites)
        text = _text(site, sentences[site.language], chance).encode()
        yield _headers(site, number, text, chance) + text + b"\r\n\r\n"


def _text(site: Site, lines: Sequence[str], chance: random.Random) -> str:
    body = [_reworded(lines, chance) for _ in range(chance.randint(1, 28))]
    if chance.random() < 0.1:
        body += chance.sample(body, 1)
    if chance.random() < 0.05:
        body.insert(1, "")
    if chance.random() < 0.01:
        body.insert(
            chance.randint(1, len(body)), chance.choice(["WARC/1.0", "\u3000 \t", "a\u2028b\x85"])
        )
    shared = [] if chance.random() < 0.1 else [*site.menu]
    text = "\n".join([_piece(body[0], chance, 2, 8), *shared, *body, *site.footer])
    if chance.random() < 0.02:
        text = text.replace(". ", ".\r", 3)
    return text + ("" if chance.random() < 0.05 else "\n")


def _reworded(lines: Sequence[str], chance: random.Random) -> str:
    words = chance.choice(lines).split()
    for _ in range(len(words) // 7 + 2):
        words[chance.randrange(len(words))] = chance.choice(chance.choice(lines).split())
    return " ".join(words)


def _headers(site: Site, number: int, text: bytes, chance: random.Random) -> bytes:
    ids = [uuid.UUID(int=chance.getrandbits(128), version=4) for _ in range(2)]
    digest = "".join(chance.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=32))
    lines = [
        "WARC/1.0",
        "WARC-Type: conversion",
        f"WARC-Target-URI: https://{site.host}/page/{number}?q=a&b=c",
        f"WARC-Date: 2019-02-22T22:{number // 60 % 60:02d}:{number % 60:02d}Z",
        f"WARC-Record-ID: <urn:uuid:{ids[0]}>",
        f"WARC-Refers-To: <urn:uuid:{ids[1]}>",
        f"WARC-Block-Digest: sha1:{digest}",
        "Content-Type: text/plain",
        f"Content-Length: {len(text)}",
    ]
    return "\r\n".join([*lines, "", ""]).encode()
