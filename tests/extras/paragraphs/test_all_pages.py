"""A corpus of paragraphs out of all pages of a language, and nothing else in its data folder.

By the commands as typed, over HTML files.
"""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.conftest import run_python

COOKIES = "Vi använder kakor för att webbplatsen ska fungera så bra som möjligt för dig."
TEXTS = [
    "Kommunen öppnar biblioteket igen efter sommaren, och alla böcker har flyttats till torget.",
    "Bussarna kör som vanligt från och med måndag, men hållplatsen vid skolan är stängd i höst.",
    "Den som vill låna en bok visar sitt kort vid disken eller använder automaten vid ingången.",
]
SETTINGS = """\
[pipeline]
data_dir = {folder}/data
[executor]
workers = 0
progress = false
log_dir = {folder}/logs
[HashParagraphs]
min_chars = 0
[CCNet]
paragraphs = keep_all
[CountParagraphs]
num_partitions = 2
[FilterParagraphs]
min_page_chars = 0
"""


def page(*paragraphs):
    body = "".join(f"<p>{text}</p>" for text in (*paragraphs, COOKIES))
    return f"<html lang=sv><title>Sida</title><body>{body}</body></html>"


def skord(folder, *words):
    done = run_python("-m", "skord", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Three long pages, a mirror of one, and one that is too short for CCNet."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "luigi.cfg").write_text(SETTINGS.format(folder=folder))
    pages = folder / "pages"
    pages.mkdir()
    for number, text in enumerate([*TEXTS, TEXTS[0]]):
        (pages / f"{number}.html").write_text(page(f"{text} " * 4))
    (pages / "short.html").write_text(page())
    words = ("--dump", "mine", "--source", str(pages))
    counted = skord(folder, "run", "CountParagraphs", *words)
    exported = skord(folder, "run", "ExportParagraphs", "--dump", "mine")
    return folder, counted, exported


def rows(folder, task):
    files = sorted(Path(folder, "data", task, "mine").glob("*.parquet"))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def test_every_page_is_there_and_paragraphs_are_counted_over_all_of_them(corpus):
    folder, _, _ = corpus

    counts = json.loads(Path(folder, "data/CCNet/mine/_manifest.json").read_text())["counts"]
    assert counts["pages"] == 5
    assert not [name for name in counts if name.startswith("refused.")]
    assert not Path(folder, "data/CCNet/mine/_repeats-2").exists()
    freqs = [row["exact_freq"] for row in rows(folder, "CountParagraphs")]
    assert sorted(freqs) == [[1, 5], [1, 5], [2, 5], [2, 5], [5]]


def test_the_last_lines_lead_on_to_the_paragraphs_and_then_to_their_report(corpus):
    _, counted, exported = corpus

    (advice,) = [line for line in counted.stderr.splitlines() if line.startswith("next: ")]
    assert " run ExportParagraphs --input mine" in advice
    assert "report" not in counted.stderr.partition("next: ")[2]
    assert "published files: " in exported.stderr
    assert " report --input mine" in exported.stderr.splitlines()[-1]
    assert " export " not in exported.stderr


def test_the_report_shows_what_there_is(corpus):
    folder, _, _ = corpus

    skord(folder, "report", "--dumps", "mine", "--out", "report.html")

    text = (folder / "report.html").read_text()
    values = json.loads((folder / "report.json").read_text())[0]
    found = values["paragraph_corpus"]
    assert found["documents"] == 4
    assert sum(found["pages"].values()) == 5
    assert 0 < found["packed_text_bytes"] < found["text_bytes"]
    assert values["headline"] is None
    assert "Not all tasks up to Deduplicate have run" in text
    share = 100 * found["packed_text_bytes"] / found["raw_bytes"]
    assert share < 100
    assert f"({share:.1f} %)" in text
    assert "Near-duplicates" not in text.partition("</nav>")[2]
