"""Which pages are selected, by the language of the paragraphs that are theirs alone.

Of `pipeline.ccnet.judging`, `pipeline.ccnet.perplexity_columns` and `pipeline.ccnet.repeats`.
"""

import numpy as np
import pytest

from models.language_model.interface import load_language_models
from pipeline.ccnet.choices import Mode
from pipeline.ccnet.judging import LanguageRule, Refusal, _Judge, _Kept, judge_pages, top_score
from pipeline.ccnet.paragraph_keys import body_keys
from pipeline.ccnet.perplexity_columns import UNSCORED, scored_pages
from pipeline.ccnet.repeats import LinePass, RepeatedKeys
from pipeline.ccnet.text_pages import TextBody, TextPage

SWEDISH, DANISH = "Den gamla bryggan är lagad.", "Den gamle bro er lavet."
REPEATED = "Läs mer om kakor."


def page(*lines):
    return TextPage("urn:1", "http://a.example/", "", "", "Titel", TextBody.of(lines))


def scores_of(texts):
    return [
        {"sv": 0.9, "da": 0.096} if "är".encode() in text else {"sv": 0.1, "da": 0.7}
        for text in texts
    ]


def judged(*pages, rule="any", min_chars=0, **more):
    keys = np.unique(body_keys([REPEATED.encode()]))
    line_pass = LinePass(RepeatedKeys(keys, np.zeros(len(keys), np.int64)), "drop_all", 0)
    wanted = LanguageRule(["sv"], 0.5, rule)
    return list(judge_pages(pages, line_pass, scores_of, wanted, min_chars, batch=2, **more))


def test_repeated_lines_go_and_the_rest_decides():
    kept, other, empty = judged(page(SWEDISH, REPEATED), page(DANISH), page(REPEATED))

    assert (kept.refusal, kept.text, kept.language, kept.language_score) == (
        None, SWEDISH, "sv", 0.9,
    )  # fmt: skip
    assert other.refusal is Refusal.language
    assert (empty.refusal, empty.text, empty.scores) == (Refusal.all_repeated, "", {})


def test_a_page_of_exactly_so_many_characters_is_long_enough():
    size = page(SWEDISH).length

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
        judge = _Judge(remember, LanguageRule(["sv"], 0.5, "any"), mode, language_first=False)
        both = page(SWEDISH, "Ja.")
        list(judge([_Kept(both, b"\1\1", both.body.joined)]))

    assert asked == [f"{SWEDISH}Ja.".encode(), f"{SWEDISH}\nJa.".encode()]


def test_pages_keep_their_order_over_batches():
    pages = [page(f"{SWEDISH} {n}") for n in range(5)]

    assert [one.text for one in judged(*pages)] == [f"{SWEDISH} {n}" for n in range(5)]


@pytest.mark.parametrize(("score", "rounded"), [(0.485, 0.48), (0.4851, 0.49), (0.125, 0.12)])
def test_exact_scores_are_rounded_as_published(score, rounded):
    assert top_score({"sv": score, "da": 0.1}, Mode.EXACT) == ("sv", pytest.approx(rounded))
    assert top_score({"sv": score}, Mode.DEFAULT) == ("sv", score)
    assert top_score({}, Mode.DEFAULT) == (None, None)


def scored(*pages, **more):
    options = {"exact": False, "paragraphs": False, "batch": 2, **more}
    return [columns for _, columns in scored_pages(pages, load_language_models(""), **options)]


def test_pages_that_were_refused_have_no_perplexity():
    kept, refused, other = judged(page(SWEDISH), page(DANISH), page(f"{SWEDISH} {SWEDISH}"))

    columns = scored(kept, refused, other)

    assert columns[1] == UNSCORED
    assert columns[0]["perplexity"] > 1
    assert columns[0]["perplexity"] != columns[2]["perplexity"]
    assert columns[0]["paragraph_perplexities"] is None
    assert columns == scored(kept, refused, other, batch=100)


def test_each_kept_line_has_a_perplexity_of_its_own_where_that_is_wanted():
    (kept,) = judged(page(SWEDISH, "Och bron är öppen.", REPEATED))

    (columns,) = scored(kept, paragraphs=True)

    assert len(columns["paragraph_perplexities"]) == 2


def test_without_models_every_page_is_in_one_bucket():
    pages = judged(page(SWEDISH))

    assert list(scored_pages(pages, None, exact=False, paragraphs=False)) == [(pages[0], UNSCORED)]
    assert UNSCORED["bucket"] == "all"


def test_a_language_without_a_model_is_not_scored():
    (kept,) = judged(page(SWEDISH))

    assert scored(kept._replace(language="xx")) == [UNSCORED]
