"""Uzushio's filters: each takes out what it is for, says so, and leaves its neighbours."""

from collections import Counter

import pyarrow as pa
import pytest

from skord.extras.paragraphs.filtering import ExportParagraphs, FilterParagraphs, judged_page
from skord.extras.paragraphs.filters import ParagraphLimits, as_markdown, frequent_runs
from skord.models.language_model.interface import load_language_models
from skord.paragraphs.format import Paragraph, write_paragraphs

PROSE = "Bron över ån öppnades i går. Den har byggts i två år och kostat mer än väntat. " * 3
PLAIN = ParagraphLimits(min_page_chars=0)


def judged(paragraphs, limits=PLAIN, exact=None, near=None, lang="sv"):
    ones = [1] * len(paragraphs)
    text = write_paragraphs(paragraphs)
    return judged_page("urn:uuid:1", lang, text, exact or ones, near or ones, limits)


@pytest.mark.parametrize(
    ("paragraph", "limits", "reason"),
    [
        (Paragraph("body>nav>ul", "Hem"), {}, "no_content"),
        (Paragraph("body>div.site-footer>p", "Om oss"), {}, "no_content"),
        (Paragraph("body>div#left-menu>p", "Om oss"), {}, "no_content"),
        (Paragraph("body>HEADER>p", "Om oss"), {}, "no_content"),
        (Paragraph("body>navigator>p", "Om oss"), {}, None),
        (Paragraph("body>div.main>p", "Om oss"), {}, None),
        (Paragraph("body>nav>p", "Om oss"), {"no_content": ()}, None),
        (Paragraph("body>p", "Hej"), {"min_chars": 4}, "min_chars"),
        (Paragraph("body>p", "\x02Alla våra nyheter\x03 nu"), {}, "max_link_ratio"),
        (Paragraph("body>p", "Läs \x02mer\x03 om det här i går"), {}, None),
    ],
)
def test_one_paragraph(paragraph, limits, reason):
    verdicts = judged([paragraph], ParagraphLimits(min_page_chars=0, **limits))

    assert verdicts["reasons"] == [reason]


def test_frequent_paragraphs_and_rows_of_them():
    page = [Paragraph("body>p", word) for word in ("ett", "två", "tre", "fyra", "fem", "sex")]
    limits = ParagraphLimits(
        min_page_chars=0, max_exact_freq=5, max_near_freq=300, run_freq=100, run_length=3
    )

    verdicts = judged(page, limits, [9, 1, 1, 1, 1, 1], [9, 400, 100, 120, 1, 100])

    assert verdicts["reasons"] == ["max_exact_freq", "max_near_freq", "run", "run", None, None]
    assert frequent_runs([1] * 5, 0, 1) == [False] * 5
    assert frequent_runs([7, 7], 7, 3) == [False, False]


@pytest.mark.parametrize(
    ("page", "limits", "reason"),
    [
        ([Paragraph("body>p", "Kort.")], {"min_page_chars": 6}, "min_page_chars"),
        ([Paragraph("body>p", PROSE)], {}, None),
        ([Paragraph("body>p", "ja " * 900)], {"min_compression": 0.2}, "compression"),
        ([Paragraph("body>p", PROSE), Paragraph("body>p", "utan slut")], {"min_ended": 0.6},
         "min_ended"),
        ([Paragraph("body>p", PROSE), Paragraph("body>h2", "rubrik")], {"min_ended": 0.6}, None),
        ([Paragraph("body>p", "東京都" * 80)], {}, "min_hiragana"),
        ([Paragraph("body>p", "これは本です。" * 40)], {}, None),
        ([Paragraph("body>p", PROSE)],
         {"listed_words": frozenset({"bron"}), "max_listed_words": 2}, "max_listed_words"),
        ([Paragraph("body>p", PROSE)], {"max_page_chars": len(PROSE) - 1}, "max_page_chars"),
        ([Paragraph("body>p", PROSE)], {"max_page_chars": len(PROSE)}, None),
        ([Paragraph("body>p", PROSE), Paragraph("body>p", "Мост открыт " * 30)],
         {"min_script": 0.9}, "min_script"),
        ([Paragraph("body>p", PROSE)], {"min_script": 1.0}, None),
    ],
)  # fmt: skip
def test_a_page_by_what_is_left_of_it(page, limits, reason):
    assert judged(page, ParagraphLimits(**limits))["page_reason"] == reason


def test_measures_say_nothing_of_other_languages():
    page = [Paragraph("body>p", PROSE)]

    assert judged(page)["hiragana_ratio"] is None
    assert judged(page)["script_ratio"] == 1
    assert judged(page, lang="und")["script_ratio"] is None
    assert judged([])["compression_ratio"] is None


def test_a_paragraph_that_is_said_twice_in_a_row_stays_once():
    page = [Paragraph("body>p", word) for word in ("ja", "ja", "nej", "ja")]

    assert judged(page)["reasons"] == [None, "adjacent", None, None]
    keeping = ParagraphLimits(min_page_chars=0, drop_adjacent=False)
    assert judged(page, keeping)["reasons"] == [None] * 4


def test_of_pages_that_occur_often_some_are_kept():
    page = write_paragraphs([Paragraph("body>p", PROSE), Paragraph("body>p", "nej")])
    limits = ParagraphLimits(expected_copies=1.0)

    rows = [judged_page(f"urn:uuid:{n}", "sv", page, [1, 1], [10, 1], limits) for n in range(500)]

    copies = (10 * len(PROSE.strip()) + 3) / (len(PROSE.strip()) + 3)
    assert rows[0]["copies"] == pytest.approx(copies, rel=0.001)
    assert {row["page_reason"] for row in rows} == {None, "expected_copies"}
    assert 30 < sum(row["page_reason"] is None for row in rows) < 70
    assert judged_page("urn:uuid:1", "sv", page, [1, 1], [1, 1], limits)["page_reason"] is None


def test_perplexity_limits_pages_of_languages_that_have_a_model():
    models = load_language_models("embedded")
    page = write_paragraphs([Paragraph("body>p", PROSE)])
    low = ParagraphLimits(max_perplexity=1.0)

    def reason(lang, limits):
        return judged_page("urn:uuid:1", lang, page, [1], [1], limits, models)["page_reason"]

    assert reason("sv", low) == "max_perplexity"
    assert reason("sv", ParagraphLimits(max_perplexity=1e9)) is None
    assert reason("ja", low) is None


def test_headings_lists_and_code_become_markdown():
    page = [
        Paragraph("body>h1.top", "En\nrubrik"),
        Paragraph("body>ol", "\x02ett\x03\n\ntvå"),
        Paragraph("body>pre", "x = 1\ny"),
        Paragraph("body>p", "Text."),
    ]

    assert as_markdown(page) == "# En rubrik\n\n- ett\n- två\n\n```\nx = 1\ny\n```\n\nText."


def test_the_task_gives_a_row_for_each_page(settings):
    settings()
    text = write_paragraphs([Paragraph("body>nav", "Hem"), Paragraph("body>p", PROSE)])
    batch = pa.table(
        {
            "id": ["urn:uuid:1", "urn:uuid:2"],
            "ExtractParagraphs.lang": ["sv", None],
            "ExtractParagraphs.text": [text, ""],
            "CountParagraphs.exact_freq": [[1, 1], []],
            "CountParagraphs.near_freq": [[1, 1], []],
        }
    )
    task = FilterParagraphs(dump="2024-10")

    actual = task.process(batch)

    assert actual["reasons"].to_pylist() == [["no_content", None], []]
    assert actual["page_reason"].to_pylist() == [None, "min_page_chars"]
    assert task.count(actual) == {
        "paragraphs.no_content": 1, "paragraphs.kept": 1,
        "pages.kept": 1, "pages.min_page_chars": 1,
    }  # fmt: skip


def test_by_default_a_paragraph_may_occur_as_often_as_it_likes():
    page = [Paragraph("body>p", "Bron över ån öppnades i går.")]
    reasons = judged(page, ParagraphLimits(min_page_chars=0), [10**6], [10**6])["reasons"]
    assert reasons == [None]


def test_of_pages_that_are_exported_charsets_years_and_bytes_are_counted(settings):
    settings()
    text = write_paragraphs([Paragraph("body>nav", "Hem"), Paragraph("body>p", "Bron är ny.")])
    ids = [f"urn:uuid:{number}" for number in range(4)]
    batch = pa.table(
        {
            "id": ids,
            "ExtractParagraphs.lang": ["sv", None, "sv", "sv"],
            "ExtractParagraphs.text": [text] * 4,
            "ExtractParagraphs.url": ["http://a.se/"] * 4,
            "ExtractParagraphs.charset": ["utf-8", "utf-8", "utf-8", "utf-8"],
            "ExtractParagraphs.date": ["2024-02-21T05:11:09Z", None, None, None],
            "FilterParagraphs.page_reason": [None, None, "min_page_chars", None],
            "FilterParagraphs.reasons": [["no_content", None]] * 4,
            "FetchHTMLDocuments.bytes": [100, None, 5, 5],
        }
    )
    held, counts = {}, Counter()

    task, removed = ExportParagraphs(dump="2024-10"), {(ids[3], "http://a.se/")}
    rows = task._gather("a", held, counts, removed, batch).to_pylist()

    assert [row["file"] for row in rows] == ["lang=sv/a", "lang=und/a", None, None]
    assert counts == {
        "charset.utf-8": 2, "year.2024.sv": 1, "year.none.und": 1, "documents": 2,
        "text_bytes": sum(row["bytes"] for row in rows[:2]), "raw_bytes": 100,
        "packed_text_bytes": sum(
            pa.Codec("gzip").compress(page["text"].encode()).size
            for page in (*held["lang=sv"], *held["lang=und"])
        ),
    }  # fmt: skip
    assert [document["text"].strip() for document in held["lang=sv"]] == ["Bron är ny."]
