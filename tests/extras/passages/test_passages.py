"""Passages that texts repeat: all of them, and nothing else, however the texts are dealt."""

import random
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras.passages.passage_files import PassageFiles
from skord.extras.passages.passages import (
    PRINTS_SCHEMA,
    anchors,
    by_key,
    is_in,
    marked_texts,
    passage_fingerprints,
    passage_spans,
    removed_spans,
    repeated_prints,
)
from skord.near_duplicates.minhash import digests_of
from skord.text.cuts import cut_out

LENGTH = 50


def texts_with_passages(seed=1, number=400):
    """Random words; passages of 50 to 120 tokens in two to five places, some in one text."""
    chance = random.Random(seed)
    words = [
        [f"ord{chance.randrange(30_000)}" for _ in range(chance.randint(20, 300))]
        for _ in range(number)
    ]
    for _ in range(60):
        passage = [f"delad{chance.randrange(30_000)}" for _ in range(chance.randint(LENGTH, 120))]
        for _ in range(chance.randint(2, 5)):
            text = words[chance.randrange(number)]
            at = chance.randint(0, len(text))
            text[at:at] = passage
    for _ in range(40):  # one token too short
        passage = [f"kort{chance.randrange(30_000)}" for _ in range(LENGTH - 1)]
        for _ in range(2):
            words[chance.randrange(number)] += [f"mellan{chance.random()}", *passage]
    blanks = [" ", "\n", "\n\n", "  "]
    return ["".join(word + chance.choice(blanks) for word in text) for text in words]


def truly_repeated(texts):
    """By brute force: for each text the tokens in a run of LENGTH that occurs more than once."""
    seen = {}
    for text, whole in enumerate(texts):
        tokens = whole.split()
        for at in range(len(tokens) - LENGTH + 1):
            seen.setdefault(tuple(tokens[at : at + LENGTH]), []).append((text, at))
    actual = [set() for _ in texts]
    for places in seen.values():
        if len(places) > 1:
            for text, at in places:
                actual[text].update(range(at, at + LENGTH))
    return actual


def found_in(texts, num_shards, num_partitions):
    """Ranges of each text, worked out shard by shard and part by part."""
    ids = [f"urn:{n}" for n in range(len(texts))]
    dealt = [list(range(shard, len(texts), num_shards)) for shard in range(num_shards)]
    columns = [pa.chunked_array([[texts[n] for n in rows]], pa.string()) for rows in dealt]
    keys = np.sort(np.concatenate([anchors(column, LENGTH)[0] for column in columns]))
    again = np.unique(keys[1:][keys[1:] == keys[:-1]])
    tables = [
        around(again, column, digests_of(pa.array([ids[n] for n in rows])), shard)
        for shard, (column, rows) in enumerate(zip(columns, dealt, strict=True))
    ]
    parts = zip(*(by_key(table, "high", num_partitions) for table in tables), strict=True)
    rows = [row for part in parts for row in repeated_prints(pa.concat_tables(part)).to_pylist()]
    result = [[] for _ in texts]
    for shard, mine in enumerate(dealt):
        for place, text in enumerate(mine):
            own = sorted(
                (r["place"], r["copies"], r["is_first"])
                for r in rows if r["shard"] == shard and r["row"] == place
            )  # fmt: skip
            if own:
                places, copies, first = (np.array(column) for column in zip(*own, strict=True))
                result[text] = passage_spans(texts[text], places, copies, first, LENGTH)
    return result


def around(again, column, ranks, shard):
    keys, of, places = anchors(column, LENGTH)
    mine = is_in(keys, again)
    return passage_fingerprints(column, LENGTH, of[mine], places[mine], ranks, shard, 0)


def found_by_files(folder, texts, num_shards, num_partitions, rows):
    """The same by way of the task's files, with so many rows at a time."""
    dealt = [list(range(shard, len(texts), num_shards)) for shard in range(num_shards)]
    store = ColumnStore(Storage(str(folder)), "2024-10")
    files = PassageFiles(store, "T", "f" * 16, num_shards, num_partitions, LENGTH, rows)

    def batches(shard):
        for at in range(0, len(dealt[shard]), 30):
            part = dealt[shard][at : at + 30]
            yield pa.chunked_array([[f"urn:{n}" for n in part]]), column_of(texts, part)

    for shard in range(num_shards):
        files.list_anchors(shard, batches(shard))
    for part in range(num_partitions):
        files.find_anchors(part)
    for shard in range(num_shards):
        files.list_prints(shard, lambda shard=shard: batches(shard))
    for part in range(num_partitions):
        files.find_prints(part)
    result = [[] for _ in texts]
    for shard, mine in enumerate(dealt):
        passages = marked_texts(files.of_shard(shard), 0, column_of(texts, mine), LENGTH)
        for text, ranges in zip(mine, passages, strict=True):
            result[text] = ranges
    return result


def column_of(texts, rows):
    return pa.chunked_array([[texts[n] for n in rows]], pa.string())


@pytest.fixture(scope="module")
def texts():
    return texts_with_passages()


@pytest.fixture(scope="module")
def answer(texts):
    return found_in(texts, 1, 1)


def test_every_repeated_token_is_in_a_range_and_no_other(texts):
    wanted = truly_repeated(texts)
    actual = found_in(texts, 3, 4)

    assert sum(map(len, wanted)) > 5000
    for text, ranges, tokens in zip(texts, actual, wanted, strict=True):
        inside = {
            place
            for place, (start, end) in enumerate(token_spans(text))
            if any(one.start <= start and end <= one.end for one in ranges)
        }
        assert inside == tokens


def token_spans(text):
    at, actual = 0, []
    for token in text.split():
        start = text.index(token, at)
        at = start + len(token)
        actual.append((start, at))
    return actual


def test_the_answer_does_not_depend_on_shards_and_parts(texts, answer):
    assert answer == found_in(texts, 3, 4) == found_in(texts, 7, 2)


@pytest.mark.parametrize(("shards", "parts", "rows"), [(3, 4, 1 << 20), (1, 1, 300), (5, 3, 50)])
def test_in_files_a_few_rows_at_a_time_the_answer_is_the_same(
    texts, answer, tmp_path, shards, parts, rows
):
    assert found_by_files(tmp_path, texts, shards, parts, rows) == answer


def test_without_texts_or_repeats_the_files_hold_nothing(tmp_path):
    assert found_by_files(tmp_path, ["ett två tre", "", "ord " * 10], 2, 3, 100) == [[], [], []]


def test_of_each_passage_one_stays_when_later_ones_go(texts):
    left = [
        cut_out(text, removed_spans(ranges, keep_first=True))
        for text, ranges in zip(texts, found_in(texts, 2, 2), strict=True)
    ]
    seen = Counter(run for text in texts for run in runs(text, once=False))
    repeated = {run for run, times in seen.items() if times > 1}

    assert sum(map(len, left)) < sum(map(len, texts))
    # but where one passage was put into another, and so became the first of some runs
    again = sum(map(len, truly_repeated(left)))
    assert again < 0.05 * sum(map(len, truly_repeated(texts)))
    lost = repeated - {run for text in left for run in runs(text)}
    assert len(lost) < 0.05 * len(repeated)  # again where one went out of the middle of another


def runs(text, *, once=True):
    tokens = text.split()
    actual = [tuple(tokens[at : at + LENGTH]) for at in range(len(tokens) - LENGTH + 1)]
    return set(actual) if once else actual


def test_texts_without_blanks_have_tokens_too():
    japanese = (
        "国境の長いトンネルを抜けると雪国であった夜の底が白くなった信号所に汽車が止まった"
        "向側の座席から娘が立って来て島村の前のガラス窓を落とした"
    )
    result = found_in([f"はじめに{japanese}", f"{japanese}おわり", "別の文"], 1, 1)

    assert [len(ranges) for ranges in result] == [1, 1, 0]
    assert result[1][0].start == 0
    assert result[1][0].end == len(japanese)


def test_nothing_repeated_is_nothing_found():
    assert PRINTS_SCHEMA.empty_table().num_rows == 0
    assert repeated_prints(PRINTS_SCHEMA.empty_table()).num_rows == 0
    assert found_in(["ett två tre", "", "ord " * 10], 2, 2) == [[], [], []]


def test_a_text_that_is_not_kept_repeats_nothing():
    text = " ".join(f"ord{n}" for n in range(60))
    kept = pc.if_else(pa.chunked_array([[True, False]]), pa.chunked_array([[text, text]]),
                      pa.scalar(None, pa.string()))  # fmt: skip

    assert set(anchors(kept, LENGTH)[1].tolist()) == {0}
