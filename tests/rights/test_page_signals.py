"""What headers and markup of a page reserve: examples of the specifications, and their edges."""
# ruff: noqa: E501 - a case a line

import pytest

from skord.rights.page_signals import page_reservations

AGENTS = ("GPTBot", "CCBot", "Googlebot")


def reservations_of(headers=(), body=b"", site=None):
    if isinstance(body, str):
        body = body.encode()
    rows = page_reservations([tuple(h.split(": ", 1)) for h in headers], body, AGENTS, site)
    return [tuple(row) for row in rows]


ROBOTS_HEADERS = [
    (["X-Robots-Tag: noindex"], []),
    (["X-Robots-Tag: noai"], [("*", "noai")]),
    (["x-robots-tag: NOAI"], [("*", "noai")]),
    (["X-ROBOTS-TAG: NoAi, NoImageAi"], [("*", "noai"), ("*", "noimageai")]),
    (["X-Robots-Tag: noai,noimageai"], [("*", "noai"), ("*", "noimageai")]),
    (["X-Robots-Tag: noimageai"], [("*", "noimageai")]),
    (["X-Robots-Tag: nosnippet"], [("*", "nosnippet")]),
    (["X-Robots-Tag: noimageindex, nosnippet"], [("*", "nosnippet")]),
    (["X-Robots-Tag: noarchive", "X-Robots-Tag: nosnippet"], [("*", "nosnippet")]),
    (["X-Robots-Tag: noarchive", "X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST"], []),
    (["X-Robots-Tag: googlebot: nofollow"], []),
    (["X-Robots-Tag: googlebot: nosnippet"], [("googlebot", "nosnippet")]),
    (["X-Robots-Tag: googlebot: nofollow", "X-Robots-Tag: otherbot: noindex, nofollow"], []),
    (["X-Robots-Tag: otherbot: noai, nosnippet"], [("otherbot", "noai"), ("otherbot", "nosnippet")]),
    (["X-Robots-Tag: nosnippet, GPTBot: noai"], [("*", "nosnippet"), ("GPTBot", "noai")]),
    (["X-Robots-Tag: BadBot: noindex, nofollow, googlebot: nofollow"], []),
    (["X-Robots-Tag: BadBot: noai, googlebot: nosnippet"],
     [("BadBot", "noai"), ("googlebot", "nosnippet")]),
    (["X-Robots-Tag: max-snippet:0"], [("*", "max-snippet:0")]),
    (["X-Robots-Tag: max-snippet: 0"], [("*", "max-snippet:0")]),
    (["X-Robots-Tag: max-snippet:20, max-image-preview:large"], []),
    (["X-Robots-Tag: max-snippet:-1"], []),
    (["X-Robots-Tag: max-image-preview:none"], []),
    (["X-Robots-Tag: GPTBot: max-snippet: 0"], [("GPTBot", "max-snippet:0")]),
    (["X-Robots-Tag: unavailable_after: 2025-09-21, noai"], [("*", "noai")]),
    (["X-Robots-Tag: all"], []),
    (["X-Robots-Tag: none"], []),
    (["X-Robots-Tag: "], []),
    (["X-Robots-Tag: ,, ,"], []),
    (["X-Robots-Tag: noaiimages"], []),
    (["X-Robots-Tag: no-ai"], []),
    (["X-Robots-Tag: noai noimageai"], [("*", "noai"), ("*", "noimageai")]),
    (["X-Robots: noai"], []),
    (["X-Crawl-X-Robots-Tag: noai"], [("*", "noai")]),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "expected"), ROBOTS_HEADERS)
def test_x_robots_tag(headers, expected):
    assert reservations_of(headers) == [("x_robots_tag", *one) for one in expected]


META_ROBOTS = [
    ('<meta name="robots" content="noindex; noai">', [("*", "noai")]),
    ('<meta name="robots" content="noimageai;noai">', [("*", "noimageai"), ("*", "noai")]),
    ('<meta name="robots" content="index|noai">', [("*", "noai")]),
    ('<meta name="robots" content="noai">', [("*", "noai")]),
    ('<meta name="robots" content="noai, noimageai">', [("*", "noai"), ("*", "noimageai")]),
    ('<META NAME="ROBOTS" CONTENT="NOAI">', [("*", "noai")]),
    ("<meta name='robots' content='noai'>", [("*", "noai")]),
    ("<meta name=robots content=noai>", [("*", "noai")]),
    ('<meta content="noai" name="robots"/>', [("*", "noai")]),
    ('<meta\n  name = "robots"\n  content = "noai"\n/>', [("*", "noai")]),
    ('<meta name="robots" content="noindex, nofollow">', []),
    ('<meta name="robots" content="index,follow,nosnippet">', [("*", "nosnippet")]),
    ('<meta name="googlebot" content="nosnippet">', [("googlebot", "nosnippet")]),
    ('<meta name="googlebot-news" content="nosnippet">', [("googlebot-news", "nosnippet")]),
    ('<meta name="GPTBot" content="noai">', [("GPTBot", "noai")]),
    ('<meta name="CCBot" content="nofollow">', []),
    ('<meta name="robots" content="max-snippet:0">', [("*", "max-snippet:0")]),
    ('<meta name="robots" content="max-snippet:20, max-image-preview:large">', []),
    ('<meta name="robots" content="unavailable_after: 2025-09-21">', []),
    ('<meta name="robots" content="nofollow"><meta name="googlebot" content="noai">',
     [("googlebot", "noai")]),
    ('<meta name="robots" content="nofollow"><meta name="robots" content="noai">',
     [("*", "noai")]),
    ('<!-- <meta name="robots" content="noai"> -->', []),
    ('<!-- x --><meta name="robots" content="noai">', [("*", "noai")]),
    ('<!--><meta name="robots" content="noai">', [("*", "noai")]),
    ('<script>"<meta name=robots content=noai>"</script>', []),
    ('<script src="a>b"></script><meta name=robots content=noai>', [("*", "noai")]),
    ("<style>a{}</style ><meta name=robots content=noai>", [("*", "noai")]),
    ("<title><meta name=robots content=noai></title>", []),
    ("<textarea><meta name=robots content=noai></textarea>", []),
    ("<body><p>text<meta name=robots content=noai>", [("*", "noai")]),
    ('<meta name="description" content="noai, nosnippet">', []),
    ('<meta name="keywords" content="noai">', []),
    ('<meta property="robots" content="noai">', []),
    ('<meta http-equiv="X-Robots-Tag" content="noai">', []),
    ("<metadata name=robots content=noai>", []),
    ('<meta name="robots" content="no&#97;i">', []),
    ('<meta name="robots" content="no&#97;i, nosnippet">', [("*", "noai"), ("*", "nosnippet")]),
    ('<meta name="robots" content="noai', []),
    ('<meta name="robots" content="it\'s > x, noai">', [("*", "noai")]),
    ('<meta name="robots" content="noai" content="index">', [("*", "noai")]),
    ("<p>Skriv &lt;meta name=robots content=noai&gt;", []),
    ("", []),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), META_ROBOTS)
def test_robots_tags(body, expected):
    assert reservations_of(body=body) == [("meta_robots", *one) for one in expected]


HEADER, META, FILE = "tdmrep_header", "tdmrep_meta", "tdmrep_file"
POLICY = "https://provider.example/policies/policy.json"
RESERVED = '<meta name="tdm-reservation" content="1">'
OPEN = '<meta name="tdm-reservation" content="0">'
TDM = [
    (["tdm-reservation: 1"], "", None, (HEADER, "tdm-reservation: 1")),
    (["TDM-Reservation: 1"], "", None, (HEADER, "tdm-reservation: 1")),
    (["tdm-reservation: 0"], "", None, None),
    (["tdm-reservation: 1", f"tdm-policy: {POLICY}"], "", None,
     (HEADER, f"tdm-reservation: 1; tdm-policy: {POLICY}")),
    ([f"tdm-policy: {POLICY}"], "", None, None),
    (["tdm-reservation: 0", f"tdm-policy: {POLICY}"], "", None, None),
    (["tdm-reservation: 2"], "", None, None),
    (["tdm-reservation: true"], "", None, None),
    (["tdm-reservation: yes"], "", None, None),
    (["tdm-reservation:  1 "], "", None, (HEADER, "tdm-reservation: 1")),
    ([], RESERVED, None, (META, "tdm-reservation: 1")),
    ([], RESERVED.upper(), None, (META, "tdm-reservation: 1")),
    ([], OPEN, None, None),
    ([], RESERVED + f'<meta name="tdm-policy" content="{POLICY}">', None,
     (META, f"tdm-reservation: 1; tdm-policy: {POLICY}")),
    ([], f'<meta name="tdm-policy" content="{POLICY}">', None, None),
    ([], '<meta name="tdm-reservation" content="2">', None, None),
    ([], '<meta property="tdm-reservation" content="1">', None, None),
    ([], "", "location: /; tdm-reservation: 1", (FILE, "location: /; tdm-reservation: 1")),
    (["tdm-reservation: 0"], "", "location: /; tdm-reservation: 1", None),
    (["tdm-reservation: 1"], "", "location: /; tdm-reservation: 1", (HEADER, "tdm-reservation: 1")),
    (["tdm-reservation: 1"], OPEN, None, None),
    (["tdm-reservation: 0"], RESERVED, None, (META, "tdm-reservation: 1")),
    ([], OPEN, "location: /; tdm-reservation: 1", None),
    (["tdm-reservation: 7"], "", "location: /; tdm-reservation: 1",
     (FILE, "location: /; tdm-reservation: 1")),
    (["tdm-reservation: 0", "tdm-reservation: 1"], "", None, (HEADER, "tdm-reservation: 1")),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "body", "site", "expected"), TDM)
def test_tdmrep(headers, body, site, expected):
    assert reservations_of(headers, body, site) == (
        [(expected[0], "*", expected[1])] if expected else []
    )


CONTENT_USAGE = [
    (["train-ai=n"], ["train-ai=n"]),
    (["train-ai=y"], []),
    (["train-ai=y, search=n"], []),
    (["train-ai=n, search=y"], ["train-ai=n"]),
    (["search=n"], []),
    (['train-ai=y, train-ai, search=n, search="n"'], []),
    (["train-ai;allow=n, train-ai=y"], []),
    (['train-ai;has;parameters="?";'], []),
    (['train-ai;has;parameters="?"'], []),
    (["train-ai=n;why=law"], ["train-ai=n"]),
    (['train-ai=n;a=1;b="x, y"; c'], ["train-ai=n"]),
    (["train-ai=y, train-ai=n"], ["train-ai=n"]),
    (["train-ai=n, train-ai=y"], []),
    (["train-ai=N"], []),
    (["Train-AI=n"], []),
    (["TRAIN-AI=y, train-ai=n"], []),
    (['train-ai="n"'], []),
    (["train-ai=?0"], []),
    (["train-ai=0"], []),
    (["train-ai=no"], []),
    (["train-ai"], []),
    (["train-ai=n,"], []),
    (["train-ai=n search=y"], []),
    (["train-ai = n"], []),
    (["train-ai=n,search=y"], ["train-ai=n"]),
    (["train-ai=n\t,\tsearch=y"], ["train-ai=n"]),
    (["unknown=(a b);x, train-ai=n"], ["train-ai=n"]),
    (["unknown=(a b, train-ai=n"], []),
    (["unknown=:aGVq:, train-ai=n"], ["train-ai=n"]),
    (["unknown=@1659578233, train-ai=n"], ["train-ai=n"]),
    (["unknown=1.25, train-ai=n"], ["train-ai=n"]),
    (["search=y", "train-ai=n"], ["train-ai=n"]),
    (["train-ai=n", "train-ai=y"], []),
    (["bots=n"], ["bots=n"]),
    (["ai=n"], ["ai=n"]),
    ([""], []),
]


@pytest.mark.parametrize(("values", "expected"), CONTENT_USAGE)
def test_content_usage_header(values, expected):
    headers = [f"Content-Usage: {value}" for value in values]
    assert reservations_of(headers) == [("aipref_header", "*", words) for words in expected]


CONTENT_SIGNAL = [
    (["ai-train=no"], ["ai-train=no"]),
    (["search=yes, ai-train=no"], ["search=yes, ai-train=no"]),
    (["search=yes,ai-input=yes,ai-train=yes"], []),
    (["ai-input=no"], []),
    (["search=no"], []),
    (["Search=Yes, AI-Train=No"], ["Search=Yes, AI-Train=No"]),
    (["ai-train = no"], ["ai-train = no"]),
    (["ai-train=no,use=reference"], ["ai-train=no,use=reference"]),
    (["ai-train=yes, ai-train=no"], ["ai-train=yes, ai-train=no"]),
    (["ai-training=no"], []),
    (["no"], []),
    ([""], []),
]


@pytest.mark.parametrize(("values", "expected"), CONTENT_SIGNAL)
def test_content_signal_header(values, expected):
    headers = [f"Content-Signal: {value}" for value in values]
    shown = [("content_signal_header", "*", f"Content-Signal: {words}") for words in expected]
    assert reservations_of(headers) == shown


RSL = "application/rsl+xml"
LICENCE = "https://example.com/license.xml"
LICENCES = [
    ([f'Link: <{LICENCE}>; rel="license"; type="{RSL}"'], "", ("rsl_header", LICENCE)),
    ([f"Link: <{LICENCE}>; rel=license; type={RSL}"], "", ("rsl_header", LICENCE)),
    ([f'Link: <{LICENCE}>; type="{RSL}"; rel="license"'], "", ("rsl_header", LICENCE)),
    ([f'link: </a.css>; rel="preload", <{LICENCE}>; REL="License"; Type="{RSL}"'], "",
     ("rsl_header", LICENCE)),
    ([f'Link: <{LICENCE}>; rel="license"'], "", None),
    ([f'Link: <{LICENCE}>; rel="next"; type="{RSL}"'], "", None),
    ([f'Link: <https://a.example/?a,b>; rel="x"; title="a, <b>", <{LICENCE}>; rel="copyright license"; type="{RSL}"'],
     "", ("rsl_header", LICENCE)),
    ([], f'<link rel="license" type="{RSL}" href="{LICENCE}">', ("rsl_link", LICENCE)),
    ([], f'<LINK HREF="{LICENCE}" TYPE="{RSL}" REL="LICENSE">', ("rsl_link", LICENCE)),
    ([], f"<link rel=license type={RSL} href=/license.xml>", ("rsl_link", "/license.xml")),
    ([], f'<link rel="license" type="{RSL}">', None),
    ([], f'<link rel="license" href="{LICENCE}">', None),
    ([], f'<link rel="alternate" type="{RSL}" href="{LICENCE}">', None),
    ([], f'<a rel="license" type="{RSL}" href="{LICENCE}">x</a>', None),
    ([], f'<script type="{RSL}"><rsl xmlns="https://rslstandard.org/rsl">\n <x/></rsl></script>',
     ("rsl_inline", '<rsl xmlns="https://rslstandard.org/rsl"> <x/></rsl>')),
    ([], f'<script type="{RSL}"></script>', None),
    ([], f'<script>var a = "{RSL}"</script>', None),
]  # fmt: skip


@pytest.mark.parametrize(("headers", "body", "expected"), LICENCES)
def test_licences(headers, body, expected):
    assert reservations_of(headers, body) == ([(expected[0], "*", expected[1])] if expected else [])


def test_one_page_can_say_all_of_it():
    headers = ["X-Robots-Tag: noai", "tdm-reservation: 1", "Content-Usage: train-ai=n"]
    body = '<meta name="robots" content="noimageai">' + "<p>å" * 5000
    assert [one[0] for one in reservations_of(headers, body)] == [
        "x_robots_tag", "meta_robots", "tdmrep_header", "aipref_header",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ([("Link", "<" * 400_000)], b""),
        ([("Link", "<a" * 200_000)], b""),
        ([("Link", '<a>;a="' * 60_000)], b""),
        ([("Link", '<a>;a="' + '\\"' * 200_000)], b""),
        ((), b"<meta name=robots content=noai " + b"a" * 400_000 + b">"),
        ((), b"<script type=application/rsl+xml>" + b"</script" * 50_000 + b">x"),
        ((), b"<meta name=robots content='noai &#" + b"9" * 400_000 + b";'>"),
    ],
)
def test_hostile_headers_and_tags_take_linear_time(headers, body):
    """With time that grows with the square of the length each would run into the test's limit."""
    page_reservations(headers, body, AGENTS)
