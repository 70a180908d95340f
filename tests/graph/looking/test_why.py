"""`why`: what became of a page, and at which limits."""

import re

from tests.graph.looking.tables import rows


def test_why_tells_a_kept_page_its_values_and_the_limits(whole):
    kept = [row for row in rows(whole, "Deduplicate", "id", "dedup_keep") if row["dedup_keep"]]

    status, output = whole.run("-m", "pipeline", "why", kept[0]["id"])

    assert status == 0
    assert re.search(r"unigram_entropy: \d\.\d+  \(limits from 3\)", output)
    assert re.search(r"ratio_headings_per_non_heading_word: .*\(limits 0 to 0\.05\)", output)
    assert "=> kept" in output


def test_why_finds_a_page_by_a_sentence_of_it(whole):
    texts = rows(whole, "ProcessMarkdown", "id", "text")
    wanted = next(row for row in texts if row["text"] and len(row["text"]) > 400)
    line = max(wanted["text"].split("\n"), key=len)[:80]

    status, output = whole.run("-m", "pipeline", "why", "--text", line.upper())

    assert status == 0
    assert wanted["id"] in output
    assert "no selected page of" in whole.run("-m", "pipeline", "why", "--text", "no such words")[1]
    assert whole.run("-m", "pipeline", "why")[0] == 1
