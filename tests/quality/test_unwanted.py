"""Spam pages lie outside of the recommended limits, good texts within."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

import pipeline.sample_crawl
from models.unwanted.interface import load_unwanted
from pipeline.core.failures import ConfigError
from pipeline.core.storage.column_store import FAILURE
from pipeline.quality.unwanted import MEASURES, UNWANTED_WORDS, measures_of, unwanted_columns
from pipeline.unwanted_kinds import MeasureUnwanted

PAGES = Path(pipeline.sample_crawl.__file__).parent / "pages"
LEAST_RICH, MOST_LISTED = 0.78, 0.05
"""The limits that docs/how-to/rights.md recommends."""
LANGUAGES = ("sv", "da", "nb", "nn", "is", "fo", "lv")


def measured(texts, languages):
    return pa.table(unwanted_columns(pa.array(texts, pa.string()), languages)).to_pylist()


def is_outside(row):
    return (row["vocabulary_richness"] or 1) < LEAST_RICH or (
        row["unwanted_word_share"] or 0
    ) > MOST_LISTED


def is_unwanted(row):
    return (row["unwanted_score"] or 0) >= load_unwanted().limit


def test_every_spam_page_of_the_sample_crawl_is_outside():
    sources = [(path, path.read_text()) for path in sorted(PAGES.rglob("*.md"))]
    spam = [(p.parent.name, text.split("+++")[2]) for p, text in sources if 'kind = "spam"' in text]

    rows = measured([text for _, text in spam], [language for language, _ in spam])

    assert len(rows) == 8
    assert all(map(is_outside, rows))
    assert all(map(is_unwanted, rows))
    assert {row["unwanted_kind"] for row in rows} == {"loans", "replicas"}


def test_at_most_one_good_text_in_a_hundred_is(shared_data):
    texts, languages = [], []
    for path in sorted((shared_data / "extraction").glob("*.jsonl.gz")):
        for line in gzip.decompress(path.read_bytes()).splitlines():
            if (row := json.loads(line)).get("lang") in LANGUAGES:
                gold = row.get("gold_text") or row.get("gold_md") or ""
                text = "\n".join(gold) if isinstance(gold, list) else gold
                if len(text) >= 100:
                    texts.append(text)
                    languages.append(row["lang"])

    rows = measured(texts, languages)

    assert len(texts) > 1000
    assert sum(map(is_outside, rows)) <= len(texts) / 100
    assert sum(map(is_unwanted, rows)) <= len(texts) / 100


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Spela på casino och få freespins med bonuskoder", "gambling"),
        ("Køb viagra og cialis uden recept", "pills"),
        ("porno og porr", "adult"),
        ("ātrie kredīti un aizdevumi", "loans"),
        ("Biblioteket öppnar igen efter sommaren", None),
        ("", None),
    ],
)
def test_kinds_are_told_apart(text, kind):
    assert measured([text], ["sv"])[0]["unwanted_kind"] == kind


def test_what_is_not_known_is_null():
    rows = measured(["kort text", None, "a b " * 30], ["sw", None, "sv"])

    assert rows[0]["stop_word_share"] is None
    assert rows[0]["vocabulary_richness"] is None
    assert rows[1]["unwanted_word_share"] is None
    assert rows[2]["vocabulary_richness"] == pytest.approx(0.169, abs=0.01)


def test_the_task_writes_its_columns_for_every_row(settings):
    settings()
    batch = pa.table(
        {"ProcessMarkdown.text": ["lån lån lån", None], "FilterDocuments.language": ["sv", None]}
    )

    table = MeasureUnwanted(dump="2024-10").process(batch)

    assert table.schema == MeasureUnwanted.schema.append(FAILURE)
    assert table["unwanted_kind"].to_pylist() == ["loans", None]


def test_no_word_stands_in_two_lists():
    lists = [set(words.split()) for words in UNWANTED_WORDS.values()]
    assert sum(map(len, lists)) == len(set.union(*lists))


def test_a_text_is_of_a_kind_from_a_twentieth_of_its_words_on(settings):
    settings()
    kinds, shares = ["loans", "loans", None, "loans"], [0.05, 0.049, 0.9, 0.5]
    table = pa.table({"unwanted_kind": kinds, "unwanted_word_share": shares})
    assert MeasureUnwanted(dump="2024-10").count(table) == {"unwanted.loans": 2}


@pytest.mark.parametrize(
    ("text", "language", "is_spam"),
    [
        (
            "Spela på nätcasino med freespins, jackpot, roulette och blackjack och casino. " * 5,
            "sv",
            True,
        ),
        (
            "Køb viagra, cialis og kamagra billigt på nettet, viagra og cialis til mænd. " * 5,
            "da",
            True,
        ),
        (
            "Lån av bøker: lånet varer i fire uker, og lånere kan låne ti bøker om gangen. " * 5,
            "nb",
            False,
        ),
        (
            "Apotek har öppet till sex. Receptfria läkemedel finns i butiken, säger Anna. " * 5,
            "sv",
            False,
        ),
    ],
)
def test_words_that_others_use_too_do_not_make_spam(text, language, is_spam):
    assert is_unwanted(measured([text], [language])[0]) == is_spam


def test_the_weights_are_of_the_measures_that_are_taken():
    assert load_unwanted().measures == MEASURES
    assert measures_of("lån lån", "sv").shape == (len(MEASURES),)


def test_a_text_without_a_word_has_no_score():
    rows = measured(["", "...", None], ["sv", "sv", None])

    assert [row["unwanted_score"] for row in rows] == [None, None, None]


def test_a_file_without_weights_is_told(tmp_path):
    path = tmp_path / "weights.json"
    path.write_text("[]")

    with pytest.raises(ConfigError, match="holds no weights of unwanted texts"):
        load_unwanted(path)
