"""Removals reach every form in which pages leave, not the corpus alone."""

import gzip
import json
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from skord.extras.warc_export.warc_files import pages_in
from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import command, copy_of
from tests.graph.publishing.test_removals_command import removals

FORMS = ("ExportWARC", "ExportCCNet", "MinifyCCNet", "ExportParagraphs")
SETTINGS = "[MinifyCCNet]\npublished_form = true\n[ExportWARC]\npages = fetched\n"


@pytest.fixture(scope="module")
def forms(whole, tmp_path_factory):
    """The whole graph with every form of it; nothing was deduplicated into a corpus."""
    bench = copy_of(whole, tmp_path_factory.mktemp("forms") / "bench", SETTINGS)
    for form in FORMS:
        status, output = command(bench, "run", form, "--dump", DUMP)
        assert status == 0, output
    return bench


def addresses(bench):
    """Addresses in the files of each form."""
    root = Path(bench.data)
    found = {name: set() for name in FORMS}
    for path in sorted((root / "ExportWARC").rglob("*.warc.gz")):
        with path.open("rb") as file:
            found["ExportWARC"] |= {url for _, url in pages_in(file)}
    for path in sorted((root / "ExportWARC").rglob("*.cdxj")):
        lines = path.read_text().splitlines()
        found["ExportWARC"] |= {json.loads(one.split(" ", 2)[2])["url"] for one in lines}
    for name in ("ExportCCNet", "MinifyCCNet"):
        for path in sorted((root / name).rglob("*.json.gz")):
            lines = gzip.decompress(path.read_bytes()).splitlines()
            found[name] |= {json.loads(line)["url"] for line in lines}
    for path in sorted((root / "MinifyCCNet" / DUMP).glob("*.parquet")):
        found["MinifyCCNet"] |= set(pq.read_table(path)["url"].to_pylist())
    for path in sorted((root / "ExportParagraphs").rglob("files/*/*.parquet")):
        found["ExportParagraphs"] |= set(pq.read_table(path)["url"].to_pylist())
    return found


def listed(bench):
    """A site, and the id of a page of another; and which addresses these are."""
    rows = [
        row
        for path in sorted(Path(bench.data, "CCNet", DUMP).glob("*.parquet"))
        for row in pq.read_table(path, columns=["id", "url"]).to_pylist()
    ]
    site = next(urlsplit(url).hostname for url in sorted(addresses(bench)["ExportParagraphs"]))
    of_site = {row["url"] for row in rows if urlsplit(row["url"]).hostname == site}
    other = next(row for row in rows if row["url"] not in of_site)
    return ["--domain", site, "--id", other["id"]], of_site | {other["url"]}


def test_what_is_listed_is_found_in_every_form_taken_out_and_proven_to_be_gone(forms, tmp_path):
    bench = copy_of(forms, tmp_path / "bench", SETTINGS)
    words, gone = listed(bench)
    before = addresses(bench)
    assert all(before[name] & gone for name in FORMS)
    assert removals(bench, "add", *words, "--reason", "opt-out")[0] == 0

    status, output = removals(bench, "check")
    assert status == 3
    for name in FORMS:
        assert f"{DUMP} {name}/{DUMP}/" in output

    status, output = removals(bench, "apply")
    assert status == 0, output
    for name in FORMS:
        assert f"{name} {DUMP}: without the pages that are listed" in output
    assert addresses(bench) == {name: before[name] - gone for name in FORMS}
    status, output = removals(bench, "check")
    assert (status, output.splitlines()[-1]) == (0, "1 dumps, 2 entries: 0 things left")
    assert "nothing to do" in command(bench, "run", "ExportWARC", "--dump", DUMP)[1]


def test_a_form_that_cannot_be_made_again_is_said_and_stays_found(forms, tmp_path):
    bench = copy_of(forms, tmp_path / "bench", SETTINGS)
    words, _ = listed(bench)
    assert removals(bench, "add", *words, "--reason", "opt-out")[0] == 0
    shutil.rmtree(Path(bench.data, "FetchHTMLDocuments"))

    status, output = removals(bench, "apply")

    assert status == 3
    assert f"ExportWARC {DUMP}: may hold pages that are listed" in output
    assert f"ExportCCNet {DUMP}: without the pages that are listed" in output
    status, output = removals(bench, "check")
    assert status == 3
    assert f"{DUMP} ExportWARC/{DUMP}/" in output
    assert f"{DUMP} ExportCCNet/{DUMP}/" not in output


def test_a_run_loses_what_was_listed_without_being_asked_to_replace(forms, tmp_path):
    bench = copy_of(forms, tmp_path / "bench", SETTINGS)
    words, gone = listed(bench)
    assert removals(bench, "add", *words, "--reason", "opt-out")[0] == 0

    status, output = command(bench, "run", "ExportCCNet", "--dump", DUMP)

    assert status == 0, output
    assert not addresses(bench)["ExportCCNet"] & gone
