"""`skord extract` for many pages: names, files, folders, formats and processes; `extract_many`."""

import gzip
import json
import os
import pty
import re
import subprocess
import sys

import pytest
import zstandard

import skord
from skord.cli.main import main

PAGE = (
    "<title>{0}</title><nav><a href=/>Start</a></nav><article><h1>{0}</h1><p>I går öppnades bron "
    "mellan <b>torget</b> och hamnen, efter två års arbete i {0}.</p></article>"
)


@pytest.fixture
def pages(settings, tmp_path, monkeypatch):
    """A folder of three pages and one without text, from where commands are typed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in/under").mkdir(parents=True)
    for name in ("in/a.html", "in/b.HTM", "in/under/a.html"):
        (tmp_path / name).write_text(PAGE.format(name), "utf-8")
    (tmp_path / "in/empty.html").write_text("")
    (tmp_path / "in/notes.txt").write_text("no page")
    return tmp_path


def test_texts_of_many_pages_stand_under_their_names(pages, capsys):
    assert main(["extract", "in/a.html", "in/under/a.html"]) == 0

    output = capsys.readouterr().out
    assert re.findall(r"^==> (.*) <==$", output, re.MULTILINE) == ["in/a.html", "in/under/a.html"]
    assert output.count("\n# in/") == 2


def test_packed_pages_are_pages(pages, capsys):
    page = PAGE.format("p").encode()
    (pages / "packed").mkdir()
    (pages / "packed/a.html.gz").write_bytes(gzip.compress(page))
    (pages / "packed/b.html.zst").write_bytes(zstandard.compress(page))
    (pages / "packed/cut.html.gz").write_bytes(gzip.compress(page)[:90])

    assert main(["extract", "--input-dir", "packed", "-o", "out/"]) == 3

    assert sorted(path.name for path in (pages / "out").iterdir()) == ["a.md", "b.md"]
    assert (pages / "out/a.md").read_text() == (pages / "out/b.md").read_text()
    assert "packed/cut.html.gz: no text (bad_encoding" in capsys.readouterr().err


def test_one_page_has_no_heading(pages, capsys):
    assert main(["extract", "in/a.html"]) == 0
    assert capsys.readouterr().out.startswith("# in/a.html\n")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_folder_becomes_a_folder(pages, capsys, workers):
    words = ["extract", "--input-dir", "in", "-o", "out", "--format", "plain"]
    assert main([*words, "--parallel", workers]) == 3

    output = capsys.readouterr()
    assert output.out == ""
    assert "in/empty.html: no text" in output.err
    written = {str(path.relative_to(pages)) for path in pages.glob("out/**/*.txt")}
    assert written == {"out/a.txt", "out/b.txt", "out/under/a.txt"}
    text = (pages / "out/under/a.txt").read_text("utf-8")
    assert text.startswith("in/under/a.html\n")
    assert "torget och hamnen" in text


def test_rows_of_a_folder_become_one_file(pages):
    assert main(["extract", "--input-dir", "in", "-o", "out.jsonl", "--format", "jsonl"]) == 3

    rows = [json.loads(line) for line in (pages / "out.jsonl").read_text("utf-8").splitlines()]
    assert [row["file"] for row in rows] == ["in/a.html", "in/b.HTM", "in/under/a.html"]
    assert [row["title"] for row in rows] == [row["file"] for row in rows]
    assert list(rows[0]) == ["file", "title", "date", "language", "text", "lines"]
    assert [path.name for path in pages.iterdir() if "partial" in path.name] == []


def test_a_folder_of_one_page_becomes_a_folder(pages):
    assert main(["extract", "--input-dir", "in/under", "-o", "out"]) == 0
    assert (pages / "out/a.md").read_text("utf-8").startswith("# in/under/a.html\n")


def test_one_page_becomes_one_file(pages):
    assert main(["extract", "in/a.html", "-o", "a"]) == 0
    assert (pages / "a").read_text("utf-8").startswith("# in/a.html\n")


def test_a_page_that_cannot_be_read_leaves_the_others(pages, capsys):
    (pages / "in/picture.html").write_bytes(b"\x89PNG\r\n")
    assert main(["extract", "nowhere.html", "in/picture.html", "in/a.html"]) == 3

    output = capsys.readouterr()
    assert output.err.splitlines() == [
        "skord: nowhere.html: no such file or directory",
        "skord: in/picture.html is a picture: give an HTML file",
    ]
    assert "# in/a.html" in output.out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("in/a.html in/under/a.html -o out", "would both be written to out/a.md"),
        ("in/a.html -o in/ --format html", "in/a.html is a page that is read"),
        ("--input-dir nowhere", "--input-dir nowhere is no folder"),
        ("--input-dir bare", "holds no file named .html"),
        ("in/a.html --parallel 0", "--parallel 0: give 1 or more"),
    ],
)
def test_what_would_lose_a_text_is_refused(pages, capsys, words, sentence):
    (pages / "bare").mkdir()
    before = sorted(pages.rglob("*"))
    assert main(["extract", *words.split()]) == 1
    assert sentence in capsys.readouterr().err
    assert sorted(pages.rglob("*")) == before


def test_a_terminal_shows_how_far_it_is(pages):
    read, write = pty.openpty()
    command = [sys.executable, "-m", "skord", "extract", "in/a.html", "in/b.HTM", "-o", "out"]
    subprocess.run(command, stderr=write, check=True)
    os.close(write)
    shown = os.read(read, 4096).decode()
    os.close(read)
    assert "1 of 2 pages" in shown
    assert shown.endswith("2 of 2 pages\r\n")


@pytest.mark.parametrize("workers", [1, 2])
def test_many_pages_come_in_their_order(workers):
    pages = [PAGE.format(number) for number in range(20)]
    pages[3] = ""
    results = list(skord.extract_many(iter(pages), workers=workers))

    assert isinstance(results[3], skord.DocumentError)
    assert str(results[3].code) == "empty_page"
    assert [page.title for page in results if isinstance(page, skord.ExtractedPage)] == [
        str(number) for number in range(20) if number != 3
    ]


def test_a_page_is_a_dictionary(pages):
    (page,) = skord.extract_many([(PAGE.format("bro").encode(), "https://example.org/")])
    known = json.loads(json.dumps(page.to_dict()))
    assert known["lines"][0] == {**vars(page.lines[0])}
    assert (known["title"], known["language"], known["text"]) == ("bro", "sv", page.text)


def test_no_process_is_too_few():
    with pytest.raises(skord.ConfigError, match="give 1 or more"):
        list(skord.extract_many([], workers=0))
