"""The selection of pages, by this project's rules and by those of cc_net."""

from __future__ import annotations

from urllib.parse import urlsplit

import numpy as np
import pytest

from skord.ccnet.choices import Normalisation
from skord.ccnet.judging import LanguageRule, judge_pages
from skord.ccnet.line_hashing import LINES_SCHEMA, KeptNumbers, count_lines, page_keys
from skord.ccnet.paragraph_keys import paragraph_keys
from skord.ccnet.repeats import LinePass, RepeatedKeys, repeats_by_shard
from skord.ccnet.selection import (
    PAGE_COLUMNS,
    REFUSED_SCHEMA,
    refused_rows,
    selected_rows,
    table_of,
)
from skord.ccnet.text_pages import TextBody, TextPage, TextPages, source_domain, split_lines
from tests.ccnet.judged_rows import asking, rows_of, together


def hash_lines(pages, min_chars, normalisation=Normalisation.PUBLISHED):
    return count_lines(page_keys(some, min_chars, normalisation) for some in pages)


def always(scores):
    """An identifier that finds the same in every text."""
    return lambda _: scores


SV = LanguageRule(("sv",), 0.5, "top")
SWEDISH = always({"sv": 1.0})
EXACT = {"mode": "exact"}


def page(*lines, title="Titel", number=1, **fields):
    return TextPage(
        f"urn:{number}", "https://a.se/x", "", "w.warc.gz", title, TextBody.of(lines), **fields
    )


def repeated_among(pages, rule="drop_all", **options):
    hashed = hash_lines(together(pages), 0, **options)
    table = repeats_by_shard([(hashed.keys, hashed.documents)])
    first = table["first_shard"].to_numpy().astype("int64")
    return LinePass(RepeatedKeys(table["key"].to_numpy(), first), rule, 0)


def judge(pages, *args, **options):
    return rows_of(judge_together(pages, *args, **options))


def judge_together(pages, scores=SWEDISH, rule=SV, min_chars=0, batch=256, keys=None, **options):
    normalised = {k: v for k, v in options.items() if k == "normalisation"}
    line_pass = repeated_among([p for p in pages if p.body.length >= min_chars], **normalised)
    line_pass = line_pass if keys is None else line_pass.of_numbers(keys)
    scores_of = options.pop("scores_of", None) or (
        lambda texts: [scores(text.decode()) for text in texts]
    )
    some = together(pages, batch)
    return list(judge_pages(some, line_pass, asking(scores_of), rule, min_chars, **options))


# -- how a text is cut into lines ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "default", "exact"),
    [
        ("T\na\nb\n", ["a", "b"], ["a", "b"]),
        ("T\na\nb", ["a", "b"], ["a", "b", ""]),
        ("T\na\nb\n\n", ["a", "b"], ["a", "b", ""]),
        ("T\na\n \t\nb\n", ["a", "", "b"], ["a", "", "b"]),
        ("T\n\xa0a\u3000\n", ["a"], ["a"]),
        ("T\na\rb\r\nc\n", ["a\rb", "c"], ["a", "b", "c"]),
        ("T\na\x0bb\x0cc\x85d\u2028e\x1cf\n", ["a\x0bb\x0cc\x85d\u2028e\x1cf"], None),
        ("T\na\n WARC/1.0\nb\nc\n", ["a", "WARC/1.0", "b", "c"], ["a"]),
        ("T\na\nWARC/1.0 b\nc\n", ["a", "WARC/1.0 b", "c"], None),
        ("T\na\n\n\nWARC/1.0\nb\n", ["a", "", "", "WARC/1.0", "b"], ["a"]),
        ("T", [], [""]),
        ("T\n", [], []),
    ],
)
def test_lines_of_a_text(text, default, exact):
    assert split_lines(text) == ("T", default)
    assert split_lines(text, "exact") == ("T", default if exact is None else exact)


def test_title_of_a_text_is_its_first_line_even_when_it_is_empty():
    assert split_lines(" Om oss \na\n", "exact") == ("Om oss", ["a"])
    assert split_lines("\na\n", "exact") == ("", ["a"])
    assert split_lines("\ra\n") == ("a", [])
    assert split_lines("\ra\n", "exact") == ("", ["a"])


def test_a_text_that_begins_with_a_version_line_is_empty():
    assert split_lines("WARC/1.0\na\n", "exact") == ("", [])
    assert split_lines("", "exact") == split_lines("") == ("", [])


def test_unknown_mode_is_refused():
    with pytest.raises(ValueError, match="strict"):
        split_lines("a", "strict")


@pytest.mark.parametrize(
    "url",
    [
        "https://www.example.se",
        "http://example.se:8080/a?b#c",
        "https://a_b.example.se?c",
        "https://example.se#top",
        "https://example.se\\om",
        "https://exa\nmple.se/",
        "https://example.se\n",
        "https://example.se\t/",
        "https://[::1]:80/",
        "https://name:word@example.se/",
        "HTTPS://Example.se/",
        "https://vatten\u6c34.example.se/",
        "https:///om",
        "ftp://example.se/",
        " https://example.se/",
    ],
)
def test_source_domain_is_that_of_urlsplit(url):
    assert source_domain(url) == urlsplit(url).netloc


def test_source_domain_is_what_stands_between_scheme_and_path():
    assert source_domain("https://me@WWW.A.se:8080/x?y=//z") == "me@WWW.A.se:8080"
    assert source_domain("/x") == ""
    assert source_domain("http://[::1/x") == ""


# -- which pages take part -----------------------------------------------------------------


def test_length_counts_paragraphs_and_their_breaks_but_not_the_title():
    short, enough = page("aaaa", "bbbb", number=1), page("aaaa", "bbbbb", number=2)
    assert (short.body.length, enough.body.length) == (9, 10)

    judged = judge([short, enough], min_chars=10)
    assert [j.refusal for j in judged] == ["too_short", None]


def test_short_pages_repeat_nothing_and_kept_text_may_be_shorter_than_the_least():
    shared, own = "Denna rad är gemensam", "Egen"
    pages = [page(shared, number=1), page(shared, own, number=2)]

    assert hash_lines(together(pages), 23).keys.tolist() == sorted(
        paragraph_keys([shared, own]).tolist()
    )
    judged = judge(pages, min_chars=23)
    assert [j.text for j in judged] == ["", f"{shared}\n{own}"]
    judged = judge(pages, min_chars=0)
    assert [(j.refusal, j.text) for j in judged] == [("all_repeated", ""), (None, own)]


def test_trailing_empty_line_of_exact_mode_counts_towards_the_length():
    _, lines = split_lines("T\naaaa", "exact")
    assert page(*lines).body.length == 5


# -- which paragraphs stay -----------------------------------------------------------------


def test_kept_lines_are_numbered_from_the_first_after_the_title():
    pages = [page("Meny", "Ett", "Två", "Ett", number=1), page("meny", "Tre", number=2)]

    first, second = judge(pages)
    assert (first.line_ids, first.text) == ([1, 2], "Ett\nTvå")
    assert (second.line_ids, second.text) == ([1], "Tre")


def test_empty_lines_are_paragraphs_that_two_pages_share():
    pages = [page("a", "", "b", "", number=1), page("c", "", number=2)]

    assert [j.text for j in judge(pages)] == ["a\nb", "c"]
    assert [j.text for j in judge(pages[:1])] == ["a\n\nb"]


def test_accents_tell_paragraphs_apart_unless_the_paper_is_followed():
    pages = [page("Kött och fisk", "ett", number=1), page("kott och fisk", "två", number=2)]

    assert [j.line_ids for j in judge(pages)] == [[0, 1], [0, 1]]
    assert [j.line_ids for j in judge(pages, normalisation="paper")] == [[1], [1]]


def test_keys_kept_from_the_first_reading_select_what_hashing_again_selects():
    pages = [page("Meny", f"Egen {'e' * n}", *[""] * (n % 3), number=n) for n in range(9)]
    pages[4] = page(number=4)
    hashed = hash_lines(together(pages), 5)
    batches = hashed.lines().to_batches(max_chunksize=4)

    assert hashed.lines().schema == LINES_SCHEMA
    assert hashed.lines().num_rows == 8  # one page is too short
    again = judge(pages, min_chars=5)
    kept = judge(pages, min_chars=5, line_numbers=KeptNumbers(batches), keys=hashed.keys, batch=3)
    assert kept == again
    assert any(j.line_ids for j in kept)


def test_a_page_counts_once_for_a_paragraph_that_it_repeats():
    hashed = hash_lines(together([page("a", "b", "a"), page("b", number=2)]), 0)
    held = dict(zip(hashed.keys.tolist(), hashed.documents.tolist(), strict=True))
    a, b = paragraph_keys(["a", "b"]).tolist()

    assert held == {a: 1, b: 2}
    assert hashed.keys[hashed.places].tolist() == [a, b, a, b]


def test_nothing_is_hashed_of_no_pages():
    hashed = hash_lines([TextPages.of([])], 0)

    assert len(hashed.keys) == len(hashed.documents) == hashed.lines().num_rows == 0
    assert len(KeptNumbers(hashed.lines().to_batches()).of_next(1)) == 0


# -- which language is found ---------------------------------------------------------------


def asked(pages, **options):
    texts = []
    judge(pages, lambda text: texts.append(text) or {"sv": 1.0}, **options)
    return texts


def test_exact_mode_glues_the_lines_that_the_identifier_reads():
    pages = [page("Vi ses", "i morgon")]

    assert asked(pages) == ["Vi ses\ni morgon"]
    assert asked(pages, **EXACT) == ["Vi sesi morgon"]


def test_language_is_judged_on_what_is_left_or_on_all_of_it():
    pages = [page("Meny", "Ett", number=1), page("Meny", number=2), page("Två", number=3)]

    assert asked(pages) == ["Ett", "Två"]
    assert asked(pages, language_first=True) == ["Meny\nEtt", "Meny", "Två"]
    assert [j.text for j in judge(pages, language_first=True)] == ["Ett", "", "Två"]


def test_judging_the_language_first_names_it_as_the_reason():
    pages = [page("Meny", "Ett", number=1), page("Meny", number=2)]

    def refusals(scores):
        judged = judge(pages, always(scores), language_first=True)
        return [j.refusal for j in judged]

    assert refusals({"en": 1.0}) == ["language", "language"]
    assert refusals({"sv": 1.0}) == [None, "all_repeated"]


@pytest.mark.parametrize(
    ("score", "kept"), [(0.4951, 0.5), (0.495, 0.5), (0.4949, None), (0.505, 0.5), (1.00002, 1.0)]
)
def test_exact_mode_rounds_the_score_before_it_is_compared(score, kept):
    """numpy multiplies by 100 and rounds ties to even; Python would round 0.495 to 0.49."""
    [judged] = judge([page("a")], always({"sv": score}), **EXACT)

    assert (None if judged.refusal else judged.language_score) == kept
    [judged] = judge([page("a")], always({"sv": score}))
    assert (judged.refusal is None) is (score >= 0.5)
    assert judged.language_score == score


def test_exact_mode_looks_at_the_best_label_only():
    scores = {"en": 0.503, "sv": 0.5}
    any_rule = LanguageRule(("sv",), 0.5, "any")

    [exact] = judge([page("a")], always(scores), any_rule, **EXACT)
    [default] = judge([page("a")], always(scores), any_rule)
    assert (exact.refusal, exact.language, exact.language_score) == ("language", "en", 0.5)
    assert default.refusal is None


def test_a_page_that_no_language_is_found_in_is_refused():
    [judged] = judge([page("!?")], always({}), **EXACT)

    assert (judged.refusal, judged.language, judged.language_score) == ("language", None, None)


@pytest.mark.parametrize("batch", [1, 2, 7])
@pytest.mark.parametrize("language_first", [True, False])
def test_batches_of_any_size_judge_alike(batch, language_first):
    pages = [page("Meny", *["rad"] * (n % 3), "e" * (n + 5), number=n) for n in range(7)]
    pages[3] = page("Meny", number=3)
    codes = ("sv", "da", "en")

    def scores(text):
        return {codes[len(text) % 3]: 0.9}

    def many(texts):
        calls.append(len(texts))
        return [scores(text.decode()) for text in texts]

    calls = []
    options = {"language_first": language_first, "min_chars": 5}
    expected = judge(pages, scores, **options)
    assert judge(pages, batch=batch, scores_of=many, **options) == expected
    assert max(calls) == min(batch, 7 - 1)  # one page is too short
    assert {j.refusal for j in expected} >= {None, "too_short", "language"}


# -- the rows ------------------------------------------------------------------------------


def test_row_of_a_selected_page_has_what_later_tasks_need():
    scores = {"sv": 0.6149, "da": 0.25}
    pages = [
        page("Meny", "Två rader", "här", digest="sha1:ABC", content_length=35),
        page("Meny", number=2),
    ]
    [judged] = judge_together(pages, always(scores), **EXACT)
    columns = selected_rows(judged, judged.numbers(refused=False), ["sv", "nn"], "exact")
    row = {name: column[0] for name, column in columns.items()}
    assert selected_rows(judged, np.array([0]), ["nb"], "exact")["score_nb"].tolist() == [0.0]

    assert str(row["digest"]) == "sha1:ABC"
    assert row["source_domain"] == "a.se"
    assert row["line_ids"].as_py() == [1, 2]
    assert (row["nlines"], row["original_nlines"]) == (2, 3)
    assert (row["length"], row["original_length"], row["content_length"]) == (13, 35, 35)
    assert (row["language"], row["language_score"]) == ("sv", 0.61)
    assert (row["score_sv"], row["score_nn"]) == (0.6149, 0.0)
    default = selected_rows(judged, np.array([0]), [], "default")
    assert default["original_length"].tolist() == [18]
    actual = table_of(columns, PAGE_COLUMNS)["language_scores"].to_pylist()[0]
    assert [score["label"] for score in actual] == ["sv", "da"]
    assert actual[1]["score"] == 0.25


def test_a_date_that_is_not_known_is_null():
    dates = ["2024-02-21T05:11:09Z", None]
    pages = [page("Meny")._replace(id=f"urn:{n}", warc_date=dates[n]) for n in range(2)]
    [judged] = judge_together(pages)
    columns = selected_rows(judged, np.array([0, 1]), [], "default")

    assert columns["warc_date"] == dates
    assert [held.warc_date for held in judged.pages] == dates


def test_row_of_a_refused_page_says_why():
    pages = [page("Meny", number=1, content_length=11), page("Meny", number=2)]
    [judged] = judge_together(pages)
    columns = refused_rows(judged, judged.numbers(refused=True), "exact")
    row = table_of(columns, REFUSED_SCHEMA).to_pylist()[0]

    assert row["reason"] == "all_repeated"
    assert (row["original_length"], row["length"], row["language"]) == (11, 0, None)


def test_rows_are_of_the_pages_asked_for():
    pages = [page("Meny", *[""] * n, "e" * (n + 1), "slut", number=n) for n in range(5)]
    [judged] = judge_together(pages)
    numbers = np.array([1, 3, 4])
    columns = selected_rows(judged, numbers, [], "default")

    assert columns["id"].to_pylist() == [f"urn:{n}" for n in numbers]
    assert columns["line_ids"].to_pylist() == [[n + 1] for n in numbers]
    assert columns["raw_content"].to_pylist() == ["e" * (n + 1) for n in numbers]
