"""Pages that are refused for their site, or for being in no language, and their neighbours."""

from skord.ccnet.choices import ParagraphRule
from skord.ccnet.judging import LanguageRule, judge_pages
from skord.ccnet.repeats import LinePass
from skord.ccnet.text_pages import TextBody, TextPage
from tests.ccnet.judged_rows import asking, rows_of, together

TEXTS = {
    "http://a.example/": "Bron öppnades i går.",
    "http://b.example/": "Ån rann under bron.",
    "http://a.example/code": "if (x[0] == y[1]) { return z; }",
    "http://a.example/short": "Hej",
}


def refusals(**choices):
    pages = [TextPage(url, url, "", "", "", TextBody.of([text])) for url, text in TEXTS.items()]
    judged = judge_pages(
        together(pages, 3),
        LinePass.of_parts([], ParagraphRule.KEEP_FIRST, 0),
        asking(lambda texts: [{"sv": 1.0}] * len(texts)),
        LanguageRule(["sv"], 0.2, "any"),
        10,
        **choices,
    )
    return [one.refusal and str(one.refusal) for one in rows_of(judged)]


def test_without_choices_only_the_short_page_goes():
    assert refusals() == [None, None, None, "too_short"]


def test_pages_of_other_sites_go_and_come_out_in_their_places():
    kept = refusals(takes_site=lambda page: "a.example" in page.url)

    assert kept == [None, "site", None, "too_short"]
    assert refusals(takes_site=lambda page: page.url == "") == ["site"] * 4


def test_code_goes_where_that_is_asked():
    assert refusals(refuse_no_language=True) == [None, None, "no_language", "too_short"]
