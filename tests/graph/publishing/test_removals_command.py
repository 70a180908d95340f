"""Removals: listed, put over what is published, proven."""

import hashlib
import json
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow.parquet as pq
import pytest

from skord.cli.look.funnel import funnel_stages
from skord.publishing.manifest import REMOVED
from tests.graph.bench import Bench
from tests.graph.publishing.export_forms import (
    EXPORT,
    TASK,
    command,
    copy_of,
    corpus,
    data_files,
    files_below,
    folder,
    tree,
)


def removals(bench, *words):
    return command(bench, "removals", *words)


def listed(bench):
    """Two requests, by kind of entry, and the pages that each names; all begin in one file."""
    rows = corpus(bench)
    host = urlsplit(rows[0]["url"]).hostname
    of_host = [row for row in rows if urlsplit(row["url"]).hostname == host]
    url, page, text = [row for row in rows if row not in of_host][3:6]
    first = ["--domain", host.removeprefix("www."), "--url", f"{url['url']}#x"]
    digest = hashlib.sha256(text["text"].encode()).hexdigest()
    second = ["--id", page["id"].upper(), "--text", digest]
    return [({row["id"] for row in (*of_host, url)}, first), ({page["id"], text["id"]}, second)]


def gone(bench):
    """Every page that a request names."""
    return set.union(*(pages for pages, _ in listed(bench)))


@pytest.fixture(scope="module")
def removed(exported, tmp_path_factory):
    """The published corpus with two requests listed, one after the other, and applied."""
    bench = copy_of(exported, tmp_path_factory.mktemp("removed") / "bench")
    (_, first), (_, second) = listed(bench)
    about = ("--reason", "take-down", "--reference", "T-1", "--date", "2024-03-01")
    steps = [
        removals(bench, "add", *first, *about),
        removals(bench, "apply"),
        removals(bench, "add", *second, "--reason", "opt-out"),
        removals(bench, "check"),
        removals(bench, "apply"),
        removals(bench, "check"),
    ]
    return bench, steps


def test_what_is_listed_is_found_taken_out_and_proven_to_be_gone(removed, exported):
    bench, (added, first, _, before, second, after) = removed
    (by_address, _), (by_text, _) = listed(exported)

    assert added[0] == 0, added
    assert "domain 1, url 1" in added[1]
    assert first[0] == 0, first
    assert f"{len(by_address)} pages taken out of" in first[1]
    assert before[0] == 3
    assert all(page in before[1] for page in by_text)
    assert not any(page in before[1] for page in by_address)
    assert "2 pages taken out of 1 files (id 1, text 1)" in second[1]
    assert after == (0, "1 dumps, 4 entries: 0 things left\n")
    left_out = gone(exported)
    assert [row["id"] for row in corpus(bench)] == [
        row["id"] for row in corpus(exported) if row["id"] not in left_out
    ]


def test_only_files_with_a_match_are_written_again(removed, exported):
    bench, _ = removed
    same = [
        path.name
        for path in data_files(exported)
        if not gone(exported) & set(pq.read_table(path)["id"].to_pylist())
    ]

    assert 0 < len(same) < len(data_files(exported))
    for path in files_below(folder(bench)):
        if path.name == REMOVED:
            continue
        before = folder(exported) / path.relative_to(folder(bench))
        untouched = path.stem.removesuffix(".jsonl") in [Path(name).stem for name in same]
        assert (path.stat().st_mtime_ns == before.stat().st_mtime_ns) is untouched


def test_the_overlay_ends_with_the_bytes_of_an_export_under_the_same_lists(
    removed, exported, tmp_path
):
    """Lists make the task stale, and the files are made from the columns, not from each other."""
    bench, _ = removed
    fresh = copy_of(exported, tmp_path / "fresh")
    for path in (folder(fresh) / "data").iterdir():
        path.write_bytes(b"not looked at")
    shutil.copytree(Path(bench.data, "_removals/lists"), Path(fresh.data, "_removals/lists"))

    status, output = fresh.luigi(*EXPORT)

    assert status == 0, output
    assert tree(fresh) == tree(bench)


def test_card_funnel_and_log_tell_what_was_removed(removed, exported):
    bench, _ = removed
    last = funnel_stages(bench.store)[-1]

    assert last.task == TASK
    assert last.adds_up
    assert last.lost.total() == len(gone(exported))
    assert {"removed by domain", "removed by id", "removed by text", "removed by url"} == set(
        last.lost
    )
    assert "id 1, text 1, url 1" in (folder(bench) / "README.md").read_text()
    assert (
        f"Main texts of {len(corpus(bench)):,} web pages"
        in (folder(bench) / "README.md").read_text()
    )
    notes = [
        json.loads(path.read_text()) for path in files_below(Path(bench.data, "_removals/log"))
    ]
    by_file = [one for one in notes if one["verb"] == "take"]
    whole = [one for one in notes if one["verb"] != "take"]
    assert [one["verb"] for one in whole] == ["add", "apply", "add", "check", "apply", "check"]
    assert whole[0]["reference"] == "T-1"
    assert {one["id"] for n in (1, 4) for one in whole[n]["taken"]} == gone(exported)
    assert {one["id"] for note in by_file for one in note["taken"]} == gone(exported)
    status, output = removals(bench, "list")
    assert status == 0
    assert "2024-03-01  take-down  T-1" in output
    story = bench.run("-m", "pipeline", "why", min(gone(exported)))[1]
    assert "=> kept, and taken out of what is published by a list: " in story


def test_an_overlay_that_was_killed_is_finished_by_the_next_one(removed, exported, tmp_path):
    bench, _ = removed
    after = {key.removeprefix("2024-10/"): value for key, value in tree(bench).items()}
    hit = next(
        f"{path.stem}" for path in data_files(exported)
        if gone(exported) & set(pq.read_table(path)["id"].to_pylist())
    )  # fmt: skip
    row = f"_files/{hit[-5:]}.parquet"
    parts = (
        f"files/json/{hit}.jsonl.gz",
        f"files/pointers/{hit}.parquet",
        f"files/data/{hit}.parquet",
    )
    for done in range(len(parts)):
        copy = copy_of(exported, tmp_path / str(done))
        shutil.copytree(Path(bench.data, "_removals"), Path(copy.data, "_removals"))
        for name in (row, *parts[:done]):
            Path(copy.data, TASK, "2024-10", name).write_bytes(after[name])

        status, output = removals(copy, "apply")

        assert status == 0, output
        assert tree(copy) == tree(bench)


def test_robots_rules_of_the_crawls_own_subset_are_applied(exported, tmp_path):
    bench = copy_of(exported, tmp_path / "bench")
    host = urlsplit(corpus(bench)[0]["url"])
    site = f"{host.scheme}://{host.netloc}"
    robots = tmp_path / "robots.txt"
    robots.write_text("User-agent: *\nAllow: /\n\nUser-agent: CCBot\nDisallow: /\n")

    status, output = removals(
        bench, "add", "--robots-dump", "2024-10", "--robots-txt", site, str(robots),
        "--reason", "robots.txt",
    )  # fmt: skip

    assert status == 0, output
    assert "robots " in output
    status, output = command(bench, "export", "--dumps", "2024-10", "--json")
    assert status == 0, output
    assert "taken out by request: robots" in output
    left = {urlsplit(row["url"]).netloc for row in corpus(bench)}
    assert host.netloc not in left
    assert len(left) > 5


def test_check_sees_what_was_done_behind_its_back(removed, exported, tmp_path):
    bench = copy_of(removed[0], tmp_path / "bench")
    name = data_files(bench)[0].name
    shutil.copy(data_files(exported)[0], folder(bench) / "data" / name)
    (folder(bench) / "data/copy.parquet").write_bytes(b"x")

    status, output = removals(bench, "check")

    assert status == 3
    assert f"data/{name} is not what SHA256SUMS lists" in output
    assert "data/copy.parquet is not among the published files" in output
    assert f"data/{name} holds urn:uuid:" in output


def test_a_list_taken_back_needs_a_new_export(removed, tmp_path):
    bench = copy_of(removed[0], tmp_path / "bench")
    for path in files_below(Path(bench.data, "_removals/lists")):
        path.unlink()

    status, output = removals(bench, "apply")

    assert status == 1
    assert "comes back only by exporting again" in output


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--domain", "se"], "'se' is no domain"),
        (["--id", "12"], "'12' is no id"),
        ([], "there is nothing to list"),
        (["--url-file", "NOWHERE"], "cannot be read"),
        (["--url", "a.se", "--date", "igår"], "give a day as"),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(tmp_path, words, sentence):
    bench = Bench(tmp_path / "bench", "http://127.0.0.1:9")

    status, output = removals(bench, "add", *words, "--reason", "opt-out")

    assert status == 1
    assert sentence in output
    assert not Path(bench.data, "_removals").exists()
