"""Passages that texts repeat: all of them, and nothing else, however the texts are dealt."""

import random
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras.passages.passage_files import PassageFiles
from skord.extras.passages.passages import anchors, marked_texts
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
    blanks = [" ", "\n", "\n\n", "  ", "\u00a0", "\u2009 ", "\u3000"]
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


def found_in(folder, texts, num_shards=1, num_partitions=1, rows=1 << 20):
    """Ranges of each text, worked out shard by shard and part by part, so many rows at a time."""
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
def answer(texts, tmp_path_factory):
    return found_in(tmp_path_factory.mktemp("whole"), texts)


def test_every_repeated_token_is_in_a_range_and_no_other(texts, answer):
    wanted = truly_repeated(texts)

    assert sum(map(len, wanted)) > 5000
    for text, ranges, tokens in zip(texts, answer, wanted, strict=True):
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


@pytest.mark.parametrize(("shards", "parts", "rows"), [(3, 4, 300), (7, 2, 1 << 20)])
def test_the_answer_does_not_depend_on_shards_and_parts_and_rows_at_a_time(
    texts, answer, tmp_path, shards, parts, rows
):
    assert found_in(tmp_path, texts, shards, parts, rows) == answer


def test_without_texts_or_repeats_the_files_hold_nothing(tmp_path):
    assert found_in(tmp_path, ["ett två tre", "", "ord " * 10], 2, 3, 100) == [[], [], []]


def test_of_each_passage_one_stays_when_later_ones_go(texts, answer):
    left = [
        cut_out(text, [(one.start, one.end) for one in ranges if not one.is_first])
        for text, ranges in zip(texts, answer, strict=True)
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


def test_texts_without_blanks_have_tokens_too(tmp_path):
    japanese = (
        "国境の長いトンネルを抜けると雪国であった夜の底が白くなった信号所に汽車が止まった"
        "向側の座席から娘が立って来て島村の前のガラス窓を落とした"
    )
    result = found_in(tmp_path, [f"はじめに{japanese}", f"{japanese}おわり", "別の文"])

    assert [len(ranges) for ranges in result] == [1, 1, 0]
    assert result[1][0].start == 0
    assert result[1][0].end == len(japanese)


def test_a_text_that_is_not_kept_repeats_nothing():
    text = " ".join(f"ord{n}" for n in range(60))
    kept = pc.if_else(pa.chunked_array([[True, False]]), pa.chunked_array([[text, text]]),
                      pa.scalar(None, pa.string()))  # fmt: skip

    assert set(anchors(kept, LENGTH)[1].tolist()) == {0}
