"""A page's lines, their keys and their keeping, against the same in Python, one rule at a time."""

from __future__ import annotations

import random

import numpy as np
import pytest

from skord.ccnet.paragraph_keys import body_keys, paragraph_key
from skord.ccnet.text_pages import TextBody
from skord.native import char_table, count_keys, find_lines, keep_lines, split_page, written
from skord.text.words import TextColumn
from tests.characters import telling_points

ALPHABETS = (
    "ab \n\r\t",
    "a\n \x85\xa0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000\u200b\x1c\x1f\x0b\x0c\0",
    "aΣσ9٣①½ÅÄÖß–„…Ａ１\u0301\ufb01İ한국어\U0001d7d8\U00010400\n",
    "".join(map(chr, range(0x2F0))),
)
LINES = ("WARC/1.0", " WARC/1.0 ", "WARC/1.0 b", "", " ", "\u3000a\u2003", "Ett stycke.")


def texts(number=3000, seed=1):
    """Random texts: characters that matter, whole lines that matter, any character at all."""
    chance = random.Random(seed)
    for _ in range(number):
        kind = chance.randrange(3)
        if kind == 0:
            yield "".join(chance.choices(chance.choice(ALPHABETS), k=chance.randrange(40)))
        elif kind == 1:
            yield "\n".join(chance.choices(LINES, k=chance.randrange(7)))
        else:
            points = (chance.randrange(0x10F800) for _ in range(chance.randrange(60)))
            yield "".join(chr(p if p < 0xD800 else p + 0x800) for p in points)


def split_as_python_does(text, exact):
    """The rule of `text_pages`, restated."""
    if not exact:
        title, _, rest = text.rstrip("\n").partition("\n")
        return title.strip(), [line.strip() for line in rest.split("\n")] if rest else []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [*(line.strip() for line in text.split("\n")), ""]
    if "WARC/1.0" in lines:
        del lines[lines.index("WARC/1.0") :]
    if lines[-2:] == ["", ""]:
        del lines[max(len(lines) - 2, 1) :]
    return (lines[0], lines[1:]) if lines else ("", [])


@pytest.mark.parametrize("exact", [False, True])
def test_pages_are_split_as_python_splits_them(exact):
    for text in texts():
        title, lines = split_as_python_does(text, exact)
        joined = "\n".join(lines)

        assert split_page(text.encode(), exact) == (
            title,
            joined.encode(),
            len(lines),
            len(joined),
        ), repr(text)


def test_every_white_space_of_python_is_stripped_and_nothing_else():
    points = [chr(point) for point in telling_points(range(0x110000)) if chr(point) != "\n"]
    text = "\n".join(f"{char}a{char}" for char in points)

    _, joined, _, _ = split_page(f"T\n{text}".encode(), False)
    assert joined.decode().split("\n") == [f"{char}a{char}".strip() for char in points]


def test_a_title_that_is_no_utf8_is_an_error():
    with pytest.raises(UnicodeDecodeError):
        split_page(b"\xff\nrad\n", False)


@pytest.mark.parametrize("normalisation", ["published", "paper"])
def test_bodies_have_the_keys_of_their_lines(normalisation):
    bodies = [TextBody.of(text.split("\n")) for text in texts(400)]
    keys = body_keys([body.joined for body in bodies], normalisation)

    lines = [line for body in bodies for line in body.lines]
    # a body's lines are stripped when it is read; here they are not, so neither is the rule
    expected = [paragraph_key(f"|{line}|", normalisation) for line in lines]
    fenced = [TextBody.of([f"|{line}|" for line in body.lines]).joined for body in bodies]
    assert body_keys(fenced, normalisation).tolist() == expected
    assert len(keys) == len(lines)


def test_each_ascii_character_has_its_key_wherever_it_stands():
    """Sixteen are mapped together, up to the first that is mapped alone."""
    lines = [
        f"{filler * before}{chr(point)}{filler * (33 - before)}"
        for point in [*range(0x20), *range(0x20, 0x80), 0xE5, 0x2019]
        for before, filler in ((0, "A"), (1, "Z"), (15, "a"), (16, "@"), (17, "9"), (32, "[/"))
        if chr(point) != "\n"
    ]
    fenced = [f"|{line}|" for line in lines]  # nothing to strip
    bodies = [line.encode() for line in fenced]
    assert body_keys(bodies).tolist() == [paragraph_key(line) for line in fenced]


def test_kept_lines_are_joined_body_by_body():
    chance = random.Random(4)
    bodies = [*texts(500, seed=5), ""]
    lines = [text.split("\n") for text in bodies[:-1]] + [[]]
    lengths = np.array([len(of_body) for of_body in lines])
    mask = np.array(chance.choices([False, True], k=lengths.sum()))
    stays = iter(mask.tolist())

    column, chars = keep_lines(*column_of(bodies), lengths, mask)

    kept = ["\n".join([line for line in of_body if next(stays)]) for of_body in lines]
    told = TextColumn.from_native(column)
    assert [told.text(at) for at in range(len(kept))] == kept
    assert np.frombuffer(chars, np.int64).tolist() == list(map(len, kept))
    none = keep_lines(*column_of([]), np.zeros(0, np.int64), b"")
    assert none == ((bytes(8), b""), b"")


def column_of(texts):
    return TextColumn.of(text.encode() for text in texts)


def test_some_texts_are_taken_in_the_order_asked_for():
    column = column_of(["ett", "", "två", "åtta"])

    assert column.taken([3, 0, 3, 1]).to_pylist() == ["åtta", "ett", "åtta", ""]
    assert column.part(2, 4).taken([1]).to_pylist() == ["åtta"]
    assert column.taken([]).to_pylist() == []
    for row in (4, -1):
        with pytest.raises(ValueError, match="do not fit"):
            column.taken([row])


def test_masks_and_counts_that_do_not_fit_are_refused():
    for lengths, mask in (([2, 1], 2), ([-1, 3], 3), ([2], 2), ([2, 2], 3)):
        with pytest.raises(ValueError, match="do not fit"):
            keep_lines(*column_of(["a\nb", "c"]), np.array(lengths), np.ones(mask, np.bool_))
    with pytest.raises(ValueError, match="fewer lines"):
        keep_lines(*column_of(["a"]), np.array([3]), np.ones(3, np.bool_))


@pytest.mark.parametrize("kind", ["even", "low", "high", "odd"])
@pytest.mark.parametrize("known", [0, 1, 7, 400])
def test_lines_are_looked_up_and_later_ones_of_their_page_are_told(kind, known):
    chance = np.random.default_rng(known)
    keys = chance.integers(0, 2**64, 900, dtype=np.uint64)
    keys = {
        "even": keys,
        "low": keys >> np.uint64(55),
        "high": keys | np.uint64(2**64 - 2**9),
        "odd": np.where(keys % 2 == 0, keys % 3, ~(keys % 5)),
    }[kind]
    wanted = np.unique(chance.choice(keys, known))
    pages = np.sort(chance.integers(0, 40, len(keys)))
    places, first = np.empty(len(keys), np.int64), np.empty(len(keys), np.bool_)

    find_lines(wanted, keys, pages, places, first)

    place_of = {key: place for place, key in enumerate(wanted.tolist())}
    assert places.tolist() == [place_of.get(key, -1) for key in keys.tolist()]
    pairs = list(zip(pages.tolist(), keys.tolist(), strict=True))
    assert first.tolist() == [pair not in pairs[:at] for at, pair in enumerate(pairs)]


def test_lines_and_answers_of_other_lengths_are_refused():
    keys, places, first = np.zeros(3, np.uint64), np.zeros(3, np.int64), np.zeros(3, np.bool_)
    for wrong in ((keys, places[:2], places, first), (keys, places, places[:2], first)):
        with pytest.raises(ValueError, match="do not fit"):
            find_lines(keys, *wrong)


@pytest.mark.parametrize("differing", [1, 7, 3000])
def test_keys_are_counted_once_for_each_page_that_holds_them(differing):
    chance = np.random.default_rng(differing)
    distinct = chance.integers(0, 2**64, differing, np.uint64)
    lengths = chance.integers(0, 30, 300)
    keys, places = chance.choice(distinct, lengths.sum()), np.empty(lengths.sum(), np.int32)

    found, pages = count_keys(keys, lengths, places)

    found = np.frombuffer(found, np.uint64)
    first_seen = dict.fromkeys(keys.tolist())
    assert found.tolist() == list(first_seen)
    assert found[places].tolist() == keys.tolist()
    held = {*zip(np.repeat(np.arange(300), lengths).tolist(), keys.tolist(), strict=True)}
    assert np.frombuffer(pages, np.int64).tolist() == [
        sum((page, key) in held for page in range(300)) for key in first_seen
    ]


@pytest.mark.parametrize("lengths", [[], [2], [4], [-1, 4], [2, 2]])
def test_keys_of_fewer_or_more_lines_than_pages_have_are_refused(lengths):
    with pytest.raises(ValueError, match="do not fit"):
        count_keys(np.zeros(3, np.uint64), np.array(lengths, np.int64), np.empty(3, np.int32))


def test_a_table_of_characters_asks_for_each_block_once():
    asked = []

    def entries_of(block):
        asked.append(block)
        entries = np.arange(256, dtype=np.uint64) | np.uint64(1 << 56)
        return entries.tobytes() if block == 0 else b""

    table = char_table(entries_of)
    assert (written(table, "aħħ漢"), written(table, "ħ")) == ("aħħ漢", "ħ")
    assert asked == [0, 1, 0x6F22 >> 8]
    for wrong in (lambda _: b"", lambda _: b"12345678", lambda _: b"\xf0" * 2048):
        with pytest.raises(ValueError, match=r"entries|table"):
            char_table(wrong)
    with pytest.raises(ZeroDivisionError):
        char_table(lambda _: 1 / 0)


def test_an_empty_array_may_lie_anywhere_and_another_must_be_aligned():
    room = np.zeros(17, np.uint8)[1:]
    places, first = np.empty(0, np.int64), np.empty(0, np.bool_)
    empty = room[:0]
    find_lines(np.arange(3, dtype=np.uint64), empty, empty, places, first)
    with pytest.raises(ValueError, match="do not fit"):
        find_lines(room[:8], empty, empty, places, first)
