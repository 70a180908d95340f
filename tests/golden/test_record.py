"""What the compiled reading of pages makes of odd, random and bundled pages, on record.

`record.json` has a digest for each group of inputs and each stage: cleaned HTML and the elements of
its lines, Markdown, plain lines, decisions with the text made of them, features, chunks. Where
a digest differs, look at what changed, and when it is meant, write the record anew:

    python -m tests.golden
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from skord.html.charset.decode import decode
from skord.html.cleaning import read_page
from skord.html.line_context import LineContext, context_of_words
from skord.html.pandoc_dialect import DeclinedError, fast_markdown_with_links
from skord.markdown.extraction import joined_lines, line_verdicts, text_of_lines
from skord.markdown.fences import fenced_blocks
from skord.markdown.plain_lines import plain_lines
from skord.models.grammar.interface import graded_languages, load_grader
from skord.models.line_classifier.features.context import context_features
from skord.models.line_classifier.features.lines import page_features
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

RECORD = Path(__file__).with_name("record.json")

MARKUP = [
    "<p>a&shy;b\u200bc<b>d</b>e<!-- f -->g<br>h_i 1\u0660\u4e2d\u6587 \u0e01\u0e32 \u0130x \u00c5",
    "\u039f\u0394\u039f\u03a3 \u03a3 \u0391\u03a3. \u03a3\u0391",
    '<p title="a id="b">c<form action="x class=" d">e',
    '<a href="x" \xa0target="y &amp; z">f</a><div \xa0id=g>h</div>',
    '<p ="x>a<p>b',
    "<a href=x>a</a><a href=y> b&nbsp;</a><a>c</a><a href=z>d<i>e</i></a><a href=q> </a>",
    "<h2>a<br>b<div>c</div> <i>d</i></h2><h1>" + "x" * 1_001 + "<br>y</h1>",
    "<pre class='x language-py'><code>a\tb\n</code>\tc</pre> <listing>\td</listing>",
    "<base href=' https://a.se/?b&c '><img data-src=x width=1><img src=' y ' alt=' z '>",
    "<xmp><b>a</b></xmp>b<math><xmp><mi>c</mi></xmp></math><plaintext><i>d",
    "<div class='a b c d e f g h i' id='j k' role=l itemprop='m/n o' style='display : NONE'>p",
    "<div aria-hidden=true hidden>a</div><g:plus \u200bclass=x>b</g:plus>",
    "<select><option>a<option>b</select><label>c</label><button>d</button><optgroup>e",
    "<html><head><noscript><title>a</title></noscript><title>b</title></head><body>c",
    "<head><script>'<noscript>'</script><title>b</title><noscript><img></noscript><body>c",
    "<head><script>'</noscript>'</script><noscript><p>'<script>'</noscript><body>c</script>d",
    "a<noscript><iframe></iframe>b<iframe src=c /></noscript>d<iframe>e</iframe>f",
    "<ul>a<ol start=2><b>c</b></ol><ul><i> </i></ul></ul><ul ='x>a</ul>",
    "<menu><ul>b<li>c</ul>d</menu>",
    "<a href=x><ul>a</ul></a><ul><a href=y>b</a></ul><a href=z>c</a><dir><div><li>d</div></dir>",
    "a<iframe>b<noscript>c</iframe>d<noscript><iframe>e<iframe>f</noscript>g",
    "<script>'<body '</script><title>a</title><body><html lang=sv>b",
    "<title>a<body >b</title><body>c",
    "<template><title>a</title><base href=http://b></template><svg><title>c<b>d</b></title></svg>",
    "a<?php if (b < c) ?>d<!DOCTYPE e>f&lt;g&gt;",
    "a\r\nb\rc<title>d\r\ne</title>\r<body\r>f",
]

PIECES = (
    "- ", "* ", "+ ", "1.  ", "12) ", "1234567890. ", "٣. ", "²) ", "å. ", "  ", "    ", " ", "> ",
    ">", "```", "~~~", "`", "```py", "<table>", "<table ", "</table>", "<td>", "</strong>", "<em>",
    "<del>", "<h2 id=a>", "<h7>", "<li>", "<B>", '<img src="a" alt="<i>">', '<img src="a" alt="b',
    '<video src="a">', '<embed src="', "&amp;", "| a  | b |", "|", "| --- |", "|:-:|", "**", "*",
    "~~", "\\!", "\\&", "\\", "^(2)", "\\_(a)", "## ", "#", "-", "-----", "<!-- end list -->",
    "(", "x^(a)", "\\~\\~", "***", "****", " ** ", "](", "](a**b)", "``", "\\`", "\\#", "\\_", "_",
    "&lt;", "&nbsp;", "&#x41;", "&copy", "&amp;lt;", "|---|", "\\[", "######", "²", "å",
    "ord", "日本", "7", "\xa0", "\u2003", "\u2028", "\x85", "\t", "\r", "\ud83d", "\U0001f600",
)  # fmt: skip
EDGES = (
    "> ", ">", "> > ", "> \n> ", "> a\n>", "- \n  a", "- \n- \n    a", "> - \n>   a", "1.  \n    a",
    "10000000) \n          a", "٣. \n    a", "- > \n  > a", "-", "1.", "-\n  a", "  - a\n\n    b",
    "- ```\n  a\n  ```\nb", "```\na\n``` b\n````  \nc", "~~~`\n~~~", "```a`", "    a\n\n    b\nc",
    "\n    a\n    b\n", "a\n    b\n", "> \n>     a\n> ",
    "<table>\n<table>\n</table>\n- a\n</table>",
    "<tablea></table>\n- a", "<td\n<td a<b>\n<table>\n<td a<b>\n</td ", "|", "||", "|a", "\xa0",
    "a \xa0", "a\xa0  ", "\xa0 a  ", "#######", "----", "---", "-", "<!-- a -->",
    "\ud800", "  \ud800",
)  # fmt: skip

SIGNS = (
    *"aaÅé日1²٣ \t\u00a0\u2028\x1c\xad\u200b\u2060\\\\*_-+>#|[](){}.!?:\"'`~<&;",
    "  ", "ord ", "Ord, ",
)  # fmt: skip
PARTS = (
    "![", "![a](b.png)", "![a [b]](c(d).png \"e\")", "](", "](<a b>)", "][", "]: ", "\\[", "\\]",
    "\\*", "\\\\", "\\#", "\\>", "\\<b", "\\-", "1\\. ", "`", "``", "- [x] ", "# ", "## ", "> ",
    "- ", "10) ", "* * *", "---", "| ", "|---|", "```", "````", "~~~",
    "~~~ py", "Ett två tre fyra fem.", "ett TVÅ tre fyra", "Eva skrev:", " wrote",
    "Click to expand...", "¶", "[edit]", "🔗", "\ud800", "ΟΔΟΣ", "İI",
)  # fmt: skip
TEXT_LINES = (
    "", "", "  ", "Ett två tre fyra fem.", "> Ett två tre fyra fem.", "> ett två, tre fyra  ",
    "Eva skrev:", "# Ett två tre fyra fem", "- Ett två tre fyra fem", "```", "~~~~", "~~~", "---",
    "| |", "|---|", "| a |", "# a", "## a", "\u200d", "![](a.png)", "- ![](b.png)",
    "![a](b) ![c](d) e", r"Välj\* ett \[2\]", "a  ",
)  # fmt: skip

ODD_PAGES = {
    "nothing": "",
    "a remainder alone": "två",
    "a remainder": "ett\ntvå",
    "blanks alone": " \n\n\t\n\u2028\n",
    "blanks around": "\u2028a\x85b\f\n \ufeff.\n\n\n",
    "astral characters": "A\ud800\U00020000\U0001d7d8\U0001f600\n\U0010ffff\n",
    "headings": "#\n## a\n####### b\n\n# c\nd\n   ## e\n",
    "marks": "".join(f"{mark}\n{mark} a\n" for mark in "#-*+>|![`\\"),
    "ends": "".join(f"a{mark}\n" for mark in '.,:-"()]|*_'),
    "repeats": "a b\nb a\na\n\nA B\n---\n***\n",
    "long words": "x" * 70 + "\n" + "x" * 64 + "\n",
    "indented": "".join(" " * width + "a\n" for width in range(20)),
    "long lines": ("ord " * 19 + "\n") + ("ord " * 20 + "\n") * 2 + "a\nb\n\nc\n",
    "many lines": "a\n\n- b\n# c\n" * 1250,
    "a long line": "Å1 å-" * 20_000 + "\n",
    "words alone": "日" * 100 + "\n\n日本\n",
}

LIKELY = (0, 0.05, 0.1, 0.5, 1, 1, 1)
LETTERS = "aeionrst åäöþðāšķ  -'’_0159.,:\n\t\r\x85\u2028!?Ωб中ǅ½٣\U0001f600\u0301ŉİ"


def digest_of(values: Sequence[object]) -> str:
    """The start of a SHA-1 of values as text; arrays by their bytes."""
    made = hashlib.sha1()
    for value in values:
        made.update(repr(value).encode("utf-8", "surrogatepass") + b"\0")
    return made.hexdigest()[:10]


def arrays(features: tuple[Any, ...]) -> list[object]:
    """The fields of features, arrays as bytes with their kind."""
    return [
        (one.dtype.str, one.shape, hashlib.sha1(one.tobytes()).hexdigest())
        if isinstance(one, np.ndarray)
        else one
        for one in features
    ]


def markdown_of(cleaned: str) -> str:
    """Markdown of cleaned HTML; of what our converter declines, the markup itself."""
    try:
        return fast_markdown_with_links(cleaned)[0]
    except DeclinedError:
        return cleaned + "\n"


def read_html(html: str) -> list[object]:
    """Cleaned HTML, title, language, Markdown, and the element of each line."""
    page = read_page(html)
    markdown = markdown_of(page.cleaned)
    return [
        page.cleaned, page.title, page.language, markdown, context_of_words(page.words, markdown)
    ]  # fmt: skip


def text_made(lines: Sequence[str], chance: random.Random) -> list[object]:
    """Decisions on lines by made-up probabilities, and the text that is made of them."""
    page = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")
    chances = np.array([chance.choice(LIKELY) for _ in lines], np.float32)
    kept = line_verdicts(page, chances, 0.5)
    joined = joined_lines(page, kept)
    return [fenced_blocks(page), kept.tolist(), joined, text_of_lines(joined)]


def random_line(chance: random.Random) -> str:
    """A line of signs, of parts of Markdown, or both."""
    pool = chance.choice([SIGNS, PARTS, SIGNS + PARTS])
    return "".join(chance.choices(pool, k=chance.randrange(12))).replace("\n", " ")


def random_lines(chance: random.Random) -> list[str]:
    """A page of which most lines are of `TEXT_LINES`."""
    return [
        chance.choice(TEXT_LINES) if chance.random() < 0.7 else random_line(chance)
        for _ in range(chance.randrange(16))
    ]


def held_lines(chance: random.Random) -> list[str]:
    """Lines of pieces of Markdown, in an item or a quotation."""
    held = chance.choice(["", "  ", "    ", "> ", "  > "])
    lines = ["".join(chance.choices(PIECES, k=chance.randrange(6))) for _ in range(8)]
    return [held * chance.randrange(3) + line for line in lines]


def featured(page: str, context: LineContext | None = None) -> list[object]:
    """Features of a page's lines, and of the elements around them."""
    features = page_features(page)
    if context is None or not features.lines.size:
        return arrays(features)
    return arrays(features) + arrays(context_features(context, features.lines, features.words))


def of_bundled_pages() -> Iterator[tuple[str, list[object]]]:
    """Every bundled page from its bytes to features and text, by language and number."""
    for number, page in enumerate(bundled_pages()):
        read = read_html(decode(*render_page(page)).text)
        markdown, context = str(read[3]), read[4]
        plain = plain_lines(markdown.split("\n"))
        features = featured("\n".join(plain), context)  # type: ignore[arg-type]
        made = text_made(plain[:-1], random.Random(number))
        stages = {"html": read[:3], "markdown": [markdown], "context": [context], "plain": plain}
        for stage, values in (stages | {"features": features, "text": made}).items():
            yield f"bundled {page.lang} {stage}", list(values)


def random_groups(
    name: str, make: Callable[[random.Random], list[object]], count: int
) -> Iterator[tuple[str, list[object]]]:
    """Results of random inputs, in groups of a seed each."""
    for seed in range(8):
        chance = random.Random(seed)
        for _ in range(count):
            yield f"random {name} {seed}", make(chance)


def of_texts(language: str) -> Iterator[list[object]]:
    """Grades and chunks of real, mixed and random texts."""
    chance, grader = random.Random(language), load_grader(language)
    pages = [page.text[:2000] for page in bundled_pages() if page.lang == language][:4]
    words = [word for page in pages for word in page.split(" ")]
    mixed = [" ".join(chance.choices(words, k=40)) for _ in range(8)] if words else []
    odd = ["".join(chance.choices(LETTERS, k=chance.choice([3, 50]))) for _ in range(60)]
    for text in (*pages, *mixed, *odd, "", " ", "\n\n a", "a\tb\rc\xa0d", "’- _ _a"):
        grade = grader.grade(text)
        yield [grade.words, grade.known, grade.function_words, grader.chunks(text)]


def results() -> Iterator[tuple[str, list[object]]]:
    """Name of a group, and what came out of one of its inputs."""
    yield from of_bundled_pages()
    yield from (("odd markup", read_html(html)) for html in MARKUP)
    for edge in EDGES:
        for text in (edge, f"{edge}\n", f"- x\n  {edge}\n", f"> {edge}"):
            yield "odd plain lines", list(plain_lines(text.split("\n")))
    digits = [f"{chr(code)}.  a" for code in range(0x80, 0x10000) if not 0xD800 <= code < 0xE000]
    # In ASCII, for what `repr` shows as it is depends on Python's version of Unicode.
    yield "every digit", [ascii(list(plain_lines(digits)))]
    yield from ((f"odd features, {name}", featured(page)) for name, page in ODD_PAGES.items())
    yield from random_groups(
        "plain lines", lambda chance: list(plain_lines(held_lines(chance))), 500
    )
    yield from random_groups("texts", lambda chance: text_made(random_lines(chance), chance), 1000)
    yield from random_groups(
        "features", lambda chance: featured("\n".join(held_lines(chance)) + "\n"), 50
    )
    for language in graded_languages():
        yield from ((f"chunks {language}", values) for values in of_texts(language))


def made_record() -> dict[str, str]:
    """Digest of each group, in the order in which groups come."""
    groups: dict[str, list[str]] = {}
    for name, values in results():
        groups.setdefault(name, []).append(digest_of(values))
    return {name: digest_of(values) for name, values in groups.items()}


def test_what_is_read_and_made_is_what_is_on_record():
    recorded, made = json.loads(RECORD.read_text()), made_record()

    assert made.keys() == recorded.keys()
    changed = [name for name in made if made[name] != recorded[name]]
    assert not changed, "look at these, then `python -m tests.golden`"
