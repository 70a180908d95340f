"""Owners' reservations from the records to the corpus: found, quoted, decided late."""

import uuid
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import column, command, copy_of, corpus, folder
from tests.members import response_member

DATE = "2024-02-21T05:11:09Z"
"""In the time of the crawl: what was said later does not hold for its pages."""
PATTERNS = '["robots_txt:GPTBot", "tdmrep_*"]'


def site_warc(path: Path, files: dict[str, str]) -> Path:
    http = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
    members = (
        response_member((http + text).encode(), url, f"urn:uuid:{uuid.uuid4()}", date=DATE)
        for url, text in files.items()
    )
    path.write_bytes(b"".join(members))
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
    _, story = command(copy, "why", corpus(copy)[0]["url"], "--dump", DUMP)
    assert "DetectReservations\n    nothing is reserved" in story

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


def test_a_crawl_without_robots_txt_is_told_of_once(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy")
    copy.url += "/nothing"
    status, output = command(copy, "run", "DetectReservations", "--dump", DUMP)

    assert status == 1
    assert 1 <= output.count("robotstxt.paths.gz cannot be had") <= 4, output
