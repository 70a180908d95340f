"""Latvian from crawl to grade: charsets, selection, and chat below its proper twin."""

import pyarrow.parquet as pq
import pytest

from skord.models.grammar.evaluation.corruptions import transliterated_accents

pytestmark = pytest.mark.slow


def rows(bench, task, *names):
    path = bench.folder / "data" / bench.store.path(task, 0)
    return pq.read_table(path, columns=list(names) or None).to_pylist()


def graded(bench):
    """Rows of GradeDocuments by address."""
    urls = [row["url"] for row in rows(bench, "ConvertToMarkdown", "url")]
    return dict(zip(urls, rows(bench, "GradeDocuments"), strict=True))


def test_every_page_is_selected_and_read_in_its_own_letters(latvian, pages):
    texts = {
        row["url"]: (row["charset"], row["content"].replace("\\", ""))  # without pandoc's escapes
        for row in rows(latvian, "ConvertToMarkdown", "url", "charset", "content")
    }

    assert set(texts) == {page.url for page in pages}
    wrong = [page.slug for page in pages if _a_long_line(page.text) not in texts[page.url][1]]
    assert wrong == []
    assert {charset for charset, _ in texts.values()} == {
        "utf-8",
        "windows-1257",
        "iso-8859-13",
        "iso-8859-4",
        "iso-8859-10",
    }


def test_every_page_is_graded_by_the_latvian_grammar(latvian):
    assert {row["grammar"] for row in graded(latvian).values()} == {"lv"}
    assert latvian.store.manifest("GradeDocuments")["counts"]["graded.lv"] == len(graded(latvian))


def test_a_transliterated_thread_ranks_below_its_proper_twin(latvian, pages):
    grades = graded(latvian)
    pairs = [
        (grades[page.url], grades[page.url.replace("tema", "tema-translit")])
        for page in pages
        if page.url.startswith("http://forums.") and "translit" not in page.url
    ]

    assert len(pairs) == 3
    for proper, twin in pairs:
        for name in ("recognized", "recognized_words", "avg_size", "grammaticality"):
            assert proper[name] > twin[name]
        assert proper["grammaticality"] > 0.5 > twin["grammaticality"]


def test_accents_of_a_transliterated_thread_are_put_back(latvian, pages):
    grades = graded(latvian)

    assert {url for url, row in grades.items() if row["restored_text"]} == {
        page.url for page in pages if "translit" in page.url
    }
    proper = next(page for page in pages if page.slug == "forums-dators")
    line = _a_long_line(proper.text)
    restored = grades[proper.url.replace("tema", "tema-translit")]["restored_text"]
    assert transliterated_accents(line) != line
    assert line in restored


def test_the_table_has_proper_pages_above_chat(latvian):
    status, output = latvian.run("-m", "pipeline", "grade", "--dump", "2024-10", "--top", "50")

    assert status == 0
    head, *lines = output.strip().split("\n")
    assert head.split() == [
        "Job", "Words", "Recognized", "Rec.", "words", "Chunks", "Avg.", "size", "R/C", "Good",
        "Worth", "File",
    ]  # fmt: skip
    assert len(lines) == 10
    chat = ["translit" in line for line in lines]
    assert chat == sorted(chat)


def _a_long_line(text):
    return max(text.split("\n"), key=len).strip()
