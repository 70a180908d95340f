"""What the files of a site reserve."""
# ruff: noqa: E501 - a case a line

import json

import pytest

from skord.rights.reservations import Source, reservation_line
from skord.rights.site_signals import SiteFiles, site_statements

SITE = "https://example.com"


def reservations_of(path, agents=("GPTBot",), **files):
    statements = site_statements(SiteFiles(**files), agents)
    return [tuple(one) for one in statements.reservations(SITE + path)]


ROBOTS = [
    ("User-agent: GPTBot\nDisallow: /", "/a", "User-agent: GPTBot Disallow: /"),
    ("User-agent: *\nDisallow: /", "/a", "User-agent: * Disallow: /"),
    ("User-agent: gptbot\nDisallow: /", "/a", "User-agent: GPTBot Disallow: /"),
    ("User-agent: GPTBot/1.0\nDisallow: /", "/a", "User-agent: GPTBot Disallow: /"),
    ("User-agent: CCBot\nDisallow: /", "/a", None),
    ("User-agent: CCBot\nUser-agent: GPTBot\nDisallow: /x", "/x/y", "User-agent: GPTBot Disallow: /x"),
    ("User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nAllow: /", "/a", None),
    ("User-agent: *\nDisallow: /\n\nUser-agent: GPTBot\nDisallow:", "/a", None),
    ("User-agent: *\nAllow: /\n\nUser-agent: GPTBot\nDisallow: /", "/a",
     "User-agent: GPTBot Disallow: /"),
    ("User-agent: GPTBot\nDisallow: /\nAllow: /press", "/press/1", None),
    ("User-agent: GPTBot\nAllow: /page\nDisallow: /*.html", "/page.html",
     "User-agent: GPTBot Disallow: /*.html"),
    ("User-agent: GPTBot\nAllow: /p\nDisallow: /", "/page", None),
    ("User-agent: GPTBot\nAllow: /folder\nDisallow: /folder", "/folder/page", None),
    ("User-agent: GPTBot\nAllow: /page\nDisallow: /*.htm", "/page.htm",
     "User-agent: GPTBot Disallow: /*.htm"),
    ("User-agent: GPTBot\nAllow: /$\nDisallow: /", "/", None),
    ("User-agent: GPTBot\nAllow: /$\nDisallow: /", "/page.htm", "User-agent: GPTBot Disallow: /"),
    ("User-agent: GPTBot\nDisallow: *.gif$", "/a/b.gif", "User-agent: GPTBot Disallow: *.gif$"),
    ("User-agent: GPTBot\nDisallow: /example/\n\nUser-agent: GPTBot\nDisallow: /b", "/b",
     "User-agent: GPTBot Disallow: /b"),
    ("User-agent: GPTBot\nCrawl-delay: 1\nDisallow: /a # not this", "/a", "User-agent: GPTBot Disallow: /a"),
    ("\ufeffUser-agent: GPTBot\nDisallow: /å", "/%C3%A5", "User-agent: GPTBot Disallow: /%C3%A5"),
    ("<html>not found</html>", "/a", None),
    ("", "/a", None),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "path", "words"), ROBOTS)
def test_robots_txt(robots, path, words):
    assert reservations_of(path, robots=robots) == (
        [("robots_txt", "GPTBot", words)] if words else []
    )


def test_each_agent_is_told_apart():
    robots = "User-agent: GPTBot\nUser-agent: ClaudeBot\nDisallow: /\n\nUser-agent: CCBot\nAllow: /"
    said = reservations_of("/a", ("CCBot", "GPTBot", "ClaudeBot", "AI2Bot"), robots=robots)
    assert [(source, agent) for source, agent, _ in said] == [
        ("robots_txt", "GPTBot"), ("robots_txt", "ClaudeBot"),
    ]  # fmt: skip


EXAMPLE = """User-Agent: *
Allow: /
Disallow: /never/
Content-Usage: train-ai=n
Content-Usage: /ai-ok/ train-ai=y

User-Agent: ExampleBot
Allow: /
Content-Usage: train-ai=y
"""
USAGE = [
    (EXAMPLE, "OtherBot", "/test", "aipref_robots_txt", "Content-Usage: train-ai=n"),
    (EXAMPLE, "OtherBot", "/never/test", "robots_txt", "User-agent: * Disallow: /never/"),
    (EXAMPLE, "OtherBot", "/ai-ok/test", None, None),
    (EXAMPLE, "ExampleBot", "/test", None, None),
    (EXAMPLE, "ExampleBot", "/never/test", None, None),
    ("User-agent: *\nContent-Usage: train-ai=n", "A", "/x", "aipref_robots_txt", "Content-Usage: train-ai=n"),
    ("User-agent: *\ncontent-usage : /a train-ai=n", "A", "/a/b", "aipref_robots_txt",
     "Content-Usage: /a train-ai=n"),
    ("User-agent: *\nContent-Usage: /a train-ai=n", "A", "/b", None, None),
    ("User-agent: *\nContent-Usage: /a\ttrain-ai=n", "A", "/a", "aipref_robots_txt",
     "Content-Usage: /a train-ai=n"),
    ("User-agent: *\nContent-Usage: /*.pdf$ train-ai=n", "A", "/x.pdf", "aipref_robots_txt",
     "Content-Usage: /*.pdf$ train-ai=n"),
    ("User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a train-ai=y", "A", "/a",
     "aipref_robots_txt", "Content-Usage: /a train-ai=n"),
    ("User-agent: *\nContent-Usage: /a train-ai=n\nContent-Usage: /a/b train-ai=y", "A", "/a/b/c", None, None),
    ("User-agent: *\nContent-Usage: /a train-ai=n # no", "A", "/a", "aipref_robots_txt",
     "Content-Usage: /a train-ai=n"),
    ("User-agent: *\nContent-Usage: /a", "A", "/a", None, None),
    ("User-agent: *\nContent-Usage: TRAIN-AI=n", "A", "/a", None, None),
    ("User-agent: B\nContent-Usage: train-ai=n\nUser-agent: A\nAllow: /", "A", "/a", None, None),
    ("Content-Usage: train-ai=n\nUser-agent: *\nAllow: /", "A", "/a", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "agent", "path", "source", "words"), USAGE)
def test_content_usage_in_robots_txt(robots, agent, path, source, words):
    assert reservations_of(path, (agent,), robots=robots) == (
        [(source, agent, words)] if source else []
    )


MANAGED = """# BEGIN Cloudflare Managed content

User-agent: *
Content-Signal: search=yes,ai-train=no,use=reference
Allow: /

User-agent: GPTBot
Disallow: /

# END Cloudflare Managed Content

User-agent: *
Disallow: /search
"""
SIGNALS = [
    (MANAGED, "AI2Bot", "/a", "content_signal_robots_txt", "Content-Signal: search=yes,ai-train=no,use=reference"),
    (MANAGED, "GPTBot", "/a", "robots_txt", "User-agent: GPTBot Disallow: /"),
    (MANAGED, "AI2Bot", "/search?q=1", "robots_txt", "User-agent: * Disallow: /search"),
    (MANAGED.replace("ai-train=no", "ai-train=yes"), "AI2Bot", "/a", None, None),
    ("User-agent: *\nContent-signal: ai-train=no", "A", "/", "content_signal_robots_txt", "Content-Signal: ai-train=no"),
    ("User-agent: *\nContent-Signal: /blog/ ai-train=no, search=yes", "A", "/blog/1", "content_signal_robots_txt",
     "Content-Signal: /blog/ ai-train=no, search=yes"),
    ("User-agent: *\nContent-Signal: /blog/ ai-train=no, search=yes", "A", "/about", None, None),
    ("User-agent: *\nContent-Signal: ai-train=no\nContent-Signal: /open/ ai-train=yes", "A", "/open/1", None, None),
    ("User-agent: googlebot\nContent-Signal: ai-train=no\n\nUser-agent: *\nAllow: /", "A", "/", None, None),
    ("Content-Signal: ai-train=no\nUser-agent: *\nAllow: /", "A", "/", None, None),
    ("User-agent: *\nContent-Signal: ai-input=no", "A", "/", None, None),
    ("User-agent: *\n# Content-Signal: ai-train=no", "A", "/", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "agent", "path", "source", "words"), SIGNALS)
def test_content_signal_in_robots_txt(robots, agent, path, source, words):
    assert reservations_of(path, (agent,), robots=robots) == (
        [(source, agent, words)] if source else []
    )


def test_both_rules_of_use_are_told():
    robots = "User-agent: *\nContent-Usage: train-ai=n\nContent-Signal: ai-train=no"
    assert [one[0] for one in reservations_of("/a", robots=robots)] == [
        "aipref_robots_txt",
        "content_signal_robots_txt",
    ]


LICENCES = [
    ("License: https://example.com/license.xml\n\nUser-agent: Googlebot\nAllow: /",
     ["https://example.com/license.xml"]),
    ("User-agent: *\nAllow: /\nLicense: https://a.example/1.xml\nlicense:https://b.example/2.xml",
     ["https://a.example/1.xml", "https://b.example/2.xml"]),
    ("License: /license.xml", []),
    ("# License: https://example.com/license.xml", []),
]  # fmt: skip


@pytest.mark.parametrize(("robots", "expected"), LICENCES)
def test_licences_in_robots_txt(robots, expected):
    assert reservations_of("/a", robots=robots) == [
        ("rsl_robots_txt", "*", one) for one in expected
    ]


AI_TXT = (
    "User-Agent: *\nDisallow: *.txt\nDisallow: *.html\nDisallow: *.pdf\nAllow: *.jpg\nAllow: /\n"
)
AI = [
    (AI_TXT, "/a/b.html", "*.html"),
    (AI_TXT, "/a/", "*.html"),
    (AI_TXT, "/a", "*.html"),
    (AI_TXT, "/", "*.html"),
    (AI_TXT, "/a.php", None),
    (AI_TXT, "/a.jpg", None),
    ("User-Agent: *\nDisallow: /", "/a", "/"),
    ("User-Agent: *\nAllow: *.html\nDisallow: /", "/a/b.html", None),
    ("User-Agent: *\nDisallow: *.jpg\nDisallow: *.png", "/a", None),
    ("User-Agent: *\nAllow: /", "/a", None),
    ("---\nname: Firma\n---\n# About\nDisallow nothing", "/a", None),
    ("", "/a", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "pattern"), AI)
def test_ai_txt(text, path, pattern):
    words = [("ai_txt", "*", f"User-agent: * Disallow: {pattern}")] if pattern else []
    assert reservations_of(path, ai=text) == words


RULES = [
    {"location": "/open/", "tdm-reservation": 0},
    {"location": "/*.pdf$", "tdm-reservation": 1},
    {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://example.com/policy.json"},
]
TDM = [
    (RULES, "/open/a", None),
    (RULES, "/x/y.pdf", "location: /*.pdf$; tdm-reservation: 1"),
    (RULES, "/a", "location: /; tdm-reservation: 1; tdm-policy: https://example.com/policy.json"),
    ([{"location": "/a", "tdm-reservation": 1}], "/b", None),
    ([{"location": "/a", "tdm-reservation": 1}], "/a/b", "location: /a; tdm-reservation: 1"),
    ([{"location": "/A", "tdm-reservation": 1}], "/a", None),
    ([{"location": "/a$", "tdm-reservation": 1}], "/ab", None),
    ([{"location": "/a/*/c", "tdm-reservation": 1}], "/a/b/c", "location: /a/*/c; tdm-reservation: 1"),
    ([{"location": "/", "tdm-reservation": "1"}], "/a", "location: /; tdm-reservation: 1"),
    ([{"location": "/", "tdm-reservation": 2}], "/a", None),
    ([{"location": "/", "tdm-reservation": True}], "/a", None),
    ([{"location": "/"}], "/a", None),
    ([{"tdm-reservation": 1}], "/a", None),
    ({"location": "/", "tdm-reservation": 1}, "/a", "location: /; tdm-reservation: 1"),
    (["/"], "/a", None),
    ("not json", "/a", None),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "path", "words"), TDM)
def test_tdmrep_json(rules, path, words):
    text = rules if rules == "not json" else json.dumps(rules)
    assert site_statements(SiteFiles(tdmrep=text), ()).tdm_at(SITE + path) == words


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '[{"location":"/","tdm-reservation":' + "1" * 5000]
)
def test_a_hostile_tdmrep_json_says_nothing(text):
    assert site_statements(SiteFiles(tdmrep=text), ()).tdm_at(SITE + "/a") is None


def test_words_can_be_written_as_utf8():
    one = reservation_line(Source.tdmrep_file, "*", "policy: \udfff")

    assert one.words == "policy: ?"
