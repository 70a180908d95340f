"""`plan`: a dump estimated from a part of it."""

import json
import math
from collections import defaultdict

import pytest

from tests.graph.bench import DUMP, Bench
from tests.graph.looking.tables import PLACE, rows


def bytes_asked_for(bench):
    """Of whole files, and of ranges with the gaps between neighbours."""
    whole_files = sum(
        row["bytes"] for task in ("DownloadWET", "CCIndex") for row in rows(bench, task, "bytes")
    )
    by_file = defaultdict(list)
    for row in rows(bench, "WARCIndex", *PLACE):
        if row["warc_file"]:
            by_file[row["warc_file"]].append((row["warc_record_offset"], row["warc_record_length"]))
    total = whole_files
    for places in by_file.values():
        end = -math.inf
        for offset, length in sorted(places):
            total += length + (offset - end if offset - end <= 65536 else 0)
            end = offset + length
    return total


def test_a_plan_from_a_part_of_the_dump_foretells_the_rest(whole, tmp_path):
    pilot = Bench(tmp_path / "pilot", whole.url, workers=2)
    status, output = pilot.luigi(
        "pipeline.dedup", "Deduplicate", "--dump", DUMP, "--DownloadWET-share", "0.5"
    )
    assert status == 0, output
    fresh = Bench(tmp_path / "fresh", whole.url, workers=2)

    status, output = fresh.run(
        "-m", "pipeline", "plan", "--dump", DUMP, "--pilot", str(pilot.folder), "--json"
    )

    assert status == 0, output
    plan = json.loads(output)
    truth = {
        "pages": whole.store.manifest("HashParagraphs")["counts"]["pages"],
        "selected": whole.store.manifest("CCNet")["rows"],
        "fetched_bytes": bytes_asked_for(whole),
    }
    for name, value in truth.items():
        assert plan[name] == pytest.approx(value, rel=0.25), name
    for task in ("DownloadWET", "FetchHTMLDocuments"):  # the others' files are mostly footers here
        held = whole.store.storage.tree_bytes(whole.store.folder(task))
        assert plan["kept_bytes"][task] == pytest.approx(held, rel=0.25), task
    arrays = {(p["task"], p["phase"]): p["items"] for p in plan["phases"]}
    assert arrays["CCNet", "shard"] == 3
    assert arrays["CCIndex", "shard"] == 2
    assert arrays["CCNet", "repeats"] == 3
    assert arrays["Deduplicate", "losses"] == 1
    assert plan["unknown"] == [] or "Deduplicate" not in plan["unknown"]
    assert plan["core_s"] > 0
    assert "planned" in fresh.run("-m", "pipeline", "status", "--dump", DUMP)[1]


def test_a_plan_from_nothing_says_what_to_do(whole, tmp_path):
    bench = Bench(tmp_path / "bench", whole.url)

    status, output = bench.run("-m", "pipeline", "plan", "--dump", DUMP)

    assert status == 1
    assert "has no WET file of 2024-10: plan from a part of the dump" in output
