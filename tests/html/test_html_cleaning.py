from __future__ import annotations

import pytest

from skord import to_markdown
from skord.core.failures import DocumentError
from skord.html.cleaning import clean_html, html_lang, page_title
from skord.html.failures import ConversionFailure

MANY_OPTIONS = 2_000
MAX_ATTRIBUTES = 20_000
MAX_OPEN_STYLES = 1_500
MAX_OPEN_TAGS = 5_000


@pytest.mark.parametrize(
    ("html", "cleaned"),
    [
        ('<p class="a" onclick="b()">c</p>', "<p>c</p>"),
        ('<a href="/x?y=1&z=2" title="t"><b>c</b></a>', '<a href="#"><b>c</b></a>'),
        ('<a name="x"><b>c</b></a>', "<a><b>c</b></a>"),
        ('<a href="/x" \xa0target="y"><b>c</b></a>', '<a href="#"><b>c</b></a>'),
        ('<td colspan="2" style="width:1px">', ""),
        ('<table><td colspan="2" width="9">x', "<div><div><div>x</div></div></div>"),
        (
            '<table><td colspan="2" width="9">x<tr><td>y<td>z',
            "<table><tr><td>x</td><td></td></tr><tr><td>y</td><td>z</td></tr></table>",
        ),
        ('<ol start="3"><li>x<li value="9">y', '<ol start="3"><li>x</li><li value="9">y</li></ol>'),
        ('<ol start="3" type="i"><li>x', "<ul><li>iii. x</li></ul>"),
        ('<img src="a" alt="b &quot;c&quot;" title="d">', '<img src="a" alt="b &quot;c&quot;">'),
        ('<img src="DATA:image/gif;base64,R0" alt="b">', ""),
        ('<img alt="b">', ""),
        ('<img s\xadrc="a" alt="b">', '<img src="a" alt="b">'),
        ("<p>a\n\n  b\t c</p>\n\n<p>d", "<p>a b c</p> <p>d</p>"),
        ("<pre>a\tb\n\n  c\td</pre>", "<pre>a\tb\n\n  c\td</pre>"),
        ("<section><article>a</article></section>", "<div><div>a</div></div>"),
        ("<x-card>a</x-card>", "a"),
        ("<p hidden>a</p><p>b</p><p style='display: NONE'>c</p>", "<p>b</p>"),
        ("<ruby>漢<rt>かん</ruby>a<?php b ?>c", "漢ac"),
        ("a<!-- b -->c<!--", "ac"),
        ("<head><title>a</title><style>b{}</style></head>c", "c"),
        ("<textarea>a</textarea><canvas>b</canvas>c", "c"),
        ("<script>'<noscript>'</script><noscript>a</noscript><body>b", "b"),
        ("<noscript>'<script>'</noscript><script>'<noscript>'</script><body>b", "b"),
        ("<noscript>a<iframe src=x /></noscript>b", "ab"),
        ("<NOSCRIPT><iframe>a</iframe>b<IFRAME>c<iframe>d</NOSCRIPT>e", "be"),
        ("<iframe>a<noscript>b</noscript>c", ""),
        ("<ul><a href=x>a</a><p>b</ul>", "<div>a<p>b</p></div>"),
        ("<ol start=3>a<ul>b</ul></ol>", "<div>a<div>b</div></div>"),
        ("<ul>a<menu><li>b</menu></ul>", "<div>a<ul><li>b</li></ul></div>"),
        ("<ul> </ul><dir>a<dl><dt>b</dl></dir>", "<ul> </ul><div>a<dl><dt>b</dt></dl></div>"),
        ("", ""),
    ],
)  # fmt: skip
def test_only_what_shows_in_markdown_stays(html, cleaned):
    assert clean_html(html) == cleaned


BOMBS = {
    "100,000 levels": ("<div>" * 100_000, "too_deep"),
    "20,000 lists": ("<ul><li>" * 20_000, "too_deep"),
    "styles over paragraphs": ("".join(f"<p><font size={i}>" for i in range(9_000)), "too_deep"),
    "styles fewer than tags may be": (
        "".join(f"<p><FONT\n size={i}>" for i in range(MAX_OPEN_STYLES + 10)),
        "too_deep",
    ),
    "empty styles": ("".join(f'<p><i class="{i}"/>' for i in range(9_000)), "too_deep"),
    "a million elements": ("<p>" * 1_000_000, "too_large"),
    "attributes": ("<p " + " ".join(f"a{i}=1" for i in range(100_000)) + ">", "too_large"),
    "attributes without blanks": ("<p " + "".join(f'a{i}=""' for i in range(100_000)), "too_large"),
    "attributes with slashes": ("<p" + "".join(f"/a{i}" for i in range(100_000)), "too_large"),
    "too much HTML": ("x" * 3_000_001, "too_large"),
    "too much left": ("x" * 2_000_001, "too_large"),
    "escaped to too much": ("<" * 1_000_000, "too_large"),
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("html", "code"), BOMBS.values(), ids=BOMBS)
def test_pages_that_no_parser_survives_are_refused_at_once(html, code):
    with pytest.raises(DocumentError) as caught:
        clean_html(html)

    assert caught.value.code is ConversionFailure(code)


HARMLESS = {
    "deep": "<div>" * (MAX_OPEN_TAGS - 10) + "x",
    "styles": "<p>" + "<b>" * (MAX_OPEN_STYLES - 10) + "x",
    "attributes": "<p " + " ".join(f"a{i}" for i in range(MAX_ATTRIBUTES - 10)) + ">x",
    "many unclosed paragraphs": "<p>x" * 30_000,
    "many unclosed items": "<ul>" + "<li>x" * 30_000,
    "comparisons in a script": "<script>" + "i<n;" * 9_000 + "</script>x",
    "drawing": "<svg>" + "<path d='M0'/>" * 9_000 + "</svg>x",
    "embedded image": f'<img src="data:image/png;base64,{"a b/c=" * 50_000}">x',
    "unclosed comments in raw text": "<xmp>" + "<!--" * 20_000,
    "unclosed scripts": "x" + "<script>" * 200_000,
    "unclosed noscript": "x<noscript>" * 900 + "y" * 100_000 + "<body>x",
    "lone surrogate": "x\ud800",
    "a menu of every place there is": "<select>" + "<option>x" * 150_000,
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("html", HARMLESS.values(), ids=HARMLESS)
def test_odd_pages_pass(html):
    assert clean_html(html)


def test_a_long_menu_reads_like_a_short_one():
    menu = "<p>Ort<select>{}</select><p>Text"
    short, long = (
        clean_html(menu.format("<option>Ås" * n)) for n in (MANY_OPTIONS, MANY_OPTIONS + 1)
    )

    assert long.count("Ås") == MANY_OPTIONS + 1
    assert long.replace("Ås", "", 1).split() == short.split()


def test_limits_are_settings():
    with pytest.raises(DocumentError, match="11 characters of HTML"):
        clean_html("<p>abcd</p>", max_html_chars=10)
    with pytest.raises(DocumentError, match="11 characters cleaned"):
        clean_html("<p>abcd", max_cleaned_chars=10)


def test_pictures_in_addresses_do_not_count_towards_the_size():
    picture = f"<img src='data:image/png;base64,{'iVBORw0K' * 400_000}' alt=Bro>"

    assert clean_html(f"<p>Hej{picture}</p>") == clean_html("<p>Hej<img src='data:,' alt=Bro></p>")
    with pytest.raises(DocumentError, match="max_html_chars"):
        clean_html(f"<p>{'data:image/png;base64,' * 200_000}</p>")


def test_a_novel_in_one_page_is_not_too_large():
    paragraph = "<p>Utan brådska lämnar bagaren fönstret, för läraren söker inte stigen längre.</p>"

    assert len(clean_html(paragraph * 10_000)) > 600_000


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Hem &ndash; \n Förening</title>", "Hem – Förening"),
        ("<html><head><meta charset=x><TITLE>a</TITLE></head><body><title>b</title>", "a"),
        ("<body><svg><title>ikon</title></svg>", None),
        ("<title> </title>", None),
        ("<title>a<b>c</b></title>", "a<b>c</b>"),
        ("<script>var x='<title>b</title>'</script><title>a</title>", "a"),
        ("", None),
    ],
)
def test_title(html, title):
    assert page_title(html) == title


@pytest.mark.parametrize(
    ("html", "lang"),
    [
        ("<html lang=sv>", "sv"),
        ('<!doctype html><html xml:lang="da" class=x>', "da"),
        ('<html lang=" nb-NO ">', "nb-NO"),
        ('<html lang="">', None),
        ("<body lang=sv>", None),
        ("", None),
    ],
)
def test_declared_language(html, lang):
    assert html_lang(html) == lang


def test_a_page_within_noscript_stays_though_it_asks_for_scripts():
    posts = "".join(f"<p>Inlägg {number}: bron är klar, och vi firar.</p>" for number in range(60))
    asks = "<p>Best viewed with JavaScript enabled</p>"

    whole = to_markdown(f"<body><noscript>{posts}{asks}</noscript></body>".encode())
    notice = to_markdown(
        f"<body><p>Bron är klar.</p><noscript>{asks * 12}</noscript></body>".encode()
    )

    assert "Inlägg 59: bron är klar" in whole
    assert notice.strip() == "Bron är klar."
