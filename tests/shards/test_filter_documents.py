import pyarrow as pa
import pytest

from models.reference_classifier.network import write_network
from models.reference_classifier.train import LAYERED, start
from pipeline.core.failures import ConfigError
from pipeline.quality_filtering import FilterDocuments
from pipeline.transforms.minhash import BAND_COLUMNS

GOOD = (
    "Kommunen öppnar biblioteket igen efter sommaren. Samlingen har flyttats till nya lokaler "
    "vid torget, och barnavdelningen har fått ett eget rum med utsikt över ån. Den som vill "
    "låna en bok visar sitt kort vid disken eller använder automaten som står vid ingången."
)


def run(*texts, **settings):
    batch = pa.table(
        {
            "id": [str(n) for n in range(len(texts))],
            "ProcessMarkdown.text": list(texts),
            "ConvertToMarkdown.url": ["https://shop.spam.example/a"] * len(texts),
        }
    )
    return FilterDocuments(dump="2024-10", **settings).process(batch).to_pylist()


def test_an_ordinary_text_passes_and_is_measured(settings):
    (row,) = run(GOOD)

    assert row["passes_all_quality_filters"] is True
    assert row["failed_filters"] == []
    assert row["content_length"] == len(GOOD)
    assert row["language"] == "sv"
    assert row["language_score"] > 0.5
    assert row["failure"] is None
    assert len({row[name] for name in BAND_COLUMNS}) == 14


def test_each_published_filter_can_stop_a_text(settings):
    headings = "# Meny\n" * 9 + GOOD
    spam = "köp billigt nu " * 50
    symbols = "!?=&%¤#/() " * 30 + GOOD[:120]

    rows = run("Kort text.", headings, spam, symbols)

    assert "content_length" in rows[0]["failed_filters"]
    assert rows[1]["failed_filters"] == ["ratio_headings_per_non_heading_word"]
    assert rows[2]["failed_filters"] == ["unigram_entropy"]
    assert "ratio_alphanumeric_chars" in rows[3]["failed_filters"]
    assert [row["passes_all_quality_filters"] for row in rows] == [False] * 4


def test_a_listed_domain_covers_its_subdomains(settings):
    (row,) = run(GOOD, blocked_domains=("spam.example",))

    assert row["failed_filters"] == ["is_domain_blacklisted"]


def test_a_limit_of_the_settings_takes_the_place_of_the_published_one(settings):
    (row,) = run(GOOD, limits={"content_length": [1000, 2000]})

    assert row["failed_filters"] == ["content_length"]


def test_a_text_under_sixteen_characters_has_no_signature(settings):
    (row,) = run("Hej!")

    assert [row[name] for name in BAND_COLUMNS] == [None] * 14
    assert row["text_digest"] is not None


def test_no_text_at_all_keeps_its_row(settings):
    (row,) = run("")

    assert row["passes_all_quality_filters"] is False
    assert row["failure"] is None


def test_without_a_reference_classifier_nothing_is_said_of_references(settings):
    assert run(GOOD)[0]["reference_score"] is None


def test_a_reference_classifier_scores_each_text_and_is_part_of_the_stamp(settings, tmp_path):
    weights = tmp_path / "references.npz"
    write_network(weights, start(LAYERED))

    empty, good = run("", GOOD, reference_model_path=str(weights))

    assert empty["reference_score"] == 0
    assert 0 < good["reference_score"] < 1
    with_it = FilterDocuments(dump="2024-10", reference_model_path=str(weights)).stamp_parts()
    assert len(with_it) == len(FilterDocuments(dump="2024-10").stamp_parts()) + 1


def test_weights_that_are_not_there_are_told_before_anything_starts(settings, tmp_path):
    with pytest.raises(ConfigError, match=r"missing\.npz"):
        FilterDocuments(dump="2024-10", reference_model_path=str(tmp_path / "missing.npz")).check()
