"""Which of the near-duplicate documents is kept, decided out of core and without pairs.

The decision is greedy in rank order: a document is removed if and only if it shares a band
key with a document that is KEPT. Unlike joining everything that is connected, this never
lets A remove C because both resemble a B that is gone, and unlike dropping duplicates band
by band it depends on nothing but the ranks: not on shards, partitions or the order of rows.
Ranks come from the dump order and a hash of the document id, so adding a later dump changes
no earlier decision.

1. per shard, the rows (band key, rank) of each band are cut up by `partition_of`;
2. per band and partition, `candidate_buckets` keeps the keys that two or more documents
   share; a bucket of any size costs its rows only;
3. once, `join_buckets` numbers the buckets of all partitions and `GreedyResolution` reads
   their rows in order of rank, any number of documents at a time.

Documents that failed a filter must not take part: a bad page must not remove its good twin.
The digests of whole texts can take part as one more band; they find exact copies among the
texts that are too short for a band key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Ranks = NDArray[np.int64]
Buckets = NDArray[np.int64]

KEPT = -1
"""Stands in `duplicate_of` for "no kept document resembles this one"."""
_NOBODY = np.int64(2**63 - 1)


def id_hash(document_id: str) -> int:
    """64 bits of BLAKE2b of a document id: an order of documents that favours no site.

    >>> hex(id_hash("urn:uuid:0"))
    '0xe90d35b5e1967e91'
    """
    digest = hashlib.blake2b(document_id.encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big")


def rank_documents(dump_order: NDArray[np.int64], hashes: Keys, ids: Sequence[str]) -> Ranks:
    """The rank of each document, 0 for the first: by dump, then hash of the id, then id.

    Args:
        dump_order: shape (documents,), the place of each document's dump among the dumps.
        hashes: shape (documents,), `id_hash` of each id.
        ids: looked up only where two hashes in a dump are equal. If one dump holds an id
            twice, the earlier row ranks first.

    >>> rank_documents(np.array([1, 0, 1]), np.array([8, 9, 7], np.uint64), "abc").tolist()
    [2, 0, 1]
    """
    order = np.lexsort((hashes, dump_order))
    dump, key = dump_order[order], hashes[order]
    tied = np.flatnonzero((dump[1:] == dump[:-1]) & (key[1:] == key[:-1]))
    for run in np.split(tied, np.flatnonzero(np.diff(tied) > 1) + 1) if len(tied) else []:
        rows = slice(run[0], run[-1] + 2)
        order[rows] = sorted(order[rows].tolist(), key=ids.__getitem__)
    rank_of = np.empty(len(order), dtype=np.int64)
    rank_of[order] = np.arange(len(order))
    return rank_of


def partition_of(keys: Keys, num_partitions: int) -> NDArray[np.int64]:
    """Which partition handles each band key; equal keys always meet in the same one.

    Keys of every band are spread evenly, so their remainder is as good as a hash.

    >>> partition_of(np.array([10, 11, 10], np.uint64), 4).tolist()
    [2, 3, 2]
    """
    return (keys % np.uint64(num_partitions)).astype(np.int64)


def candidate_buckets(keys: Keys, documents: Ranks) -> tuple[Ranks, Buckets]:
    """The rows of one band and partition whose key two or more documents share.

    Args:
        keys: shape (rows,), band keys in any order.
        documents: shape (rows,), the rank of the document of each row; no document may hold
            the same key twice.

    Returns:
        Ranks and bucket numbers of the rows that are left. Buckets are numbered from 0 in
        order of their keys.

    >>> [column.tolist() for column in candidate_buckets(
    ...     np.array([9, 5, 7, 5, 9], np.uint64), np.array([0, 1, 2, 3, 4]))]
    [[1, 3, 0, 4], [0, 0, 1, 1]]
    """
    order = np.lexsort((documents, keys))
    _, sizes = np.unique(keys[order], return_counts=True)
    shared = sizes >= 2
    buckets = np.repeat(np.arange(np.count_nonzero(shared)), sizes[shared])
    return documents[order][np.repeat(shared, sizes)], buckets.astype(np.int64)


def join_buckets(parts: Sequence[tuple[Ranks, Buckets]]) -> tuple[Ranks, Buckets, int]:
    """Rows of all bands and partitions with buckets numbered through, and their number.

    >>> part = np.array([1, 3]), np.array([0, 0])
    >>> [np.asarray(column).tolist() for column in join_buckets([part, part])]
    [[1, 3, 1, 3], [0, 0, 1, 1], 2]
    """
    sizes = [int(buckets.max()) + 1 if len(buckets) else 0 for _, buckets in parts]
    firsts = np.cumsum([0, *sizes])
    none = np.empty(0, dtype=np.int64)
    documents = np.concatenate([none, *(documents for documents, _ in parts)])
    numbered = [buckets + first for (_, buckets), first in zip(parts, firsts[:-1], strict=True)]
    return documents, np.concatenate([none, *numbered]), int(firsts[-1])


def greedy_keep(num_documents: int, documents: Ranks, buckets: Buckets) -> Ranks:
    """Decide all documents at once.

    Args:
        num_documents: all of them; ranks run from 0 to num_documents - 1.
        documents: shape (rows,), ranks, as `join_buckets` returns them, in any order.
        buckets: shape (rows,).

    Returns:
        `duplicate_of`, shape (num_documents,): the lowest rank among the kept documents that
        removed this one, or `KEPT`.

    >>> chain = np.array([0, 1, 1, 2]), np.array([0, 0, 1, 1])  # 1 resembles 0 and 2
    >>> greedy_keep(4, *chain).tolist()
    [-1, 0, -1, -1]
    """
    duplicate_of = np.full(num_documents, KEPT, dtype=np.int64)
    num_buckets = int(buckets.max()) + 1 if len(buckets) else 0
    decided, removed_by = GreedyResolution(num_buckets).decide(documents, buckets)
    duplicate_of[decided] = removed_by
    return duplicate_of


class GreedyResolution:
    """The decision as a stream; its only state is one kept document for each bucket.

    Args:
        num_buckets: of all partitions together; 8 bytes are held for each.
    """

    def __init__(self, num_buckets: int) -> None:
        self._owner = np.full(num_buckets, _NOBODY, dtype=np.int64)

    def decide(self, documents: Ranks, buckets: Buckets) -> tuple[Ranks, Ranks]:
        """Decide the next documents.

        Args:
            documents: shape (rows,), ranks above those of every earlier call; all rows of a
                document come in one call.
            buckets: shape (rows,), the bucket of each row.

        Returns:
            The distinct ranks, ascending, and beside each the `duplicate_of` of that document.
        """
        distinct, document_of = np.unique(documents, return_inverse=True)
        used, bucket_of = np.unique(buckets, return_inverse=True)
        owner = self._owner[used]
        _claim_buckets(owner, bucket_of, document_of, distinct)
        self._owner[used] = owner
        before = np.where(owner[bucket_of] < documents, owner[bucket_of], _NOBODY)
        removed_by = np.full(len(distinct), _NOBODY)
        np.minimum.at(removed_by, document_of, before)
        return distinct, np.where(removed_by == _NOBODY, KEPT, removed_by)


def _claim_buckets(
    owner: Ranks, bucket_of: Buckets, document_of: Ranks, rank: NDArray[np.int64]
) -> None:
    """Write into `owner` the rank of the one kept document of each bucket.

    Args:
        owner: shape (buckets,), from earlier calls or `_NOBODY`; changed in place.
        bucket_of: shape (rows,), index into `owner`.
        document_of: shape (rows,), index into `rank`.
        rank: shape (documents,), ascending.

    In every round a document goes if one of its buckets is owned, and is kept if it is the
    first undecided one in all of them: exactly when a loop over single documents would reach
    it with nothing before it left to decide. As ranks within a dump are random, few rounds
    are needed: their number is that of the longest chain of documents in which each waits
    for the one before.
    """
    while len(document_of):
        undecided = ~_of_any_row(owner[bucket_of] != _NOBODY, document_of, len(rank))
        bucket_of, document_of = bucket_of[undecided], document_of[undecided]
        first = np.full(len(owner), len(rank))
        np.minimum.at(first, bucket_of, document_of)
        waiting = _of_any_row(first[bucket_of] < document_of, document_of, len(rank))
        owner[bucket_of[~waiting]] = rank[document_of[~waiting]]
        bucket_of, document_of = bucket_of[waiting], document_of[waiting]


def _of_any_row(
    holds: NDArray[np.bool_], document_of: Ranks, num_documents: int
) -> NDArray[np.bool_]:
    """True for every row of a document of which any row holds."""
    documents = np.zeros(num_documents, dtype=np.bool_)
    documents[document_of[holds]] = True
    return documents[document_of]
