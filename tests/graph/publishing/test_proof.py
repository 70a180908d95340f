"""What a publisher promised, proven by anybody who has the folder alone; and a receipt of a removal."""

import contextlib
import hashlib
import io
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.cli.main import main
from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import command, copy_of, folder, tree
from tests.graph.publishing.test_removals_command import listed, removals


@pytest.fixture(scope="module")
def removed(exported, tmp_path_factory):
    """The published corpus after two requests, and what it was before."""
    bench = copy_of(exported, tmp_path_factory.mktemp("proof") / "bench")
    for (_, words), reference in zip(listed(bench), ("T-1", "T-2"), strict=True):
        about = ("--reason", "take-down", "--reference", reference, "--date", "2024-03-01")
        assert removals(bench, "add", *words, *about)[0] == 0
    status, output = removals(bench, "apply")
    assert status == 0, output
    return bench, output


def command_of(root):
    """In this process, with no data folder that could know more."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(["verify", "--publish", str(root)])
    return status, said.getvalue()


def alone(bench, place):
    """The published folder as somebody else has it."""
    return Path(shutil.copytree(folder(bench), place / "copy"))


def sum_up(root):
    """Checksums as a forger would write them."""
    names = [
        str(path.relative_to(root))
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.name != "SHA256SUMS"
    ]
    lines = [f"{hashlib.sha256((root / n).read_bytes()).hexdigest()}  {n}\n" for n in names]
    (root / "SHA256SUMS").write_text("".join(lines))


def test_a_published_folder_is_as_published(exported, removed, tmp_path):
    for number, bench in enumerate((exported, removed[0])):
        status, output = command_of(alone(bench, tmp_path / str(number)))
        assert status == 0, output
        assert output.endswith(": as published\n")
        assert "documents (da " in output


def drop_a_row(root):
    path = sorted((root / "data").iterdir())[0]
    pq.write_table(pq.read_table(path).slice(1), path)
    sum_up(root)


def change_a_text(root):
    path = sorted((root / "data").iterdir())[1]
    table = pq.read_table(path)
    texts = table["text"].to_pylist()
    texts[3] = texts[3][::-1]
    at = table.column_names.index("text")
    pq.write_table(table.set_column(at, "text", pa.array(texts)), path)
    sum_up(root)


def better_the_card(root):
    card = root / "README.md"
    text = card.read_text()
    said = next(line for line in text.splitlines() if "num_examples" in line)
    card.write_text(text.replace(said, said + "0"))
    sum_up(root)


def flip_a_bit(root):
    path = sorted((root / "json").iterdir())[0]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("harm", "sentences"),
    [
        (drop_a_row, ["pointers/2024-10-00000.parquet: what it has of", "README.md: it has num_"]),
        (change_a_text, ["pointers/2024-10-00001.parquet: what it has of"]),
        (better_the_card, ["README.md: it has num_examples"]),
        (flip_a_bit, ["json/2024-10-00000.jsonl.gz: it is not what SHA256SUMS lists"]),
        (lambda root: (root / "data/2024-10-00002.parquet").unlink(), ["00002.parquet: it is miss"]),
        (lambda root: (root / "data/more.parquet").write_bytes(b""), ["more.parquet: SHA256SUMS d"]),
        (lambda root: (root / "README.md").write_bytes(b"\xff"), ["README.md: it cannot be read"]),
    ],
    ids=["row", "text", "card", "bit", "gone", "more", "card's bytes"],
)  # fmt: skip
def test_what_was_changed_is_found_though_the_checksums_were_changed_too(
    exported, tmp_path, harm, sentences
):
    root = alone(exported, tmp_path)
    harm(root)

    status, output = command_of(root)

    assert status == 1
    for sentence in sentences:
        assert sentence in output


def test_a_page_that_comes_back_is_found(exported, removed, tmp_path):
    bench, _ = removed
    root = alone(bench, tmp_path)
    page = min(listed(exported)[0][0])
    name = next(
        path.name
        for path in sorted((folder(exported) / "data").iterdir())
        if page in pq.read_table(path, columns=["id"])["id"].to_pylist()
    )
    shutil.copy(folder(exported) / "data" / name, root / "data" / name)
    sum_up(root)

    status, output = command_of(root)

    assert status == 1
    assert f"data/{name}: it holds {page}, which was taken out" in output


def test_what_is_no_published_folder_is_said(tmp_path, exported):
    status, output = command_of(tmp_path)
    assert status == 1
    assert "holds no SHA256SUMS: name the folder of a published corpus" in output
    assert command(exported, "verify", "--publish", str(tmp_path), "--repair")[0] == 1


def test_each_request_has_a_receipt_of_its_own_pages(exported, removed):
    bench, said = removed
    receipts = sorted(Path(bench.data, "_removals/receipts").iterdir())
    assert len(receipts) == 2
    assert all(f"receipt: {path}" in said for path in receipts)
    requests = listed(exported)
    for path, (pages, _), reference in zip(receipts, requests, ("T-1", "T-2"), strict=True):
        receipt = json.loads(path.read_text())
        assert {one["reference"] for one in receipt["asked"]} == {reference}
        ((dump, about),) = receipt["dumps"].items()
        assert dump == DUMP
        assert {one["id"] for one in about["pages"]} == pages
        assert about["files"]
        for change in about["files"]:
            before, after = (
                hashlib.sha256((folder(one) / change["name"]).read_bytes()).hexdigest()
                for one in (exported, bench)
            )
            assert (change["before"], change["after"]) == (before, after)
        sums = [
            hashlib.sha256((folder(one) / "SHA256SUMS").read_bytes()).hexdigest()
            for one in (exported, bench)
        ]
        assert [about["version"]["before"], about["version"]["after"]] == sums


def test_applied_again_nothing_changes(removed):
    bench, _ = removed
    before = tree(bench)

    status, output = removals(bench, "apply")

    assert status == 0
    assert "receipt" not in output
    assert tree(bench) == before
