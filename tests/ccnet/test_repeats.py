from __future__ import annotations

import hashlib
import random
import re
import unicodedata
from collections import Counter

import numpy as np
import pytest

from skord.ccnet.paragraph_keys import (
    REMOVED_PUNCTUATION,
    body_keys,
    normalize_paragraph,
    paragraph_key,
    paragraph_keys,
)
from skord.ccnet.repeats import (
    REPEATS_SCHEMA,
    LinePass,
    RepeatedKeys,
    merge_counts,
    repeats_by_shard,
)
from skord.core.tasks.phases import KEYS, contiguous_groups, share_of
from tests.characters import telling_points

CASE_FILE = "paragraphs.json"


def count_documents(keys, document_of):
    """Distinct keys, sorted, and in how many documents each is, by the definition."""
    pairs = sorted(set(zip(keys.tolist(), document_of.tolist(), strict=True)))
    counts = Counter(key for key, _ in pairs)
    return np.array(list(counts), np.uint64), np.array(list(counts.values()), np.int64)


def range_bounds(sorted_keys, num_ranges):
    """Where to cut sorted keys into equal ranges of all 64-bit numbers."""
    firsts = [share_of(number, num_ranges, KEYS)[0] for number in range(1, num_ranges)]
    inner = np.searchsorted(sorted_keys, np.array(firsts, np.uint64))
    return [0, *inner.tolist(), len(sorted_keys)]


def keys(*values):
    return np.array(values, dtype=np.uint64)


def documents(*values):
    return np.array(values, dtype=np.int64)


def repeated_in(*shards):
    """The repeated keys of shards, each a list of documents, each a list of keys."""
    counted = [count_documents(*lines_of(shard)) for shard in shards]
    return RepeatedKeys.of_counts(*merge_counts(counted))


def lines_of(shard):
    numbers = [number for number, document in enumerate(shard) for _ in document]
    return keys(*(key for document in shard for key in document)), documents(*numbers)


def kept(shards, shard, rule):
    line_keys, document_of = lines_of(shards[shard])
    mask = LinePass(repeated_in(*shards), rule, shard).kept_lines(line_keys, document_of)
    return list(zip(document_of[mask].tolist(), line_keys[mask].tolist(), strict=True))


def test_normalized_form(case):
    assert normalize_paragraph(case["line"]) == case["normalized"]


def test_fast_path_agrees_on_every_case(case):
    digest = hashlib.sha1(case["normalized"].encode("utf-8")).digest()

    assert paragraph_keys(["x", case["line"]])[1] == int.from_bytes(digest[:8], "little")


def test_key_is_the_start_of_sha1_read_little_endian():
    expected = int.from_bytes(hashlib.sha1(b"hello").digest()[:8], "little")

    assert expected == 0xA2E8C5DC1DC6F4AA
    assert paragraph_key("hello") == expected


@pytest.mark.parametrize("normalisation", ["published", "paper"])
def test_fast_path_equals_the_rule_applied_step_by_step_to_every_character(normalisation):
    """A restatement that shares no code: Unicode categories instead of tables."""

    def key_of(line):
        text = line.strip().lower()
        if normalisation == "paper":
            apart = unicodedata.normalize("NFD", text)
            text = "".join(c for c in apart if unicodedata.category(c) != "Mn")
            text = "".join(c for c in text if unicodedata.category(c)[0] != "P")
        text = re.sub(r"\d", "0", text)
        stays = [
            c for c in text if unicodedata.category(c) != "Cc" and c not in REMOVED_PUNCTUATION
        ]
        digest = hashlib.sha1("".join(stays).encode("utf-8")).digest()
        return int.from_bytes(digest[:8], "little")

    points = telling_points(range(0x20000))
    lines = [f"a{char}Σ {char}" for char in map(chr, points) if char != "\n"]
    assert paragraph_keys(lines, normalisation).tolist() == [key_of(line) for line in lines]


def test_every_mark_of_the_published_list_is_deleted_and_no_other_ascii_punctuation():
    """The list of the published code; its １ is a digit before it is a mark."""
    published = "，。、„”“«»「」《》´∶：？！（）；–—．～’…━〈〉【】％►"

    assert normalize_paragraph(published) == ""
    assert set(published) == set(REMOVED_PUNCTUATION)
    assert normalize_paragraph("１") == "0"
    assert normalize_paragraph("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~‘") == (
        "!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~‘"
    )


def test_digits_become_zeros_letters_small_and_the_rest_stays():
    assert normalize_paragraph("４２ | 42") == "00 | 00"
    assert normalize_paragraph("\x1f７８…： | ;190 Crème") == "00 | ;000 crème"


def test_paper_normalisation_takes_accents_and_punctuation_away_and_published_keeps_them():
    line = "Crème brûlée på Ålands hav, smörgås\u0301"

    assert normalize_paragraph(line, "paper") == "creme brulee pa alands hav smorgas"
    assert "å" in normalize_paragraph(line)
    assert paragraph_key("Åre", "paper") == paragraph_key("are") != paragraph_key("Åre")
    assert normalize_paragraph("(1) «Hva?» – ‘si’; a_b/c+d", "paper") == "0 hva  si abc+d"
    keys = paragraph_keys(["Läs mer: 2 (av 3)!", "las mer 7 av 9"], "paper")
    assert keys[0] == keys[1]


def test_no_lines_have_no_keys():
    assert paragraph_keys([]).shape == (0,)
    assert paragraph_keys([]).dtype == np.uint64


def test_line_break_inside_a_line_cannot_shift_the_keys_of_others():
    assert paragraph_keys(["a\nb", "c"]).tolist() == [paragraph_key("ab"), paragraph_key("c")]


def test_lone_surrogate_gives_a_key_of_its_own():
    one, other = paragraph_keys(["\ud800", "\ud801"])
    beside_a_sigma = "Σ\ud800"

    keys = body_keys([beside_a_sigma.encode("utf-8", "surrogatepass")])

    assert one != other
    assert keys.tolist() == [paragraph_key(beside_a_sigma)]


def test_merged_counts_equal_those_of_one_big_shard():
    generator = random.Random(1)
    shards = [
        [[generator.randrange(40) for _ in range(generator.randrange(9))] for _ in range(6)]
        for _ in range(5)
    ]
    distinct, counts, first = merge_counts([count_documents(*lines_of(s)) for s in shards])
    whole = count_documents(*lines_of([document for shard in shards for document in shard]))

    assert distinct.tolist() == whole[0].tolist()
    assert counts.tolist() == whole[1].tolist()
    holders = [[n for n, s in enumerate(shards) if any(key in d for d in s)] for key in distinct]
    assert first.tolist() == [min(shards_of_key) for shards_of_key in holders]


@pytest.mark.parametrize("num_ranges", [1, 2, 7, 64])
def test_merging_range_by_range_equals_merging_at_once(num_ranges):
    generator = np.random.default_rng(2)
    pool = generator.integers(0, 2**64 - 1, 50, dtype=np.uint64)
    parts = [count_documents(generator.choice(pool, 90), np.arange(90) // 9) for _ in range(4)]
    cut = [(key, count, range_bounds(key, num_ranges)) for key, count in parts]
    ranges = [
        merge_counts([(k[b[r] : b[r + 1]], c[b[r] : b[r + 1]]) for k, c, b in cut])
        for r in range(num_ranges)
    ]

    for column, expected in zip(zip(*ranges, strict=True), merge_counts(parts), strict=True):
        assert np.concatenate(column).tolist() == expected.tolist()


def test_merging_nothing_gives_nothing():
    empty = count_documents(keys(), documents())

    assert [len(column) for column in merge_counts([])] == [0, 0, 0]
    assert [len(column) for column in merge_counts([empty, empty])] == [0, 0, 0]


def test_paragraph_of_two_documents_goes_everywhere_the_first_copy_too():
    shards = [[[1, 2], [2, 3]], [[3, 4]]]

    assert kept(shards, 0, "drop_all") == [(0, 1)]
    assert kept(shards, 1, "drop_all") == [(0, 4)]


@pytest.mark.parametrize("rule", ["drop_all", "keep_first"])
def test_repeat_inside_one_document_keeps_its_first_line_only(rule):
    assert kept([[[7, 8, 7, 7]]], 0, rule) == [(0, 7), (0, 8)]


def test_first_document_in_crawl_order_keeps_its_copy():
    shards = [[[1]], [[2, 3, 2], [3, 2]], [[2, 3, 1]]]

    assert [kept(shards, shard, "keep_first") for shard in range(3)] == [
        [(0, 1)],
        [(0, 2), (0, 3)],
        [],
    ]


def test_keeping_the_first_keeps_every_paragraph_exactly_once():
    generator = random.Random(3)
    shards = [
        [[generator.randrange(60) for _ in range(generator.randrange(12))] for _ in range(8)]
        for _ in range(4)
    ]
    survivors = [key for n in range(4) for _, key in kept(shards, n, "keep_first")]

    assert sorted(survivors) == sorted({key for s in shards for d in s for key in d})


@pytest.mark.parametrize("rule", ["drop_all", "keep_first"])
def test_batches_of_documents_give_what_one_pass_gives(rule):
    generator = random.Random(4)
    shard = [[generator.randrange(150) for _ in range(8)] for _ in range(20)]
    repeated = repeated_in(shard)
    whole = LinePass(repeated, rule, 0).kept_lines(*lines_of(shard))
    in_batches = LinePass(repeated, rule, 0)
    parts = [in_batches.kept_lines(*lines_of(shard[at : at + 3])) for at in range(0, 20, 3)]

    assert np.concatenate(parts).tolist() == whole.tolist()
    assert 0 < whole.sum() < len(whole)


def test_nothing_repeated_and_no_lines_at_all():
    nothing = RepeatedKeys(keys(), documents())

    assert nothing.places(keys(1, 2)).tolist() == [-1, -1]
    assert LinePass(nothing, "keep_first", 0).kept_lines(keys(), documents()).tolist() == []
    assert LinePass(nothing, "drop_all", 0).kept_lines(keys(5), documents(0)).tolist() == [True]


def test_keys_at_both_ends_of_the_space_are_found():
    ends = RepeatedKeys(keys(0, 2**64 - 1), documents(0, 0))

    assert ends.places(keys(2**64 - 1, 1, 0)).tolist() == [1, -1, 0]


def test_of_a_line_on_two_pages_of_a_file_no_copy_stays_and_the_others_do():
    """The pages of the published test of deduplication: a greeting and a place are shared."""
    first, second = ["_Hej", "_Världen", "Bara jag säger så"], ["_världen", "Jag ännu mer", "_Hej"]
    shard = [paragraph_keys(first).tolist(), paragraph_keys(second).tolist()]

    mask = LinePass(repeated_in(shard), "drop_all", 0).kept_lines(*lines_of(shard))
    assert mask.tolist() == [False, False, True, False, True, False]


def test_of_pages_in_two_shards_lines_that_both_have_go_from_both():
    shards = [
        [paragraph_keys(["Hej", "_Världen", "Bara jag"]).tolist()],
        [paragraph_keys(["God morgon", "_världen", "Bara du"]).tolist()],
    ]
    for number, shard in enumerate(shards):
        mask = LinePass(repeated_in(*shards), "drop_all", number).kept_lines(*lines_of(shard))
        assert mask.tolist() == [True, False, True]


def test_groups_of_shards_are_compared_each_for_itself():
    parts = [count_documents(*lines_of(shard)) for shard in ([[1, 2]], [[2, 3]], [[3, 1]], [[1]])]
    whole = repeats_by_shard(parts).to_pylist()
    halves = repeats_by_shard(parts, group_shards=2).to_pylist()

    assert [(row["shard"], row["key"]) for row in halves] == [(0, 2), (1, 2), (2, 1), (3, 1)]
    assert [row["first_shard"] for row in halves] == [0, 0, 2, 2]
    assert [(row["shard"], row["key"]) for row in whole] == [
        (0, 1),
        (0, 2),
        (1, 2),
        (1, 3),
        (2, 1),
        (2, 3),
        (3, 1),
    ]
    assert repeats_by_shard(parts, group_shards=4).to_pylist() == whole
    assert repeats_by_shard(parts, group_shards=50).to_pylist() == whole


def test_a_key_twice_in_one_page_of_a_group_is_not_repeated():
    parts = [count_documents(*lines_of([[7, 7]])), count_documents(*lines_of([[8]]))]

    assert repeats_by_shard(parts).num_rows == 0
    assert repeats_by_shard([], 50).schema == REPEATS_SCHEMA


def test_groups_of_files_begin_where_those_of_cc_net_begin():
    for items, groups in ((7, 3), (100, 7), (5, 5), (3, 9)):
        dealt, shards = contiguous_groups(items, groups), min(items, groups)
        starts = [dealt.index(group) for group in range(shards)]
        assert starts == [group * items // shards for group in range(shards)]


def test_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="keep_last"):
        LinePass(RepeatedKeys(keys(), documents()), "keep_last", 0)
