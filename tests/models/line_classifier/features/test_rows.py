"""Where a line begins to be a row of controls or of links: `…line_classifier.features.rows`."""

import random
import re
from collections import Counter

import numpy as np
import pytest

from skord.models.line_classifier.features.rows import framing_rows


def is_row(line, words=4, linked=0.0, controlled=0.0):
    shares = np.array([[linked, 0], [controlled, 0]], np.float32)
    page, lines = f"\n{line}\nBron är ny.\n".encode(), np.array([1, 2])
    # Of two lines as long a list of options is half of the page, and stays.
    rows = framing_rows(page, lines, np.array([words, words]), *shares, np.zeros(2, bool))
    return rows[0].item()


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
    lines, counts = np.array([0, 2]), np.array([3, 2])
    rows = framing_rows(page, lines, counts, links, controls, np.zeros(2, bool))
    assert rows.tolist() == [True, True]


def test_lines_in_menus_are_of_the_frame():
    page, none = b"Bron\nMeny\n", np.zeros(2, np.float32)
    rows = framing_rows(page, np.arange(2), np.ones(2, int), none, none, np.array([False, True]))
    assert rows.tolist() == [False, True]


COUNTRIES = "Albania Angola Chad"


@pytest.mark.parametrize(
    ("line", "words", "controlled", "listed"),
    [
        (COUNTRIES, 25, 0.95, True), (f"{COUNTRIES} St. Helena", 26, 1.0, True),
        (COUNTRIES, 25, 0.94, False),
        ("Vi svarar. Alltid.", 50, 1.0, False), ("Vi svarar. Alltid.", 51, 1.0, True),
        (f"- ## {COUNTRIES}", 25, 1.0, False), (f"| {COUNTRIES} |", 25, 1.0, False),
    ],
)  # fmt: skip
def test_a_long_line_of_options_with_hardly_a_sentence_is_a_list_of_them(
    line, words, controlled, listed
):
    counts, shares = np.array([words, words + 1, 900]), np.array([controlled, 0, 0])
    framed = np.array([False, False, True])
    assert lists_of([line, "Text.", "Meny."], counts, shares, framed) == [listed, False, True]


def lists_of(lines, counts, controls, framed):
    page, none = "\n".join(lines).encode(), np.zeros(3, np.float32)
    shares = np.array(controls, np.float32)
    return framing_rows(page, np.arange(3), np.array(counts), none, shares, framed).tolist()


def test_options_in_frames_are_not_counted_and_a_page_of_options_has_them():
    page, shares, no = [COUNTRIES, COUNTRIES, "Text."], [1, 1, 0], np.zeros(3, bool)
    assert lists_of(page, [30, 30, 61], shares, no) == [True, True, False]
    assert lists_of(page, [30, 30, 60], shares, no) == [False, False, False]
    framed = np.array([True, False, False])
    assert lists_of(page, [30, 30, 30], shares, framed) == [True, False, False]
    assert lists_of(page, [30, 30, 31], shares, framed) == [True, True, False]


def test_what_leads_away_from_a_product_is_all_links_and_no_heading():
    page = b"\nRegnjacka\n- Byxor\n- ### Byxor\n| Byxor | 90 kr |\nKjol\n"
    links, none = np.array([0.9, 1, 1, 1, 0.89], np.float32), np.zeros(5, np.float32)
    lines = (np.arange(1, 6), np.full(5, 2), links, none, np.zeros(5, bool))
    assert framing_rows(page, *lines, leads_away=True).tolist() == [True, True, False, False, False]
    assert not framing_rows(page, *lines).any()


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
        row = framing_rows(
            page, np.zeros(1, int), np.array([words]), *shares, np.zeros(1, bool)
        ).item()
        assert row == defined_row(line, words, *(share.item() for share in shares)), line
        seen[row] += 1
    assert min(seen.values()) > 1_000
