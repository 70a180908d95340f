"""Links' share of the kept lines, and runs of frequent paragraphs."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from pipeline.transforms.extraction import as_bytes, from_bytes
from pipeline.transforms.frequent_runs import frequent_run_ratio
from pipeline.transforms.quality_links import link_char_ratios

SPANS = pa.list_(pa.struct([("start", pa.int32()), ("end", pa.int32())]))


def ratios(pages, spans, probabilities, threshold):
    return link_char_ratios(
        pa.array(pages, pa.string()),
        pa.array([of and [{"start": a, "end": b} for a, b in of] for of in spans], SPANS),
        pa.array(probabilities, pa.binary()),
        threshold,
    ).to_pylist()


def restated(page, spans, probabilities, threshold):
    linked = {at for start, end in spans for at in range(start, end)}
    kept = from_bytes(probabilities) >= threshold
    found, at = [], 0
    for line, keep in zip(page.split("\n"), [*kept, False], strict=True):
        found += [place in linked for place in range(at, at + len(line)) if keep]
        at += len(line) + 1
    return sum(found) / len(found) if found else None


def random_page(generator):
    chars = "aå日😀 -\n"
    page = "".join(generator.choices(chars, k=generator.randint(0, 80))) + "\n"
    cuts = sorted(generator.sample(range(len(page) + 1), k=min(len(page), generator.randint(0, 8))))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    verdicts = np.array([generator.random() for _ in range(page.count("\n"))], np.float32)
    return page, spans, as_bytes(verdicts)


def test_share_is_what_its_plain_restatement_says():
    drawn = [random_page(random.Random(seed)) for seed in range(300)]

    found = ratios(*zip(*drawn, strict=True), 0.4)

    for page, ratio in zip(drawn, found, strict=True):
        expected = restated(*page, 0.4)
        assert ratio == (expected if expected is None else pytest.approx(expected)), page


def test_share_is_unknown_where_links_are_or_nothing_is_kept():
    pages, spans = ["Hem\n", "Hem\n", "", "Hem\n"], [None, [(0, 3)], [], []]

    found = ratios(pages, spans, [b"\xff", b"\0", b"", b"\xff"], 0.5)

    assert found == [None, None, None, 0.0]


def test_links_without_a_character_are_passed_over():
    assert ratios(["Hem om\n"], [[(0, 0), (0, 0), (1, 3)]], [b"\xff"], 0.5) == [2 / 6]


def test_columns_that_are_part_of_longer_ones_are_read_at_their_place():
    drawn = [random_page(random.Random(seed)) for seed in range(20)]
    pages, spans, probabilities = zip(*drawn, strict=True)
    arrays = (
        pa.array(pages, pa.string()),
        pa.array([[{"start": a, "end": b} for a, b in of] for of in spans], SPANS),
        pa.array(probabilities, pa.binary()),
    )

    part = link_char_ratios(*(array[7:15] for array in arrays), 0.4)

    assert part.to_pylist() == ratios(pages, spans, probabilities, 0.4)[7:15]


@pytest.mark.parametrize(
    ("frequencies", "share"),
    [
        ([900, 900, 900, 1, 1], 8 / 11),
        ([900, 900, 1, 900, 1], 0),
        ([1, 1, 900, 900, 900], 8 / 11),
        ([99, 900, 900, 900, 1], 8 / 11),
        ([100, 100, 100, 100, 100], 8 / 11),
    ],
)
def test_three_frequent_paragraphs_in_a_row_are_suspicious(frequencies, share):
    paragraphs = ["Hem", "Om oss", "Hem", "Om oss", "Hem"]
    text = "- Hem\n- **Om oss**\n\nHär!!\n\n"

    assert frequent_run_ratio(text, paragraphs, frequencies, 100) == pytest.approx(share)


def test_text_without_a_letter_has_no_share():
    assert frequent_run_ratio("---\n", ["---"] * 3, [900] * 3, 100) == 0
