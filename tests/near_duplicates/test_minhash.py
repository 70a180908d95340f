from __future__ import annotations

import random
import unicodedata

import numpy as np
import pyarrow as pa
import pytest

from skord.native import sketches
from skord.near_duplicates.minhash import (
    SHINGLE_CHARS,
    SIGNATURE_SCHEMA,
    band_keys,
    compared_form,
    least_equal_bytes,
    minhash_signatures,
    signature_rows,
    similarity_of,
)
from skord.near_duplicates.published_minhash import normalize_for_minhash

LETTERS = "abcdefghij åäöÅß.,\n\t_09ΣσςİıẞЖждㄱ漢字😀\u00a0"
XXH64 = {
    "": 0xEF46DB3751D8E999,
    "a": 0xD24EC4F1A98C6E5B,
    "abc": 0x44BC2CF5AD770999,
    "Hej på dig": None,
}
"""Test values of the xxHash specification."""


def signed(*texts):
    return minhash_signatures(pa.array(texts, pa.string()))


def rows(*texts):
    return signature_rows(signed(*texts)["minhash"])


def equal_bytes(one, other):
    first, second = rows(one, other)
    return int(np.count_nonzero(first == second))


def random_text(generator, size, letters="abcdefghij "):
    return "".join(generator.choices(letters, k=size))


def jaccard(one, other):
    sets = [
        {normal[at : at + 16] for at in range(len(normal) - 15)}
        for normal in map(normalize_for_minhash, (one, other))
    ]
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


TEXT = "Trots kylan målar skogen kvarnen, för väggen stänger inte dammen längre."


def sketch_by_definition(text):
    """The signature in Python integers, run by run."""
    half, full = 2**32 - 1, 2**64 - 1

    def finished(x):
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & full
        x = (x ^ x >> 27) * 0x94D049BB133111EB & full
        return x ^ x >> 31

    points = [ord(char) for char in normalize_for_minhash(text)]
    smallest = [half] * 112
    for at in range(len(points) - 15):
        hashed = 0
        for point in points[at : at + 16]:
            hashed = (hashed * 0x9E3779B97F4A7C15 + point) & full
        mixed = (hashed ^ hashed >> 29) * 0xBF58476D1CE4E5B9 & full
        mixed ^= mixed >> 32
        place = (mixed >> 32) * 112 >> 32
        smallest[place] = min(smallest[place], (mixed * 0x94D049BB133111EB & full) >> 32)
    actual = []
    for place in range(112):
        value, attempt = smallest[place], 0
        while value == half:
            attempt += 1
            value = smallest[(finished(place << 32 | attempt) >> 32) * 112 >> 32]
        actual.append(finished(place << 32 ^ value) >> 56)
    return bytes(actual)


@pytest.mark.parametrize("length", [16, 17, 40, 111, 128, 500, 3000])
def test_signature_follows_the_definition(length):
    text = random_text(random.Random(length), length, "abcdefghij åäöÅ.,\n_09Жд漢字😀")

    assert signed(text)["minhash"][0].as_py() == sketch_by_definition(text)


@pytest.mark.parametrize(
    "other",
    [
        "\u00a0".join(TEXT.split()), "\u2009".join(TEXT.split()), "\u3000".join(TEXT.split()),
        "\t".join(TEXT.split()), unicodedata.normalize("NFD", TEXT),
        unicodedata.normalize("NFD", "\u202f".join(TEXT.split())),
    ],
)  # fmt: skip
def test_blanks_and_composition_make_no_difference(other):
    assert signed(other).equals(signed(TEXT))
    assert signed(other.upper())["minhash"].equals(signed(TEXT)["minhash"])


def test_every_code_point_is_normalised_as_published_but_for_two_letters():
    """`İ` becomes two code points in lower case, `Σ` one of two, by what stands after it."""
    points = [
        chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000 and n not in (0x130, 0x3A3)
    ]
    chosen = random.Random(1).sample(points, 30_000) + [
        chr(n) for n in range(0x500) if chr(n) in points
    ]
    pad = "abcdefghijklmnopq"
    texts = compared_form(pa.array([pad + char + pad for char in chosen])).to_pylist()
    ours = rows(*(pad + char + pad for char in chosen))
    published = rows(*map(normalize_for_minhash, texts))
    differing = [
        c for c, one, other in zip(chosen, ours, published, strict=True) if (one != other).any()
    ]

    assert set(differing) <= {"ς"}


def test_case_and_punctuation_make_no_difference_in_greek_and_turkish_either():
    for text in ("Nu är det dags. Kom till torget!", "ΟΔΟΣ ΣΑΣ, ΟΔΟΣ ΣΑΣ!", "IĞDIR VE İSTANBUL"):
        assert equal_bytes(text, text.lower().replace("i̇", "i").replace("!", "?")) == 112


@pytest.mark.parametrize("text", ["", "x", "x" * 15, "å" * 15, None])
def test_text_without_a_run_has_no_signature(text):
    assert signed(text, "x" * 16)["minhash"].is_null().to_pylist() == [True, False]


def test_null_has_no_digest_and_the_empty_text_has():
    assert signed(None, "")["text_digest"].to_pylist() == [None, XXH64[""]]


@pytest.mark.parametrize("text", [text for text, digest in XXH64.items() if digest])
def test_digest_is_that_of_the_specification(text):
    assert signed(text)["text_digest"][0].as_py() == XXH64[text]


@pytest.mark.parametrize("length", [0, 1, 3, 4, 7, 8, 31, 32, 33, 63, 64, 100])
def test_digest_counts_every_byte(length):
    text = random_text(random.Random(length), length)
    changed = [text[:at] + "Z" + text[at + 1 :] for at in range(length)]

    digests = signed(text, *changed, text + "Z")["text_digest"].to_pylist()

    assert len(set(digests)) == length + 2


def test_texts_of_one_run_each_do_not_resemble_each_other():
    """All their bins hold one value; the byte of each bin must still be its own."""
    generator = random.Random(2)
    texts = [random_text(generator, SHINGLE_CHARS) for _ in range(400)]
    keys = band_keys(rows(*texts))

    assert all(len(set(column.tolist())) == len(set(texts)) for column in keys.T)


@pytest.mark.parametrize("overlap", [0.3, 0.5, 0.7, 0.9])
def test_equal_bytes_estimate_the_similarity(overlap):
    generator = random.Random(7)
    errors = []
    for _ in range(60):
        common = random_text(generator, int(2000 * overlap))
        one, other = (common + random_text(generator, 2000 - len(common)) for _ in range(2))
        errors.append(float(similarity_of(equal_bytes(one, other))) - jaccard(one, other))

    assert np.mean(errors) == pytest.approx(0, abs=0.02)
    assert np.std(errors) < 0.06


def test_share_of_pairs_found_follows_the_curve():
    """Pairs of known similarity: found about as often as 1 - (1 - J^8)^14 says."""
    generator = random.Random(5)
    for overlap, tolerance in ((0.5, 6), (0.85, 9)):
        actual, expected = 0, 0.0
        for _ in range(60):
            common = random_text(generator, int(1500 * overlap))
            one, other = (common + random_text(generator, 1500 - len(common)) for _ in range(2))
            expected += 1 - (1 - jaccard(one, other) ** 8) ** 14
            actual += bool(np.any(np.equal(*band_keys(rows(one, other)))))
        assert actual == pytest.approx(expected, abs=tolerance)


def test_slices_chunks_and_large_strings_give_the_same():
    texts = [random_text(random.Random(n), 10 * n, LETTERS) for n in range(40)] + [None]
    whole = minhash_signatures(pa.array(texts))
    large = minhash_signatures(pa.array(texts, pa.large_string()))
    sliced = minhash_signatures(pa.array(["före", *texts]).slice(1))
    chunked = minhash_signatures(pa.chunked_array([texts[:5], [], texts[5:]], pa.string()))

    assert whole.schema == SIGNATURE_SCHEMA
    assert whole.equals(large)
    assert whole.equals(sliced)
    assert whole.equals(chunked)
    assert minhash_signatures(pa.chunked_array([], pa.string())).num_rows == 0


def test_rows_of_a_sliced_column_are_its_own():
    column = signed(*(f"text nummer {n} och mera" for n in range(9)))["minhash"].combine_chunks()

    assert signature_rows(column.slice(3, 2)).tolist() == signature_rows(column)[3:5].tolist()


def test_fewest_equal_bytes_reach_the_limit_and_one_less_does_not():
    for limit in (0.3, 0.5, 0.65, 0.8, 1.0):
        least = least_equal_bytes(limit)
        assert similarity_of(least) >= np.float32(limit) > similarity_of(least - 1)
    assert least_equal_bytes(0) == 0


def test_a_text_whose_only_run_has_the_hash_of_an_empty_bin_has_a_sketch_all_the_same():
    numbers = np.arange(0x110000, dtype=np.uint32)
    numbers[[ord(letter) for letter in "abc"]] = 2400576192, 2534626204, 271041745  # solved for
    starts, data = np.array([0, 3], np.uint64), np.frombuffer(b"abc", np.uint8)
    out, valid = np.zeros((1, 112), np.uint8), np.zeros(1, np.bool_)

    sketches(starts, data, numbers, 3, 112, out, valid)

    assert valid[0]
    assert len(set(out[0].tolist())) > 50
