from __future__ import annotations

import json

import pytest

from skord.models.reference_classifier.interface import load_reference_classifier
from tests.conftest import run_python


def run(module: str, *given: object):
    return run_python("-m", f"skord.models.reference_classifier.{module}", *map(str, given))


def rows(pages):
    return "".join(
        json.dumps({"text": page.text, "url": page.url, "language": page.language}) + "\n"
        for page in pages
    )


@pytest.fixture(scope="module")
def files(separable, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    pages = [page._replace(language=("da", "sv")[at % 4 // 2]) for at, page in enumerate(separable)]
    (folder / "cited.jsonl").write_text(rows(page for page in pages if page.cited))
    (folder / "others.jsonl").write_text(rows(page for page in pages if not page.cited))
    (folder / "all.jsonl").write_text(rows(pages))
    links = "\n".join(f"&lt;ref&gt;{page.url}&lt;/ref&gt;" for page in pages if page.cited)
    article = f"<page><ns>0</ns><revision><text>{links}</text></revision></page>"
    (folder / "wiki.xml").write_text(f"<mediawiki>{article}</mediawiki>")
    return folder


def test_two_files_are_trained_on_and_the_test_sites_scored(files):
    given = ["--positive", files / "cited.jsonl", "--negative", files / "others.jsonl"]
    trained = run("train", *given, "--out", files / "model.npz")
    assert trained.returncode == 0, trained.stderr
    assert " dev (" in trained.stdout
    table = {row.split(" | ")[0][2:]: row.split(" | ") for row in trained.stdout.splitlines()}
    assert set(table) >= {"all", "da", "sv"}
    assert float(table["all"][4]) > 0.95
    assert int(table["all"][3]) < 100
    assert load_reference_classifier(str(files / "model.npz")).name.startswith("reference-")


def test_a_dump_and_a_table_are_trained_on(files):
    listed = run("references", files / "wiki.xml")
    assert listed.stdout.splitlines() == sorted(f"se,s{n})/" for n in range(1, 400, 2))
    (files / "cited.txt").write_text(listed.stdout)
    given = ["--references", files / "cited.txt", "--tables", files / "all.jsonl"]
    trained = run("train", *given, "--out", files / "from_dump.npz")
    assert trained.returncode == 0, trained.stderr
    assert "(200 cited)" not in trained.stdout
    assert "0 copies left out" in trained.stdout


@pytest.mark.parametrize(
    ("module", "given", "message"),
    [
        ("train", ["--out", "x.npz"], "give --positive and --negative"),
        ("references", ["absent.xml"], "cannot read the references of absent.xml"),
    ],
)
def test_what_is_missing_is_said_in_one_line(module, given, message):
    done = run(module, *given)
    assert done.returncode == 2
    assert message in done.stderr.splitlines()[-1]
