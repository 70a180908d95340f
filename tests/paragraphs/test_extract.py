from __future__ import annotations

import re

import pytest

from skord.core.failures import DocumentError
from skord.paragraphs import extract
from skord.paragraphs.extract import page_paragraphs
from skord.paragraphs.format import (
    Paragraph,
    Step,
    path_steps,
    read_paragraphs,
    write_paragraphs,
    written_step,
)
from skord.text.languages import MIN_LETTERS, telling_text


def paragraphs(html: str) -> list[tuple[str, str]]:
    """Paths and texts, links in brackets."""
    actual = page_paragraphs(html)
    assert read_paragraphs(write_paragraphs(actual)) == actual
    return [(p.path, p.text.replace("\x02", "[").replace("\x03", "]")) for p in actual]


def texts(html: str) -> list[str]:
    return [text for _, text in paragraphs(html)]


def test_each_block_is_a_paragraph_and_its_path_names_tags_classes_and_id():
    html = """<!doctype html><html><head><title>Titel</title></head>
    <body class="page  wide"><div class="container" id="12345">
      <h1>Rubrik</h1><p>Ett <b>stycke</b>.</p></div><footer>Slut</footer>"""

    assert paragraphs(html) == [
        ("body.page.wide>div.container#12345>h1", "Rubrik"),
        ("body.page.wide>div.container#12345>p", "Ett stycke."),
        ("body.page.wide>footer", "Slut"),
    ]


def test_text_belongs_to_the_innermost_open_block():
    html = "<div id=a>ett<p>två</p>tre<div id=b>fyra</div>fem<p>sex</div>sju"

    assert paragraphs(html) == [
        ("body>div#a", "ett"),
        ("body>div#a>p", "två"),
        ("body>div#a", "tre"),
        ("body>div#a>div#b", "fyra"),
        ("body>div#a", "fem"),
        ("body>div#a>p", "sex"),
        ("body", "sju"),
    ]


def test_elements_within_a_block_do_not_stand_in_the_path():
    assert paragraphs("<div><span>ett<p>två</p></span></div><table><tr><td>tre<p>fyra</table>") == [
        ("body>div", "ett"),
        ("body>div>span>p", "två"),
        ("body>table", "tre"),
        ("body>table>tbody>tr>td>p", "fyra"),
    ]


def test_elements_between_blocks_stand_in_the_path():
    assert paragraphs("<ul class=x><li><span><p>djupt</ul>") == [
        ("body>ul.x>li>span>p", "djupt")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("Se <a href=/x>allt</a>.", "Se [allt]."),
        ("<a href=/x> Hem </a>och mer", "[Hem] och mer"),
        ("Se<a href=/x> allt</a>", "Se [allt]"),
        ("<a href=/x>Hem</a><a href=/y>Om</a>", "[Hem] [Om]"),
        ("<a href=/x>två<br>rader\n här</a>", "[två rader här]"),
        ("<a href=/x>a</a><br><a href=/y>b</a>", "[a]\n[b]"),
        ("a <a href=/x><img src=i.png></a> b", "a b"),
        ("a<a href=/x> \n </a>b", "a b"),
        ("<a name=x>ankare</a>", "ankare"),
        ("<a href=/x>[1]</a>", "[[1]]"),
        ("a&#2;b&#3;c&#28;d&#30;e&#1;f", "a b c d e f"),
        ("<a href=/x>&#3;x&#2;</a>", "[x]"),
    ],
)
def test_links_are_marked(html, expected):
    assert texts(f"<p>{html}</p>") == [expected]


def test_a_link_around_blocks_is_marked_in_each():
    assert texts("<a href=/x>före<h2>Rubrik</h2><p>Text</p></a>efter") == [
        "[före]", "[Rubrik]", "[Text]", "efter"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>en<br>två<br/><br>tre</p>", "en\ntvå\ntre"),
        ("<p> mycket \t\n  luft&nbsp;&#160; här\r\n</p>", "mycket luft här"),
        ("<ul><li>ett<li>två</ul>", "ett\ntvå"),
        ("<dl><dt>ord<dd>förklaring</dl>", "ord\nförklaring"),
        ("<table><tr><th>a<td>b<tr><td>c<td>d</table>", "a b\nc d"),
        ("<pre>en\n  två\n\n\n tre</pre>", "en\ntvå\ntre"),
        ("<textarea>\nen\ntvå</textarea>", "en\ntvå"),
        ("<p>ja<button>OK</button>nej<label>x</label>y</p>", "ja OK nej x y"),
        ("<p>barn&shy;bok<wbr>hylla\ufeff\u200b</p>", "barnbokhylla"),
        ("<p>\u3000全\u3000の\u3000\u3000空白\u3000<br>\u3000次", "全\u3000の\u3000\u3000空白\n次"),
        ("<p>日本\n  語の文。\n次の文 abc\n語</p>", "日本語の文。次の文 abc 語"),
        ("<p>日本<b>\n語</b> x</p>", "日本語 x"),
        ("<p>한국\n어</p>", "한국 어"),
        ("<p>rad\u2028ett\x85två\x0btre</p>", "rad ett två tre"),
    ],
)  # fmt: skip
def test_blanks_and_lines(html, expected):
    assert texts(html) == [expected]


@pytest.mark.parametrize("html", ["<p>&nbsp;</p>", "<p>\u3000</p>", "<p>\u200b&#2;</p>", "<hr>"])
def test_a_paragraph_without_visible_text_is_none(html):
    assert texts(f"{html}<p>text</p>") == ["text"]
    with pytest.raises(DocumentError, match="empty_page"):
        page_paragraphs(html)


def test_what_browsers_never_show_is_left_out():
    html = """<head><style>p{}</style></head><p>syns<script>if (a<b) "<p>x"</script></p>
    <template><p>mall</p></template><iframe><p>ram</p></iframe><!-- <p>kommentar -->
    <svg><title>ikon</title><text>bild</text></svg><object>fel</object>
    <noscript><p>Slå på JavaScript</p></noscript>"""

    assert paragraphs(html) == [("body>p", "syns"), ("body>noscript>p", "Slå på JavaScript")]


@pytest.mark.parametrize(
    ("classes", "id"),
    [
        ("w-1.5 [&>p]:mt-4 a#b c\\d", "rubrik.2"),
        ("x", "med blanksteg > och\n\nradbrytning"),
        ("\x1c\x02 a\tb", "\x1c"),
        ("", ""),
        (None, None),
    ],
)
def test_names_with_marks_of_the_format_are_read_back(classes, id):
    path = f"body>{written_step('div', classes, id)}>p"

    [_, step, _] = path_steps(path)

    names = tuple(re.split(r"[\x00-\x20]+", (classes or "").strip("\x00\x1c\x02 ")))
    assert step.tag == "div"
    assert step.classes == tuple(name for name in names if name)
    assert step.id == (" ".join((id or "").replace("\x1c", " ").split()) or None)
    written = write_paragraphs([Paragraph(path, "text"), Paragraph("body", "mer")])
    assert read_paragraphs(written) == [Paragraph(path, "text"), Paragraph("body", "mer")]


def test_a_path_is_read_as_steps():
    assert path_steps("body>div.a.b#c>ul") == [
        Step("body", (), None), Step("div", ("a", "b"), "c"), Step("ul", (), None)
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", "a\n\nb", "a\x1cb", "\na", "a\n"])
def test_what_could_not_be_read_back_is_not_written(text):
    with pytest.raises(ValueError, match="cannot hold"):
        write_paragraphs([Paragraph("body", text)])
    with pytest.raises(ValueError, match="cannot hold"):
        write_paragraphs([Paragraph("body>p\n\nx", "text")])


def test_texts_without_paths_are_read():
    assert read_paragraphs("ett\n\ntvå\ntre") == [Paragraph("", "ett"), Paragraph("", "två\ntre")]


@pytest.mark.parametrize(
    ("html", "code"),
    [
        ("<div>x" * 170_000, "too_deep"),
        ("<div>" * 200_000, "too_deep"),
        ("<div>a" * 4_990, "too_large"),
        ("<div class='" + "c " * 300_000 + "'>" + "<p>x</p>" * 50_000, "too_large"),
        ("<p " + "a=1 b " * 15_000 + ">x", "too_large"),
        ("x" * 3_000_001, "too_large"),
        ("<frameset><frame src=x></frameset>", "empty_page"),
    ],
    ids=["1 MB of divs", "no text", "paths", "classes", "attributes", "long", "frames"],
)
def test_what_cannot_be_taken_apart_is_named_soon(html, code):
    with pytest.raises(DocumentError) as raised:
        page_paragraphs(html)
    assert str(raised.value.code) == code


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div>" * 4_990 + "djupt", "djupt"),
        ("<p>a\0b</p\0>", "ab"),
        ("<p>a" + " " * 1_000_000 + "b", "a b"),
        ("<p>" + "<a href=x> </a>" * 50_000 + "x", "x"),
        ("<p>x" + "\u3000\n" * 200_000, "x"),
        ("<select>" + "<option>x" * 20_000, "x"),
    ],
    ids=["5,000 levels", "NUL", "blanks", "empty links", "wide blanks", "options"],
)
def test_odd_pages_are_taken_apart_soon(html, expected):
    assert page_paragraphs(html)[-1].plain == expected


JAPANESE = "琵琶湖は滋賀県にある湖で、日本でもっとも面積が広い。" * 12


def test_the_language_of_another_script_is_told_by_its_own_characters():
    text = telling_text(f"print('hello') {JAPANESE}\nfor x in range(10): pass {JAPANESE}")

    assert "print" not in text
    assert text.split() == [JAPANESE, JAPANESE]
    assert len(telling_text(JAPANESE * 40)) == 5_120


@pytest.mark.parametrize(
    "text",
    [
        "Åsa åt gröt på ön. " * 200,
        JAPANESE[:MIN_LETTERS] + " Sverige",
        JAPANESE + "En svensk sida som citerar något på japanska. " * 60,
        "ＦＵＬＬ　ＷＩＤＴＨ " * 60,
    ],
    ids=["Latin letters beyond ASCII", "too little", "a quotation", "full width"],
)
def test_every_other_page_is_judged_whole(text):
    assert telling_text(text) == text


def test_paths_and_texts_count_alike_up_to_the_most_that_a_page_may_have(monkeypatch):
    html = "<h1>Bron</h1><p>Den nya bron skall stå klar nästa höst.</p>"
    paragraphs = page_paragraphs(html)
    size = sum(len(one.path) + len(one.text) for one in paragraphs)

    monkeypatch.setattr(extract, "MAX_CHARS", size)
    assert page_paragraphs(html) == paragraphs
    monkeypatch.setattr(extract, "MAX_CHARS", size - 1)
    with pytest.raises(DocumentError, match="too many characters of paths"):
        page_paragraphs(html)
