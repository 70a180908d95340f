"""The report's figures: what DuckDB counts in the same files."""

import json
import math
import os
import re
import shutil
from collections import defaultdict
from importlib import resources
from itertools import pairwise

import duckdb
import pyarrow as pa
import pytest

from skord.core.storage.shared_columns import ID
from skord.models.language_model.perplexity import (
    breaks_as_spaces,
    limits_of,
    normalize_for_language_model,
    read_cutoffs,
)
from tests.graph.bench import DUMP, Bench
from tests.graph.looking.tables import PLACE, rows, tables_of


def test_the_report_adds_up_to_the_tables(whole, report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())

    stages = {stage["task"]: stage for stage in figures["stages"]}
    assert stages["CCNet"]["documents_out"]["all"] == whole.store.manifest("CCNet")["rows"]
    assert stages["Deduplicate"]["documents_out"]["all"] == len(
        [row for row in rows(whole, "Deduplicate", "dedup_keep") if row["dedup_keep"]]
    )
    assert all(stage["adds_up"] for stage in stages.values())
    judged = [row for row in rows(whole, "FilterDocuments", "failure") if row["failure"] is None]
    for feature in figures["features"]:
        histogram = feature["histogram"]
        assert sum(histogram["counts"]) + histogram["nulls"] == len(judged), feature["name"]
    removed = stages["Deduplicate"]["lost"]["near_duplicate"]
    assert sum((int(k) - 1) * n for k, n in figures["cluster_sizes"].items()) == removed
    assert {"sv", "da", "no", "nn", "is"} <= set(figures["perplexities"])


def test_the_report_has_pages_to_read_for_every_reason(report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())

    lost = {name for stage in figures["stages"][1:] for name in stage["lost"]}
    reasons = {name for names in lost for name in names.split("+")[:1]}
    assert reasons <= set(figures["samples"])
    assert len(figures["samples"]["kept"]) == 20
    assert all(page["text"] and page["url"] for page in figures["samples"]["kept"])
    assert len({page["id"] for page in figures["samples"]["kept"]}) == 20


@pytest.mark.slow
def test_the_report_is_the_same_file_each_time(whole, report):
    again = whole.folder / "again.html"
    whole.run("-m", "pipeline", "report", "--dump", DUMP, "--out", str(again))

    assert again.read_bytes() == report.read_bytes()


def test_the_headline_is_what_duckdb_counts(whole, report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    sql = duckdb.connect()

    def table(task):
        return f"read_parquet('{whole.folder}/data/{task}/{DUMP}/0*.parquet')"

    ((documents, words, text_bytes, hosts),) = sql.sql(
        f"""SELECT count(*), sum(f.num_words), sum(strlen(p.text)), count(DISTINCT c.source_domain)
        FROM {table("Deduplicate")} d JOIN {table("FilterDocuments")} f USING (id)
        JOIN {table("ProcessMarkdown")} p USING (id) JOIN {table("CCNet")} c USING (id)
        WHERE d.dedup_keep"""
    ).fetchall()
    by_language = sql.sql(
        f"""SELECT f.language, count(*) FROM {table("Deduplicate")} d
        JOIN {table("FilterDocuments")} f USING (id) WHERE d.dedup_keep GROUP BY ALL"""
    ).fetchall()

    head = figures["headline"]
    assert (head["documents"], head["words"], head["hosts"]) == (documents, words, hosts)
    assert head["text_bytes"] == text_bytes
    assert head["languages"] == dict(by_language)
    assert sum(figures["years"].values()) == documents
    assert sum(figures["lengths"]["counts"]) == documents


def test_the_lines_between_buckets_are_those_of_the_cutoffs(report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    embedded = resources.files("skord.models.language_model").joinpath("embedded/cutoff.csv")
    limits = limits_of(read_cutoffs(embedded.read_text()))

    for language in ("sv", "da", "is", "nn"):
        assert tuple(figures["perplexities"][language]["limits"]) == limits[language]


def test_what_is_in_it_is_what_duckdb_counts(whole, report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    sql = tables_of(whole)

    years = sql.sql(
        """SELECT coalesce(left(m.server_date, 4), 'unknown'), count(*) FROM ConvertToMarkdown m
        JOIN Deduplicate d USING (id) WHERE d.dedup_keep GROUP BY ALL"""
    )
    assert figures["years"] == dict(years.fetchall())
    hosts = dict(sql.sql("SELECT source_domain, count(*) FROM kept GROUP BY ALL").fetchall())
    assert all(hosts[name] == number for name, number in figures["hosts"])
    assert figures["hosts"][0][1] == max(hosts.values())
    edges = figures["lengths"]["edges"]
    inside = f"least(num_words, {edges[-1]})"
    for place, (low, high) in enumerate(pairwise(edges)):
        first = low if place else -math.inf
        last = "<=" if place == len(edges) - 2 else "<"
        between = f"{inside} >= '{first}'::DOUBLE AND {inside} {last} {high}"
        counted = f"SELECT count(*) FROM kept WHERE {between}"
        assert sql.sql(counted).fetchall() == [(figures["lengths"]["counts"][place],)]
    days = sql.sql("SELECT min(left(warc_date, 10)), max(left(warc_date, 10)) FROM kept").fetchall()
    assert [tuple(figures["headline"]["crawled"])] == days


def test_the_funnel_and_the_limits_are_what_duckdb_counts(whole, report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    sql = tables_of(whole)

    stages = {stage["task"]: stage for stage in figures["stages"]}
    ((judged, passed),) = sql.sql(
        """SELECT count(*) FILTER (failure IS NULL), count(*) FILTER (passes_all_quality_filters)
        FROM FilterDocuments"""
    ).fetchall()
    assert stages["FilterDocuments"]["documents_in"]["all"] == judged
    assert stages["FilterDocuments"]["documents_out"]["all"] == passed
    lost = sql.sql(
        """SELECT array_to_string(failed_filters, '+'), count(*) FROM FilterDocuments
        WHERE NOT passes_all_quality_filters AND failure IS NULL GROUP BY ALL"""
    ).fetchall()
    assert stages["FilterDocuments"]["lost"] == dict(lost)
    stops = dict(
        sql.sql(
            "SELECT unnest(failed_filters) AS f, count(*) FROM FilterDocuments GROUP BY f"
        ).fetchall()
    )
    alone = dict(
        sql.sql(
            """SELECT failed_filters[1], count(*) FROM FilterDocuments
            WHERE len(failed_filters) = 1 GROUP BY ALL"""
        ).fetchall()
    )
    for feature in figures["features"]:
        name = feature["name"]
        assert (feature["stops"], feature["stops_alone"]) == (
            stops.get(name, 0),
            alone.get(name, 0),
        )
    removed = sql.sql(
        """SELECT c.source_domain, count(*) FROM CCNet c JOIN Deduplicate d USING (id)
        WHERE d.duplicate_of IS NOT NULL GROUP BY ALL"""
    ).fetchall()
    assert {name: number for name, _, number in figures["domains"]} == dict(removed)


def test_tokens_are_near_those_that_sentencepiece_counts_of_all(whole, report):
    sentencepiece = pytest.importorskip("sentencepiece")
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    texts = tables_of(whole).sql("SELECT text FROM kept WHERE lang = 'sv'").fetchall()
    model = resources.files("skord.models.language_model").joinpath("embedded/sv.sp.model")
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.read_bytes())
    plain = [normalize_for_language_model(breaks_as_spaces(text)) for (text,) in texts]
    counted = sum(map(len, pieces.encode(plain)))

    assert figures["headline"]["tokens"]["sv"] == pytest.approx(counted, rel=0.1)


def test_histograms_that_are_compared_have_the_same_axes(report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())

    assert len({tuple(p["histogram"]["edges"]) for p in figures["perplexities"].values()}) == 1
    axes = defaultdict(set)
    for feature in figures["features"]:
        axes[feature["set"], feature["unit"]].add(tuple(feature["histogram"]["edges"]))
    assert {len(edges) for edges in axes.values()} == {1}
    svgs = re.findall(r"<svg.*?</svg>", report.read_text(), re.DOTALL)
    upright = [svg for svg in svgs if "Documents by " in svg or "Perplexity of" in svg]
    assert len(upright) > 30
    for svg in upright:
        assert ("(log)" in svg) == ("Perplexity of" in svg)
        assert ("(linear)" in svg) != ("(log)" in svg)


def test_a_language_has_one_count(report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    stages = {stage["task"]: stage for stage in figures["stages"]}
    left = {k: n for k, n in stages["Deduplicate"]["documents_out"].items() if k != "all"}
    assert left == figures["headline"]["languages"]


@pytest.mark.slow
def test_labels_are_counted_wherever_a_task_has_them(whole, report, tmp_path):
    """As of a task of registers, or of reservations: words, or rows that name a source."""
    copy = Bench(tmp_path / "labels", whole.url)
    shutil.copytree(whole.data, copy.data, copy_function=os.link)
    kinds = pa.list_(pa.struct([("source", pa.string()), ("agent", pa.string())]))
    schema = pa.schema([ID, ("registers", pa.list_(pa.string())), ("reservations", kinds)])
    rows_written, store = 0, copy.store
    for shard in range(copy.num_shards):
        ids = store.read_table(store.path("CCNet", shard), ["id"])["id"].to_pylist()
        with store.writer(store.path("Labelled", shard), schema, "s") as writer:
            for number, page in enumerate(ids):
                said = [[{"source": "robots.txt", "agent": "*"}], [], None][number % 3]
                registers = ["news", "opinion"] if number % 2 else ["forum"]
                writer.append({"id": page, "registers": registers, "reservations": said})
        rows_written += len(ids)
    store.write_manifest("Labelled", {"num_shards": copy.num_shards, "rows": rows_written})
    out = tmp_path / "labels.html"

    status, output = copy.run("-m", "skord", "report", "--dump", DUMP, "--out", str(out))

    assert status == 0, output
    (figures,) = json.loads(out.with_suffix(".json").read_text())
    sql = tables_of(copy)
    files = f"{copy.data}/Labelled/{DUMP}/0*.parquet"
    sql.execute(f"CREATE VIEW labels AS SELECT * FROM read_parquet('{files}')")
    for column, value in (
        ("registers", "registers"),
        ("reservations", "[one.source FOR one IN reservations]"),
    ):
        counted = sql.sql(
            f"""SELECT label, count(*) FROM (SELECT unnest(CASE WHEN {column} IS NULL
            THEN ['not labelled'] WHEN len({column}) = 0 THEN ['none'] ELSE {value} END) AS label
            FROM labels JOIN kept USING (id)) GROUP BY label"""
        ).fetchall()
        assert figures["labels"][f"Labelled.{column}"] == dict(counted)
        assert f'data-labels="Labelled.{column}"' in out.read_text()
    assert "data-labels" not in report.read_text()


def test_pages_to_read_say_where_the_crawl_holds_them(whole, report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    index = {row["id"]: row for row in rows(whole, "WARCIndex", "id", *PLACE)}

    for page in figures["samples"]["kept"]:
        row = index[page["id"]]
        file, first, size = (row[name] for name in PLACE)
        assert page["archived"] == f"{file}, {size:,} bytes from {first:,}"
        assert page["archived"] in report.read_text()
