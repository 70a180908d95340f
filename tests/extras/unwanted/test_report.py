"""Measures of spam in the report, over the tables of a small dump."""

import pyarrow as pa

from skord.cli.report.collect import collect_figures
from skord.core.storage.shared_columns import FAILURE, ID
from tests.cli.report.test_collect import SHARDS, store  # noqa: F401 - a fixture


def test_measures_of_tasks_on_request_are_of_kept_texts(store, tmp_path, settings):  # noqa: F811
    settings('[ExportCorpus]\nlimits = {"unwanted_score": [0, 0.49]}\n')
    names = ("unwanted_score", "machine_made_score")
    schema = pa.schema([ID, *((name, pa.float64()) for name in names), FAILURE])
    for shard, pages in enumerate(SHARDS):
        rows = [
            {"id": one["id"], "unwanted_score": 0.9 if one["id"] != "k2" else 0.2} for one in pages
        ]
        path = store.path("MeasureUnwanted", shard)
        with store.writer(path, schema, "f") as writer:
            writer.write(pa.Table.from_pylist(rows, schema))
    store.write_manifest("MeasureUnwanted", {"num_shards": 3, "counts": {}})

    features = {one.name: one for one in collect_figures(store, 10, tmp_path / "logs").features}

    score = features["unwanted_score"]
    assert (score.decides, score.high, score.stops, score.stops_alone) == (True, 0.49, 1, 1)
    assert sum(score.histogram.counts) == 2
    made = features["machine_made_score"]
    assert (made.decides, made.stops, made.histogram.nulls) == (False, 0, 2)
