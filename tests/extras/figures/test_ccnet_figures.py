"""The figures of the CCNet paper out of columns."""

from xml.etree import ElementTree

import numpy as np

from skord.extras.figures.command import (
    bucket_amounts,
    keys_compared,
    left_after_comparing,
    lines_of,
    perplexity_histograms,
)
from skord.extras.figures.pictures import amounts_picture, write_pictures
from skord.models.language_model.interface import load_language_models


def page(language, bucket, text, perplexity=None):
    return {
        "language": language, "bucket": bucket, "raw_content": text, "perplexity": perplexity,
    }  # fmt: skip


PAGES = [
    page("sv", "head", "Ett. Två! Tre", 100.0),
    page("sv", "tail", "Fyra fem.", 3000.0),
    page("sv", "head", "Sex.", 104.0),
    page("fi", "all", "Yksi kaksi."),
]


def test_amounts_by_language_and_bucket():
    counted = bucket_amounts(PAGES)

    assert [(row["language"], row["bucket"], row["documents"]) for row in counted] == [
        ("sv", "head", 2), ("sv", "tail", 1), ("fi", "all", 1),
    ]  # fmt: skip
    assert [row["sentences"] for row in counted] == [3, 1, 1]
    assert [row["words"] for row in counted] == [4, 2, 2]


def test_words_of_a_language_without_blanks_are_not_counted_and_its_characters_are():
    japanese = page("ja", "all", "これは日本語の文です。もう一つの文です。")
    models = load_language_models("")

    rows = bucket_amounts([japanese, *PAGES[:2]], models)

    row = next(row for row in rows if row["language"] == "ja")
    assert (row["words"], row["tokens"], row["characters"], row["sentences"]) == (None, None, 20, 2)
    assert all(row["tokens"] for row in rows if row["language"] == "sv")
    figures = {
        "shards": 1, "amounts": rows, "left_after_comparing": [], "perplexity": {},
        "keys_compared": [],
    }  # fmt: skip
    line = next(line for line in lines_of(figures) if line.startswith("ja"))
    assert line.split() == ["ja", "all", "1", "2", "20"]
    picture = "".join(ElementTree.fromstring(amounts_picture(rows)).itertext())
    assert "without a language model: ja" in picture
    assert "characters" in amounts_picture([row])


def test_fewer_paragraphs_are_left_the_more_is_compared():
    first = (np.array([1, 2, 3, 9], np.uint64), np.array([1, 1, 1, 2]))
    parts = [
        first,
        (np.array([2, 7], np.uint64), np.array([1, 1])),
        (np.array([3], np.uint64),) * 2,
    ]

    left = [row["left"] for row in left_after_comparing(parts)]

    assert left == [3 / 5, 2 / 5, 1 / 5]
    assert left_after_comparing([]) == []


def test_perplexities_are_those_of_pages_that_have_one():
    assert set(perplexity_histograms(PAGES)) == {"sv"}
    assert sum(perplexity_histograms(PAGES)["sv"]["pages"].values()) == 3


def test_memory_grows_with_the_distinct_keys_alone():
    ones = np.array([1, 1], np.int32)
    parts = [(np.array([1, 2], np.uint64), ones), (np.array([2, 3], np.uint64), ones)]

    rows = keys_compared([*parts, parts[0]])

    assert [row["keys"] for row in rows] == [2, 3, 3]
    assert rows[1]["sorted_mb"] == 24e-6
    assert rows[1]["hash_set_mb"] == 81e-6


def test_each_figure_is_a_picture_and_the_same_each_time(tmp_path):
    parts = [(np.array([1, 2, 3], np.uint64), np.array([1, 1, 2]))] * 2
    figures = {
        "amounts": bucket_amounts(PAGES), "left_after_comparing": left_after_comparing(parts),
        "keys_compared": keys_compared(parts), "perplexity": perplexity_histograms(PAGES),
    }  # fmt: skip
    figures["perplexity"]["sv"]["tail_from"] = 500.0

    written = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write_pictures(figures, tmp_path / name)
        written.append({p.name: p.read_text() for p in sorted((tmp_path / name).iterdir())})

    assert written[0] == written[1]
    names = ["figure-2.svg", "figure-4.svg", "figure-5.svg", "perplexity-sv.svg"]
    assert list(written[0]) == names
    titles = [ElementTree.fromstring(text)[0].text for text in written[0].values()]
    assert "Figure 4: paragraphs left after deduplication" in titles


def test_perplexities_are_those_of_a_language_alone():
    pages = [*PAGES, page("fi", "all", "Kaksi.", 5000.0)]
    by_language = perplexity_histograms(pages)
    counts = {code: sum(row["pages"].values()) for code, row in by_language.items()}
    assert counts == {"fi": 1, "sv": 3}
