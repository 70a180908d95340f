from __future__ import annotations

import random

import numpy as np
import pytest

from pipeline.transforms.duplicates import (
    KEPT,
    GreedyResolution,
    candidate_buckets,
    greedy_keep,
    id_hash,
    join_buckets,
    partition_of,
    rank_documents,
)


def random_bands(seed, num_documents=120, num_bands=5, pool=70):
    """Band keys of shape (documents, bands), many of them shared."""
    generator = np.random.default_rng(seed)
    return generator.integers(0, pool, (num_documents, num_bands)).astype(np.uint64)


def resolve(bands, order=None, num_partitions=3):
    """All phases, with the rows of every band in the given order."""
    rows = np.arange(len(bands)) if order is None else order
    parts = []
    for band in range(bands.shape[1]):
        keys = bands[rows, band]
        for partition in range(num_partitions):
            here = partition_of(keys, num_partitions) == partition
            parts.append(candidate_buckets(keys[here], rows[here]))
    documents, buckets, _ = join_buckets(parts)
    return greedy_keep(len(bands), documents, buckets)


def one_by_one(bands):
    """The definition, as a loop: go by rank, remove what shares a band with a kept one."""
    duplicate_of = []
    for rank, keys in enumerate(bands):
        kept = [r for r in range(rank) if duplicate_of[r] == KEPT and np.any(bands[r] == keys)]
        duplicate_of.append(min(kept, default=KEPT))
    return duplicate_of


@pytest.mark.parametrize("seed", range(20))
def test_decision_is_that_of_a_loop_over_single_documents(seed):
    bands = random_bands(seed, pool=20 + 15 * seed)

    assert resolve(bands).tolist() == one_by_one(bands)


@pytest.mark.parametrize("seed", range(5))
def test_no_two_kept_documents_share_a_band_and_only_kept_ones_remove(seed):
    bands = random_bands(seed)
    duplicate_of = resolve(bands)
    kept = bands[duplicate_of == KEPT]
    removed = np.flatnonzero(duplicate_of != KEPT)

    assert all(len(set(column.tolist())) == len(kept) for column in kept.T)
    assert 0 < len(removed) < len(bands)
    for rank in removed:
        owner = duplicate_of[rank]
        assert owner < rank
        assert duplicate_of[owner] == KEPT
        assert np.any(bands[owner] == bands[rank])


@pytest.mark.parametrize("num_partitions", [1, 2, 7])
def test_order_of_rows_and_number_of_partitions_change_nothing(num_partitions):
    bands = random_bands(9)
    order = np.random.default_rng(num_partitions).permutation(len(bands))

    assert resolve(bands, order, num_partitions).tolist() == resolve(bands).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_adding_documents_of_a_later_rank_changes_no_earlier_decision(seed):
    bands = random_bands(seed)

    assert resolve(bands)[:80].tolist() == resolve(bands[:80]).tolist()


@pytest.mark.parametrize("num_documents", [0, 1, 2])
def test_hardly_any_documents(num_documents):
    same = np.ones((num_documents, 14), dtype=np.uint64)

    assert resolve(same).tolist() == [-1, 0][:num_documents]


def test_removed_document_removes_nobody():
    """1 shares a band with 0 and another with 2; 0 and 2 share nothing, so 2 stays."""
    bands = np.array([[1, 4], [1, 5], [2, 5]], dtype=np.uint64)

    assert resolve(bands).tolist() == [KEPT, 0, KEPT]


def test_duplicate_of_names_the_first_kept_document():
    bands = np.array([[1, 4], [2, 5], [2, 4]], dtype=np.uint64)

    assert resolve(bands).tolist() == [KEPT, KEPT, 0]


def test_long_chain_is_decided_link_by_link():
    """Each document shares a band with the next only: every other one stays."""
    numbers = np.arange(501, dtype=np.uint64)
    bands = np.stack([numbers // 2, (numbers + 1) // 2 + 1000], axis=1)

    assert resolve(bands).tolist() == [-1 if n % 2 == 0 else n - 1 for n in range(501)]


def test_thirty_percent_identical_documents_leave_one():
    bands = np.random.default_rng(1).integers(0, 2**61, (20_000, 14), dtype=np.uint64)
    bands[::10], bands[3::10], bands[7::10] = bands[0], bands[0], bands[0]
    duplicate_of = resolve(bands)

    assert np.count_nonzero(duplicate_of == 0) == 5_999
    assert np.count_nonzero(duplicate_of == KEPT) == 14_001


@pytest.mark.parametrize("step", [1, 17, 120])
def test_stream_of_rank_ranges_decides_as_one_call_does(step):
    bands = random_bands(11)
    rows = np.arange(len(bands))
    documents, buckets, num_buckets = join_buckets(
        [candidate_buckets(bands[:, band], rows) for band in range(bands.shape[1])]
    )
    stream, streamed = GreedyResolution(num_buckets), np.full(len(bands), KEPT)
    for start in range(0, len(bands), step):
        here = (documents >= start) & (documents < start + step)
        ranks, duplicate_of = stream.decide(documents[here], buckets[here])
        streamed[ranks] = duplicate_of

    assert streamed.tolist() == greedy_keep(len(bands), documents, buckets).tolist()


def test_rows_in_any_order_give_the_same_rows_out():
    keys = random_bands(3)[:, 0]
    order = np.random.default_rng(4).permutation(len(keys))
    expected = candidate_buckets(keys, np.arange(len(keys)))

    for column, again in zip(expected, candidate_buckets(keys[order], order), strict=True):
        assert column.tolist() == again.tolist()


def test_keys_that_one_document_holds_alone_leave_no_rows():
    keys = np.array([3, 1, 2, 2**64 - 1, 0], dtype=np.uint64)
    documents, buckets = candidate_buckets(keys, np.arange(5))

    assert (len(documents), len(buckets)) == (0, 0)


def test_buckets_of_different_bands_are_not_mixed_up():
    """The same number is the key of one document in one band and of another in the next."""
    bands = np.array([[7, 1], [2, 7]], dtype=np.uint64)

    assert resolve(bands, num_partitions=1).tolist() == [KEPT, KEPT]


def test_ranks_go_by_dump_then_hash_and_do_not_depend_on_the_order_of_rows():
    ids = [f"urn:uuid:{n}" for n in range(50)]
    dumps = np.array([n % 3 for n in range(50)])
    hashes = np.array([id_hash(document_id) for document_id in ids], dtype=np.uint64)
    shuffled = random.Random(1).sample(range(50), 50)
    ranks = rank_documents(dumps, hashes, ids)
    again = rank_documents(dumps[shuffled], hashes[shuffled], [ids[n] for n in shuffled])

    by_definition = sorted(range(50), key=lambda n: (dumps[n], hashes[n], ids[n]))
    assert np.argsort(ranks).tolist() == by_definition
    assert again.tolist() == ranks[shuffled].tolist()


def test_equal_hashes_are_ranked_by_id():
    hashes = np.array([5, 5, 1, 5, 9, 9], dtype=np.uint64)

    ranks = rank_documents(np.zeros(6, np.int64), hashes, ["c", "a", "x", "b", "z", "y"])

    assert ranks.tolist() == [3, 1, 0, 2, 5, 4]


def test_equal_hashes_in_two_dumps_are_no_tie():
    ranks = rank_documents(np.array([1, 0]), np.array([5, 5], np.uint64), ["a", "b"])

    assert ranks.tolist() == [1, 0]


def test_no_documents_have_no_ranks():
    assert rank_documents(np.empty(0, np.int64), np.empty(0, np.uint64), []).tolist() == []
