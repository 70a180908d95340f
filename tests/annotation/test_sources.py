import hashlib
import json
from argparse import Namespace

import pyarrow as pa
import pytest
import requests

from skord.annotation_tool.backend.access import HEADER
from skord.annotation_tool.backend.annotations import Annotation, Annotations
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.labels import kept_lines
from skord.annotation_tool.backend.sources import PageReader
from skord.cli.annotate import listed_addresses, take_in
from skord.cli.main import main
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.models.line_classifier.gold import labels_of, read_gold
from skord.sample_crawl.crawl_files import Capture, record_id_of, write_warc
from tests.annotation.conftest import ARTICLE, served

ODD = "Ett\u2028två\x85tre\ffyra\rfem"


def read(path, languages=()):
    reader = PageReader()
    return list(reader.read(path, languages)), dict(reader.passed_over)


def published(tmp_path, *rows):
    path = tmp_path / "data.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_html_files_are_converted_as_the_pipeline_does(articles, article_pages):
    assert [page.url for page in article_pages] == ["a.html", "b.html", "c.html"]
    body = (articles / "a.html").read_bytes()
    assert article_pages[0].digest == hashlib.sha256(body).hexdigest()
    assert article_pages[0].markdown.split("\n")[4] == "# Kommunen bygger en ny bro"
    assert [page.lang for page in read(articles, {"da"})[0]] == ["da"]


def capture(url, status, body):
    headers = (("Content-Type", "text/html; charset=iso-8859-1"),)
    record_id, date = record_id_of("annotation", url), "2024-02-20T10:00:00Z"
    return Capture(url, body, status, headers, date=date, record_id=record_id)


BODY = ARTICLE.format(lang="sv", words="Åäö.").encode("iso-8859-1")


def test_the_pages_of_a_warc_are_read_and_the_rest_is_counted(tmp_path):
    captures = [
        capture("https://www.a.se/", 200, BODY),
        capture("https://a.se/gone", 404, BODY),
        capture("https://a.se/tom", 200, b"<html><body>"),
    ]
    stored = write_warc(tmp_path, "x.warc.gz", "2024-10", captures)
    (page,), passed_over = read(tmp_path / "x.warc.gz")
    assert (page.site, page.lang, page.archived) == ("a.se", "sv", BODY)
    assert "Åäö." in page.markdown
    assert passed_over["empty_page"] == 1
    assert passed_over["not_a_page"] == 1
    # A request and its metadata for each, and the file's own record.
    assert passed_over["not_a_response"] == 2 * len(stored) + 1


def test_the_rows_of_a_dump_are_the_same_pages(tmp_path):
    (stored,) = write_warc(tmp_path, "x.warc.gz", "2024-10", [capture("https://a.se/", 200, BODY)])
    whole = (tmp_path / "x.warc.gz").read_bytes()
    record = whole[stored.offset : stored.offset + stored.length]
    columns = {
        "CCNet": {"language": ["sv", "sv"]},
        "FetchHTMLDocuments": {"record": [record, None]},
        "ConvertToMarkdown": {
            "url": ["https://a.se/", None], "content": ["# Bron\n", None],
            "failure": [None, "pandoc_timeout"],
        },
    }  # fmt: skip
    store = ColumnStore(Storage(str(tmp_path / "data")), "2024-10")
    for task, given in columns.items():
        table = pa.table({"id": ["1", "2"], **given})
        with store.writer(store.path(task, 0), table.schema, "stamp") as writer:
            writer.write(table)
    (page,), passed_over = read(tmp_path / "data/2024-10")
    assert (page.markdown, page.archived, page.lang) == ("# Bron\n", BODY, "sv")
    assert passed_over == {"failed_upstream": 1}
    assert page.digest == read(tmp_path / "x.warc.gz")[0][0].digest


def dump_of_three(tmp_path):
    """A dump of three pages, of whose lines the extractor was sure, unsure, and fairly sure."""
    named = {f"https://a.se/{number}": bytes([p, p]) for number, p in enumerate((255, 128, 220))}
    captures = [capture(url, 200, BODY) for url in named]
    stored = write_warc(tmp_path, "x.warc.gz", "2024-10", captures)
    whole = (tmp_path / "x.warc.gz").read_bytes()
    columns = {
        "CCNet": {"language": ["sv", "sv", "da"]},
        "FetchHTMLDocuments": {"record": [whole[s.offset : s.offset + s.length] for s in stored]},
        "ConvertToMarkdown": {
            "url": list(named), "content": ["# Bron\nText\n"] * 3, "failure": [None] * 3,
        },
        "ProcessMarkdown": {"line_probabilities": list(named.values())},
    }  # fmt: skip
    store = ColumnStore(Storage(str(tmp_path / "data")), "2024-10")
    for task, given in columns.items():
        table = pa.table({"id": ["1", "2", "3"], **given})
        with store.writer(store.path(task, 0), table.schema, "stamp") as writer:
            writer.write(table)
    return tmp_path / "data/2024-10"


def test_of_a_dump_the_pages_come_first_of_which_its_extractor_was_least_sure(tmp_path):
    dump = dump_of_three(tmp_path)

    unsure = PageReader().read(dump, least_sure=2)
    assert [page.url for page in unsure] == ["https://a.se/1", "https://a.se/2"]
    assert [page.url for page in PageReader().read(dump, {"da"}, 1)] == ["https://a.se/2"]
    with pytest.raises(ConfigError, match="is a data folder: name a dump in it, such as"):
        list(PageReader().read(tmp_path / "data"))
    with pytest.raises(ConfigError, match="is no dump of a data folder"):
        list(PageReader().read(tmp_path / "x.warc.gz", least_sure=2))


def test_only_pages_of_a_list_of_addresses_are_taken(tmp_path, capsys):
    dump, listed = dump_of_three(tmp_path), tmp_path / "only.txt"
    listed.write_text("https://a.se/2\nhttps://a.se/9\n")
    options = Namespace(pages=[dump], languages="", limit=9)
    only = listed_addresses(listed)
    assert take_in(Database(tmp_path / "a.sqlite"), options, only=only) == 1
    listed.write_text("")
    with pytest.raises(ConfigError, match="lists no address"):
        listed_addresses(listed)


def test_a_file_is_of_the_site_that_it_states_or_of_the_folder_that_it_lies_in(tmp_path):
    (tmp_path / "pages/b.se").mkdir(parents=True)
    stated = '<link rel="canonical" href="https://www.a.se/x"><p>En bro byggs.'
    (tmp_path / "pages/b.se/1.html").write_text(stated)
    (tmp_path / "pages/b.se/2.html").write_text("<p>En bro byggs.")
    (tmp_path / "pages/3.html").write_text("<p>En bro byggs.")

    assert [page.site for page in read(tmp_path / "pages")[0]] == ["", "a.se", "b.se"]


def test_what_is_no_source_is_said(tmp_path):
    (tmp_path / "x.png").touch()
    (tmp_path / "empty").mkdir()
    for name in ("x.png", "empty", "absent"):
        with pytest.raises(ConfigError, match=name):
            read(tmp_path / name)


def test_the_published_form_comes_back_as_it_went_in(tmp_path, capsys):
    rows = [
        {"url": "https://a.se/1", "content": f"Meny\n{ODD}\n\nSlut\n", "selected_lines": [1, 3],
         "is_ignored": False, "line_predictions": [0.0, 1.0, 0.2, 0.6]},
        {"url": "https://a.se/2", "content": "Bara meny\n", "selected_lines": [],
         "is_ignored": True},
        {"url": "https://a.se/3", "content": "Orörd\n"},
    ]  # fmt: skip
    given = ["--database", str(tmp_path / "a.sqlite")]
    source = str(
        published(tmp_path, *rows, {"url": "x"}, {"content": "a\n", "selected_lines": [7]})
    )
    assert main(["annotate", "import", source, "--model", "none", *given]) == 0
    output = capsys.readouterr().err
    assert "3 pages, 3 new, 2 with labels" in output
    assert "not_published_form 2" in output

    out = tmp_path / "out.jsonl"
    assert (
        main(["annotate", "export", str(out), "--annotator", "imported", "--all-pages", *given])
        == 0
    )
    written = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]
    whose = {row["url"]: (len(row.pop("page")), row.pop("annotator", None)) for row in written}
    assert sorted(written, key=lambda row: row["url"]) == rows
    named = dict.fromkeys(("https://a.se/1", "https://a.se/2"), (64, "imported"))
    assert whose == {**named, "https://a.se/3": (64, None)}


def test_other_labels_are_taken_only_where_it_is_asked_for_and_can_be_undone(tmp_path, capsys):
    given = ["--database", str(tmp_path / "a.sqlite"), "--model", "none"]
    row = {"url": "u", "content": "a\nb\n", "selected_lines": [0]}
    main(["annotate", "import", *given, str(published(tmp_path, row))])
    other = str(published(tmp_path, {**row, "selected_lines": [1]}))
    main(["annotate", "import", *given, other])
    database = Database(tmp_path / "a.sqlite")
    (entry,) = database.entries()
    annotations = Annotations(database)
    assert kept_lines(annotations.of(entry.digest, "imported").labels) == [0]
    assert "1 are labelled otherwise here and stay so" in capsys.readouterr().err

    main(["annotate", "import", *given, other, "--replace"])
    now = annotations.of(entry.digest, "imported")
    assert kept_lines(now.labels) == [1]
    assert kept_lines(annotations.undo(entry.digest, "imported", now.revision).labels) == [0]


def everything(database):
    """All rows of the file, as SQLite would write them."""
    with database.reading() as connection:
        return list(connection.iterdump())


def labelled(database, digest, annotator, kept):
    labels = bytes(number in kept for number in range(database.entry(digest).lines))
    given = Annotation(labels, is_done=True)
    Annotations(database).replace(digest, annotator, given, "given")


def test_an_import_of_an_export_changes_nothing(database, tmp_path):
    digests = [entry.digest for entry in database.entries()]
    labelled(database, digests[0], "anna", {4, 6})
    labelled(database, digests[1], "anna", set())
    labelled(database, digests[0], "bo", {4})
    before = everything(database)
    given = ["--database", str(database.path)]
    whole, hashes = tmp_path / "anna.jsonl", tmp_path / "labels.jsonl"
    assert (
        main(["annotate", "export", str(whole), "--annotator", "anna", "--all-pages", *given]) == 0
    )
    both = ["--annotator", "anna", "--annotator", "bo", "--labels-only"]
    assert main(["annotate", "export", str(hashes), *both, *given]) == 0
    assert main(["annotate", "import", str(whole), *given]) == 0
    assert main(["annotate", "import", str(whole), "--annotator", "anna", *given]) == 0
    assert main(["annotate", "import", "--labels", str(hashes), *given]) == 0
    assert everything(database) == before


def test_exports_of_the_published_tool_find_their_pages_by_their_markdown(database, tmp_path):
    (first, *_) = database.entries()
    row = {"url": "x", "content": database.markdown(first.digest), "selected_lines": [4]}
    source = str(published(tmp_path, row))
    given = ["--database", str(database.path), "--model", "none", "--annotator", "cai"]
    assert main(["annotate", "import", source, *given]) == 0
    assert len(database.entries()) == 3
    assert kept_lines(Annotations(database).of(first.digest, "cai").labels) == [4]


def test_labels_travel_to_another_database_by_the_digest_of_the_page(
    database, tmp_path, article_pages
):
    labelled(database, article_pages[0].digest, "anna", {4, 6})
    out = tmp_path / "labels.jsonl"
    given = ["--annotator", "anna", "--labels-only", "--database", str(database.path)]
    assert main(["annotate", "export", str(out), *given]) == 0
    there = Database(tmp_path / "there.sqlite")
    changed = article_pages[0].markdown.replace("# Kommunen", "Ny rad\n\n# Kommunen")
    there.add_pages([article_pages[0]._replace(markdown=changed)])
    assert main(["annotate", "import", "--labels", str(out), "--database", str(there.path)]) == 0
    actual = Annotations(there).of(article_pages[0].digest, "anna")
    assert (kept_lines(actual.labels), actual.is_done) == ([6, 8], False)


def test_a_misspelt_annotator_is_refused_and_no_file_written_over(database, tmp_path, capsys):
    labelled(database, database.entries()[0].digest, "anna", {4})
    out = tmp_path / "labels.jsonl"
    given = ["--database", str(database.path)]
    assert main(["annotate", "export", str(out), "--annotator", "ana", *given]) == 1
    assert "did you mean 'anna'?" in capsys.readouterr().err
    assert main(["annotate", "agreement", "anna", "Bo", *given]) == 1
    assert "'Bo' has labelled no page" in capsys.readouterr().err
    assert main(["annotate", "export", str(out), "--annotator", "anna", *given]) == 0
    written = out.read_bytes()
    assert main(["annotate", "export", str(out), "--annotator", "anna", *given]) == 1
    assert "give --replace" in capsys.readouterr().err
    assert out.read_bytes() == written
    assert main(["annotate", "export", str(out), "--annotator", "anna", "--replace", *given]) == 0


def test_label_only_files_hold_no_text_and_find_their_lines_again(database, tmp_path, articles):
    digest = next(e.digest for e in database.entries() if e.url == "a.html")
    given = {"annotator": "a", "revision": 0, "changes": [{"first": 4, "last": 8, "keep": True}]}
    with served(database) as url:
        header = {HEADER: "1"}
        page = f"{url}/api/pages/{digest}"
        actual = requests.post(f"{page}/labels", json=given, headers=header, timeout=240).json()
        marks = {"annotator": "a", "revision": actual["revision"], "is_done": True}
        assert requests.post(f"{page}/marks", json=marks, headers=header, timeout=240).ok
    out = tmp_path / "labels.jsonl"
    options = ["--annotator", "a", "--labels-only", "--database", str(database.path)]
    assert main(["annotate", "export", str(out), *options]) == 0

    assert "bro" not in out.read_text().lower()
    (gold,) = read_gold(out)
    assert (gold.page, gold.labels) == (digest, "00011100")
    changed = ["Ny rad", "* Hem", "Kommunen bygger en ny bro", "", "Logga in", "© Tidningen"]
    assert labels_of(gold, changed) == [None, 0, 1, None, 0, 0]
