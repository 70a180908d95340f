from __future__ import annotations

import collections
import math
import random
import re
import string
import unicodedata

import pyarrow as pa
import pytest

from pipeline.transforms.quality import (
    FEATURES,
    SCHEMA,
    domain_set,
    failed_filters,
    limits,
    measure,
)

CASE_FILE = "quality.json"
URL = "https://exempel.se/"


def test_measures_and_failed_filters(case):
    text = case["text"] * case.get("times", 1)
    measures = measure(text, case.get("url", URL), domain_set(case.get("blocked", [])))

    for name, value in case.get("measures", {}).items():
        assert measures[name] == pytest.approx(value, abs=1e-9), name
    if "failed" in case:
        assert failed_filters(measures, limits()) == case["failed"]


def published_measures(text):
    """The published formulae, restated one by one from their description."""

    def words(part):
        bare = "".join(char for char in part if char not in string.punctuation).lower()
        return unicodedata.normalize("NFD", re.sub(r"\s+", " ", bare.strip())).split()

    lines = text.split("\n")
    other = sum(len(words(line)) for line in lines if line[:1] != "#")
    shares = [n / len(words(text)) for n in collections.Counter(words(text)).values()]
    return {
        "content_length": len(text),
        "ratio_alphanumeric_chars": len([c for c in text if c.isalnum()]) / len(text),
        "ratio_headings_per_non_heading_word": sum(line[:1] == "#" for line in lines) / other,
        "unigram_entropy": -sum(share * math.log(share) for share in shares),
    }


def random_text(generator):
    """Markdown of random words, odd white space, marks and scripts, with text in it."""
    pieces = (
        "abcåäöæøþÐÉİΣς日語1²٣_*-`.,;«»…'\"()[]|\\~^´"
        "\u0308\u00a0\u2003\u3000\t\r\f\x0b\x1c\u2028\u0085 "
    )
    vocabulary = [
        "".join(generator.choices(pieces, k=generator.randint(1, 9)))
        for _ in range(generator.randint(1, 60))
    ]
    lines = [
        generator.choice(["", "# ", "### ", "- ", "1. ", "> ", "  # "])
        + " ".join(generator.choices(vocabulary, k=generator.randint(0, 25)))
        for _ in range(generator.randint(1, 30))
    ]
    return "\n".join([*lines, "ett ord"])


@pytest.mark.parametrize("seed", range(200))
def test_values_are_the_published_ones_where_no_defect_is_mended(seed):
    text = random_text(random.Random(seed))
    measures = measure(text, URL, frozenset())

    for name, value in published_measures(text).items():
        assert measures[name] == pytest.approx(value, rel=1e-9, abs=1e-9), name


def test_page_of_headings_alone_measures_infinity():
    value = measure("# Hem\n## Om", URL, ())["ratio_headings_per_non_heading_word"]

    assert value == math.inf


@pytest.mark.parametrize("text", ["", " \n\t\u00a0" * 100])
def test_text_with_nothing_in_it_is_measured_and_fails(text):
    failed = failed_filters(measure(text, URL, ()), limits())

    assert "ratio_alphanumeric_chars" in failed
    assert "unigram_entropy" in failed


def test_columns_limits_and_measures_have_the_same_names_in_the_same_order():
    names = [feature.name for feature in FEATURES]

    assert names == [
        "content_length",
        "ratio_alphanumeric_chars",
        "ratio_headings_per_non_heading_word",
        "unigram_entropy",
        "is_domain_blacklisted",
    ]
    assert SCHEMA.names == list(limits()) == list(measure("Hej", URL, ())) == names


def test_measures_fit_the_schema_and_columns_say_what_they_hold():
    table = pa.Table.from_pylist([measure("# Hej\n", URL, ())], schema=SCHEMA)

    assert table.num_rows == 1
    assert SCHEMA.field("unigram_entropy").metadata[b"unit"] == b"nats"
    assert all(field.metadata[b"doc"].endswith(b".") for field in SCHEMA)


def test_every_feature_decides():
    """Entropy once had a limit that no line of code looked at; no feature can be so again."""
    good = {"content_length": 500, "ratio_alphanumeric_chars": 0.8, "unigram_entropy": 4.0}
    good |= {"ratio_headings_per_non_heading_word": 0.01, "is_domain_blacklisted": False}
    bad = {"content_length": 99, "ratio_alphanumeric_chars": 0.39, "unigram_entropy": 2.9}
    bad |= {"ratio_headings_per_non_heading_word": 0.051, "is_domain_blacklisted": True}

    assert failed_filters(good, limits()) == []
    for name in (feature.name for feature in FEATURES):
        assert failed_filters({**good, name: bad[name]}, limits()) == [name]
    assert failed_filters(bad, limits()) == [feature.name for feature in FEATURES]


def test_upper_limits_decide_too():
    measures = measure("ord " * 100, URL, ())

    assert "content_length" in failed_filters(measures, limits({"content_length": (0, 399)}))
    assert "content_length" not in failed_filters(measures, limits({"content_length": (0, 400)}))


def test_value_that_is_not_a_number_fails():
    assert failed_filters({"unigram_entropy": math.nan}, {"unigram_entropy": (-9, 9)}) == [
        "unigram_entropy"
    ]


def test_limit_of_no_feature_is_refused_wherever_it_is_given():
    with pytest.raises(ValueError, match="unigram_entropy_chars"):
        limits({"unigram_entropy_chars": (3, 9)})
    with pytest.raises(ValueError, match="unigram_entropy_chars"):
        failed_filters(measure("Hej", URL, ()), {"unigram_entropy_chars": (3, 9)})


@pytest.mark.parametrize("bounds", [(9, 3), (math.nan, 3)])
def test_limits_that_no_value_can_keep_are_refused(bounds):
    with pytest.raises(ValueError, match="content_length"):
        limits({"content_length": bounds})


def test_limit_without_its_measure_is_an_error():
    with pytest.raises(KeyError, match="content_length"):
        failed_filters({}, {"content_length": (0, 1)})


def test_domain_list_ignores_blank_lines_and_lone_dots():
    assert domain_set(["", " ", ".", "exempel.se\n"]) == {"exempel.se"}
