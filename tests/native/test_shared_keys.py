"""The compiled loops over keys and decisions, against dictionaries, and with what does not fit."""

import itertools
from collections import defaultdict

import numpy as np
import pytest

from skord import native

NO_RANK = 2**32 - 1


def scattered(keys, ranks, num_parts, taken=b"", times=1):
    scatter = native.key_scatter(1, num_parts)
    for cut in np.array_split(np.arange(len(keys)), times):
        part = taken if isinstance(taken, bytes) else taken[cut]
        native.scatter_keys(scatter, 0, (keys[cut], 1, 0, 1), part, ranks[cut], NO_RANK)
    return scatter


def rows_by_mixed_key(scatter, num_parts):
    """Partition and ranks of every key, in the order in which they are taken."""
    actual = defaultdict(list)
    for part in range(num_parts):
        keys, ranks = native.take_keys(scatter, part)
        pairs = zip(np.frombuffer(keys, np.uint64), np.frombuffer(ranks, np.uint32), strict=True)
        for key, rank in pairs:
            actual[part, int(key)].append(int(rank))
    return actual


@pytest.mark.parametrize(("num_parts", "times"), [(1, 1), (3, 5), (64, 2)])
def test_keys_that_count_are_dealt_by_value_and_in_order(num_parts, times):
    generator = np.random.default_rng(num_parts)
    keys = generator.integers(0, 3000, 20_000).astype(np.uint64)
    ranks = np.arange(20_000, dtype=np.uint32)
    ranks[::7] = NO_RANK
    taken = generator.random(20_000) < 0.8
    actual = rows_by_mixed_key(scattered(keys, ranks, num_parts, taken, times), num_parts)

    groups = defaultdict(list)
    for row in np.flatnonzero(taken & (ranks != NO_RANK)):
        groups[int(keys[row])].append(int(row))
    assert sorted(actual.values()) == sorted(groups.values())
    assert all(key * num_parts >> 64 == part for part, key in actual)


@pytest.mark.parametrize("distinct", [1, 50, 40_000, 2**60])
def test_shared_rows_are_those_of_a_dictionary(distinct):
    generator = np.random.default_rng(3)
    keys = generator.integers(0, distinct, 30_000).astype(np.uint64)
    ranks = generator.permutation(30_000).astype(np.uint32)
    old = generator.integers(0, distinct, 5_000).astype(np.uint64)
    old_ranks = np.arange(5_000, dtype=np.uint32)
    mixed = [native.take_keys(scattered(old[cut], old_ranks[cut], 1), 0)
             for cut in (slice(0, 2_000), slice(2_000, None))]  # fmt: skip
    earlier = [(*pair, dump) for dump, pair in enumerate(mixed)]
    of, bucket, starts, size, held, holders = native.shared_keys(
        scattered(keys, ranks, 1), 0, earlier, 12, 8, 100
    )

    first = {}
    for row, key in enumerate(old.tolist()):
        first.setdefault(key, (row >= 2_000, row))
    groups = defaultdict(list)
    for key, rank in zip(keys.tolist(), ranks.tolist(), strict=True):
        groups[key].append(rank)
    shared = {key: sorted(group) for key, group in groups.items() if len(group) > 1 or key in first}
    actual, of = defaultdict(list), np.frombuffer(of, np.uint32)
    for rank, number in zip(of.tolist(), np.frombuffer(bucket, np.uint32).tolist(), strict=True):
        actual[number].append(rank)
    owner = {int(n): (int(text >> 32) > 0, int(text & (2**32 - 1))) for n, text in zip(
        np.frombuffer(held, np.uint32), np.frombuffer(holders, np.int64), strict=True)}  # fmt: skip
    assert size == len(shared)
    assert set(actual) == set(range(100, 100 + size))
    told = sorted((sorted(group), owner.get(number)) for number, group in actual.items())
    wanted = sorted((group, first.get(key)) for key, group in shared.items())
    assert told == wanted
    for part, (low, high) in enumerate(itertools.pairwise(np.frombuffer(starts, np.int64))):
        assert (of[low:high] >> 12 == part).all()


def run(decide, values):
    first, starts, buckets, *state = values.values()
    decide(first, starts, buckets, tuple(state))


def decided(**changed):
    """Two documents, one bucket, equal signatures."""
    return {
        "first": 0,
        "starts": np.array([0, 1, 2]),
        "buckets": np.zeros(2, np.uint32),
        "owner": np.full(1, -1, np.int32),
        "first_exact": 1,
        "signatures": np.ones((2, 14), np.uint64),
        "slots": np.arange(2, dtype=np.int32),
        "least_equal": 73,
        "keeper": np.full(2, -1, np.int32),
        "equal": np.zeros(2, np.uint8),
        **changed,
    }


@pytest.mark.parametrize("decide", [native.decide_greedily, native.join_components])
@pytest.mark.parametrize(
    "changed",
    [
        {"first": 1},
        {"starts": np.array([0, 1, 3])},
        {"starts": np.array([0, 2, 1])},
        {"buckets": np.array([0, 1], np.uint32)},
        {"owner": np.full(1, 7, np.int32)},
        {"slots": np.array([0, 2], np.int32)},
        {"slots": np.array([0, -1], np.int32)},
        {"signatures": np.ones((1, 14), np.uint64)},
        {"equal": np.zeros(1, np.uint8)},
    ],
)
def test_what_does_not_fit_is_refused(decide, changed):
    values = decided()
    run(decide, values)
    assert values["keeper"].tolist() == [-1, 0]

    with pytest.raises(ValueError, match="fit"):
        run(decide, decided(**changed))


def test_components_that_lead_round_in_a_circle_are_refused():
    with pytest.raises(ValueError, match="fit"):
        run(native.join_components, decided(keeper=np.array([0, -1], np.int32)))


def test_keys_of_other_shapes_are_refused():
    scatter = native.key_scatter(2, 4)
    keys, ranks = np.zeros(3, np.uint64), np.zeros(3, np.uint32)
    for band, words, width, first, count, taken in (
        (2, keys, 1, 0, 1, b""),
        (1, np.zeros(6, np.uint64), 2, 0, 2, b""),
        (0, keys[:2], 1, 0, 1, b""),
        (0, keys, 1, 0, 1, b"\x01"),
        (0, keys, 1, 1, 0, b""),
        (0, keys, 1, 0, 2, b""),
        (0, keys, 0, 0, 0, b""),
    ):
        with pytest.raises(ValueError, match="fit"):
            native.scatter_keys(scatter, band, (words, width, first, count), taken, ranks, NO_RANK)
    with pytest.raises(ValueError, match="fit"):
        native.take_keys(scatter, 8)
    with pytest.raises(ValueError, match="fit"):
        native.shared_keys(scatter, 0, [(keys, ranks[:2], 0)], 12, 1, 0)
    with pytest.raises(ValueError, match="fit"):
        native.count_rows(np.array([9], np.uint32), np.zeros(9, np.uint8))


@pytest.mark.parametrize("first_rank", [0, 40])
def test_signatures_of_wanted_ranks_are_gathered(first_rank):
    generator = np.random.default_rng(3)
    rows = generator.integers(0, 2**63, (200, 14)).astype(np.uint64)
    ranks = generator.permutation(200).astype(np.uint32)
    ranks[::9] = NO_RANK
    signed = generator.random(200) < 0.8
    places = np.full(100, -1, np.int32)
    places[::2] = generator.permutation(50)
    expected = np.zeros((50, 14), np.uint64)
    for row, rank, counts in zip(rows, ranks.astype(np.int64) - first_rank, signed, strict=True):
        if counts and 0 <= rank < 100 and places[rank] >= 0:
            expected[places[rank]] = row
    actual = np.zeros((50, 14), np.uint64)
    native.gather_signatures(rows, signed, ranks, places, first_rank, actual)
    assert np.array_equal(actual, expected)


def test_signatures_of_other_shapes_are_refused():
    rows, signed = np.zeros((3, 14), np.uint64), np.ones(3, np.bool_)
    ranks, places = np.arange(3, dtype=np.uint32), np.arange(3, dtype=np.int32)
    for words, of, out in ((rows[:, :13].copy(), signed, rows.copy()),
                           (rows, signed[:2], rows.copy()),
                           (rows, signed, rows[:2].copy())):  # fmt: skip
        with pytest.raises(ValueError, match="fit"):
            native.gather_signatures(words, of, ranks, places, 0, out)


@pytest.mark.parametrize("cut", [(0, 14), (3, 2), (13, 1)])
def test_some_words_of_each_row_are_dealt_as_if_they_were_columns(cut):
    first, count = cut
    generator = np.random.default_rng(5)
    rows = generator.integers(0, 2**63, (9_000, 14)).astype(np.uint64)
    ranks = generator.permutation(9_000).astype(np.uint32)
    taken = generator.random(9_000) < 0.7
    at_once, alone = native.key_scatter(15, 3), native.key_scatter(15, 3)
    native.scatter_keys(at_once, 1, (rows, 14, first, count), taken, ranks, NO_RANK)
    for key in range(count):
        column = np.ascontiguousarray(rows[:, first + key])
        native.scatter_keys(alone, 1 + key, (column, 1, 0, 1), taken, ranks, NO_RANK)
    actual = [native.take_keys(at_once, place) for place in range(45)]
    assert actual == [native.take_keys(alone, place) for place in range(45)]
    assert sum(len(keys) for keys, _ in actual) == 8 * count * np.count_nonzero(taken)


def test_room_is_used_again_for_other_keys():
    scatter = scattered(
        np.arange(5_000, dtype=np.uint64) // 2, np.arange(5_000, dtype=np.uint32), 1
    )
    assert native.shared_keys(scatter, 0, [], 18, 1, 0)[3] == 2_500
    keys = np.array([7, 8, 7], np.uint64)
    native.scatter_keys(scatter, 0, (keys, 1, 0, 1), b"", np.arange(3, dtype=np.uint32), NO_RANK)
    ranks, _, _, size, *_ = native.shared_keys(scatter, 0, [], 18, 1, 0)
    assert (sorted(np.frombuffer(ranks, np.uint32).tolist()), size) == ([0, 2], 1)
