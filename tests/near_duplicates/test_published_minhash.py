from __future__ import annotations

import hashlib
import random
import re

import numpy as np
import pyarrow as pa
import pytest

from skord.near_duplicates.published_minhash import (
    BAND_COLUMNS,
    P,
    _one_for_one_code_points,
    normalize_for_minhash,
    published_signatures,
)
from tests.characters import telling_points

LONG = "".join(f"Rad {n} av en lång text om ingenting särskilt.\n" for n in range(400))
PUBLISHED = {
    "Tack för ditt besök!": (190320131986250614, 1713262780937330924, "9e44448955b8b2d5"),
    "ΟΔΟΣ ΣΑΣ İstanbul – 2024\nnew_line\tand tab 😀": (
        343014933891208144,
        348917140819234039,
        "ddafa311e9bd3ac7",
    ),
    "x" * 100: (814989509689728759, 624755093970649977, "cab0204f2f512d94"),
    LONG: (898587725479121080, 1609848077227137897, "6d59e008a7241348"),
}
"""First and last band, and SHA-256 of all 14, as the published code computed them."""


def keys_of(*texts):
    """The keys of each text, or None."""
    table = published_signatures(pa.array(texts, pa.string()))
    assert tuple(table.column_names) == BAND_COLUMNS
    rows = zip(*table.to_pydict().values(), strict=True)
    return [None if row[0] is None else list(row) for row in rows]


@pytest.mark.parametrize("text", PUBLISHED, ids=["swedish", "unicode", "one shingle", "long"])
def test_keys_are_bit_for_bit_the_published_ones(text):
    first, last, digest = PUBLISHED[text]
    (keys,) = keys_of(text)

    assert (keys[0], keys[13]) == (first, last)
    packed = np.array(keys, "<u8").tobytes()
    assert hashlib.sha256(packed).hexdigest()[:16] == digest


def shingles_of(text):
    """Hashes of all runs of 16 characters, in Python integers."""
    generator = np.random.default_rng(seed=0x5EED)
    for _ in range(3):
        generator.integers(1, P, 112, dtype=np.uint64)
    z = int(generator.integers(1, P, 1, dtype=np.uint64)[0])
    points = [ord(char) for char in re.sub(r"[^\w ]", "-", text.lower())]
    return {
        sum(z**place * point for place, point in enumerate(points[at : at + 16])) % P
        for at in range(len(points) - 15)
    }


def keys_in_whole_numbers(text):
    """The definition, in Python integers: no folding."""
    generator = np.random.default_rng(seed=0x5EED)
    a, b, c = (generator.integers(low, P, 112, dtype=np.uint64).tolist() for low in (1, 0, 1))
    shingles = shingles_of(text)
    rows = [min((a[row] * x + b[row]) % P for x in shingles) * c[row] % P for row in range(112)]
    return [sum(rows[band * 8 : band * 8 + 8]) % P for band in range(14)]


@pytest.mark.parametrize("length", [16, 17, 31, 272, 500])
def test_keys_follow_the_definition(length):
    generator = random.Random(length)
    letters = "abc åäöÅß.\n\t_09ΣςİıẞЖждㄱ漢字😀\u00a0"
    texts = ["".join(generator.choices(one, k=length)) for one in ("abc åäö.\n😀1", letters)]

    assert keys_of(*texts) == list(map(keys_in_whole_numbers, texts))


def test_texts_among_others_have_the_keys_that_they_have_alone():
    texts = [LONG, "ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΙΣΥΦΟΣ.", "kort", "İstanbul'da İYİ günler", None, "x" * 16]

    assert keys_of(*texts) == [keys_of(text)[0] for text in texts]


def test_a_normalised_text_stays_as_it_is():
    table = _one_for_one_code_points()
    points = {
        ord(c) for n in telling_points(range(0x110000)) for c in normalize_for_minhash(chr(n))
    }

    assert all(table[point] == point for point in points)


@pytest.mark.parametrize("text", ["", "x", "x" * 15, "İ" * 7, None])
def test_text_without_a_shingle_has_no_keys(text):
    assert keys_of(text) == [None]


def test_length_is_that_of_the_normalised_text():
    assert len("İ" * 8) < 16 <= len(normalize_for_minhash("İ" * 8))
    assert keys_of("İ" * 8) != [None]


def test_sixteen_characters_are_enough_and_all_count():
    one, other = keys_of("abcdefghijklmnop", "abcdefghijklmnoq")
    assert not set(one) & set(other)


def test_case_and_punctuation_make_no_difference():
    text = "Nu är det dags. Kom till torget!"
    one, other = keys_of(text, text.upper().replace("!", "?"))

    assert one == other
