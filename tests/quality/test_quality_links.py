"""Links' share of the kept lines, and runs of frequent paragraphs."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from skord.html.converter import read_page_and_convert
from skord.markdown.extraction import as_bytes, from_bytes, joined_lines, text_of_lines
from skord.markdown.plain_lines import plain_page
from skord.quality.frequent_runs import frequent_run_ratio
from skord.quality.links import foreign_domain_rate, link_char_ratios

SPANS = pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))


def columns(pages, spans, probabilities, threshold):
    texts = [
        text_of_lines(joined_lines(plain_page(page), from_bytes(actual) >= threshold))[0]
        for page, actual in zip(pages, probabilities, strict=True)
    ]
    return (
        pa.array(texts, pa.string()),
        pa.array(pages, pa.string()),
        pa.array([of and [{"start": a, "end": b} for a, b in of] for of in spans], SPANS),
        pa.array(
            [bytes((from_bytes(actual) >= threshold).astype(np.uint8)) for actual in probabilities],
            pa.binary(),
        ),
    )


def ratios(pages, spans, probabilities, threshold):
    arrays = columns(pages, spans, probabilities, threshold)
    return link_char_ratios(*arrays).to_pylist()


def ratio_of_page(html):
    """Of the Markdown of a page, all of which is kept."""
    markdown = read_page_and_convert(html).markdown
    spans = [(span["start"], span["end"]) for span in markdown.link_spans]
    verdicts = b"\xff" * markdown.content.count("\n")
    return markdown.content, ratios([markdown.content], [spans], [verdicts], 0.5)[0]


def restated(page, spans, probabilities, threshold):
    linked = {at for start, end in spans for at in range(start, end)}
    kept = from_bytes(probabilities) >= threshold
    actual, at = [], 0
    for line, keep in zip(page.split("\n"), [*kept, False], strict=True):
        actual += [place in linked for place in range(at, at + len(line)) if keep]
        at += len(line) + 1
    return sum(actual) / len(actual) if actual else None


def random_page(generator):
    page = "".join(generator.choices("aå日😀,\n", k=generator.randint(0, 80))) + "\n"
    cuts = sorted(generator.sample(range(len(page) + 1), k=min(len(page), generator.randint(0, 8))))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    verdicts = np.array([generator.random() for _ in range(page.count("\n"))], np.float32)
    return page, spans, as_bytes(verdicts)


def test_share_is_what_its_plain_restatement_says():
    drawn = [random_page(random.Random(seed)) for seed in range(300)]

    actual = ratios(*zip(*drawn, strict=True), 0.4)

    for page, ratio in zip(drawn, actual, strict=True):
        expected = restated(*page, 0.4)
        assert ratio == (expected if expected is None else pytest.approx(expected)), page


def test_tags_of_tables_are_no_text():
    cell = "<p>Till <a href='/a'>Norra &amp; södra &lt;ön&gt;</a></p><p>klockan <b>12:30</b></p>"
    _, ratio = ratio_of_page(f"<table><tr><td>{cell}</td><td>45 kr</td></tr></table>")

    shown = "Norra & södra <ön>"
    assert ratio == len(shown) / len(f"Till {shown}klockan **12:30**45 kr")


def test_tables_of_links_alone_are_links_alone():
    rows = "".join(f"<tr><td><a href='/{at}'><p>Sida {at}</p></a></td></tr>" for at in range(5))
    content, ratio = ratio_of_page(f"<table>{rows}</table>")

    assert "Sida 4" in content
    assert ratio == 1


@pytest.mark.parametrize(
    ("html", "shown", "text"),
    [
        ("<p><a href='/'>A_B och 1!</a> på</p>", "A_B och 1!", "A_B och 1! på"),
        ("<p><a href='/'>A * B</a> och</p>", "A * B", "A * B och"),
        ("<p><a href='/'>Bild <img src='a.png' alt='på en sol'></a> på</p>", "Bild", "Bild på"),
        ("<p><a href='/'>Hem</a> a &lt; b</p>", "Hem", "Hem a < b"),
        ("<table><tr><th>Ort<th>Utförlig anmärkning<tr><td><a href='/'>Åmål</a><td>å</table>",
         "Åmål", "| Ort | Utförlig anmärkning ||---|---|| Åmål | å |"),
        ("<p><img src='a.png' alt='på en sol'>Hej</p><p><a href='/'>Hem</a></p>", "Hem",
         "HejHem"),
    ],
)  # fmt: skip
def test_signs_of_markup_are_not_counted_as_links(html, shown, text):
    content, ratio = ratio_of_page(html)

    assert ratio == pytest.approx(len(shown) / len(text)), content


@pytest.mark.parametrize(
    "page", ["`<b> &amp;` om\n", "`<b>` a &amp b\n", "<b &\n", "a & b; ![c](\n", "![c]\n", "<\n"]
)
def test_code_and_signs_that_stand_for_themselves_are_text(page):
    assert ratios([page], [[(0, len(page))]], [b"\xff"], 0.5) == [1]


def test_a_link_that_goes_on_over_tags_shows_its_text():
    cell = '<td><strong>Norra</strong> <img src="a.png" /> ön</td>'
    page = f"<table>\n{cell}\n</table>\n"

    actual = ratios([page], [[(12, 8 + len(cell) - 5)]], [b"\xff" * 3], 0.5)

    assert actual == [len("Norra ön") / len("**Norra** ön")]


def test_links_in_the_description_of_an_image_are_none_of_the_text():
    page = "![Foto: en vän](a.png) Hej\n"

    assert ratios([page], [[(8, 14), (23, 26)]], [b"\xff"], 0.5) == [1.0]


def test_share_is_unknown_where_links_are_or_nothing_is_kept():
    pages, spans = ["Hem\n", "Hem\n", "", "Hem\n"], [None, [(0, 3)], [], []]

    actual = ratios(pages, spans, [b"\xff", b"\0", b"", b"\xff"], 0.5)

    assert actual == [None, None, None, 0.0]


def test_links_without_a_character_are_passed_over():
    assert ratios(["Hem om\n"], [[(0, 0), (0, 0), (1, 3)]], [b"\xff"], 0.5) == [2 / 6]


def test_columns_that_are_part_of_longer_ones_are_read_at_their_place():
    drawn = [random_page(random.Random(seed)) for seed in range(20)]
    arrays = columns(*zip(*drawn, strict=True), 0.4)

    part = link_char_ratios(*(array[7:15] for array in arrays))

    assert part.to_pylist() == link_char_ratios(*arrays).to_pylist()[7:15]


@pytest.mark.parametrize(
    ("frequencies", "share"),
    [
        ([900, 900, 900, 1, 1], 8 / 11),
        ([900, 900, 1, 900, 1], 0),
        ([1, 1, 900, 900, 900], 8 / 11),
        ([99, 900, 900, 900, 1], 8 / 11),
        ([100, 100, 100, 100, 100], 8 / 11),
    ],
)
def test_three_frequent_paragraphs_in_a_row_are_suspicious(frequencies, share):
    paragraphs = ["Hem", "Om oss", "Hem", "Om oss", "Hem"]
    text = "- Hem\n- **Om oss**\n\nHär!!\n\n"

    assert frequent_run_ratio(text, paragraphs, frequencies, 100) == pytest.approx(share)


def test_text_without_a_letter_has_no_share():
    assert frequent_run_ratio("---\n", ["---"] * 3, [900] * 3, 100) == 0


@pytest.mark.parametrize(
    ("body", "words", "rate"),
    [
        (b"", 0, 0.0),
        (b"<a href='//www.own.example/a'>a</a><A HREF=HTTP://B.Example:80/>", 400, 0.25),
        (b'<a class="x" href="https://www.b.example/1"><a href=" https://c.b.example">', 10, 1.0),
        (b'<link href="https://b.example/x.css"><abbr href="https://c.example/">', 10, 0.0),
        (b"".join(b'<a href="https://s%d.example%d/">' % (n, n) for n in range(40)), 200, 20.0),
    ],
)
def test_other_sites_are_counted_once_each(body, words, rate):
    assert foreign_domain_rate(body, "https://own.example/p", words) == rate


@pytest.mark.timeout(60)
def test_tags_without_an_end_take_linear_time():
    assert foreign_domain_rate(b"<a " * 100_000, "https://own.example/", 10) == 0.0
