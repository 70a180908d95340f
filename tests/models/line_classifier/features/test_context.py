from __future__ import annotations

import numpy as np

from skord.html.line_context import LineContext, line_context
from skord.models.line_classifier.features.context import (
    CONTEXT_DENSE,
    MAIN_SHARES,
    context_features,
)
from skord.models.line_classifier.features.dom import read_element_names
from skord.models.line_classifier.features.lines import page_features

LONG = "Bron över ån skall stå klar redan i vår, säger kommunens ingenjör till tidningen i dag."
MARKDOWN = f"- Hem\n- Om oss\n\n{LONG}\n\n{LONG[::-1]}\n\nFot\n"
HTML = (
    '<nav class="menu"><ul><li><a href="/">Hem</a><li><a href="/o">Om oss</a></ul></nav>'
    f"<main><article><p>{LONG}</p><p>{LONG[::-1]}</p></article></main><footer>Fot</footer>"
)


def features(html: str, markdown: str):
    page = page_features(markdown)
    return context_features(line_context(html, markdown), page.lines, page.words)


def test_features_are_finite_and_one_row_for_each_visible_line():
    actual = features(HTML, MARKDOWN)
    assert actual.dense.shape == (5, CONTEXT_DENSE)
    assert np.isfinite(actual.dense).all()
    assert actual.leaves.size == 5
    assert actual.path_starts[-1] == actual.path.size == actual.steps.size
    assert actual.token_starts[-1] == actual.tokens.size


def test_lines_know_whether_they_are_in_what_holds_the_running_text():
    inside = features(HTML, MARKDOWN).dense[:, -2 - 5 * len(MAIN_SHARES)]
    assert inside.tolist() == [0, 0, 1, 0, 0] or inside.tolist() == [0, 0, 1, 1, 0]
    widest = features(HTML, MARKDOWN).dense[:, -2 - 5]
    assert widest.tolist() == [0, 0, 1, 1, 0]


def test_what_is_no_main_text_says_so_by_tag_or_role():
    frames = ("<nav>", "<dialog open>", '<div role="dialog">', '<div role="alertdialog" class=å>')
    roles = ("navigation", "search", "contentinfo", "complementary", "menubar", "toolbar")
    for start in (*frames, *(f'<div role="{role}">' for role in roles)):
        page = f"<div><p>{LONG}</p></div>{start}<div><p>Vi bruger cookies</p></div>"
        assert features(page, f"{LONG}\n\nVi bruger cookies\n").framed.tolist() == [False, True]
    for start in ('<div role="main">', '<div role="banner">', '<div class="dialog search">'):
        page = f"{start}<p>{LONG}</p></div>"
        assert not features(page, f"{LONG}\n").framed.any()


def test_links_alone_are_a_menu_where_one_of_three_elements_is_named_so():
    markdown = f"{LONG}\n\nHem Om oss Kontakt\n"
    row = "<a href=/>Hem</a> <a href=/om>Om oss</a> <a href=/k>Kontakt</a>"
    for start in (
        '<div class="sideblokk navig">',
        '<p id="undermeny-menu"><b><i>',
        "<ol class=crumbs>",
    ):
        assert features(f"<p>{LONG}</p>{start}{row}", markdown).framed.tolist() == [False, True]
    for start in ('<div class="toc">', '<div class="menu"><div><div><p>'):
        assert not features(f"<p>{LONG}</p>{start}{row}", markdown).framed.any()
    half = '<div class="menu">Hem Om oss <a href=/>Kontakt</a>'
    assert not features(f"<p>{LONG}</p>{half}", markdown).framed.any()


def test_the_way_up_is_the_same_for_lines_of_one_element():
    actual = features("<div>" + "".join(f"<p>rad {n}<br>ny {n}</p>" for n in range(3)) + "</div>",
                     "".join(f"rad {n}  \nny {n}\n\n" for n in range(3)))  # fmt: skip
    assert actual.leaves.tolist() == [0, 0, 1, 1, 2, 2]
    assert np.array_equal(actual.dense[0, :-2], actual.dense[1, :-2]) or actual.dense.size


def test_a_page_without_elements_has_features():
    none = LineContext(elements=[], parents=[], lines=[-1, -1], links=b"\0\0", controls=b"\0\0")
    actual = context_features(none, np.array([0, 1]), np.array([3, 0]))
    assert actual.dense.shape == (2, CONTEXT_DENSE)
    assert np.isfinite(actual.dense).all()


def test_what_the_page_says_of_itself_is_an_element_of_its_own():
    told = features(f'<meta property="og:type" content="product">{HTML}', MARKDOWN)
    assert told.page_element == told.token_starts.size - 2
    assert told.page_element not in told.path
    assert features(HTML, MARKDOWN).page_element == -1


def test_the_whole_way_up_counts():
    deep = features(f"<footer><div><div><div><p>{LONG}", f"{LONG}\n").dense
    flat = features(f"<div><div><div><div><p>{LONG}", f"{LONG}\n").dense
    assert not np.array_equal(deep, flat)


def test_names_are_cut_into_words():
    actual = read_element_names(
        ["div .post-body", "div .postBody", "div .comments", "div .article"]
    )
    body, camel, *_ = np.split(actual.tokens, actual.token_starts[1:-1])
    assert len(set(body) & set(camel)) == 3
    assert actual.flags[2] != actual.flags[3]


def test_kin_are_called_alike_in_one_element_and_in_elements_called_alike():
    elements = ["nav", "ul", "li", "li .x", "ul", "li", "li .x", "p", "p"]
    parents = [-1, 0, 1, 1, 0, 4, 4, -1, 7]
    around = LineContext(
        elements=elements, parents=parents, lines=[2, 3, 5, 6, 8], links=bytes(5), controls=bytes(5)
    )
    actual = context_features(around, np.arange(5), np.full(5, 3))
    assert actual.kin.tolist() == [[0, 1, 2, 3, 4], [0, 1, 0, 1, 4]]
    around["lines"] = [2, 2, 0, 7, 8]
    assert context_features(around, np.arange(5), np.full(5, 3)).kin.tolist() == [
        [0, 1, 2, 3],
        [0, 1, 2, 3],
    ]


def test_what_has_no_name_is_set_as_what_it_stands_in_is():
    menu = "<ul><li>Hem<li>Om oss</ul>"
    recipe = "<div class=r><div><ul><li>Mjöl<li>Salt</ul></div></div>"
    markdown = "- Hem\n- Om oss\n\n- Mjöl\n- Salt\n\n- Ägg\n"
    actual = features(f"{menu}{recipe}<p>{recipe.replace('Mjöl<li>Salt', 'Ägg')}", markdown)
    by_name = actual.kin[1][actual.leaves].tolist()
    assert by_name[0] == by_name[1] != by_name[2]
    assert by_name[2] == by_name[3] == by_name[4]


def test_shares_of_links_and_controls_are_of_each_line():
    actual = features(
        f'{HTML}<p><button>Köp</button> nu <a href="/k">mer</a></p>', f"{MARKDOWN}\nKöp nu mer\n"
    )
    assert actual.links.tolist() == [1, 1, 0, 0, 0, np.float32(1 / 3)]
    assert actual.controls.tolist() == [0, 0, 0, 0, 0, np.float32(1 / 3)]
