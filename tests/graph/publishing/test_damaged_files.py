"""Published files, and what lies beside shards: damage is seen, said, and made again."""

import json
import shutil
from pathlib import Path

import pytest

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import (
    TASK,
    command,
    copy_of,
    data_files,
    files_below,
    folder,
    tree,
)
from tests.graph.publishing.test_removals_command import removals

RUN = ("run", TASK, "--dump", DUMP)


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def taken_away(root):
    """What of the published files goes, one of each kind."""
    return [
        data_files_of(root)[0],
        sorted((root / "pointers").iterdir())[1],
        sorted((root / "json").iterdir())[2],
        root / "README.md",
        root / "SHA256SUMS",
    ]


def data_files_of(root):
    return sorted((root / "data").iterdir())


@pytest.fixture(scope="module")
def apart(exported, tmp_path_factory):
    """A published corpus of these tests' own: each leaves it as it was."""
    return copy_of(exported, tmp_path_factory.mktemp("damaged") / "bench")


def test_published_files_that_are_missing_or_changed_are_seen_and_made_again(apart, exported):
    for path in taken_away(folder(apart)):
        path.unlink()
    flip(data_files(apart)[-1])

    status, output = command(apart, "verify", "--dump", DUMP)
    assert status == 1
    for name in ("files/README.md", "files/SHA256SUMS", "files/data/2024-10-00000.parquet"):
        assert f"{TASK} {name}: it is missing, or not what was written" in output
    assert f"{TASK}: 6 faults" in output
    assert "is missing or damaged" in command(apart, "funnel", "--dump", DUMP)[1].replace(
        "missing or damaged:", "is missing or damaged"
    )

    status, output = command(apart, *RUN)
    assert status == 0, output
    assert f"{TASK} {DUMP}: files/README.md is missing or damaged: made again" in output
    assert tree(apart) == tree(exported)
    assert "nothing to do" in command(apart, *RUN)[1]


def test_export_and_repair_make_published_files_again(apart, exported):
    flip(data_files(apart)[1])
    status, output = command(apart, "export", "--dumps", DUMP)
    assert status == 0, output
    assert tree(apart) == tree(exported)

    shutil.rmtree(folder(apart))
    (Path(apart.data, "CCNet", DUMP, "_refused", "00001.parquet")).unlink()
    status, output = command(apart, "verify", "--dump", DUMP, "--repair")
    assert status == 0, output
    assert tree(apart) == tree(exported)
    assert apart.files() == exported.files()
    assert command(apart, "verify", "--dump", DUMP)[0] == 0


def test_damage_in_every_folder_beside_shards_is_seen_and_made_again(apart, exported):
    """A ledger of times (`_ledger`) differs from run to run, and nothing is made from it."""
    folders = [
        path
        for path in sorted(Path(apart.data).glob(f"*/{DUMP}/_*"))
        if path.is_dir() and path.name != "_ledger"
    ]
    assert {"_lines", "_paths", "_refused"} <= {path.name for path in folders}
    damaged = [files_below(folder)[0] for folder in folders]
    for path in damaged:
        flip(path)
    of_earlier_version = Path(apart.data, "HashParagraphs", DUMP, "_manifest.json")
    manifest = json.loads(of_earlier_version.read_text())
    assert manifest.pop("beside")
    of_earlier_version.write_text(json.dumps(manifest))

    status, output = command(apart, "verify", "--dump", DUMP)
    assert status == 1
    for path in damaged:
        assert f"{path.parents[2].name} {path.parent.name}/{path.name}: " in output, path

    assert command(apart, "verify", "--dump", DUMP, "--repair")[0] == 0
    assert apart.files() == exported.files()
    assert command(apart, "verify", "--dump", DUMP)[0] == 0


def test_tasks_that_were_complete_and_are_gone_are_made_again(exported, tmp_path):
    bench = copy_of(exported, tmp_path / "bench")
    whole = bench.files()
    for family in ("ComputeSignatures", "Deduplicate", TASK):  # no task that is left reads them
        shutil.rmtree(Path(bench.data, family))

    status, output = command(bench, "verify", "--dump", DUMP)

    assert status == 1, output
    for family in ("ComputeSignatures", "Deduplicate", TASK):
        assert f"{family} manifest: it was complete and is gone, with all of the task" in output
    status, output = command(bench, "verify", "--dump", DUMP, "--repair")
    assert status == 0, output
    assert bench.files() == whole


def test_a_task_that_was_never_complete_is_named_and_no_fault(exported, tmp_path):
    bench = copy_of(exported, tmp_path / "bench")
    for family in ("Deduplicate", TASK):
        shutil.rmtree(Path(bench.data, family))
        shutil.rmtree(Path(bench.data, "_complete", family))

    status, output = command(bench, "verify", "--dump", DUMP)

    assert status == 0, output
    assert "not made yet: Deduplicate\n" in output
    assert json.loads(command(bench, "verify", "--dump", DUMP, "--json")[1])["absent"] == [
        "Deduplicate"
    ]


def test_removals_are_not_applied_to_a_damaged_file(exported, tmp_path):
    bench = copy_of(exported, tmp_path / "bench")
    page = command(bench, "funnel", "--dump", DUMP)
    assert page[0] == 0
    first = data_files(bench)[0]
    status, output = removals(bench, "add", "--domain", "nowhere.example", "--reason", "opt-out")
    assert status == 0, output
    flip(first)
    before = {path: path.read_bytes() for path in files_below(folder(bench))}

    status, output = removals(bench, "apply")

    assert status == 1
    assert f"{first.name} is missing or damaged, so nothing is taken out of it" in output
    assert {path: path.read_bytes() for path in files_below(folder(bench))} == before
    assert command(bench, "verify", "--dump", DUMP, "--repair")[0] == 0
    assert removals(bench, "apply")[0] == 0
    assert removals(bench, "check")[0] == 0


def test_the_log_names_a_page_before_its_file_changes(exported, tmp_path, monkeypatch):
    """The disk fails when the file is to appear: the log has the page, the file still holds it."""
    bench = copy_of(exported, tmp_path / "bench")
    page = removed_page(bench)
    assert removals(bench, "add", "--id", page, "--reason", "opt-out")[0] == 0
    folder(bench).joinpath("data").chmod(0o500)
    try:
        status, _ = removals(bench, "apply")
    finally:
        folder(bench).joinpath("data").chmod(0o700)
    log = [json.loads(p.read_text()) for p in files_below(Path(bench.data, "_removals/log"))]
    if status == 0:
        pytest.skip("whoever runs this may write anywhere")

    assert [one["id"] for note in log if note["verb"] == "take" for one in note["taken"]] == [page]
    assert removals(bench, "apply")[0] == 0
    assert removals(bench, "check")[0] == 0


def removed_page(bench):
    import pyarrow.parquet as pq  # noqa: PLC0415

    return pq.read_table(data_files(bench)[0], columns=["id"])["id"][0].as_py()


@pytest.mark.parametrize("verb", ["apply", "check"])
def test_a_folder_that_is_not_there_is_said(tmp_path, verb, exported):
    with_none = copy_of(exported, tmp_path / "bench")
    status, output = command(with_none, "removals", verb, "--data-dir", str(tmp_path / "typo"))

    assert status == 1
    assert "typo is not there, or holds no dump: name the data folder with --data-dir" in output
