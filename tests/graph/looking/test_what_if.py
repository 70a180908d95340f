"""`what-if`: pages that other limits would let pass or fall."""

import re
from collections import Counter

from tests.graph.bench import DUMP
from tests.graph.looking.tables import rows


def test_what_if_counts_the_pages_that_another_limit_lets_fall(whole):
    before = whole.written()
    measured = rows(
        whole, "FilterDocuments", "unigram_entropy", "passes_all_quality_filters", "failure"
    )
    passing = [row for row in measured if row["passes_all_quality_filters"]]
    fallen = [row for row in passing if row["unigram_entropy"] < 4.3]

    change = ("--set", "unigram_entropy=4.3", "--show", "1000")
    status, output = whole.run("-m", "pipeline", "what-if", "--dump", DUMP, *change)

    assert status == 0, output
    assert "unigram_entropy: 3 to inf → 4.3 to inf" in output
    cells = re.search(r"^all +(\d+) +(\d+) +(\d+) +(\d+)$", output, re.MULTILINE).groups()
    assert 0 < len(fallen) < len(passing) / 2
    expected = (len(passing), len(passing) - len(fallen), 0, len(fallen))
    assert tuple(map(int, cells)) == expected
    assert len(re.findall(r"^--- .* would fall by unigram_entropy = [0-4]\.", output, re.M)) == len(
        fallen
    )
    assert whole.written() == before


def test_what_if_shows_the_pages_that_a_looser_limit_would_let_pass(whole):
    stopped = Counter(
        name for row in rows(whole, "FilterDocuments", "failed_filters")
        for name in row["failed_filters"] or ()
    )  # fmt: skip
    assert stopped["unigram_entropy"]

    change = "unigram_entropy=off,ratio_headings_per_non_heading_word=0.5"
    status, output = whole.run("-m", "pipeline", "what-if", "--dump", DUMP, "--set", change)

    assert status == 0, output
    assert "unigram_entropy: 3 to inf → no limit" in output
    assert "ratio_headings_per_non_heading_word: 0 to 0.05 → 0 to 0.5" in output
    assert "would pass (stopped now by" in output
    assert "not compared with others until Deduplicate runs again" in output
