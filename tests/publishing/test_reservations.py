"""Which reservations decide, and numbers that their check digits tell.

Of `skord.rights.reservations` and `skord.publishing.check_digits`.
"""

import pyarrow as pa
import pytest

from skord.publishing.check_digits import (
    FI_CHECKS,
    has_luhn,
    is_card,
    is_day,
    is_finnish,
    is_iban,
    is_icelandic,
    is_latvian,
    is_norwegian,
    is_swedish,
)
from skord.rights.reservations import (
    RESERVATIONS_TYPE,
    Pattern,
    Source,
    are_reserved,
    deciding_reservations,
    parse_reservation_pattern,
    reservation_line,
)

PAGE = [
    {"source": "robots_txt", "agent": "CCBot", "words": "Disallow: /"},
    {"source": "x_robots_tag", "agent": "*", "words": "noai, noimageai"},
]


@pytest.mark.parametrize(
    ("patterns", "number"),
    [
        ([], 0),
        (["robots_txt"], 1),
        (["robots_txt:ccbot"], 1),
        (["robots_txt:GPTBot"], 0),
        (["x_robots_tag:*:*noimageai*"], 1),
        (["x_robots_tag:*:noai"], 0),
        (["*"], 2),
        (["robots_txt", "*_robots_*"], 2),
    ],
)
def test_a_pattern_means_source_agent_and_words(patterns, number):
    assert len(deciding_reservations(PAGE, patterns)) == number


def test_without_patterns_or_reservations_nothing_is_reserved():
    column = pa.chunked_array([pa.array([PAGE, [], None], RESERVATIONS_TYPE)])

    assert are_reserved(column, []) == [False, False, False]
    assert are_reserved(column, ["robots_txt"]) == [True, False, False]
    assert deciding_reservations(None, ["*"]) == []


def test_a_pattern_that_means_no_source_is_refused_with_those_that_there_are():
    assert parse_reservation_pattern(" TDMREP_*: ") == Pattern("tdmrep_*", "*", "*")
    with pytest.raises(ValueError, match="no source of reservations 'robot'; there are robots_txt"):
        parse_reservation_pattern("robot:x")


def test_words_are_cut():
    assert len(reservation_line(Source.rsl_inline, "*", "x" * 10_000).words) == 500


def digits(text):
    return [int(sign) for sign in text]


@pytest.mark.parametrize(
    ("date", "is_one"),
    [("010100", True), ("311299", True), ("320100", False), ("000100", False), ("010000", False),
     ("011300", False), ("410100", False)],
)  # fmt: skip
def test_six_digits_that_are_a_day(date, is_one):
    assert is_day(date) is is_one


def test_a_norwegian_d_number_has_forty_added():
    assert is_day("410100", 40)
    assert is_day("710100", 40)
    assert not is_day("720100", 40)
    assert not is_day("320100", 40)


FIRST = (3, 7, 6, 1, 8, 9, 4, 5, 2, 1, 0)
"""Weights of a Norwegian number's first check digit."""


def with_last(start, accepts):
    """Which last digits make a number of these."""
    return [last for last in range(10) if accepts([*digits(start), last])]


def test_one_last_digit_is_the_right_one():
    assert with_last("811218987", has_luhn) == [6]
    assert with_last("811218987", lambda all_: is_swedish("811218", all_)) == [6]
    assert with_last("811278987", lambda all_: is_swedish("811278", all_)) == with_last(
        "811278987", has_luhn
    )
    assert not with_last("811318987", lambda all_: is_swedish("811318", all_))
    assert not with_last("810018987", lambda all_: is_swedish("810018", all_))
    assert with_last("1611751999", lambda all_: is_latvian("161175", all_)) == [7]
    assert len(with_last("3200001999", lambda all_: is_latvian("320000", all_))) == 1


def test_both_check_digits_of_a_norwegian_number_count():
    numbers = [digits(f"010190{n:05d}") for n in range(0, 100_000, 7)]

    right = [number for number in numbers if is_norwegian("010190", number)]

    assert right
    assert all(sum(a * b for a, b in zip(one, FIRST, strict=True)) % 11 == 0 for one in right)
    assert not is_norwegian("010190", [*right[0][:10], (right[0][10] + 1) % 10])
    assert not is_norwegian("011390", right[0])


def test_an_icelandic_number_has_its_century():
    ends = [f"{n}{last}" for n in range(10) for last in (8, 9, 0)]

    right = {end[0] for end in ends if is_icelandic("120174", digits(f"12017433{end}"))}

    assert len(right) == 1
    start = f"33{right.pop()}"
    assert not is_icelandic("120174", digits(f"120174{start}7"))
    assert not is_icelandic("320174", digits(f"120174{start}9"))


def test_a_finnish_number_begins_at_two():
    assert is_finnish("131052", "308", "t")
    assert not is_finnish("131052", "308", "U")
    assert [sign for sign in FI_CHECKS if is_finnish("131052", "002", sign)]
    assert not [sign for sign in FI_CHECKS if is_finnish("131052", "001", sign)]


@pytest.mark.parametrize(
    ("written", "is_one"),
    [
        ("se45 5000 0000 0583 9825 7466", True),
        ("SE45 5000 0000 0583 9825 746", False),
        ("XX45 5000 0000 0583 9825 7466", False),
        ("DE89 3704 0044 0532 0130 00", True),
    ],
)
def test_an_account_has_the_length_of_its_country(written, is_one):
    assert is_iban(written) is is_one


@pytest.mark.parametrize(
    ("start", "size", "is_known"),
    [
        ("3400", 15, True), ("3399", 15, False), ("3499", 15, True), ("3500", 15, False),
        ("3700", 15, True), ("3799", 15, True), ("3800", 15, False),
        ("4000", 16, True), ("4999", 16, True), ("5000", 16, False), ("5100", 16, True),
        ("5599", 16, True), ("5600", 16, False), ("2220", 16, False), ("2221", 16, True),
        ("2720", 16, True), ("2721", 16, False), ("6011", 16, True), ("6012", 16, False),
        ("6500", 16, True), ("6600", 16, False), ("3528", 16, True), ("3589", 16, True),
        ("3590", 16, False), ("4000", 15, False), ("3400", 16, False),
    ],
)  # fmt: skip
def test_a_card_is_an_issuers(start, size, is_known):
    body = start + "0" * (size - 5)
    number = next(body + str(last) for last in range(10) if has_luhn(digits(body + str(last))))

    assert is_card(number) is is_known
    assert not is_card(number[:-1] + str((int(number[-1]) + 1) % 10))
