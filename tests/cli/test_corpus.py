"""From files of one's own to texts and a card in one command: `skord.cli.corpus`."""

import gzip
import json
import random

import pyarrow.parquet as pq
import pytest

from skord.cli.main import main
from skord.corpus import Corpus
from tests.conftest import settings_of_file

WORDS = {
    "et": "eile avati sild põhjaväljaku ja sadama vahel pärast kaheaastast tööd see on meeter laiem kui "
    "vana ning selle mõlemal küljel on kõnnitee bussid sõidavad esmaspäevast tavapärast teed",
    "pl": "wczoraj po dwóch latach prac otwarto most między placem północnym a portem jest o metr "
    "szerszy od starego i ma chodnik po obu stronach autobusy kursują jak zwykle od poniedziałku",
    "nb": "i går åpnet broen mellom nordre torg og havnen etter to års arbeid den er en meter bredere "
    "enn den gamle og har fått fortau på begge sider bussene går som vanlig fra mandag",
}


def paragraphs(language, seed):
    """Four paragraphs of sentences that no other seed has."""
    dice, words = random.Random(f"{language}{seed}"), WORDS[language].split()
    sentence = lambda: " ".join(dice.sample(words, 12)).capitalize() + "."  # noqa: E731
    return [" ".join(sentence() for _ in range(4)) for _ in range(4)]


def page(language, seed, head=""):
    body = "".join(f"<p>{one}</p>" for one in paragraphs(language, seed))
    return (
        f"<html lang={language}><head><title>Side {seed}</title>{head}</head><body><nav><a href=/>Start"
        f"</a></nav><main><h1>Side {seed}</h1>{body}</main></body></html>"
    )


def write_warc(path, html, number=1):
    body = html.encode()
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-00000000000{number}>\r\n"
        "WARC-Date: 2024-03-01T00:00:00Z\r\nWARC-Target-URI: https://warc.example/a\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    path.write_bytes(gzip.compress(head.encode() + http + b"\r\n\r\n"))


def write_inputs(folder):
    """Files of every kind that the command reads, and some that it does not."""
    (folder / "sub").mkdir(parents=True)
    (folder / "a.html").write_text(
        page("et", 1, "<meta name=author content='Mari Mets'><meta name=date content=2023-05-07>")
    )
    (folder / "short.html").write_text("<p>Tere")
    (folder / "sub/b.html.gz").write_bytes(gzip.compress(page("pl", 2).encode()))
    (folder / "japanese.html").write_text(
        f"<p>{'昨日、橋がふたたび開通しました。二年かかりました。' * 30}"
    )
    write_warc(folder / "c.warc.gz", page("nb", 4, "<meta name=dc.date content=2024-02-03>"))
    write_warc(folder / "cut.warc.gz", page("nb", 9), 2)
    whole = (folder / "cut.warc.gz").read_bytes()
    (folder / "cut.warc.gz").write_bytes(whole + whole[: len(whole) // 2])
    rows = [{"url": f"https://x.example/{n}", "html": page("et", n)} for n in (5, 6)]
    (folder / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = "\n".join(paragraphs("pl", 7))
    (folder / "e.csv").write_text(f'text;title;author\n"{text}";Most;Jan K.\n;Pusty;\n')
    (folder / "f.txt").write_text("\n".join(paragraphs("nb", 8)))
    (folder / "g.pdf").write_text("%PDF")
    (folder / "h.csv").write_text("a,b\n1,2\n")
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The inputs, the folder of the corpus, and how the command ended."""
    top = tmp_path_factory.mktemp("corpus")
    inputs, out = write_inputs(top / "in"), top / "mine"
    (top / "luigi.cfg").write_text("[executor]\nprogress = false\n")
    with settings_of_file(top / "luigi.cfg"):
        status = main(["corpus", str(inputs), "--languages", "et,pl,nb", "--out", str(out)])
        yield inputs, out, status


def rows_of(out):
    return {row["source_file"]: row for row in pq.read_table(out / "texts.parquet").to_pylist()}


def test_every_kind_of_file_gives_its_texts_and_what_is_known_of_them(made):
    _, out, status = made
    rows = rows_of(out)
    assert status == 0
    assert sorted(rows) == [
        *("a.html", "c.warc.gz", "cut.warc.gz", "d.jsonl", "e.csv", "f.txt", "sub/b.html.gz")
    ]
    assert {row["language"] for row in rows.values()} == {"et", "pl", "no"}
    said = {name: (row["title"], row["author"], row["url"]) for name, row in rows.items()}
    assert said["a.html"] == ("Side 1", "Mari Mets", None)
    assert said["e.csv"] == ("Most", "Jan K.", None)
    assert said["c.warc.gz"] == ("Side 4", None, "https://warc.example/a")
    assert said["cut.warc.gz"] == ("Side 9", None, "https://warc.example/a"), "what is whole of it"
    assert (rows["c.warc.gz"]["date"], rows["a.html"]["date"]) == ("2024-02-03", "2023-05-07")
    assert rows["a.html"]["text"].split("\n\n")[1:] == paragraphs("et", 1)
    assert rows["f.txt"]["text"].split("\n") == paragraphs("nb", 8)


def test_the_texts_are_those_of_the_graphs_tasks(made):
    _, out, _ = made
    corpus = Corpus(str(out / "work"), ["mine-pages"])
    graph = corpus.table(["ProcessMarkdown.text", "ConvertToMarkdown.title"]).to_pylist()
    texts = {row["id"]: (row["text"], row["title"]) for row in rows_of(out).values()}
    shared = [row for row in graph if row["id"] in texts]
    assert len(shared) >= 3
    for row in shared:
        assert texts[row["id"]] == (row["ProcessMarkdown.text"], row["ConvertToMarkdown.title"])


def test_later_commands_find_every_task_complete_as_it_was_made(made, capsys):
    _, out, _ = made
    assert main(["status", "--data-dir", str(out / "work")]) == 0
    assert "with other settings" not in capsys.readouterr().out


@pytest.mark.slow
def test_worker_processes_write_the_same_bytes(made, tmp_path):
    inputs, _, _ = made
    pages = [str(inputs / "a.html"), str(inputs / "sub/b.html.gz")]
    for name, options in (("here", []), ("there", ["--executor-workers", "2"])):
        assert main(["corpus", *pages, "--out", str(tmp_path / name / "same"), *options]) == 0
    here, there = (
        (tmp_path / name / "same/texts.parquet").read_bytes() for name in ("here", "there")
    )
    assert here == there


def test_the_card_names_the_file_the_languages_and_what_was_left_out(made):
    _, out, _ = made
    card = (out / "README.md").read_text()
    assert "data_files: texts.parquet" in card
    assert '- "et"\n- "no"\n- "pl"' in card
    assert "| source_file | the file that it is from |" in card
    assert "common-crawl" not in card


def test_given_again_it_says_the_same_and_what_was_left_out(made, capsys):
    inputs, out, _ = made
    before = (out / "texts.parquet").read_bytes()
    assert main(["corpus", str(inputs), "--languages", "et,pl,nb", "--out", str(out)]) == 0
    output = capsys.readouterr().out
    assert (out / "texts.parquet").read_bytes() == before
    assert "8 texts (et 3, no 3, pl 2)" in output
    for line in (
        "1  too_short (shorter than 300 characters: --min-chars)",
        "1  language (in other languages than et,pl,nb: --languages)",
        "1  no_content (without HTML or text)",
        "1  bad_gzip",
        "1  of another kind (g.pdf)",
        "1  table without a column html or text (h.csv)",
    ):
        assert line in output


def test_other_files_are_refused_until_they_may_take_the_place(made, tmp_path, capsys):
    assert made[2] == 0
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text(page("et", 1))
    words = ["corpus", str(pages), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    (pages / "b.html").write_text(page("et", 9))
    assert main(words) == 1
    assert "is made of other files than these" in capsys.readouterr().err
    assert list(rows_of(tmp_path / "out")) == ["a.html"]
    assert main([*words, "--replace"]) == 0
    assert "the texts, the card and work/" in capsys.readouterr().err
    assert list(rows_of(tmp_path / "out")) == ["a.html", "b.html"]
    (tmp_path / "bad.warc.gz").write_text("x")
    assert main(["corpus", str(tmp_path / "bad.warc.gz"), *words[2:], "--replace"]) == 1
    assert (tmp_path / "out/work/ExportCorpus").is_dir(), "what cannot be replaced stays"
    assert not (tmp_path / "out/work.before").exists()
