"""Sentences with errors beside others without, of `skord.models.grammar.evaluation.error_pairs`."""

import gzip
import json

import pytest

from skord.core.failures import ConfigError
from skord.models.grammar.evaluation.error_pairs import (
    icelandic_pairs,
    preferred_sides,
    swedish_pairs,
)
from skord.models.grammar.evaluation.measure import auc, average_precision


def packed(path, text):
    path.write_bytes(gzip.compress(text.encode()))


def test_icelandic_sentences_that_were_changed_are_pairs(tmp_path):
    rows = [{"original": "a", "corrected": "b"}, {"original": "c", "corrected": "c"}]
    packed(tmp_path / "iceErrorCorpus.jsonl.gz", "\n".join(map(json.dumps, rows)))

    assert icelandic_pairs(tmp_path) == [("a", "b")]
    with pytest.raises(ConfigError, match="multiged_sv_swell_train"):
        swedish_pairs(tmp_path)


def sentence(words, label="c"):
    marks = [label, *["c"] * (len(words) - 1)]
    return "\n".join(f"{word}\t{mark}" for word, mark in zip(words, marks, strict=True))


def test_a_swedish_sentence_has_the_next_unused_one_of_its_length(tmp_path):
    bad, short, long = list("abcd"), list("xyz"), list("abcdefg")
    first, second = list("efgh"), list("ijklmn")
    blocks = [
        sentence(first), sentence(bad, "i"), sentence(short, "i"), sentence(long),
        sentence(second), sentence(bad[::-1], "i"), sentence(list("opqr")),
    ]  # fmt: skip
    packed(tmp_path / "multiged_sv_swell_train.tsv.gz", "\n\n".join(blocks))

    assert swedish_pairs(tmp_path) == [("a b c d", "i j k l m n"), ("d c b a", "o p q r")]


class Words:
    """Grades a text by how many words it has."""

    def grade(self, text):
        return len(text.split())


def test_the_share_is_of_pairs_that_differ():
    pairs = [("a", "a b"), ("a b", "a"), ("a", "b"), ("a", "a b c")]
    rate = preferred_sides(pairs, Words(), float)
    assert (rate.pairs, rate.different, rate.share) == (4, 3, 2 / 3)
    assert preferred_sides([("a", "b")], Words(), float).share == 0.0


def test_areas_and_precisions_of_rankings():
    assert auc([1.0], [0.0]) == 1.0
    assert auc([0.0], [1.0]) == 0.0
    assert auc([0.5, 0.5], [0.5]) == 0.5
    assert auc([3, 1], [2, 0]) == 0.75
    assert average_precision([False, False]) == 0.0
    assert average_precision([True, True, False]) == 1.0
    assert average_precision([False, True, True]) == pytest.approx((1 / 2 + 2 / 3) / 2)
