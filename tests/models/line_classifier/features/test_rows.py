"""Where a line begins to be a row of controls or of links: `…line_classifier.features.rows`."""

import random
import re
from collections import Counter

import numpy as np
import pytest

from skord.markdown.plain_lines import PlainLines
from skord.models.line_classifier.features.rows import framing_rows, leading_away, option_lists


def is_row(line, words=4, linked=0.0, controlled=0.0):
    links, controls = np.array([linked], np.float32), np.array([controlled], np.float32)
    return framing_rows(
        f"\n{line}\n".encode(), np.array([1]), np.array([words]), links, controls
    ).item()


@pytest.mark.parametrize(
    ("more", "row"),
    [
        ({"controlled": 0.5}, True), ({"controlled": 0.49}, False),
        ({"controlled": 1.0, "words": 24}, True), ({"controlled": 1.0, "words": 25}, False),
    ],
)  # fmt: skip
def test_a_line_that_is_half_controls_and_not_long_is_a_row(more, row):
    assert is_row("Storlek S M Köp", **more) is row


@pytest.mark.parametrize(
    ("line", "linked", "row"),
    [
        ("Mat | Nyheter | Sport", 0.8, True), ("Mat | Nyheter | Sport", 0.79, False),
        ("Mat | Nyheter", 1.0, False), ("Mat › Nyheter › Sport", 1.0, True),
        ("## Mat | Nyheter | Sport", 1.0, False), ("Mat | Nyheter | Sport?", 1.0, False),
        ("Mat | Nyheter | Sport | Kontakt", 1.0, True),
    ],
)  # fmt: skip
def test_links_with_two_signs_between_are_a_row(line, linked, row):
    assert is_row(line, linked=linked) is row


@pytest.mark.parametrize(
    ("line", "more", "row"),
    [
        ("Hem / Sport", {"linked": 0.25}, True), ("Hem / Sport", {"linked": 0.24}, False),
        ("Hem » Sport » Ny bro", {"linked": 0.3, "words": 24}, True),
        ("Hem » Sport » Ny bro", {"linked": 0.3, "words": 25}, False),
        ("Sport » Hem » Ny bro", {"linked": 0.3}, False), ("Hem Sport", {"linked": 0.5}, False),
    ],
)  # fmt: skip
def test_a_trail_begins_at_home_and_has_some_links(line, more, row):
    assert is_row(line, **more) is row


def test_headings_tables_and_questions_unfold_what_stands_under_them():
    for line in ("# Köp", "| Köp | nu |", "- ## Köp", "2. # Köp", "Vad kostar det? *"):
        assert not is_row(line, controlled=1.0)
    assert is_row("Köp #nu", controlled=1.0)


def test_lines_are_those_that_are_visible():
    page = "Hem | Nyheter | Sport\ndold\nKöp nu".encode()
    links, controls = np.array([1, 0], np.float32), np.array([0, 1], np.float32)
    assert framing_rows(page, np.array([0, 2]), np.array([3, 2]), links, controls).tolist() == [
        True, True,
    ]  # fmt: skip


COUNTRIES = "Albania Angola Chad"


@pytest.mark.parametrize(
    ("line", "words", "controlled", "listed"),
    [
        (COUNTRIES, 25, 0.95, True), (f"{COUNTRIES} St. Helena", 26, 1.0, True),
        (COUNTRIES, 24, 1.0, False), (COUNTRIES, 25, 0.94, False),
        ("Vi svarar. Alltid.", 50, 1.0, False), ("Vi svarar. Alltid.", 51, 1.0, True),
        (f"- ## {COUNTRIES}", 25, 1.0, False), (f"| {COUNTRIES} |", 25, 1.0, False),
    ],
)  # fmt: skip
def test_a_long_line_of_options_with_hardly_a_sentence_is_a_list_of_them(
    line, words, controlled, listed
):
    page = PlainLines.of([line, "Text.", "Meny."])
    counts, shares = np.array([words, words + 1, 900]), np.array([controlled, 0, 0])
    framed = np.array([False, False, True])
    lists = option_lists(page, np.arange(3), counts, shares, framed)
    assert lists.tolist() == [listed, False, False]


def test_options_in_frames_are_not_counted_and_a_page_of_options_has_them():
    page = PlainLines.of([COUNTRIES, COUNTRIES, "Text."])
    numbers, shares = np.arange(3), np.array([1.0, 1.0, 0.0])
    no = np.zeros(3, bool)
    assert option_lists(page, numbers, np.array([30, 30, 61]), shares, no).tolist() == [
        True, True, False,
    ]  # fmt: skip
    assert not option_lists(page, numbers, np.array([30, 30, 60]), shares, no).any()
    framed = np.array([True, False, False])
    assert not option_lists(page, numbers, np.array([30, 30, 30]), shares, framed).any()
    assert option_lists(page, numbers, np.array([30, 30, 31]), shares, framed).tolist() == [
        False, True, False,
    ]  # fmt: skip


def test_what_leads_away_from_a_product_is_all_links_and_no_heading():
    page = PlainLines.of(["", "Regnjacka", "- Byxor", "- ### Byxor", "| Byxor | 90 kr |", "Kjol"])
    links = np.array([0.9, 1, 1, 1, 0.89], np.float32)
    assert leading_away(page, np.arange(1, 6), links).tolist() == [True, True, False, False, False]


PIECES = (
    "Hem", "HEM", "home ", "forsiden", "FORSÍÐA", " | ", " » ", "›", "/ ", " → ", ">", "- ", "> ",
    "* ", "12. ", "٣) ", "#", "## ", "|", "?", " ? *", " ", "  ", "ord", "Å", "_", "\u00a0",
    "\ud800",
)  # fmt: skip
UNFOLDING = re.compile(r"(?:[ >]|[-*+] |\d+[.)] )*(?:#+ |\|)|.*\?\W*$", re.DOTALL)
PARTING = re.compile(r" [|›»/→>](?= )")
HOME = re.compile(
    r"(?:[-*+>] |\d+[.)] )*(?:home|hem|hjem|heim|forside|forsiden|forsíða|startsida|startside)"
    r" ?[|›»/→>] ?\S",
    re.IGNORECASE,
)


def defined_row(line, words, linked, controlled):
    if (controlled >= 0.5 and words < 25 and not UNFOLDING.match(line)) or (
        linked >= np.float32(0.8) and len(PARTING.findall(line)) > 1 and not UNFOLDING.match(line)
    ):
        return True
    return bool(linked >= 0.25 and words < 25 and HOME.match(line))


def test_rows_are_those_of_the_definition():
    chance = random.Random(6)
    seen = Counter()
    for _ in range(20_000):
        line = "".join(chance.choices(PIECES, k=chance.randrange(9)))
        words = chance.choice([3, 24, 25])
        shares = [np.array([chance.choice([0, 0.25, 0.5, 0.8, 1])], np.float32) for _ in range(2)]
        page = line.encode("utf-8", "surrogatepass")
        row = framing_rows(page, np.array([0]), np.array([words]), *shares).item()
        assert row == defined_row(line, words, *(share.item() for share in shares)), line
        seen[row] += 1
    assert min(seen.values()) > 1_000
