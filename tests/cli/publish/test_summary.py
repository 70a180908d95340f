"""The public summary of training content, over small published files."""

import argparse
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.cli.publish.summary import EMPTY, TrainingContent, gather_content, run, summary_text
from skord.core.dumps import Source, keep_source
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage

CARD = {
    "source": "", "limits": {"is_domain_blacklisted": [0.0, 0.0], "content_length": [100.0, None]},
    "stages": [["FilterDocuments", 5, {"is_domain_blacklisted": 3, "content_length": 4}]],
    "left_out": {}, "kinds": ["emails"], "reservations": {}, "contact": "", "version": "1.0",
    "licence": "other", "licence_link": "https://example.org/",
}  # fmt: skip
FIGURES = {
    "languages": {"sv": [2, 30], "da": [1, 10]}, "removed": {}, "replaced": {"emails": 7},
}  # fmt: skip


def publish(
    tmp_path,
    dump="2024-10",
    card=(),
    figures=(),
    sites=("a.se", "b.se", "c.dk"),
    base="http://www.",
):
    store = ColumnStore(Storage(str(tmp_path / "data")), dump)
    rows = [
        {"url": f"{base}{site}/x", "warc_date": f"2024-02-2{place}T05:00:00Z",
         "language": site[-2:].replace("se", "sv").replace("dk", "da"),
         "text": "ord " * (9 - min(place, 8))}
        for place, site in enumerate(sites)
    ]  # fmt: skip
    path = tmp_path / "data/ExportCorpus" / dump / f"files/data/{dump}-00000.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path, row_group_size=2)
    said = {"card": {**CARD, **dict(card)}, "figures": {**FIGURES, **dict(figures)}}
    store.write_manifest("ExportCorpus", {**said, "num_shards": 0, "stamp": "s"})
    return store


def summary(*stores):
    return summary_text(gather_content(stores), "1.0")


def test_what_ran_is_filled_in(tmp_path):
    text = summary(publish(tmp_path))

    assert "<https://data.commoncrawl.org/crawl-data/CC-MAIN-2024-10/index.html> | 3 |" in text
    assert (
        "| text | less than 1 billion tokens; in numbers: 3 documents, 96 bytes (UTF-8) |" in text
    )
    assert "02/2024 (pages fetched from 2024-02-20 to 2024-02-22)" in text
    assert "sv 66.7 % (2 documents, 30 characters), da 33.3 % (1 documents" in text
    assert ".se 70.8 %, .dk 29.2 %" in text
    assert "| a.se | 37.50 % |" in text
    assert "| b.se |" not in text, "the largest tenth of three is one"
    assert "(is_domain_blacklisted): 3 pages left out" in text
    assert "emails 7." in text
    assert text.count(EMPTY) == 28


SECTIONS = """
1. General information / 1.1 Provider identification / 1.2 Model identification
1.3 Modalities, overall training data size and other characteristics / 2. List of data sources
2.1 Publicly available datasets
2.2 Private non-publicly available datasets obtained from third parties
2.2.1 Datasets commercially licensed by rightsholders or their representatives
2.2.2 Private datasets obtained from other third parties
2.3 Data crawled and scraped from online sources / 2.4 User data / 2.5 Synthetic data
2.6 Other sources of data / 3. Data processing aspects
3.1 Respect of reservation of rights from the text and data mining exception or limitation
3.2 Removal of illegal content / 3.3 Other information (optional)
"""


def test_the_sections_are_the_templates_in_its_order(tmp_path):
    lines = summary(publish(tmp_path)).splitlines()
    titles = [line.lstrip("# ") for line in lines if line.startswith("##")]
    assert titles == SECTIONS.strip().replace("\n", " / ").split(" / ")
    assert lines.index("## 1. General information") > lines.index(
        f"| Version of the summary | {EMPTY} which, and where are those before it? |"
    )


@pytest.mark.parametrize(
    ("card", "figures", "before", "after"),
    [
        (
            {"reservations": {"deciding": ["tdmrep_*"], "left_out": 9, "pages": {"robots_txt": 4}}},
            {},
            "no reservation was looked for",
            "left out: tdmrep_*; 9 pages.\n* 2024-10: reservations found on pages of the dump, "
            "by kind: robots_txt 4.",
        ),
        ({}, {"removed": {"domain": 5}}, "no page was removed on", "named: domain 5 pages."),
        ({"limits": {}}, {}, "block lists", "no limit in force is aimed at illegal content"),
        ({"limits": {"unwanted_score": [0, 0.49]}, "left_out": {"unwanted_score": 6}}, {},
         "block lists", "`unwanted_score` (unwanted_score): 6 pages left out."),
        ({"kinds": []}, {}, "emails 7", "personal data was not replaced."),
        ({"contact": "a@b.se"}, {}, "where do they go?", "Requests for removal: a@b.se"),
        ({"source": "warc"}, {}, "Common Crawl CC-MAIN", "Web pages out of the WARC files of"),
    ],
)  # fmt: skip
def test_what_differs_changes_the_words(tmp_path, card, figures, before, after):
    usual = summary(publish(tmp_path / "usual"))
    other = summary(publish(tmp_path / "other", card=card, figures=figures))

    assert before in usual
    assert after not in usual
    assert before not in other
    assert after in other


def test_a_size_that_hangs_on_the_tokenizer_is_left_to_the_provider():
    between = TrainingContent([], blanks=9 * 10**8, text_bytes=6 * 10**9)
    assert between.band() is None
    assert TrainingContent([], blanks=2 * 10**9, text_bytes=9 * 10**12).band() == (
        "1 billion to 10 trillion tokens"
    )
    assert f"| text | {EMPTY} which" in summary_text(between, "1.0")


def test_files_without_addresses_have_no_domains(tmp_path):
    keep_source("mine", Source(path="mine", kind="pages"), Storage(str(tmp_path / "data")))
    text = summary(publish(tmp_path, "mine", {"source": "pages"}, base="http://localhost/"))

    assert "none: this corpus is of files without addresses" in text
    assert "localhost" not in text


def test_several_dumps_are_added_up(tmp_path, settings, capsys):
    publish(tmp_path)
    publish(tmp_path, "2024-18", sites=[f"s{n}.fi" for n in range(17)])
    settings()
    out = tmp_path / "made/summary.md"

    run(argparse.Namespace(dumps="2024-10,2024-18", out=out, json=True))

    output = json.loads(capsys.readouterr().out)
    assert output["documents"] == 20
    assert len(output["domains"]) == 2
    assert set(output["top_level"]) == {".fi", ".se", ".dk"}
    assert out.read_text().count("index.html> | 3 |") == 2


def test_a_dump_that_is_not_published_is_named(tmp_path):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    with pytest.raises(ConfigError, match=r"ExportCorpus 2024-10 is not complete in .*: skord"):
        gather_content([store])
