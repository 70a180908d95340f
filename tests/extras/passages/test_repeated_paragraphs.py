from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from skord.extras.passages.removal import (
    count_table,
    paragraph_keys,
    partitions_of,
    repeated_keys,
    without_repeats,
)
from skord.near_duplicates.minhash import digests_of

COOKIES = "Vi använder kakor på den här webbplatsen."


def counted(texts, parts=1):
    keys, of, _ = paragraph_keys(pa.chunked_array([texts], pa.string()), 20)
    return list(partitions_of(count_table(keys, of), parts))


def removed(text, *paragraphs):
    keys = digests_of(pa.array(paragraphs, pa.string()))
    (row,) = without_repeats(pa.chunked_array([[text]]), keys, 20).to_pylist()
    return row["text_without_repeats"]


def test_a_paragraph_counts_once_for_each_text_that_holds_it():
    texts = [
        f"{COOKIES}\n\n{COOKIES}",
        f"  {COOKIES}  \nNågot helt annat står här i stället",
        None,
        "",
    ]
    (table,) = counted(texts)

    assert sorted(table["texts"].to_pylist()) == [1, 2]
    assert repeated_keys(table, 1).tolist() == digests_of(pa.array([COOKIES])).tolist()
    assert repeated_keys(table, 2).tolist() == []


@pytest.mark.parametrize("parts", [1, 2, 7])
def test_partitions_hold_every_key_once_and_in_order(parts):
    texts = [f"Det här är paragraf nummer {n} av många." for n in range(200)]
    tables = counted(texts, parts)

    assert len(tables) == parts
    keys = pa.concat_tables(tables)["key"].to_numpy()
    assert len(keys) == 200
    assert (np.diff(keys.astype(np.float64)) > 0).all()


def test_short_lines_stay_whatever_they_are_like():
    assert removed("---\nLäs mer\n---", "---", "Läs mer") == "---\nLäs mer\n---"


def test_blank_lines_after_a_removed_paragraph_go_with_it():
    text = f"# Rubrik\n\n{COOKIES}\n\nFörsta stycket.\n\n\nAndra stycket.\n{COOKIES}"

    assert removed(text, COOKIES) == "# Rubrik\n\nFörsta stycket.\n\n\nAndra stycket."
    assert removed(COOKIES, COOKIES) == ""
    assert removed("Första stycket.\n", COOKIES) == "Första stycket.\n"


def test_each_text_loses_its_own_paragraphs_only():
    texts = [None, f"a\n{COOKIES}", "b", f"{COOKIES}\nc\n{COOKIES}"]
    actual = without_repeats(pa.chunked_array([texts]), digests_of(pa.array([COOKIES])), 20)

    assert actual["text_without_repeats"].to_pylist() == [None, "a", "b", "c"]
    assert actual["repeats"].to_pylist() == [None, 1, 0, 2]
