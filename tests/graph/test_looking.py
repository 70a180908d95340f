"""Looking at a finished dump: report, what-if, why; and estimating one: plan."""
# ruff: noqa: F811 - fixtures are imported by name and asked for by name

import json
import math
import os
import re
import shutil
from collections import Counter, defaultdict
from importlib import resources
from itertools import pairwise

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from models.language_model.perplexity import (
    breaks_as_spaces,
    limits_of,
    normalize_for_language_model,
    read_cutoffs,
)
from pipeline.cli.report.charts import PALETTE
from pipeline.cli.report.figures import Figures, Sample
from pipeline.cli.report.page import render
from pipeline.core.storage.column_store import ID
from tests.browser.conftest import browser, chromium  # noqa: F401 - fixtures
from tests.graph.conftest import DUMP, Bench

PLACE = ("warc_file", "warc_record_offset", "warc_record_length")


def rows(bench, task, *columns):
    folder = bench.folder / f"data/{task}/{DUMP}"
    tables = [pq.read_table(path, columns=list(columns)) for path in sorted(folder.glob("*.parq*"))]
    return [row for table in tables for row in table.to_pylist()]


# -- what-if ------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("entropy=3", "'entropy'"),
        ("unigram_entropy", "give NAME=VALUE"),
        ("unigram_entropy=high", "'high' is no number"),
    ],
)
def test_what_if_refuses_what_names_no_limit(whole, change, sentence):
    status, output = whole.run("-m", "pipeline", "what-if", "--dump", DUMP, "--set", change)

    assert status == 1
    assert sentence in output


# -- why ----------------------------------------------------------------------------------


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
    assert "no page of dump" in whole.run("-m", "pipeline", "why", "--text", "no such words")[1]
    assert whole.run("-m", "pipeline", "why")[0] == 1


# -- plan ---------------------------------------------------------------------------------


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
    pilot = Bench(tmp_path / "pilot", whole.url)
    status, output = pilot.luigi(
        "pipeline.dedup", "Deduplicate", "--dump", DUMP, "--DownloadWET-share", "0.5"
    )
    assert status == 0, output
    fresh = Bench(tmp_path / "fresh", whole.url)

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


# -- report -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def report(whole):
    status, output = whole.run(
        "-m", "pipeline", "report", "--dump", DUMP, "--out", str(whole.folder / "report.html")
    )
    assert status == 0, output
    return whole.folder / "report.html"


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
    converted = [r for r in rows(whole, "ConvertToMarkdown", "charset") if r["charset"]]
    assert sum(sum(found.values()) for found in figures["charsets"].values()) == len(converted)
    assert {"sv", "da", "no", "nn", "is"} <= set(figures["perplexities"])


def test_the_report_has_pages_to_read_for_every_reason(report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())

    lost = {name for stage in figures["stages"][1:] for name in stage["lost"]}
    reasons = {name for names in lost for name in names.split("+")[:1]}
    assert reasons <= set(figures["samples"])
    assert len(figures["samples"]["kept"]) == 20
    assert all(page["text"] and page["url"] for page in figures["samples"]["kept"])
    assert len({page["id"] for page in figures["samples"]["kept"]}) == 20


def test_the_report_is_the_same_file_each_time(whole, report):
    again = whole.folder / "again.html"
    whole.run("-m", "pipeline", "report", "--dump", DUMP, "--out", str(again))

    assert again.read_bytes() == report.read_bytes()


def test_the_report_opens_in_a_browser_and_fetches_nothing(report, browser):
    browser.get(report.as_uri())

    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    heights = browser.execute_script(
        "return [...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().height)"
    )
    bars = browser.find_elements("css selector", ".stage svg")
    assert len(bars) == 7
    assert len(heights) > 30
    assert min(heights) > 15
    assert sorted(heights)[len(bars)] > 50
    wide, seen = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= seen
    browser.save_screenshot(str(report.with_suffix(".png")))
    browser.find_element("link text", "Samples").click()
    assert browser.find_element("css selector", "[data-reason=kept]").text == "kept (20)"


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
    embedded = resources.files("models.language_model").joinpath("embedded/cutoff.csv")
    limits = limits_of(read_cutoffs(embedded.read_text()))

    for language in ("sv", "da", "is", "nn"):
        assert tuple(figures["perplexities"][language]["limits"]) == limits[language]


def tables_of(bench):
    """SQL over the tables of a dump, each a view under its task's name."""
    sql = duckdb.connect()
    for task in ("CCNet", "ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments", "Deduplicate"):
        files = f"{bench.folder}/data/{task}/{DUMP}/0*.parquet"
        sql.execute(f"CREATE VIEW {task} AS SELECT * FROM read_parquet('{files}')")
    sql.execute(
        """CREATE VIEW kept AS SELECT * EXCLUDE (failure, language), c.language AS lang
        FROM CCNet c JOIN Deduplicate d USING (id) JOIN FilterDocuments f USING (id)
        JOIN ProcessMarkdown p USING (id) WHERE d.dedup_keep"""
    )
    return sql


def test_what_is_in_it_is_what_duckdb_counts(whole, report):
    (figures,) = json.loads(report.with_suffix(".json").read_text())
    sql = tables_of(whole)

    years = sql.sql(
        """SELECT coalesce(left(m.date, 4), 'unknown'), count(*) FROM ConvertToMarkdown m
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
    model = resources.files("models.language_model").joinpath("embedded/sv.sp.model")
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
    assert len(upright) > 40
    for svg in upright:
        assert [f"{n} %" in svg for n in (1, 10, 25, 50, 100)] == [True] * 5


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
        assert page["why"] == "passes every filter"
        assert page["archived"] in report.read_text()


def test_the_report_is_used_with_the_keyboard(report, browser):
    browser.get(report.as_uri())
    keys = browser.switch_to.active_element

    keys.send_keys("\ue004")  # Tab
    assert browser.switch_to.active_element.text == "To the figures"
    reached = browser.execute_script(
        "return [...document.querySelectorAll('a[href], summary, [tabindex]')]"
        ".filter(e => e.tabIndex < 0).length"
    )
    assert reached == 0
    summary = browser.find_element("css selector", "details[data-folded] summary")
    summary.send_keys("\ue007")  # Enter
    assert browser.find_element("css selector", "[data-feature=num_words]").is_displayed()


def test_the_report_is_printed_in_black_on_white(report, browser):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    browser.get(report.as_uri())
    ink, nav, inside = browser.execute_script(
        "const s = getComputedStyle(document.body), n = document.querySelector('nav');"
        "return [s.color, getComputedStyle(n).display,"
        " document.querySelector('[data-feature=num_words]').checkVisibility("
        "{contentVisibilityAuto: true})]"
    )
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    assert channels(ink) == [0, 0, 0]
    assert nav == "none"
    assert inside
    assert len(printed["data"]) > 100_000


def luminance(colour):
    """Of a colour #rrggbb (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


DEUTERANOPIA = ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969))
PROTANOPIA = ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052))
TRITANOPIA = ((1.256, -0.077, -0.179), (-0.078, 0.931, 0.148), (0.005, 0.691, 0.304))
"""How linear RGB looks to those who lack a kind of cone (Machado et al. 2009, severity 1)."""


@pytest.mark.parametrize("matrix", [DEUTERANOPIA, PROTANOPIA, TRITANOPIA])
def test_what_goes_on_is_told_from_what_is_lost_without_some_colours(matrix):
    def seen(colour):
        parts = [(int(colour[i : i + 2], 16) / 255) ** 2.2 for i in (1, 3, 5)]
        return [sum(m * p for m, p in zip(row, parts, strict=True)) for row in matrix]

    style = resources.files("pipeline.cli.report").joinpath("page.html").read_text()
    kept = re.findall(r"--paper: #fff;.*?--bar: (#\w{6})", style)[0]
    lost = re.findall(r"--l\d: (#\w{6})", style.partition("@media")[0])
    assert len(lost) == 6
    for colour in (*lost[:2], *PALETTE[1:2]):
        assert math.dist(seen(kept), seen(colour)) > 0.2
    assert 1.05 / (luminance(kept) + 0.05) > 3  # told from the paper (WCAG 1.4.11)


@pytest.mark.parametrize("width", [360, 820, 1600])
def test_the_report_fits_every_width_in_light_and_dark(report, browser, width, tmp_path):
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        browser.get(report.as_uri())
        wide, seen, ink, paper = browser.execute_script(
            "const s = getComputedStyle(document.body); return ["
            "document.documentElement.scrollWidth, document.documentElement.clientWidth,"
            "s.color, s.backgroundColor]"
        )
        assert wide <= seen
        assert (sum(channels(ink)) > sum(channels(paper))) == (scheme == "dark")
        untitled = browser.execute_script(
            "return [...document.querySelectorAll('svg')].filter(s => !s.querySelector('title'))"
            ".length"
        )
        assert untitled == 0
        browser.save_screenshot(str(report.with_name(f"report-{width}-{scheme}.png")))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def channels(colour):
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def test_measures_that_decide_come_first_and_the_others_are_folded(report, browser):
    browser.get(report.as_uri())

    assert browser.find_element("css selector", "[data-feature=unigram_entropy]").is_displayed()
    assert not browser.find_element("css selector", "[data-feature=num_words]").is_displayed()


def test_a_dump_of_which_nothing_is_kept_has_a_report():
    stage = {"task": "CCNet", "documents_in": {"all": 1}, "documents_out": {}, "adds_up": True}
    stage |= {"characters_in": {}, "characters_out": {}, "lost": {"too_short": 1}}
    later = {**stage, "task": "Deduplicate", "documents_in": {}, "lost": {}}

    page = render([Figures(DUMP, 1, 1, stages=[stage, later])])

    assert "1 came, 0 go on (0.0 %; 0.0 % of all)" in page
    assert "0 came, 0 go on" in page


HOSTILE = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def test_what_crawled_pages_say_is_text_in_the_report(tmp_path, browser):
    stage = {
        "task": "CCNet", "documents_in": {"all": 2}, "documents_out": {"all": 1, "sv": 1},
        "characters_in": {"all": 9}, "characters_out": {"all": 9, "sv": 9},
        "lost": {HOSTILE: 1}, "adds_up": True,
    }  # fmt: skip
    figures = Figures(DUMP, 1, 1, stages=[stage], alarms=[HOSTILE], domains=[(HOSTILE, 1, 1)])
    figures.paragraphs = [(HOSTILE, 2)]
    figures.samples = {HOSTILE: [Sample("urn:uuid:1", HOSTILE, "sv", HOSTILE, HOSTILE)]}
    page = tmp_path / "hostile.html"
    page.write_text(render([figures, figures]), "utf-8")

    browser.get(page.as_uri())

    assert browser.title == f"{DUMP}, {DUMP} · corpus report"
    assert browser.find_elements("css selector", "script, img") == []
    assert len(browser.find_elements("css selector", "#samples ~ .dumps pre")) == 2
    assert math.isclose(*(e.rect["width"] for e in browser.find_elements("css selector", "#headline ~ .dumps:nth-of-type(1) > div")), rel_tol=0.01)  # fmt: skip  # noqa: E501
