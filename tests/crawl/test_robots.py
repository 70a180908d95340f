"""Rules of robots.txt files by RFC 9309."""

import pytest

from skord.crawl.robots import (
    forbids_anything,
    robots_allow,
    robots_lines,
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


def test_several_crawlers_each_have_their_say():
    text = "User-agent: CCBot\nDisallow: /a\n\nUser-agent: GPTBot\nDisallow: /b"

    entries = robots_entries(f"{SITE}/robots.txt", text, ["CCBot", "GPTBot", "Other"])

    assert [one.rules for one in entries] == ["Disallow: /a", "Disallow: /b"]
