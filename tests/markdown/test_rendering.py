"""Texts without markup, and as HTML."""

# ruff: noqa: E501 - texts

import pytest

from skord.markdown.rendering import plain_text, simple_html

PLAIN = {
    "headings": ("# Vår\n\nText\n## Sommar\nMer", "Vår\n\nText\nSommar\nMer"),
    "emphasis": ("*a* **b** ~~c~~ `d*e*`", "a b c d*e*"),
    "a link": ("se [här](http://a.se/b)", "se här"),
    "lists": ("- ett\n- två\n  - tre\n\n3. fyra\n4. fem", "- ett\n- två\n  - tre\n\n3. fyra\n4. fem"),
    "a list in an item": ("- 1. ett\n  2. två", "- 1. ett\n  2. två"),
    "an item of two paragraphs": ("- ett\n\n  två\n- tre", "- ett\n\n  två\n- tre"),
    "an item whose parent went": ("      - ett", "- ett"),
    "dates and dashes": ("17. mai åpnet\n\n- Vi er\n\n12) märts\n\n* ej", "17. mai åpnet\n\n- Vi er\n\n12) märts\n\n* ej"),
    "a table": ("| a | **b** |\n|---|---|\n| 1 \\| 2 | |", "a\tb\n1 | 2"),
    "a table without a header": ("| | |\n|---|---|\n| a | b |", "a\tb"),
    "code": ("```python\nif x:\n    y *= 2\n\n\nz\n```\nEfter", "if x:\n    y *= 2\n\n\nz\nEfter"),
    "a quotation": ("> ett\n>\n> två", "ett\n\ntvå"),
    "a formula": ("så $a_1*b*c_1$ och $$x_i$$, $5 till $6", "så $a_1*b*c_1$ och $$x_i$$, $5 till $6"),
    "escapes": (r"\*ej\* \_x\_ \<b> \[a\](b)", "*ej* _x_ <b> [a](b)"),
    "what is no markup": ("&auml; <br> a_b_c 2 * 3 * 4 x^2^", "&auml; <br> a_b_c 2 * 3 * 4 x^2^"),
    "lines of a verse": ("ett\ntvå\n\ntre", "ett\ntvå\n\ntre"),
    "a break": ("ett\n\n---\n\ntvå", "ett\n\ntvå"),
    "nothing": ("", ""),
}  # fmt: skip


@pytest.mark.parametrize(("markdown", "plain"), PLAIN.values(), ids=PLAIN)
def test_markup_goes_and_all_else_stays(markdown, plain):
    assert plain_text(markdown) == plain


def test_html_has_the_structure_and_no_tags_of_the_text():
    html = simple_html("# a\n\n17\\. mai <b>x</b>\ny\n\n- `c&d`\n\n| a | b |\n|---|---|\n| c | d |")

    assert "<h1>a</h1>\n<p>17. mai &lt;b&gt;x&lt;/b&gt;<br />\ny</p>" in html
    assert "<li><code>c&amp;d</code></li>" in html
    assert "<td>c</td>" in html


def test_a_long_table_takes_linear_time():
    row = "| a | b |\n"
    assert plain_text("| x | y |\n|---|---|\n" + row * 20_000).count("\n") == 20_000
