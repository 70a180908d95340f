"""What owners reserve of a single page: `skord.reservations`."""

import pytest

import skord

PAGE = '<meta name="robots" content="noimageai; noai"><meta name="tdm-reservation" content="1">'
ROBOTS = "User-agent: AI2Bot, GPTBot\nDisallow: /privat\n"


def test_who_reserves_by_which_signal_in_which_words():
    said = skord.reservations(
        PAGE, {"X-Robots-Tag": "CCBot: noai"}, ROBOTS, "https://example.se/privat/a"
    )

    assert [tuple(one) for one in said] == [
        ("robots_txt", "GPTBot", "User-agent: GPTBot Disallow: /privat"),
        ("robots_txt", "AI2Bot", "User-agent: AI2Bot Disallow: /privat"),
        ("x_robots_tag", "CCBot", "noai"),
        ("meta_robots", "*", "noimageai"),
        ("meta_robots", "*", "noai"),
        ("tdmrep_meta", "*", "tdm-reservation: 1"),
    ]


def test_each_part_may_be_left_out():
    assert skord.reservations() == []
    assert skord.reservations(b"<p>Hej") == []
    assert skord.reservations(robots=ROBOTS, url="https://example.se/") == []
    assert len(skord.reservations(headers=[("tdm-reservation", "1")])) == 1
    both = skord.reservations(robots=ROBOTS.encode("utf-16"), url="https://example.se/privat")
    assert {one.agent for one in both} == {"GPTBot", "AI2Bot"}
    assert skord.reservations(
        robots=ROBOTS, url="https://example.se/privat", agents=["CCBot"]
    ) == []  # fmt: skip


def test_a_robots_txt_needs_an_address():
    with pytest.raises(ValueError, match="url"):
        skord.reservations(robots=ROBOTS)


def test_records_cannot_be_changed():
    (one,) = skord.reservations('<meta name="robots" content="noai">')

    assert isinstance(one, skord.Reservation)
    with pytest.raises(AttributeError):
        one.words = ""
