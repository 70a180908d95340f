from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from skord.core.tasks.phases import KEYS, share_of
from skord.extras.paragraphs.counts import (
    DistinctParagraphs,
    Frequencies,
    merge_paragraph_counts,
    near_rows,
    text_key,
    totals_by_shard,
    turned_rows,
)
from skord.extras.paragraphs.simhash import (
    MAX_CHARS,
    PLACES,
    TURNS,
    hamming_distances,
    near_pairs,
    rotated_signatures,
    simhash_signatures,
)

WORDS = """
    älven rinner genom dalen och forsar över stenarna medan fågeln sitter i granen vid stigen
    sommaren kom sent med regn till byn där kvarnen stod stilla sedan mjölnaren hade flyttat
"""


def sentence(seed: int, words: int = 40) -> str:
    return " ".join(random.Random(seed).choices(WORDS.split(), k=words))


def grams(text: str) -> set[str]:
    return {text[at : at + n] for n in (2, 3, 4) for at in range(len(text) - n + 1)}


def bits(signature) -> list[int]:
    high, low = (int(word) for word in signature)
    return [int(bit) for bit in f"{high:064b}{low:064b}"]


def test_distance_is_the_number_of_differing_bits():
    one, other = simhash_signatures([sentence(1), sentence(2)])

    assert hamming_distances(one, other) == sum(
        a != b for a, b in zip(bits(one), bits(other), strict=True)
    )  # fmt: skip
    assert hamming_distances(one, one) == 0


@pytest.mark.parametrize(("changed", "low", "high"), [(1, 0, 14), (8, 15, 50), (40, 30, 80)])
def test_distance_grows_with_what_differs(changed, low, high):
    actual = []
    for seed in range(20):
        words = sentence(seed).split()
        for place in random.Random(seed).sample(range(40), changed):
            words[place] = f"x{seed * 40 + place}y{place * 7919 % 997}"
        actual.append(
            int(hamming_distances(*simhash_signatures([sentence(seed), " ".join(words)])))
        )

    assert low <= np.median(actual) <= high


def test_distance_tells_the_angle_between_the_ngrams():
    deviations = []
    for seed in range(60):
        one, other = sentence(seed, 30), sentence(seed, 15) + " " + sentence(seed + 900, 15)
        g, h = grams(one), grams(other)
        cosine = len(g & h) / (len(g) * len(h)) ** 0.5
        expected = 128 * np.arccos(cosine) / np.pi
        deviations.append(int(hamming_distances(*simhash_signatures([one, other]))) - expected)

    assert abs(np.mean(deviations)) < 2.5
    assert np.std(deviations) < 8


def test_an_ngram_counts_once_however_often_it_occurs():
    assert hamming_distances(*simhash_signatures(["ja nej " * 3, "ja nej " * 300])) == 0


def test_a_signature_depends_on_its_own_text_alone():
    texts = [sentence(seed, words) for seed, words in enumerate([0, 1, 3, 900, 5, 4_000, 2, 2_500])]
    texts += ["", "a", "ab", "日本", "x" * 5]

    together = simhash_signatures(texts)

    for text, signature in zip(texts, together, strict=True):
        assert (simhash_signatures([text])[0] == signature).all()
    assert not simhash_signatures(["", "a"]).any()
    assert simhash_signatures([]).shape == (0, 2)


def test_of_a_long_text_the_beginning_counts():
    text = sentence(1, MAX_CHARS)

    one, other = simhash_signatures([text[:MAX_CHARS], text + "mer"])

    assert (one == other).all()


def test_signatures_stay_what_they_are():
    [signature] = simhash_signatures(["Alla har rätt till bildning."])

    assert [f"{int(word):016x}" for word in signature] == ["bf0588c841122435", "0d10a88c93b269d5"]


def test_each_turn_begins_with_other_bits():
    signature = simhash_signatures([sentence(seed) for seed in range(50)])

    for turn in range(TURNS):
        place, rolled = rotated_signatures(signature, turn)
        for row in range(50):
            expected = np.roll(bits(signature[row]), -16 * turn).tolist()
            assert bits(rolled[row]) == expected
            assert place[row] == turn * 256 + int("".join(map(str, expected[:8])), 2)


def test_pairs_are_near_in_bits_and_length_and_in_one_place():
    base = np.uint64(0xF0F0)
    signature = np.array([[base, 0], [base, 1], [base, 3], [base, 7], [base, 7]], np.uint64)
    place = np.array([5, 5, 5, 5, 6], np.int32)
    chars = np.array([100, 100, 100, 131, 100], np.int32)

    def pairs(window, max_distance, chars=chars):
        one, other = near_pairs(place, signature, chars, window, max_distance)
        return sorted(zip(one.tolist(), other.tolist(), strict=True))

    assert pairs(10, 1) == [(0, 1), (1, 2), (2, 3)]
    assert pairs(10, 2) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]
    assert pairs(1, 3) == [(0, 1), (1, 2), (2, 3)]
    assert pairs(0, 3) == []
    assert pairs(10, 3, np.array([100, 100, 151, 400, 400], np.int32)) == [(0, 1)]
    assert pairs(10, 3, np.array([3, 3, 2, 2, 2], np.int32)) == [(0, 1), (2, 3)]
    assert pairs(1, 3, np.array([950, 1000, 1051, 1101, 0], np.int32)) == [(0, 1), (2, 3)]


# -- the tables of CountParagraphs -------------------------------------------------------


def counted(shards, parts, window=32, max_distance=20):
    """Frequencies of every paragraph, by the phases in `parts` ranges."""
    distinct = []
    for documents in shards:
        actual = DistinctParagraphs()
        for texts in documents:
            actual.add(texts)
        distinct.append(actual.table())

    def slices(tables, column, low, high):
        low, high = (min(n, 2**64 - 1) for n in (low, high))
        last = high == 2**64 - 1
        return [
            t.filter(
                pa.array(
                    [low <= n and (n < high or last) for n in t[column].to_pylist()], pa.bool_()
                )
            )
            for t in tables
        ]

    keys = [share_of(part, parts, KEYS) for part in range(parts)]
    of_range = [merge_paragraph_counts(slices(distinct, "key", *r)) for r in keys]
    rolled = [turned_rows(table) for table in of_range]
    near = [
        near_rows(slices(rolled, "place", *share_of(part, parts, PLACES)), window, max_distance)
        for part in range(parts)
    ]
    totals = [
        totals_by_shard(
            table,
            slices(near, "key", *r),
            [t["key"].to_numpy() for t in slices(distinct, "key", *r)],
        )
        for table, r in zip(of_range, keys, strict=True)
    ]
    answer = []
    for shard, documents in enumerate(shards):
        look_up = Frequencies(slices(totals, "shard", shard, shard + 1))
        answer.append([look_up(texts) for texts in documents])
    return answer


MENU = "Start Nyheter Sport Kultur Ekonomi Åsikter Väder Om oss"
SHARDS = [
    [[MENU, sentence(1), "Annons"], ["Annons", sentence(2), "Annons"], []],
    [[sentence(1) + " och", MENU + " Mer", sentence(3)]],
    [],
    [["Annons", sentence(1), "a"], ["a", "b", ""]],
]
EXPECTED = [
    [([1, 2, 4], [2, 3, 4]), ([4, 1, 4], [4, 1, 4]), ([], [])],
    [([1, 1, 1], [3, 2, 1])],
    [],
    [([4, 2, 2], [4, 3, 2]), ([2, 1, 1], [2, 1, 1])],
]


@pytest.mark.parametrize("parts", [1, 2, 7, 30])
def test_frequencies_are_those_of_the_dump_in_any_number_of_parts(parts):
    assert counted(SHARDS, parts) == EXPECTED


def test_near_is_not_handed_on():
    words = sentence(1).split()
    chain = [
        " ".join([f"nytt{n}ord{n * 7919 % 997}" for n in range(new)] + words[new:])
        for new in range(0, 41, 2)
    ]

    [[(exact, near)]] = counted([[chain]], 3)

    assert set(exact) == {1}
    assert all(2 <= n < len(chain) // 2 for n in near)


def test_a_pair_is_found_however_many_turns_show_it():
    a, b = sentence(5), sentence(5) + "."
    [[(_, near)]] = counted([[[a, b, b]]], 2)

    assert near == [3, 3, 3]


def test_one_in_ten_bits_is_nearly_always_found():
    """As many pairs as should be: the prefix of 8 bits agrees in one of 8 turns."""
    rng = random.Random(3)
    missed = total = 0
    texts = []
    for seed in range(300):
        words = sentence(seed, 60).split()
        words[rng.randrange(60)] = f"ny{seed}"
        texts += [sentence(seed, 60), " ".join(words)]
    apart = hamming_distances(simhash_signatures(texts[::2]), simhash_signatures(texts[1::2]))
    [[(_, near)]] = counted([[texts]], 1)
    for pair, distance in enumerate(apart.tolist()):
        if distance <= 13:
            total += 1
            missed += near[2 * pair] < 2

    assert total > 200
    assert missed <= 0.02 * total


def test_places_are_dealt_out_whole():
    for parts in (1, 3, 64, 5000):
        ranges = [share_of(part, parts, PLACES) for part in range(parts)]
        assert ranges[0][0] == 0
        assert ranges[-1][1] == PLACES
        assert all(a[1] == b[0] for a, b in pairwise(ranges))


def test_the_key_is_of_the_whole_text():
    assert text_key("Läs mer") != text_key("läs mer")
    assert text_key("\ud800") != text_key("")
