"""Owners' reservations from the records to the corpus: found, quoted, decided late."""

import gzip
import uuid
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import column, command, copy_of, corpus, folder

PATTERNS = '["robots_txt:GPTBot", "tdmrep_*"]'


def site_warc(path: Path, files: dict[str, str]) -> Path:
    with path.open("wb") as stream:
        for url, text in files.items():
            block = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{text}".encode()
            head = (
                f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
                f"WARC-Date: 2024-02-21T05:11:09Z\r\nWARC-Record-ID: <urn:uuid:{uuid.uuid4()}>\r\n"
                f"Content-Length: {len(block)}\r\n\r\n"
            )
            stream.write(gzip.compress(head.encode() + block + b"\r\n\r\n"))
    return path


@pytest.fixture(scope="module")
def reserved(exported, tmp_path_factory):
    """The corpus again, two sites of which say no in files that somebody fetched."""
    top = tmp_path_factory.mktemp("reserved")
    origins = list(dict.fromkeys("{0.scheme}://{0.netloc}".format(urlsplit(row["url"]))
                                 for row in corpus(exported)))  # fmt: skip
    robots, tdm = origins[0], origins[-1]
    warc = site_warc(
        top / "sites.warc.gz",
        {
            f"{robots}/robots.txt": "User-agent: GPTBot\nDisallow: /\n",
            f"{tdm}/.well-known/tdmrep.json": '[{"location": "/", "tdm-reservation": 1}]',
            "https://elsewhere.example/robots.txt": "User-agent: *\nDisallow: /\n",
        },
    )
    copy = copy_of(exported, top / "bench")
    copy.extra += (
        f'reservations = {PATTERNS}\n[DetectReservations]\nsite_warcs = ["{warc}"]\n'
        "files_at_once = 2\n"
    )
    status, output = command(copy, "export", "--dumps", DUMP, "--replace")
    assert status == 0, output
    return copy, robots, tdm


def test_reserved_pages_are_left_out_and_all_others_stay(exported, reserved):
    copy, robots, tdm = reserved
    before, after = corpus(exported), corpus(copy)
    gone = {row["url"] for row in before} - {row["url"] for row in after}

    sites = {row["url"] for row in before if row["url"].startswith((f"{robots}/", f"{tdm}/"))}
    assert sites <= gone
    # what is more, the crawl's own robots.txt files forbid to everybody without a group
    assert all("/login" in url or "/search" in url for url in gone - sites)
    assert sites
    assert after == [row for row in before if row["url"] not in gone]
    reasons = column(copy, "ExportCorpus.left_out")
    assert {reasons[row["id"]] for row in before if row["url"] in gone} == {"reserved"}


def test_the_column_says_where_who_and_in_which_words(reserved):
    copy, robots, tdm = reserved
    urls = column(copy, "CCNet.url")
    said = column(copy, "DetectReservations.reservations")
    pages = {
        one["source"]: (urls[page], one) for page, actual in said.items() for one in actual or ()
    }

    assert set(pages) >= {"robots_txt", "tdmrep_file"}
    assert pages["tdmrep_file"][0].startswith(tdm)
    assert pages["tdmrep_file"][1]["words"] == "location: /; tdm-reservation: 1"
    ours = [
        one
        for page, actual in said.items()
        for one in actual or ()
        if urls[page].startswith(robots)
    ]
    assert {
        "source": "robots_txt",
        "agent": "GPTBot",
        "words": "User-agent: GPTBot Disallow: /",
    } in ours


def test_card_why_what_if_and_removals_know_them(exported, reserved):
    copy, robots, _ = reserved
    gone = len(corpus(exported)) - len(corpus(copy))
    card = (folder(copy) / "README.md").read_text()
    assert f"{gone:,} pages that would be here were left out" in card
    assert "| tdmrep_file |" in card
    assert "## Reservations of rights" not in (folder(exported) / "README.md").read_text()

    page = next(row["url"] for row in corpus(exported) if row["url"].startswith(f"{robots}/"))
    _, story = command(copy, "why", page, "--dump", DUMP)
    assert "robots_txt for GPTBot: “User-agent: GPTBot Disallow: /”" in story
    assert "left out of what is published: reserved" in story

    _, output = command(copy, "what-if", "--dump", DUMP, "--set", "reservations=tdmrep_file")
    assert "would fall by reservations" in output
    status, output = command(copy, "what-if", "--dump", DUMP, "--set", "reservations=tdm_file")
    assert status == 1
    assert "no source of reservations 'tdm_file'" in output

    status, output = command(
        copy, "removals", "add", "--reserved", "tdmrep_*", "--reason", "opt-out"
    )
    assert status == 0
    assert "url " in output
