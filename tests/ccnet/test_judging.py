"""Which pages are selected, by the language of the paragraphs that are theirs alone.

Of `skord.ccnet.judging`, `skord.ccnet.selection` and `skord.ccnet.repeats`.
"""

from dataclasses import replace

import numpy as np
import pytest

from skord.ccnet.choices import Mode
from skord.ccnet.judging import LanguageRule, Refusal, judge_pages, top_scores
from skord.ccnet.paragraph_keys import body_keys
from skord.ccnet.repeats import LinePass, RepeatedKeys
from skord.ccnet.selection import PERPLEXITY_COLUMNS, perplexity_columns
from skord.ccnet.text_pages import TextBody, TextPage
from skord.models.language_id.batches import ScoreColumns, load_language_batches
from skord.models.language_model.interface import load_language_models
from skord.sample_crawl.page_source import bundled_pages
from tests.ccnet.judged_rows import asking, rows_of, together

SWEDISH, DANISH = "Den gamla bryggan är lagad.", "Den gamle bro er lavet."
REPEATED = "Läs mer om kakor."


def page(*lines):
    return TextPage("urn:1", "http://a.example/", "", "", "Titel", TextBody.of(lines))


def scores_of(texts):
    return [
        {"sv": 0.9, "da": 0.096} if "är".encode() in text else {"sv": 0.1, "da": 0.7}
        for text in texts
    ]


def judged(*pages, **more):
    return rows_of(judged_pages(*pages, **more))


def judged_pages(*pages, rule="any", min_chars=0, scores=scores_of, **more):
    keys = np.unique(body_keys([REPEATED.encode()]))
    line_pass = LinePass(RepeatedKeys(keys, np.zeros(len(keys), np.int64)), "drop_all", 0)
    wanted = LanguageRule(["sv"], 0.5, rule)
    some = together(pages, 2)
    return list(judge_pages(some, line_pass, asking(scores), wanted, min_chars, **more))


def test_repeated_lines_go_and_the_rest_decides():
    kept, other, empty = judged(page(SWEDISH, REPEATED), page(DANISH), page(REPEATED))

    assert (kept.refusal, kept.text, kept.language, kept.language_score) == (
        None, SWEDISH, "sv", 0.9,
    )  # fmt: skip
    assert other.refusal is Refusal.language
    assert (empty.refusal, empty.text, empty.scores) == (Refusal.all_repeated, "", {})


def test_a_page_of_exactly_so_many_characters_is_long_enough():
    size = page(SWEDISH).body.length

    long, short = judged(page(SWEDISH), page(SWEDISH[1:]), min_chars=size)

    assert long.refusal is None
    assert (short.refusal, short.language) == (Refusal.too_short, None)


def test_the_language_first_is_that_of_the_whole_text():
    (empty,) = judged(page(REPEATED + " är"), language_first=True)
    (danish,) = judged(page(DANISH, REPEATED), language_first=True)

    assert empty.language == "sv"
    assert danish.refusal is Refusal.language


def test_lines_are_glued_for_the_language_in_exact_mode_alone():
    asked = []

    def remember(texts):
        asked.extend(texts)
        return scores_of(texts)

    for mode in (Mode.EXACT, Mode.DEFAULT):
        judged(page(SWEDISH, "Ja."), mode=mode, scores=remember)

    assert asked == [f"{SWEDISH}Ja.".encode(), f"{SWEDISH}\nJa.".encode()]


def test_pages_keep_their_order_over_batches():
    pages = [page(f"{SWEDISH} {n}") for n in range(5)]

    assert [one.text for one in judged(*pages)] == [f"{SWEDISH} {n}" for n in range(5)]


@pytest.mark.parametrize(("score", "rounded"), [(0.485, 0.48), (0.4851, 0.49), (0.125, 0.12)])
def test_exact_scores_are_rounded_as_published(score, rounded):
    columns = ScoreColumns(["da", "sv"], np.array([0, 2]), np.array([1, 0]), np.array([score, 0.1]))

    assert top_scores(columns, Mode.EXACT) == ([None, "sv"], [None, pytest.approx(rounded)])
    assert top_scores(columns, Mode.DEFAULT) == ([None, "sv"], [None, score])


@pytest.mark.parametrize(("mode", "rule"), [("exact", "top"), ("default", "any")])
def test_selected_pages_have_the_same_scores_where_nothing_is_told_of_the_others(mode, rule):
    lines = [line for one in bundled_pages() for line in one.text.split("\n") if line]
    pages = [page(*(line[at::7] for at in range(7))) for line in lines]
    line_pass = LinePass.of_parts([], "drop_all", 0)
    wanted = LanguageRule(["sv", "no"], 0.5, rule)
    scores_of = load_language_batches().columns_of

    def judged_so(*, scores_refused):
        some = judge_pages(
            together(pages),
            line_pass,
            scores_of,
            wanted,
            0,
            mode=mode,
            scores_refused=scores_refused,
        )
        return rows_of(some)

    scored, unscored = judged_so(scores_refused=True), judged_so(scores_refused=False)
    assert [one.refusal for one in scored] == [one.refusal for one in unscored]
    assert [one for one in scored if not one.refusal] == [
        one for one in unscored if not one.refusal
    ]
    assert scored != unscored  # some of those refused were in doubt
    assert any(not one.refusal for one in scored)


def scored(*pages, models="", paragraphs=False):
    """Of each page that was selected perplexity, bucket and the perplexities of its lines."""
    models = None if models is None else load_language_models(models)
    rows = []
    for some in judged_pages(*pages):
        columns = perplexity_columns(
            some, some.numbers(refused=False), models, exact=False, paragraphs=paragraphs
        )
        assert list(columns) == PERPLEXITY_COLUMNS.names
        rows += zip(*columns.values(), strict=True)
    return rows


def test_pages_that_were_selected_have_a_perplexity_in_their_order():
    one, other = scored(page(SWEDISH), page(DANISH), page(f"{SWEDISH} {SWEDISH}"))

    assert one[0] > 1
    assert one[0] != other[0]
    assert one[2] is None
    assert [one] == scored(page(SWEDISH))


def test_each_kept_line_has_a_perplexity_of_its_own_where_that_is_wanted():
    [(_, _, perplexities)] = scored(page(SWEDISH, "Och bron är öppen.", REPEATED), paragraphs=True)

    assert len(perplexities) == 2


def test_without_models_every_page_is_in_one_bucket():
    assert scored(page(SWEDISH), models=None) == [(None, "all", None)]


def test_a_language_without_a_model_is_not_scored():
    [some] = judged_pages(page(SWEDISH))
    unknown = replace(some, languages=["xx"])
    columns = perplexity_columns(
        unknown, np.array([0]), load_language_models(""), exact=False, paragraphs=True
    )

    assert [*columns.values()] == [[None], ["all"], [None]]
