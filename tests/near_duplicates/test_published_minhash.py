from __future__ import annotations

import hashlib
import random
import re

import numpy as np
import pyarrow as pa
import pytest

from skord.near_duplicates import published_minhash
from skord.near_duplicates.published_minhash import (
    BAND_COLUMNS,
    NUM_BANDS,
    P,
    band_keys,
    normalize_for_minhash,
    published_signatures,
    shingle_hashes,
)

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


@pytest.mark.parametrize("text", PUBLISHED, ids=["swedish", "unicode", "one shingle", "long"])
def test_keys_are_bit_for_bit_the_published_ones(text):
    first, last, digest = PUBLISHED[text]
    keys = band_keys(text)

    assert keys.dtype == np.uint64
    assert (int(keys[0]), int(keys[13])) == (first, last)
    assert hashlib.sha256(keys.astype("<u8").tobytes()).hexdigest()[:16] == digest


def keys_in_whole_numbers(text):
    """The definition, in Python integers: no folding, no approximation."""
    generator = np.random.default_rng(seed=0x5EED)
    a, b, c = (generator.integers(low, P, 112, dtype=np.uint64).tolist() for low in (1, 0, 1))
    z = int(generator.integers(1, P, 1, dtype=np.uint64)[0])
    points = [ord(char) for char in re.sub(r"[^\w ]", "-", text.lower())]
    shingles = {
        sum(z**place * point for place, point in enumerate(points[at : at + 16])) % P
        for at in range(len(points) - 15)
    }
    rows = [min((a[row] * x + b[row]) % P for x in shingles) * c[row] % P for row in range(112)]
    return [sum(rows[band * 8 : band * 8 + 8]) % P for band in range(14)]


@pytest.mark.parametrize("length", [16, 17, 31, 272, 500])
def test_keys_follow_the_definition(length):
    generator = random.Random(length)
    text = "".join(generator.choices("abc åäö.\n😀Σİ1", k=length))

    assert band_keys(text).tolist() == keys_in_whole_numbers(text)


@pytest.mark.parametrize("change", [1, 2**33 - 1, 2**40])
def test_rows_that_the_approximation_cannot_settle_are_computed_exactly(change, monkeypatch):
    """Widening the error bound makes ever more rows uncertain; the keys must not move."""
    expected = band_keys(LONG).tolist()
    monkeypatch.setattr(published_minhash, "_MAX_ERROR", np.uint64(2**33 + change * 2**20))

    assert band_keys(LONG).tolist() == expected


def test_repeated_shingles_in_one_block_do_not_matter():
    shingles = shingle_hashes(LONG)[:100]

    assert (
        published_minhash._permutation_minima(np.tile(shingles, 3)).tolist()
        == published_minhash._permutation_minima(shingles).tolist()
    )


@pytest.mark.parametrize("size", [1, 15, 16, 17, 255, 4096])
def test_smallest_values_are_found_wherever_they_stand(size):
    shingles = np.random.default_rng(size).integers(0, P, size, dtype=np.uint64)
    a, b = (
        published_minhash._permutation_numbers().a.tolist(),
        published_minhash._permutation_numbers().b.tolist(),
    )
    exact = [min((a[row] * x + b[row]) % P for x in shingles.tolist()) for row in range(112)]

    assert published_minhash._permutation_minima(shingles).tolist() == exact


def shingles_of_first_row(values):
    """Shingles for which (a x + b) mod P of the first row are these values."""
    a, b = (
        int(published_minhash._permutation_numbers().a[0]),
        int(published_minhash._permutation_numbers().b[0]),
    )
    return np.array([(value - b) * pow(a, -1, P) % P for value in values], dtype=np.uint64)


@pytest.mark.parametrize("seed", range(5))
def test_values_too_close_for_the_approximation_are_told_apart(seed):
    steps = random.Random(seed).sample(range(1024), 1024)
    shingles = shingles_of_first_row([P // 2 + step for step in steps])

    assert published_minhash._permutation_minima(shingles)[0] == P // 2


def test_value_close_to_zero_is_found():
    shingles = shingles_of_first_row([1, *(P // part for part in range(2, 40))])

    assert published_minhash._permutation_minima(shingles)[0] == 1


def test_shingles_are_distinct():
    hashes = shingle_hashes("samma rad om igen\n" * 50)

    assert len(hashes) == 18
    assert np.all(hashes[1:] > hashes[:-1])


def test_values_that_wrap_around_are_not_taken_for_small_ones():
    shingles = shingles_of_first_row([*range(P - 40, P), P // 3])

    assert published_minhash._permutation_minima(shingles)[0] == P // 3


def test_text_longer_than_a_block_is_the_minimum_over_its_blocks(monkeypatch):
    expected = band_keys(LONG).tolist()
    monkeypatch.setattr(published_minhash, "_BLOCK", 160)

    assert len(shingle_hashes(LONG)) > 4096
    assert band_keys(LONG).tolist() == expected


@pytest.mark.parametrize("text", ["", "x", "x" * 15, "İ" * 7])
def test_text_without_a_shingle_has_no_keys(text):
    assert band_keys(text) is None


def test_length_is_that_of_the_normalised_text():
    assert len("İ" * 8) < 16 <= len(normalize_for_minhash("İ" * 8))
    assert band_keys("İ" * 8) is not None


def test_sixteen_characters_are_enough_and_all_count():
    assert band_keys("abcdefghijklmnop").shape == (NUM_BANDS,) == (len(BAND_COLUMNS),)
    assert not np.any(band_keys("abcdefghijklmnop") == band_keys("abcdefghijklmnoq"))


def test_case_and_punctuation_make_no_difference():
    text = "Nu är det dags. Kom till torget!"

    assert band_keys(text).tolist() == band_keys(text.upper().replace("!", "?")).tolist()


def test_share_of_pairs_found_follows_the_curve():
    """Pairs of known similarity: found about as often as 1 - (1 - J^8)^14 says."""
    generator = random.Random(5)
    actual, expected = {0.5: 0, 0.9: 0}, {0.5: 0.0, 0.9: 0.0}
    for overlap in actual:
        for _ in range(40):
            common = "".join(generator.choices("abcdefghij ", k=int(1200 * overlap)))
            one, other = (
                common + "".join(generator.choices("klmnopqrst ", k=1200 - len(common)))
                for _ in range(2)
            )
            sets = [set(shingle_hashes(text).tolist()) for text in (one, other)]
            jaccard = len(sets[0] & sets[1]) / len(sets[0] | sets[1])
            expected[overlap] += 1 - (1 - jaccard**8) ** 14
            actual[overlap] += bool(np.any(band_keys(one) == band_keys(other)))

    assert actual[0.5] == pytest.approx(expected[0.5], abs=5)
    assert actual[0.9] == pytest.approx(expected[0.9], abs=8)


def test_columns_are_the_keys_of_each_text_greek_and_turkish_included():
    generator = random.Random(3)
    letters = "abcdefghij åäöÅß.,\n\t_09ΣσςİıẞЖждㄱ漢字😀\u00a0"
    texts = ["".join(generator.choices(letters, k=n)) for n in range(0, 700, 7)]
    texts += [*PUBLISHED, "ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΙΣΥΦΟΣ.", "İstanbul'da İYİ günler", "x" * 16, "å" * 15]

    table = published_signatures(pa.array([*texts, None]))

    assert tuple(table.column_names) == BAND_COLUMNS
    for text, row in zip(texts, zip(*table.to_pydict().values(), strict=True), strict=False):
        keys = band_keys(text)
        assert list(row) == ([None] * 14 if keys is None else keys.tolist())
    assert [column[-1].as_py() for column in table.columns] == [None] * 14
