"""What elements are called, as compiled code reads it, by hand and against Python's reading."""

from __future__ import annotations

import random
import re
import zlib
from itertools import pairwise

import numpy as np
import pytest

from skord.models.line_classifier.features.dom import (
    CAPTION,
    FAMILIES,
    FIGURE,
    FLAGS,
    MENUS,
    NAMED_NOTE,
    NOTE_BY_ROLE,
    TAGS,
    TOKEN_BUCKETS,
    read_element_names,
    read_plainly,
)
from skord.native import element_reader, read_elements

SIGNS = "abcDEFxyZ019-_.#@! "
LITERALS = re.sub(r"\\b|\[-_\]", "", "|".join(FAMILIES)).split("|")


def buckets(*words):
    return sorted({zlib.crc32(word.encode()) % TOKEN_BUCKETS for word in words})


def readings(elements):
    """Flags and tokens of each element by `read_element_names`."""
    said = read_element_names(elements)
    assert said.flags.size == said.token_starts.size - 1 == len(elements)
    tokens = [said.tokens[a:b].tolist() for a, b in pairwise(said.token_starts)]
    return list(zip(said.flags.tolist(), tokens, strict=True))


def flags_by(families, element, tags=()):
    flags, *_ = read_elements(element_reader(list(tags), families, 8), [element])
    return int(np.frombuffer(flags, np.int64)[0])


@pytest.mark.parametrize(
    ("element", "words"),
    [
        ("", ["<"]),
        ("DIV", ["<DIV"]),
        ("p .a", ["<p", ".a"]),
        ("p .a .a #a", ["<p", ".a", "#a"]),
        ("div .postBody", ["<div", ".post", ".body", ".postbody"]),
        ("div .HTMLPage", ["<div", ".html", ".page", ".htmlpage"]),
        ("div .HTML", ["<div", ".html"]),
        ("div .Ab", ["<div", ".ab"]),
        ("div .aB", ["<div", ".a", ".b", ".ab"]),
        ("div .col-6", ["<div", ".col", ".col-6"]),
        ("div .col-12", ["<div", ".col", ".12", ".col-12"]),
        ("div .6", ["<div"]),
        ("div .-_", ["<div"]),
        ("div  .a", ["<div", ".a"]),
        ("div X1", ["<div", "Xx", "x1"]),
    ],
)
def test_tokens_are_the_words_of_each_name_and_it_all_if_these_are_more(element, words):
    assert readings([element])[0][1] == buckets(*words) == read_plainly(element)[1]


@pytest.mark.parametrize(
    ("pattern", "inside", "outside"),
    [
        ("ad", "i .bRead-x", "i .a-d"),
        (r"\bad\b", "i .x-AD-", "i .x_ad"),
        (r"\bad\b", "i ad", "i .ad2"),
        (r"\bad\b", "i .ad .x", "i .adx"),
        (r"\bad[-_]", "i .ad_x", "i .ad .-"),
        (r"toc\b", "i .xtoc", "i .toc_"),
        ("more-|x", "i .more-", "i .more"),
        ("!h", "i !h", "i .h!"),
        ("i", "i .xi", "i .x"),
        ("abc|ab|b-", "i .xab", "i .xa"),
    ],
)
def test_a_name_is_of_the_families_that_its_letters_say(pattern, inside, outside):
    assert flags_by([pattern], inside) == 1
    assert flags_by([pattern], outside) == 0
    assert flags_by(["z", pattern], inside, ["b", "i"]) == 0b1010


def test_flags_are_of_tags_first_and_then_of_families():
    def bit(name):
        return 1 << (TAGS + FAMILIES).index(name)

    nav = next(family for family in FAMILIES if family.startswith("nav|"))
    actual = [flags for flags, _ in readings(["nav", "nav .navbar", "NAV", "div !hidden"])]
    hidden = next(family for family in FAMILIES if family.startswith("hidden|"))
    assert actual == [bit("nav"), bit("nav") | bit(nav) | MENUS, 0, bit("!hidden") | bit(hidden)]
    assert len(set(TAGS + FAMILIES)) == FLAGS
    assert 1 << FLAGS < MENUS < 1 << 63


def random_elements(number, signs, seed):
    chance = random.Random(seed)
    for _ in range(number):
        tag = chance.choice([*TAGS, "div", "Span", ""])
        words = chance.choices(LITERALS, k=3)
        pieces = [*words, words[0].upper(), words[1].title(), *chance.choices(signs, k=8)]
        yield f"{tag} {''.join(chance.choices(pieces, k=chance.randrange(9)))}"


def test_ascii_elements_are_read_as_python_reads_them():
    elements = list(random_elements(6_000, SIGNS, 1))
    elements += ["".join(map(chr, range(128))), "\0 .\0a", "a\tb .c\nd"]
    expected = [read_plainly(element) for element in elements]
    assert readings(elements) == expected
    assert len({flags for flags, _ in expected}) > 300


def test_elements_that_are_not_ascii_are_read_by_python():
    elements = [*random_elements(200, SIGNS + "åÉßſİ²٣日", 2), "div .åpost", "div .post", "ü"]
    elements += random_elements(50, SIGNS, 3)
    assert not all(map(str.isascii, elements))
    assert readings(elements) == [read_plainly(element) for element in elements]
    words = "<div", ".f", ".ö", ".rfattare", ".författare"
    assert readings(["div .FÖRFATTARE"])[0][1] == buckets(*words)
    assert readings(["div .åad"])[0][0] == 0 != readings(["div .ad"])[0][0]


def test_compiled_code_leaves_what_is_not_ascii_unread():
    reader = element_reader(["p"], ["x"], 5)
    *parts, kinds = read_elements(reader, ["é", "p x"])
    actual = [np.frombuffer(part, np.int64).tolist() for part in parts]
    assert actual[0] == [0, 3]
    assert actual[2][:2] == [0, 0]
    assert actual[3:] == [[0, 1], [0]]
    assert kinds == bytes(2)
    assert read_elements(reader, []) == (b"", b"", bytes(8), b"", b"", b"")


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        ("figure .å", FIGURE), ("figures", 0), ("figure-x", FIGURE), ("figcaption", FIGURE | CAPTION),
        ("div .wp-caption", FIGURE), ("div .wp-caption_", 0), (".wp-caption", 0),
        ("p .wp-caption-text", FIGURE | CAPTION), ("li #fn:1", NAMED_NOTE), ("li #fn-x", 0),
        ("p .a #cite_note-٣", NAMED_NOTE), ("p #footnote12", NAMED_NOTE), ("p #fn--1", 0),
        ("aside @doc-footnote", NOTE_BY_ROLE), ("ol @doc-endnotes", NOTE_BY_ROLE), ("ol @doc-endnotesx", 0),
    ],
)  # fmt: skip
def test_figures_captions_and_notes_are_known_by_names(element, kind):
    assert read_element_names([element, "p", element]).kinds == bytes([kind, 0, kind])


def test_the_same_elements_are_numbered_by_the_first_and_read_alike():
    elements = ["p .ad", "å .ad", "p .ad", "p  .ad", "å .ad", "p .Ad", "", ""]
    assert read_element_names(elements).alike.tolist() == [0, 1, 0, 3, 1, 5, 6, 6]
    assert readings(elements) == [read_plainly(element) for element in elements]


@pytest.mark.parametrize(
    "family",
    ["", "a||b", "a|", r"\b", "[-_]", "A", "a.b", r"\b-a", r"a-\b", r"\b!a", "é", "a[-_]b", "a b",
     r"a\bb", r"a[-_]\b"],
)  # fmt: skip
def test_families_of_other_signs_are_refused(family):
    with pytest.raises(ValueError, match="no part of a family"):
        element_reader([], ["fine", family], 8)


def test_flags_that_do_not_fit_and_no_buckets_are_refused():
    element_reader(["p"] * 60, ["a"] * 3, 1)
    for tags, families, count in ((60, 4, 1), (64, 0, 1), (0, 64, 1), (1, 1, 0), (1, 1, -1)):
        with pytest.raises(ValueError, match="flags"):
            element_reader(["p"] * tags, ["a"] * families, count)


def test_a_lone_surrogate_is_no_name():
    with pytest.raises(UnicodeEncodeError):
        read_element_names(["div .\ud800"])
