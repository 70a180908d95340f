"""Which reservations decide, and numbers that their check digits tell.

Of `skord.rights.reservations` and `skord.publishing.check_digits`.
"""

import pyarrow as pa
import pytest
from stdnum import luhn

from skord.publishing.check_digits import is_card, is_iban
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
    number = body + luhn.calc_check_digit(body)

    assert is_card(number) is is_known
    assert not is_card(number[:-1] + str((int(number[-1]) + 1) % 10))
