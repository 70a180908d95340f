"""The order in which texts are decided, of `skord.near_duplicates.ranking`."""

import numpy as np

from pipeline.dedup import ComputeSignatures
from skord.near_duplicates.files import SignedTexts
from skord.near_duplicates.ranking import Ranking
from skord.near_duplicates.tables import NO_RANK
from tests.near_duplicates.conftest import FIRST, Page, text, write_texts

SHARDS = [
    [Page("urn:a", text(1)), Page("urn:b", text(2), passes=False), Page("urn:c", text(3))],
    [Page("urn:d", text(4))],
    [],
    [Page("urn:e", text(5)), Page("urn:c", text(6))],
]


def test_texts_of_one_id_in_several_shards_are_ranked_in_their_order(dedup_settings):
    write_texts(FIRST, SHARDS)
    task = ComputeSignatures(dump=FIRST)
    task.run()
    signed = SignedTexts(task.store, "ComputeSignatures")

    tables, competing = Ranking(signed).parts()

    ranks = [table.column(0).to_pylist() for table in tables]
    assert competing == 5
    assert [len(shard) for shard in ranks] == [3, 1, 0, 2]
    assert ranks[0][1] == NO_RANK
    ranked = [rank for shard in ranks for rank in shard if rank != NO_RANK]
    assert sorted(ranked) == list(range(5))
    assert ranks[3][1] == ranks[0][2] + 1, "one id, one hash: as they come"
    hashes = [
        digest for table in signed.tables(["id_digest"])
        for digest in table["id_digest"].to_pylist() if digest is not None
    ]  # fmt: skip
    assert np.argsort(hashes, kind="stable").tolist() == np.argsort(ranked).tolist()
