"""The loop whole, as a person goes through it: label, export, train, judge, deploy."""

import json
import re
import subprocess
import sys
from importlib.util import find_spec

import pytest
import requests

from skord.models.line_classifier.load import load_line_classifier, name_of_line_classifier
from tests.conftest import ROOT, run_python

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not find_spec("torch"), reason="torch is not installed"),
]

PAGE = """<!doctype html><html lang="sv"><head><title>Bron</title>
<link rel="canonical" href="https://{site}.se/{number}"></head><body>
<ul><li>Hem</li><li>Nyheter</li><li>Kontakt</li></ul>
<h1>Kommunen bygger bro nummer {number} i {site}</h1>
<p>Den nya bron skall stå klar nästa höst, säger ingenjören {number}, som bor i {site}.</p>
<p>Den gamla bron är från 1932 och har länge varit för smal för {number} bilar i {site}.</p>
<p class="quiz">Fråga {number}: hur lång är en bro i {site}? Svara i vår tävling.</p>
<p>Logga in</p><p>© Tidningen</p></body></html>"""
SITES = ("ankeborg", "bjorneborg", "cypern", "danderyd", "eskilstuna")
"""Of three pages each."""


def skord(*words, cwd, **settings):
    """A command in a process of its own, started in a folder."""
    return run_python("-m", "skord", *map(str, words), env=settings, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with pages of five sites."""
    made = tmp_path_factory.mktemp("loop")
    for site in SITES:
        (made / "pages" / site).mkdir(parents=True)
        for number in range(3):
            text = PAGE.format(site=site, number=number)
            (made / "pages" / site / f"{number}.html").write_text(text)
    return made


def label(address, is_kept, done=None):
    """Label every page over HTTP, as the browser does; all but the last `done` are finished."""
    headers = {"X-Skord-Annotation": "1"}
    queue = requests.get(f"{address}api/queue", {"annotator": "anna"}, timeout=240).json()
    for at, entry in enumerate(queue):
        path = f"{address}api/pages/{entry['digest']}"
        lines = requests.get(path, {"annotator": "anna"}, timeout=240).json()["text"]
        changes = [
            {"first": number, "last": number, "keep": True}
            for number, line in enumerate(lines)
            if is_kept(line)
        ]
        asked = {"annotator": "anna", "revision": 0, "changes": changes}
        answer = requests.post(f"{path}/labels", json=asked, headers=headers, timeout=240).json()
        if at < len(queue) - 1:
            asked = {"annotator": "anna", "revision": answer["revision"], "is_done": True}
            requests.post(f"{path}/marks", json=asked, headers=headers, timeout=240)


@pytest.fixture(scope="module")
def labels(folder):
    """What is exported of all pages but one, which is begun and not done."""
    command = [sys.executable, "-m", "skord", "annotate", "pages", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            label(server.stdout.readline().strip(), lambda line: re.search("bro", line))
        finally:
            server.terminate()
    exported = skord("annotate", "export", "labels.jsonl", cwd=folder)
    assert exported.stdout == "labels.jsonl: 14 pages labelled by anna\n"
    assert "1 pages of anna are begun and not done: left out" in exported.stderr
    return folder / "labels.jsonl"


def test_an_export_names_what_is_unfinished_and_takes_it_when_asked(folder, labels):
    again = skord("annotate", "export", "all.jsonl", "--unfinished", "include", cwd=folder)

    assert again.stdout == "all.jsonl: 15 pages labelled by anna\n"
    assert "1 pages of anna are begun and not done: among them" in again.stderr
    assert len((folder / "all.jsonl").read_text().splitlines()) == 15
    assert len(labels.read_text().splitlines()) == 14


def test_labels_become_an_extractor_that_is_judged_and_deployed(folder, labels):
    trained = skord("train", labels, "--out", "mine", "--epochs", "10", cwd=folder)

    assert trained.returncode == 0, trained.stderr
    assert "14 labelled pages of 5 sites" in trained.stdout
    assert re.search(r"training on \d+ pages of 3 sites; held out: \d of 2", trained.stdout)
    about = json.loads((folder / "mine/extractor.json").read_text())
    assert about["base"] == name_of_line_classifier("")
    assert not set(about["sites"]) & set(about["held_out_sites"])

    command = ["train", "evaluate", "mine", "mine/held-out.jsonl", "--json"]
    judged = json.loads(skord(*command, cwd=folder).stdout)
    groups = {group["group"]: group for group in judged["groups"]}
    assert judged["pages"] == sum(labelled_of(folder, about["held_out_sites"]).values())
    assert groups.keys() >= {"all", "language sv"}
    # The shipped extractor takes the question for a part of the text or not; these labels keep it.
    assert groups["all"]["means"]["mine"]["value"] > 0.95
    assert groups["all"]["means"]["mine"]["low"] is not None
    assert "ankeborg" in (folder / "worst-pages.html").read_text() + str(about)

    name = name_of_line_classifier(str(folder / "mine"))
    assert name == load_line_classifier(str(folder / "mine")).name != about["base"]
    deployed(folder, name)


def labelled_of(folder, sites):
    rows = map(json.loads, (folder / "labels.jsonl").read_text().splitlines())
    of_sites = [row["site"] for row in rows if row["site"] in sites]
    return {site: of_sites.count(site) for site in sites}


def deployed(folder, name):
    """The graph runs with the extractor, and names its digest in what is published."""
    settings = "[ProcessMarkdown]\nmodel_path = mine\n[HashParagraphs]\nmin_chars = 40\n"
    settings += "[CCNet]\nlanguages = sv\n"
    (folder / "luigi.cfg").write_text(settings)
    run = skord(
        "run", "ExportCorpus", "--dump", "own", "--source", "pages", "--data-dir", "data",
        cwd=folder, LUIGI_CONFIG_PATH="luigi.cfg",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    cards = list((folder / "data").rglob("README.md"))
    assert [name in card.read_text() for card in cards] == [True]


def test_a_transformers_model_is_trained_judged_and_named_the_same_way(folder, labels):
    pytest.importorskip("transformers")
    from tests.models.line_classifier.pytorch.test_transformers_model import (  # noqa: PLC0415
        saved_model,
    )

    base = saved_model(folder / "base", labels=2)
    trained = skord("train", labels, "--base", base, "--out", "tuned", "--epochs", "1", cwd=folder)
    assert trained.returncode == 0, trained.stderr
    command = ["train", "evaluate", "tuned", "tuned/held-out.jsonl", "--json"]
    judged = json.loads(skord(*command, cwd=folder).stdout)
    assert judged["extractor"].startswith("tuned-")
    assert judged["extractor"] == name_of_line_classifier(str(folder / "tuned"))
    assert set(judged["groups"][0]["means"]) >= {"tuned", "shipped"}


def test_labels_of_the_published_tool_are_trained_on_as_they_are(folder, labels):
    published = folder / "published.jsonl"
    rows = map(json.loads, labels.read_text().splitlines())
    fields = ("content", "selected_lines", "is_ignored")
    published.write_text(
        "".join(
            json.dumps({"url": f"https://{row['site']}/", **{f: row[f] for f in fields}}) + "\n"
            for row in rows
        )
    )
    trained = skord("train", published, "--out", "plain", "--epochs", "1", cwd=folder)

    assert trained.returncode == 0, trained.stderr
    assert "judges by the Markdown alone" in trained.stdout
    assert not (folder / "plain/context_weights.npz").exists()
    assert load_line_classifier(str(folder / "plain")).logits(["en bro\n"])[0].shape == (1,)


def test_the_shipped_gold_is_replayed_but_for_its_test_pages(folder, labels):
    trained = skord(
        "train", labels, "--out", "kept", "--epochs", "1", "--with-shipped-gold", cwd=folder
    )

    assert "and 43 shipped ones" in trained.stdout, trained.stderr
    assert json.loads((folder / "kept/extractor.json").read_text())["shipped_pages"] == 43


def test_an_extractor_is_not_judged_on_sites_that_it_was_trained_on(folder, labels):
    assert skord("train", labels, "--out", "once", "--epochs", "1", cwd=folder).returncode == 0
    about = json.loads((folder / "once/extractor.json").read_text())
    (folder / "seen.jsonl").write_text(
        "".join(
            f"{row}\n"
            for row in labels.read_text().splitlines()
            if json.loads(row)["site"] in about["sites"]
        )
    )
    judged = skord("train", "evaluate", "once", "seen.jsonl", cwd=folder)

    assert judged.returncode == 1
    assert "are of sites that once was trained on" in judged.stderr


def test_labels_of_an_older_markdown_are_carried_over_by_their_words(folder, labels):
    rows = [json.loads(row) for row in labels.read_text().splitlines()]
    for row in rows:
        kept = {row["content"].split("\n")[number] for number in row["selected_lines"]}
        lines = [line for line in row["content"].split("\n") if line.strip()]
        row["selected_lines"] = [n for n, line in enumerate(lines) if line in kept]
        row["content"] = "".join(f"{line}\n" for line in lines)
        del row["line_predictions"]
    (folder / "older.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    trained = skord("train", "older.jsonl", "--out", "older", "--epochs", "1", cwd=folder)

    assert "labels of 14 carried over to today's Markdown" in trained.stdout, trained.stderr
    held = map(json.loads, (folder / "older/held-out.jsonl").read_text().splitlines())
    assert {tuple(row["selected_lines"]) for row in held} == {(4, 6, 8, 10)}


A, B = "https://a.se/", "https://b.se/"


def row(**fields):
    return json.dumps({"url": A, "content": "en bro\nmeny\n", **fields})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no such file"),
        ("", "is empty"),
        ("hej", "line 1, is no labelled page"),
        (row(), "holds no labelled page (0 labelled pages of 0 sites; left out: 1 without labels"),
        (row(selected_lines=[9]), "line 1, is no labelled page: `selected_lines` names"),
        (row(selected_lines=[0], is_ignored=True), "1 ignored"),
        (row(selected_lines=[]) + "\n" + row(url=B, content="b\n", selected_lines=[]), "no line"),
        (row(selected_lines=[0]), "all 1 labelled pages are of one site (a.se)"),
        (
            row(selected_lines=[0], html_b64="PHA+aGVsdCBhbm5hdA=="),
            "labels are of a Markdown that is not written any more",
        ),
        ("GOLD", "holds labels of 1 pages and no text, and none of these pages is known"),
    ],
)
def test_labels_that_cannot_be_trained_on_are_named_in_a_sentence(content, sentence, tmp_path):
    if content == "GOLD":
        gold = ROOT / "models/line_classifier/gold/labels.jsonl"
        content = gold.read_text().splitlines()[0]
    if content is not None:
        (tmp_path / "labels.jsonl").write_text(f"{content}\n" if content else "")
    done = skord("train", "labels.jsonl", "--out", "mine", cwd=tmp_path)

    assert done.returncode == 1
    assert sentence in done.stderr
    assert done.stderr.startswith("skord: labels.jsonl") or "one site" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "mine").exists()
