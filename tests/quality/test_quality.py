"""SWEb's set, and the decision."""

from __future__ import annotations

import collections
import json
import math
import random
import re
import string
import unicodedata
from pathlib import Path

import pyarrow as pa
import pytest

from skord.quality import text_measures as quality_sweb
from skord.quality.features import feature_schema
from skord.quality.limits import FEATURES, SETS, decide_quality, quality_limits
from skord.quality.lists import domain_set, is_listed_url, url_set
from skord.quality.measures import SLICE_BYTES, Lists, quality_columns

SCHEMA = feature_schema()

CASES = Path(__file__).parent / "cases"

CASE_FILE = "quality.json"
URL = "https://exempel.se/"
NO_LISTS = Lists()
SWEB = [feature.name for feature in FEATURES if feature.set == "sweb"]
DEFECTS = {
    "# Hem\n## Om": ("ratio_headings_per_non_heading_word", math.inf),
    "#sommar\nTre veckor i skärgården": ("ratio_headings_per_non_heading_word", 0.0),
}
"""Texts of the published values where a defect is mended: the measure, and what it is here."""


def measure(*texts, url=URL, lists=NO_LISTS):
    return quality_columns(
        pa.array(texts, pa.string()), [url] * len(texts), [{}] * len(texts), lists
    )


def failed_filters(row, limits):
    table = pa.Table.from_pylist([row], schema=pa.schema([SCHEMA.field(name) for name in row]))
    return decide_quality(table, limits)[1].to_pylist()[0]


def test_measures_and_failed_filters(case):
    lists = Lists(domains=domain_set(case.get("blocked", [])))
    table = measure(case["text"] * case.get("times", 1), url=case.get("url", URL), lists=lists)
    (measures,) = table.to_pylist()

    for name, value in case.get("measures", {}).items():
        assert measures[name] == pytest.approx(value, abs=1e-9), name
    if "failed" in case:
        assert decide_quality(table, quality_limits())[1].to_pylist() == [case["failed"]]


def published():
    return json.loads((CASES / "quality_published.json").read_text(encoding="utf-8"))


def test_values_are_those_that_the_published_code_has_given():
    """The numbers were written down from SWEb's own feature functions on these texts."""
    rows = published()
    actual = measure(*(row["text"] for row in rows)).to_pylist()
    headings = "ratio_headings_per_non_heading_word"

    differing = {
        (row["text"], name): (mine[name], value)
        for row, mine in zip(rows, actual, strict=True)
        for name, value in row["values"].items()
        if mine[name] != pytest.approx(value, rel=1e-9, abs=1e-9)
    }

    assert {name for _, name in differing} <= {headings}
    for (text, name), (mine, value) in differing.items():
        mended = re.search(r"^#(?!#{0,5}[ \t\n])", text, re.MULTILINE)
        alone = value == 0 and mine == math.inf and re.match(r"#{1,6}\s", text)
        assert mended or alone, (text, name, mine, value)
    for text, (name, value) in DEFECTS.items():
        assert differing[text, name][0] == value


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


def test_values_are_the_published_ones_where_no_defect_is_mended():
    texts = [random_text(random.Random(seed)) for seed in range(80)]

    for text, row in zip(texts, measure(*texts).to_pylist(), strict=True):
        for name, value in published_measures(text).items():
            assert row[name] == pytest.approx(value, rel=1e-9, abs=1e-9), (name, text)


def test_every_letter_of_unicode_is_counted_as_python_counts_it():
    letters = [chr(code) for code in range(0x30000) if not 0xD800 <= code < 0xE000]
    chosen = random.Random(3)
    texts = [
        "".join(letters[at : at + 500]) + "\n# " + "".join(chosen.choices(letters[:8000], k=30))
        for at in range(0, len(letters), 500)
    ]

    for text, row in zip(texts, measure(*texts).to_pylist(), strict=True):
        assert row["ratio_alphanumeric_chars"] == sum(map(str.isalnum, text)) / len(text)
        entropy = quality_sweb.unigram_entropy(quality_sweb.words_of(text))
        assert row["unigram_entropy"] == pytest.approx(entropy, abs=1e-9)
        ratio = quality_sweb.ratio_headings_per_non_heading_word(text)
        assert row["ratio_headings_per_non_heading_word"] == ratio


def test_only_texts_whose_letters_need_their_context_are_left_to_python():
    texts = pa.array(["Åsa à la carte Việt 日本 😀", "ΟΔΟΣ", "a\u0323\u0308", "𠀀"])

    counts = quality_sweb.TextCounts(texts, [""] * len(texts), ())

    assert counts["DECLINED"].tolist() == [0, 1, 1, 1]


def test_page_of_headings_alone_measures_infinity():
    assert measure("# Hem\n## Om")["ratio_headings_per_non_heading_word"][0].as_py() == math.inf


@pytest.mark.parametrize("text", ["", " \n\t\u00a0" * 100])
def test_text_with_nothing_in_it_is_measured_and_fails(text):
    failed = decide_quality(measure(text), quality_limits())[1].to_pylist()[0]

    assert "ratio_alphanumeric_chars" in failed
    assert "unigram_entropy" in failed


def test_no_text_at_all_gives_empty_columns():
    assert measure().schema.equals(SCHEMA)
    assert measure().num_rows == 0


def test_texts_measure_the_same_alone_and_beside_texts_of_many_slices():
    texts = ["Ett ord. " * 20, "å" * SLICE_BYTES, "", "Ett, två. Tre?\n" * 9, "b" * SLICE_BYTES]

    together = measure(*texts).to_pylist()

    assert together == [measure(text).to_pylist()[0] for text in texts]


def test_columns_limits_and_measures_have_the_same_names_in_the_same_order():
    assert SWEB == [
        "content_length",
        "ratio_alphanumeric_chars",
        "ratio_headings_per_non_heading_word",
        "unigram_entropy",
        "is_domain_blacklisted",
    ]
    assert list(quality_limits()) == SWEB
    names = [feature.name for feature in FEATURES]
    assert names == SCHEMA.names == measure("Hej").column_names == list(quality_limits(sets=SETS))
    assert len(set(names)) == len(names)


def test_columns_say_what_they_hold():
    assert SCHEMA.field("unigram_entropy").metadata[b"unit"] == b"nats"
    assert all(field.metadata[b"doc"].endswith(b".") for field in SCHEMA)


@pytest.mark.parametrize("feature", FEATURES, ids=lambda feature: feature.name)
def test_every_feature_decides(feature):
    """Entropy once had a limit that no line of code looked at; no feature can be so again."""
    bounds = quality_limits({feature.name: (0, 0)}, sets=[])
    table = pa.table({feature.name: pa.array([0, 1, None]).cast(feature.type)})

    passes, failed = decide_quality(table, bounds)

    assert passes.to_pylist() == [True, False, True]
    assert failed.to_pylist() == [[], [feature.name], []]


def test_limits_are_inclusive_at_both_ends():
    table = pa.table({"content_length": [99, 100, 400, 401]})

    passes, _ = decide_quality(table, {"content_length": (100, 400)})

    assert passes.to_pylist() == [False, True, True, False]


def test_filters_are_named_in_the_order_of_the_features():
    row = {name: SCHEMA.field(name) for name in reversed(SWEB)}
    bad = dict(zip(row, [True, 2.9, 0.051, 0.39, 99], strict=True))

    assert failed_filters(bad, quality_limits()) == SWEB


def test_value_that_is_not_a_number_fails():
    assert failed_filters({"unigram_entropy": math.nan}, {"unigram_entropy": (-9, 9)}) == [
        "unigram_entropy"
    ]


def test_limit_of_no_feature_is_refused_wherever_it_is_given():
    with pytest.raises(ValueError, match="unigram_entropy_chars"):
        quality_limits({"unigram_entropy_chars": (3, 9)})
    with pytest.raises(ValueError, match="unigram_entropy_chars"):
        decide_quality(measure("Hej"), {"unigram_entropy_chars": (3, 9)})


def test_set_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match=r"no feature set 'gophers'; did you mean gopher\?"):
        quality_limits(sets=["sweb", "gophers"])
    with pytest.raises(ValueError, match="no feature set 'x'; there are sweb, gopher"):
        quality_limits(sets=["x"])


@pytest.mark.parametrize("bounds", [(9, 3), (math.nan, 3)])
def test_limits_that_no_value_can_keep_are_refused(bounds):
    with pytest.raises(ValueError, match="content_length"):
        quality_limits({"content_length": bounds})


def test_limit_without_its_measure_is_an_error():
    with pytest.raises(KeyError, match="content_length"):
        decide_quality(pa.table({"other": [1]}), {"content_length": (0, 1)})


def test_domain_list_ignores_blank_lines_and_lone_dots():
    assert domain_set(["", " ", ".", "exempel.se\n"]) == {"exempel.se"}


@pytest.mark.parametrize(
    ("url", "is_listed"),
    [
        ("http://exempel.se/a", True),
        ("https://WWW.Exempel.se/a/#del", True),
        ("https://exempel.se:443/a", False),
        ("https://exempel.se/A", False),
        ("https://exempel.se/a?b=1", False),
        ("https://blogg.exempel.se/a", False),
        ("https://exempel.se/a/b", False),
        ("http://[exempel.se/a", False),
        ("", False),
    ],
)
def test_a_listed_address_is_that_page_alone(url, is_listed):
    assert is_listed_url(url, url_set(["https://exempel.se/a"])) is is_listed
