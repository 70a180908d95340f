from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from skord import native
from skord.near_duplicates.minhash import SIGNATURE_SCHEMA, least_equal_bytes
from skord.near_duplicates.partitions import NUM_KEYS, of_partition, overlapping_partitions
from skord.near_duplicates.resolution import Resolution, Rule, rank_order
from skord.near_duplicates.tables import (
    BUCKETS_SCHEMA,
    NO_RANK,
    bucket_parts,
    key_parts,
    num_ranges,
    url_hosts,
)

KEPT = -1


def random_signatures(seed, size=150, families=40, share=0.85):
    """Signatures of shape (size, 112): each agrees with its family's in about `share` bytes."""
    generator = np.random.default_rng(seed)
    base = generator.integers(0, 256, (families, 112), np.uint8)[
        generator.integers(0, families, size)
    ]
    noise = generator.integers(0, 256, (size, 112), np.uint8)
    return np.where(generator.random((size, 112)) < share, base, noise)


def column(signatures, signed=None):
    mask = None if signed is None else ~signed
    return pa.chunked_array([pa.array(map(bytes, signatures), pa.binary(112), mask=mask)])


def shards_of(signatures, digests, ranks, signed=None):
    """The texts in two shards."""
    columns = [column(signatures, signed), pa.chunked_array([pa.array(digests)])]
    table, half = pa.table(columns, schema=SIGNATURE_SCHEMA), len(ranks) // 2
    return [(table[:half], ranks[:half]), (table[half:], ranks[half:])]


def decide(signatures, *, digests=None, signed=None, limit=0.65, rule=Rule.greedy, order=None,
           num_partitions=3, bands_at_once=4, earlier=0, at_once=60):  # fmt: skip
    """All steps, rows in the given order; the first `earlier` texts are an earlier dump's."""
    size = len(signatures)
    digests = np.arange(size, dtype=np.uint64) if digests is None else digests
    signed = np.ones(size, np.bool_) if signed is None else signed
    ranks = np.arange(size, dtype=np.uint32)
    order = np.arange(size) if order is None else order

    def shards(rows, taken):
        kept = np.where(taken[rows], ranks[rows], np.uint32(NO_RANK))
        return shards_of(signatures[rows], digests[rows], kept, signed[rows])

    old = list(key_parts(shards(order, ranks < earlier), num_partitions))
    assert len(old) == NUM_KEYS * num_partitions
    new = shards(order, ranks >= earlier)
    rows, owners, numbers = [], [], []
    groups = [
        range(first, min(first + bands_at_once, NUM_KEYS))
        for first in range(0, NUM_KEYS, bands_at_once)
    ]
    for element in (groups[:2], groups[2:]) if len(groups) > 2 else (groups,):
        counts = Counter()
        tables = list(
            bucket_parts(
                lambda columns: ((table.select(columns), of) for table, of in new),
                element,
                num_partitions,
                lambda band, partition: [old[NUM_KEYS * partition + band]],
                size,
                counts,
            )
        )
        holders = tables[num_ranges(size) :: num_ranges(size) + 1]
        assert len(holders) == len(element)
        del tables[num_ranges(size) :: num_ranges(size) + 1]
        rows.append(pa.concat_tables([BUCKETS_SCHEMA.empty_table(), *tables]))
        owners.append(pa.concat_tables(holders))
        numbers.append(counts)
    near = sum(counts["near"] for counts in numbers)
    total = near + sum(counts["exact"] for counts in numbers)
    owner = np.full(total, -1, np.int32)
    of = [[] for _ in range(size)]
    first_near, first_exact = 0, near
    for table, held, counts in zip(rows, owners, numbers, strict=True):
        number = np.array(
            [first_near + n for n in range(counts["near"])]
            + [first_exact + n for n in range(counts["exact"])],
            np.int64,
        )
        for bucket, rank in zip(
            table["bucket"].to_pylist(), table["rank"].to_pylist(), strict=True
        ):
            of[rank].append(number[bucket])
        for bucket, rank in zip(held["bucket"].to_pylist(), held["rank"].to_pylist(), strict=True):
            owner[number[bucket]] = rank
        first_near, first_exact = first_near + counts["near"], first_exact + counts["exact"]
    words = np.where(signed[:, None], signatures, 0).astype(np.uint8).view(np.uint64)
    resolution = Resolution(size, earlier, owner, near, limit, rule)
    resolution.show(earlier)[:] = words[:earlier]
    for first in range(earlier, size, at_once):
        end = min(first + at_once, size)
        resolution.show(end - first)[:] = words[first:end]
        resolution.decide(
            np.cumsum([0, *map(len, of[first:end])]),
            np.array([b for bs in of[first:end] for b in bs], np.uint32),
        )
    return resolution.outcome()


def test_room_that_removed_texts_leave_is_shown_empty():
    resolution = Resolution(6, 0, np.full(1, -1, np.int32), 0, 0.65)
    resolution.show(4)[:] = 9
    resolution.decide(np.arange(5), np.zeros(4, np.uint32))
    assert not resolution.show(2).any()
    resolution.decide(np.arange(3), np.zeros(2, np.uint32))
    assert resolution.outcome()[0].tolist() == [KEPT, 0, 0, 0, 0, 0]


def by_definition(signatures, digests=None, limit=0.65, kept_before=()):
    """Go by rank; what a band's or digest's first kept text holds is compared with that one."""
    holder, keeper = {}, []
    for rank, signature in enumerate(signatures):
        keys = [(band, bytes(signature[8 * band : 8 * band + 8])) for band in range(14)]
        digest = rank if digests is None else digests[rank]
        actual = {}
        for key in [*keys, ("digest", digest)]:
            if key in holder:
                other = holder[key]
                equal = 112 if key[0] == "digest" else int((signature == signatures[other]).sum())
                actual[other] = max(actual.get(other, 0), equal)
        actual = {n: e for n, e in actual.items() if e >= least_equal_bytes(limit)}
        if actual and rank not in kept_before:
            keeper.append(max(actual, key=lambda n: (actual[n], -n)))
            continue
        keeper.append(KEPT)
        for key in [*keys, ("digest", digest)]:
            holder.setdefault(key, rank)
    return keeper


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("limit", [0.0, 0.65, 0.8])
def test_decision_is_that_of_a_loop_over_single_texts(seed, limit):
    signatures = random_signatures(seed)
    digests = np.random.default_rng(seed).integers(0, 140, len(signatures)).astype(np.uint64)
    keeper, _, _ = decide(signatures, digests=digests, limit=limit)

    assert 0 < np.count_nonzero(keeper >= 0) < len(keeper)
    assert keeper.tolist() == by_definition(signatures, digests.tolist(), limit)


def test_similarity_is_that_to_the_keeper_and_reaches_the_limit():
    signatures = random_signatures(5)
    keeper, similarity, _ = decide(signatures, limit=0.65)
    removed = np.flatnonzero(keeper >= 0)

    for rank in removed:
        share = np.mean(signatures[rank] == signatures[keeper[rank]])
        assert similarity[rank] == pytest.approx((share - 1 / 256) * 256 / 255, abs=1e-6)
        assert similarity[rank] >= 0.65


def test_cluster_is_the_kept_text_and_those_removed_for_it():
    keeper, _, sizes = decide(random_signatures(6))

    for rank, head in enumerate(np.where(keeper >= 0, keeper, np.arange(len(keeper)))):
        assert sizes[rank] == 1 + np.count_nonzero(keeper == head)


@pytest.mark.parametrize(
    ("num_partitions", "bands_at_once", "at_once"), [(1, 15, 150), (2, 1, 7), (7, 2, 149)]
)
@pytest.mark.parametrize("rule", Rule)
def test_neither_order_of_rows_nor_cuts_change_anything(
    num_partitions, bands_at_once, at_once, rule
):
    signatures = random_signatures(9)
    order = np.random.default_rng(num_partitions).permutation(len(signatures))
    one = decide(signatures, rule=rule)
    other = decide(signatures, rule=rule, order=order, num_partitions=num_partitions,
                   bands_at_once=bands_at_once, at_once=at_once)  # fmt: skip

    assert [part.tolist() for part in one] == [part.tolist() for part in other]


@pytest.mark.parametrize("seed", range(4))
def test_a_later_dump_is_decided_as_if_all_were_decided_together(seed):
    """Against what the earlier dump keeps only: its removed texts are not in the index."""
    signatures = random_signatures(seed)
    together, _, _ = decide(signatures)
    kept = np.flatnonzero(together[:80] == KEPT)
    rows = np.concatenate([kept, np.arange(80, len(signatures))])
    keeper, _, _ = decide(signatures[rows], earlier=len(kept))

    assert (keeper[: len(kept)] == KEPT).all()
    own = keeper[len(kept) :]
    assert np.where(own >= 0, rows[own], KEPT).tolist() == together[80:].tolist()


@pytest.mark.parametrize("size", [0, 1, 2])
def test_hardly_any_texts(size):
    keeper, _, _ = decide(np.full((size, 112), 3, np.uint8))

    assert keeper.tolist() == [KEPT, 0][:size]


def test_removed_text_removes_nobody():
    """1 resembles 0 and 2; 0 and 2 do not resemble each other, so 2 stays."""
    chain = np.zeros((3, 112), np.uint8)
    chain[1, 88:] = 1
    chain[2, 64:] = 1

    assert decide(chain)[0].tolist() == [KEPT, 0, KEPT]
    assert decide(chain, rule=Rule.components)[0].tolist() == [KEPT, 0, 0]


def test_components_are_those_of_a_search_over_all_pairs():
    signatures = random_signatures(3, size=90, share=0.8)
    keeper, _, _ = decide(signatures, rule=Rule.components, limit=0.0)
    bands = signatures.view(np.uint64)
    linked = (bands[:, None] == bands[None, :]).any(axis=2)
    reach = linked.copy()
    for _ in range(8):
        reach = (reach.astype(np.int32) @ reach.astype(np.int32)) > 0
    first = reach.argmax(axis=1)

    assert np.where(keeper >= 0, keeper, np.arange(90)).tolist() == first.tolist()
    assert len(set(first.tolist())) < 90


def test_texts_without_a_signature_match_only_their_copies():
    signatures = np.zeros((5, 112), np.uint8)
    digests = np.array([7, 8, 7, 9, 8], np.uint64)
    keeper, similarity, _ = decide(signatures, digests=digests, signed=np.zeros(5, np.bool_))

    assert keeper.tolist() == [KEPT, KEPT, 0, KEPT, 1]
    assert similarity[2] == 1


def test_copies_leave_one_even_if_all_their_bands_are_held_by_others():
    """0 to 13 hold one band each of 14, are too far from it, and so is its copy 15."""
    signatures = np.random.default_rng(1).integers(0, 256, (16, 112), np.uint8)
    signatures[15] = signatures[14]
    for band in range(14):
        signatures[band, 8 * band : 8 * band + 8] = signatures[14, 8 * band : 8 * band + 8]
    digests = np.array([*range(15), 14], np.uint64)

    assert decide(signatures, digests=digests)[0].tolist() == [KEPT] * 15 + [14]


def test_ties_are_broken_by_id_wherever_they_are_among_a_million():
    size, step = (1 << 20) + 3, 1 << 20
    hashes = np.arange(size, dtype=np.uint64)
    expected = np.arange(size)
    for first, end in ((5, 7), (step - 1, step + 2)):
        hashes[first:end] = hashes[first]
        expected[first:end] = expected[first:end][::-1].copy()
    order = rank_order(hashes, None, lambda places: [f"{size - place:09d}" for place in places])
    assert np.array_equal(order, expected)


def test_hashes_that_differ_in_their_low_bits_alone_are_told_apart():
    size = 5000
    order = np.random.default_rng(3).permutation(size)
    hashes = (np.uint64(7) << np.uint64(60)) + order.astype(np.uint64)

    actual = rank_order(hashes, None, lambda _: pytest.fail("nothing is tied"))

    assert np.array_equal(actual, np.argsort(order))


def test_the_same_key_in_two_bands_is_no_match():
    signatures = np.random.default_rng(2).integers(0, 256, (2, 112), np.uint8)
    signatures[0, :8] = signatures[1, 8:16]

    assert decide(signatures, limit=0.0)[0].tolist() == [KEPT, KEPT]


def test_many_identical_texts_are_one_bucket_for_each_key():
    size = 20_000
    signatures = np.random.default_rng(1).integers(0, 256, (size, 112), np.uint8)
    copies = np.arange(size) % 10 < 3
    signatures[copies] = signatures[0]
    digests = np.where(copies, 1, np.arange(size) + 2).astype(np.uint64)
    keeper, _, sizes = decide(signatures, digests=digests)

    assert np.count_nonzero(keeper == 0) == 5_999
    assert sizes[0] == 6_000
    assert np.count_nonzero(keeper == KEPT) == 14_001


def test_keys_of_a_partition_are_the_same_however_many_there_are():
    signatures = random_signatures(4)
    shards = shards_of(signatures, np.arange(150, dtype=np.uint64), np.arange(150, dtype=np.uint32))
    cuts = {n: list(key_parts(shards, n)) for n in (1, 3, 4)}

    for mine, theirs in ((3, 4), (4, 3), (1, 4), (4, 1)):
        for partition in range(mine):
            actual = [
                of_partition(cuts[theirs][NUM_KEYS * other], partition, mine)
                for other in overlapping_partitions(partition, mine, theirs)
            ]
            rows = sorted(pa.concat_tables(actual)["rank"].to_pylist())
            assert rows == sorted(cuts[mine][NUM_KEYS * partition]["rank"].to_pylist())


def test_rows_are_filled_by_rank_and_numbered_through():
    ranks, buckets = np.array([12, 10, 12], np.uint32), np.array([0, 3, 4], np.uint32)
    at, out = np.array([0, 1, 1]), np.zeros(3, np.uint32)
    native.fill_rows(ranks, buckets, (4, 100, 500), 10, at, out)

    assert out.tolist() == [103, 100, 500]


@pytest.mark.parametrize("seed", range(5))
def test_rank_goes_by_quality_then_hash_then_id(seed):
    generator = random.Random(seed)
    ids = [f"urn:uuid:{n}" for n in generator.sample(range(1000), 60)]
    hashes = np.array([generator.randrange(12) for _ in ids], np.uint64)
    quality = np.array([generator.choice([0.5, 1.0, float("nan")]) for _ in ids])

    def ids_at(places):
        return [ids[n] for n in places]

    plain = sorted(range(60), key=lambda n: (hashes[n], ids[n]))
    best = sorted(
        range(60),
        key=lambda n: (np.isnan(quality[n]), -np.nan_to_num(quality[n]), hashes[n], ids[n]),
    )
    assert rank_order(hashes, None, ids_at).tolist() == plain
    assert rank_order(hashes, quality, ids_at).tolist() == best


def test_host_of_an_odd_address_is_what_stands_there():
    urls = ["http://[::1]/", "inte en adress", "HTTPS://WWW.Å.SE?x=http://b", "http://a.b:80#c"]

    assert url_hosts(pa.chunked_array([urls])).to_pylist()[1:] == ["inte en adress", "å.se", "a.b"]
