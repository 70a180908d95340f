"""What a dump will take, and what `--json` prints, reckoned from figures alone."""

import math
from datetime import date
from pathlib import Path

import pytest

from skord.cli.json_output import json_value, print_json
from skord.cli.look.funnel import reasons_to_end
from skord.cli.planning.costs import (
    PhaseCost,
    PhaseSeen,
    TaskSpace,
    forecast_phases,
    peak_bytes,
)
from skord.cli.report.collect import COUNTED, SAMPLES, Gathered
from skord.cli.report.samples import Candidate, Heap, Place


def seen(**changes):
    return PhaseSeen("shard", **{"items": 4, "seconds": 40.0, **changes})


def cost(whole_items=40, waits=False, **changes):
    return PhaseCost("A", seen(**changes), 10.0, whole_items, waits=waits)


def test_an_item_takes_what_later_items_of_a_process_took_and_never_more_than_the_mean():
    assert seen(first_share=1.0).each_s() == 10.0
    assert seen(first_s=16.0, first_share=0.25).each_s() == 8.0
    assert seen(first_s=4.0, first_share=0.25).each_s() == 10.0
    assert seen(items=0, seconds=0.0, first_share=1.0).each_s() == 0.0


def test_a_first_item_counts_by_what_it_had_to_do():
    assert seen(first_s=28.0, first_share=0.5).each_s() == 6.0


def test_what_a_process_does_once_is_what_is_left():
    assert seen(first_s=16.0, first_share=0.25).beyond_s() == 8.0
    spread = seen(first_s=16.0, first_share=0.25, processes=4)
    assert spread.beyond_s() == 2.0
    assert seen(processes=0, first_s=16.0, first_share=0.25).beyond_s() == 8.0


def test_what_starting_takes_does_not_grow_with_the_amount():
    quick = PhaseCost("B", PhaseSeen("x", 2, 4.0), scale=1, whole_items=2)

    slow, small = forecast_phases([cost(), quick], cores=8)

    assert slow.core_s == 40 * 2.0 + 4 * 8.0 * 10
    assert slow.wall_s == slow.core_s / 8
    assert (small.core_s, small.wall_s, small.items) == (4.0, 2.0, 2)
    assert forecast_phases([], cores=8) == []


def test_memory_does_not_grow_with_the_amount():
    (forecasted,) = forecast_phases([cost(peak_mb=300.0, whole_items=2)], cores=8)

    assert forecasted.peak_mb == 300.0


def test_what_waits_takes_longer_than_it_computes():
    (waiting,) = forecast_phases([cost(wall_s=120.0, waits=True)], cores=8)

    assert waiting.core_s == 400.0
    assert waiting.wall_s == 3 * 400.0 / 8


def test_the_disk_holds_what_was_kept_before_and_the_most_of_one_task():
    spaces = [TaskSpace("A", 10, 12), TaskSpace("B", 0, 20), TaskSpace("C", 30, 5)]

    assert peak_bytes(spaces) == 40
    assert peak_bytes([]) == 0


def candidate(number):
    return Candidate(f"urn:{number}", Place(0, number), "sv", "kept")


def test_a_heap_keeps_the_same_pages_in_whatever_order_they_come():
    forward, backward = Heap(3), Heap(3)
    for number in range(50):
        forward.offer(candidate(number))
        backward.offer(candidate(49 - number))

    assert forward.chosen() == backward.chosen()
    assert len(forward.chosen()) == 3
    whole = Heap(50)
    for number in range(50):
        whole.offer(candidate(number))
    assert whole.chosen()[:3] == forward.chosen()


def test_what_is_gathered_has_room_for_a_page_of_samples():
    gathered = Gathered()

    assert gathered.heaps["kept"].room == SAMPLES == 20
    assert gathered.for_tokens["sv"].room == COUNTED == 100


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        ({"failure": "x", "dedup_keep": False}, ("x",)),
        ({"passes_all_quality_filters": False, "failed_filters": ["a", "b"]}, ("a", "b")),
        ({"passes_all_quality_filters": None}, ()),
        ({"passes_all_quality_filters": True, "dedup_keep": True}, ()),
        ({"dedup_keep": None, "left_out": "content_length"}, ("content_length",)),
        ({"dedup_keep": None, "left_out": None}, ()),
    ],
)
def test_why_a_page_ends_in_a_task(row, reasons):
    assert reasons_to_end(row) == reasons


def test_json_has_no_infinity_and_no_types_of_ours(capsys):
    print_json([candidate(1), math.nan, b"\x00", date(2024, 3, 1), Path("a"), {1: "å"}, (True,)])

    assert capsys.readouterr().out == (
        '[\n {\n  "id": "urn:1",\n  "place": {\n   "shard": 0,\n   "group": 1\n  },\n'
        '  "language": "sv",\n  "why": "kept"\n },\n null,\n "AA==",\n "2024-03-01",\n "a",\n'
        ' {\n  "1": "å"\n },\n [\n  true\n ]\n]\n'
    )
    assert json_value(Candidate) is Candidate
