"""Spam pages lie outside of the recommended limits, good texts within."""

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import skord.sample_crawl
from skord.core.failures import ConfigError
from skord.core.storage.shared_columns import FAILURE
from skord.extras.unwanted.machine_made import MEASURES as MADE_MEASURES
from skord.extras.unwanted.machine_made import machine_made_measures
from skord.extras.unwanted.signs import MEASURES, _listed_share, measures_of, unwanted_columns
from skord.extras.unwanted.task import MeasureUnwanted
from skord.models.unwanted.interface import MACHINE_MADE, load_unwanted
from tests.members import response_member

PAGES = Path(skord.sample_crawl.__file__).parent / "pages"
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


def is_machine_made(row):
    return (row["machine_made_score"] or 0) >= load_unwanted(MACHINE_MADE).limit


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
    assert sum(map(is_machine_made, rows)) <= len(texts) / 200


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
    links = b'<a href="https://a.example/">a</a> <a href="/b">b</a>'
    member = response_member(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + links, "https://www.farm.example/"
    )
    batch = pa.table(
        {
            "ProcessMarkdown.text": ["lån lån lån", None],
            "FilterDocuments.language": ["sv", None],
            "FetchHTMLDocuments.record": [member, b"none"],
            "CCNet.url": ["https://www.farm.example/", "https://b.example/"],
        }
    )

    table = MeasureUnwanted(dump="2024-10").process(batch)

    assert table.schema == MeasureUnwanted.schema.append(FAILURE)
    assert table["unwanted_kind"].to_pylist() == ["loans", None]
    assert table["machine_made_score"].null_count == 1
    assert table["foreign_domain_rate"].to_pylist() == [1.0, None]


def test_an_unwanted_text_is_of_a_kind_from_a_hundredth_of_its_words_on(settings):
    settings()
    table = pa.table({
        "unwanted_kind": ["loans", "loans", None, "loans", "adult", None, "pills"],
        "unwanted_word_share": [0.01, 0.009, 0.0, 0.5, 0.02, None, 0.5],
        "unwanted_score": [0.54, 0.9, 0.9, 0.49, 0.9, None, None],
    })  # fmt: skip
    counts = MeasureUnwanted(dump="2024-10").count(table)
    assert counts == {"unwanted.loans": 1, "unwanted.adult": 1}


@pytest.mark.parametrize(
    ("text", "language", "is_spam"),
    [
        ("Spela på nätcasino med freespins, jackpot, roulette och blackjack och casino. " * 5,
         "sv", True),
        ("Køb viagra, cialis og kamagra billigt på nettet, viagra og cialis til mænd. " * 5, "da",
         True),
        (
            "Lån av bøker: lånet varer i fire uker, og lånere kan låne ti bøker om gangen. Vil du "
            "låne lenger, fornyer du lånet på nettet. Lån fra andre bibliotek koster ingenting, og "
            "lånet hentes i skranken. Den som mister et lån, betaler det boka koster i butikken.",
            "nb",
            False,
        ),
        ("Apotek har öppet till sex. Receptfria läkemedel finns i butiken, säger Anna. " * 5, "sv",
         False),
    ],
)  # fmt: skip
def test_words_that_others_use_too_do_not_make_spam(text, language, is_spam):
    assert is_unwanted(measured([text], [language])[0]) == is_spam


def test_the_weights_are_of_the_measures_that_are_taken():
    assert load_unwanted().measures == MEASURES
    assert measures_of("lån lån", "sv").shape == (len(MEASURES),)


def test_a_text_without_a_word_has_no_score():
    rows = measured(["", "...", None], ["sv", "sv", None])

    assert [row["unwanted_score"] for row in rows] == [None, None, None]


def test_a_language_that_taught_nothing_has_no_score():
    languages = ["sv", "no", "nn", "en", "fi", "lv", None]

    rows = measured(["Buy cheap shoes here."] * len(languages), languages)

    for score in ("unwanted_score", "machine_made_score"):
        assert [row[score] is None for row in rows] == [False] * 3 + [True] * 4
    assert {row["unwanted_kind"] for row in rows} == {"replicas"}


@pytest.mark.parametrize(
    "text",
    [
        "[]", "[" * 100_000, '{"weights": {"a": NaN}, "bias": 1, "limit": 1}',
        '{"weights": {"a": 1}, "bias": 1e999, "limit": 1}',
        '{"weights": {"a": 1}, "bias": 1, "limit": ' + "9" * 400 + "}",
    ],
)  # fmt: skip
def test_a_file_without_weights_is_told(tmp_path, text):
    path = tmp_path / "weights.json"
    path.write_text(text)

    with pytest.raises(ConfigError, match="holds no weights of unwanted texts"):
        load_unwanted(path)


def signs(text, language="sv"):
    return dict(zip(MADE_MEASURES, machine_made_measures(text, language), strict=True))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Denne webshop er ny. Der er ingen anmeldelser, vær den første!", "da"),
        ("Velkommen til WordPress. Dette er ditt første innlegg.", "nb"),
        ("Síðan sem þú baðst um fannst ekki.", "is"),
        ("Diese Domain is parked: this domain is for sale.", "sv"),
    ],
)
def test_templates_are_known_by_their_phrases(text, language):
    assert signs(text, language)["template_phrases"] > 1


def test_an_offer_that_names_one_place_over_and_over_is_one_of_a_series():
    offer = "Billiga flyg till Fort Alba. Boka flyg till Fort Alba, pris från Fort Alba. " * 3
    news = "Kungen besökte Fort Alba. Han gick till Fort Alba och talade i Fort Alba. " * 3

    assert signs(offer)["repeated_names"] > 1
    assert signs(news)["repeated_names"] == 0


def test_passages_in_another_language_count_in_offers_only():
    english = "The view of the sea was lovely and the trees were green, which you will love. " * 3

    assert signs(f"Hotell med rum till bra pris. Boka rum. {english}")["foreign_words"] > 1
    assert signs(f"Sammanfattning av uppsatsen. {english}")["foreign_words"] < 1
    assert signs(english, "en")["foreign_words"] == 0


def test_marks_and_prices_of_elsewhere_count_in_offers():
    offer = signs("Villa med rum till bra pris . Hyra kostar 90 € , boka nu .")

    assert offer["spaced_marks"] > 1
    assert offer["foreign_prices"] > 1
    assert signs("Hon sa hej . Sedan gick hon , log , och var borta .")["spaced_marks"] == 0


def test_an_offer_filled_in_by_a_program_is_marked():
    text = (
        "Det här domännamnet är parkerat. Köp det: domänen är till salu. Inga resultat. "
        "Jämför priser på hotell i Monte Alba . Boka rum i Monte Alba ."
    )
    prose = "Kommunen öppnar badet i maj, och inträdet kostar 40 kronor för barn. " * 4

    rows = measured([text, prose], ["sv", "sv"])

    assert [is_machine_made(row) for row in rows] == [True, False]


def test_a_share_of_listed_words_counts_the_first_and_the_last_of_the_list():
    listed = np.array([3, 5, 9], np.uint64)
    words = np.array([3, 9, 9, 1, 10, 4], np.uint64)
    assert _listed_share(words, listed) == 3 / 6
    assert _listed_share(words, listed[:0]) is None
    assert _listed_share(words[:0], listed) is None
