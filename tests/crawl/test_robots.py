"""Rules of robots.txt files by RFC 9309."""

import pytest

from skord.crawl.robots import (
    forbids_anything,
    robots_allow,
    robots_lines,
    robots_text,
    rules_for,
    rules_of_lines,
)
from skord.publishing.removals.requests import robots_entries

SITE = "https://example.se"


def may(robots, path, agent="CCBot"):
    return robots_allow(rules_for(robots, agent), SITE + path)


@pytest.mark.parametrize(
    ("robots", "path", "is_allowed"),
    [
        ("User-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\nDisallow:", "/a", True),
        ("User-agent: GPTBot\nDisallow: /", "/a", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /b", "/a", True),
        ("User-agent: *\nDisallow: /\n\nUser-agent: CCBot\nDisallow: /b", "/b/c", False),
        ("User-agent: *\nDisallow: /\nUser-agent: CCBot\nDisallow:", "/a", True),
        ("User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /", "/a", False),
        ("user-AGENT : ccbot\ndisallow : /a", "/a", False),
        ("User-agent: CCBot/2.0\nDisallow: /", "/a", False),
        ("User-agent: CC\nDisallow: /", "/a", True),
        ("User-agent: CCBotter\nDisallow: /", "/a", True),
        ("\ufeffUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: *\rDisallow: /\r", "/a", False),
        ("User-agent: CCBot\nCrawl-delay: 3\nUser-agent: *\nDisallow: /", "/a", False),
        ("User-agent: CCBot\nDisallow: /a\n\nUser-agent: ccbot\nDisallow: /b", "/a", False),
        ("User-agent: CCBot\nDisallow: /a\n\nUser-agent: ccbot\nDisallow: /b", "/b", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", True),
        ("User-agent: *\nAllow: /a/b\nDisallow: /a", "/a/c", False),
        ("User-agent: *\nDisallow: /a\nAllow: /a", "/a", True),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/x/y.pdf?z", True),
        ("User-agent: *\nDisallow: /*?q=", "/sok?q=1", False),
        ("User-agent: *\nDisallow: /a$", "/a", False),
        ("User-agent: *\nDisallow: /a$", "/ab", True),
        ("User-agent: *\nDisallow: /å", "/%C3%A5/b", False),
        ("User-agent: *\nDisallow: /%c3%a5", "/å", False),
        ("User-agent: *\nDisallow: /a%2Fb", "/a/b", True),
        ("User-agent: *\nDisallow: privat", "/privat/1", False),
        ("Disallow: /\nUser-agent: *\nAllow: /", "/a", True),
        ("User-agent: * # alla\nDisallow: /x # hemligt", "/x", False),
        ("<html>404</html>", "/a", True),
        ("User-agent: CCBot2\nDisallow: /", "/a", False),
        ("User-agent: GPTBot, CCBot\nDisallow: /", "/a", False),
        ("User-agent: GPTBot; CCBot\nDisallow: /", "/a", False),
        ("User-agent: GPTBot CCBot\nDisallow: /", "/a", False),
        ("User-agent: GPTBot (not CCBot)\nDisallow: /", "/a", True),
        ("User-agent: *, GPTBot\nDisallow: /", "/a", False),
        ("User-agent: *bot\nDisallow: /", "/a", True),
        ("User-agent:\nDisallow: /", "/a", True),
        ("User Agent: *\nDisallow: /", "/a", False),
        ("useragent: *\nDisallow: /", "/a", False),
        ("User_agent: *\nDisallow: /", "/a", False),
        ("User-agents: *\nDisallow: /", "/a", False),
        ("User-agent *\nDisallow /a", "/a", False),
        ("User-agent: *\nDisallow /a /b", "/a", True),
        ("User-agent: *\nDissallow: /a", "/a", False),
        ("User-agent: *\nDissalow: /a", "/a", False),
        ("User-agent: *\ndisalow: /a", "/a", False),
        ("User-agent: *\nDiasllow: /a", "/a", False),
        ("User-agent: *\nDisallaw: /a", "/a", False),
        ("User-agent: *\nDisavow: /a", "/a", True),
        ("User-agent: *\nDisallow: /search?", "/search?q=1", False),
        ("User-agent: *\nDisallow: /search?", "/search?", False),
        ("User-agent: *\nDisallow: /search?", "/search", True),
        ("User-agent: *\nDisallow: /*?", "/a?#b", False),
        ("User-agent: *\nDisallow: /pris%24", "/pris$", False),
        ("User-agent: *\nDisallow: /pris%24", "/pris%24", False),
        ("User-agent: *\nDisallow: /pris%24", "/pris", True),
        ("User-agent: *\nDisallow: /a$b", "/a$b", False),
        ("User-agent: *\nDisallow: /a$b", "/a%24b", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/a*b", False),
        ("User-agent: *\nDisallow: /a%2Ab", "/axb", True),
        ("User-agent: *\nDisallow: /a b", "/a%20b", False),
    ],
)
def test_a_page_may_be_fetched_or_not(robots, path, is_allowed):
    assert may(robots, path) is is_allowed


def test_the_host_itself_is_its_root():
    assert not robots_allow(rules_for("User-agent: *\nDisallow: /$", "CCBot"), SITE)


def test_many_wildcards_take_no_time():
    robots = "User-agent: *\nDisallow: /" + "*a" * 200 + "*b"

    assert may(robots, "/" + "a" * 5000)


def test_rules_are_the_same_after_writing():
    rules = rules_for("User-agent: *\nDisallow: /a: b\nAllow: /ö*$\nDisallow:", "CCBot")

    assert rules_of_lines(robots_lines(rules)) == rules
    assert forbids_anything(rules)
    assert not forbids_anything(rules_for("User-agent: *\nDisallow:\nAllow: /", "CCBot"))


@pytest.mark.parametrize(
    "agent", ["AI2Bot", "img2dataset", "360Spider", "Kangaroo Bot", "bigsur.ai"]
)
def test_a_name_is_found_with_digits_dots_and_blanks(agent):
    assert not may(f"User-agent: *\nAllow: /\n\nUser-agent: {agent}\nDisallow: /", "/a", agent)
    assert may(f"User-agent: X{agent}\nDisallow: /", "/a", agent)


def test_bytes_that_are_no_utf8_are_escapes_and_a_mark_says_utf16():
    latin1 = "User-agent: *\nDisallow: /kläder".encode("latin-1")
    utf16 = "User-agent: *\nDisallow: /privat".encode("utf-16")

    assert not may(robots_text(latin1), "/kl%E4der")
    assert may(robots_text(latin1), "/kl%C3%A4der")
    assert not may(robots_text(utf16), "/privat")


def test_several_crawlers_each_have_their_say():
    text = "User-agent: CCBot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b"

    entries = robots_entries(f"{SITE}/robots.txt", text, ["CCBot", "GPTBot", "Other"])

    assert [one.rules for one in entries] == ["Disallow: /a", "Disallow: /b"]
