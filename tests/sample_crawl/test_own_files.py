"""A crawl's pages as files of one's own, of each kind."""

import json

import pytest

from skord.sample_crawl.own_files import own_files


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    ("kind", "ending", "held"), [("pages", "html", "html"), ("texts", "md", "text")]
)
def test_half_are_files_and_half_are_lines(crawl, tmp_path, kind, ending, held):
    said = own_files(crawl.root, tmp_path / "own", crawl.built.dump, kind)

    lines = rows(tmp_path / f"own/{kind}.jsonl")
    files = sorted((tmp_path / "own").glob(f"*.{ending}"))
    assert said == f"{len(lines) + len(files)} {kind}"
    assert 0 <= len(lines) - len(files) <= 1
    assert files
    assert [path.name for path in files] == [
        f"{number:04d}.{ending}" for number in range(2, 2 * len(files) + 1, 2)
    ]
    assert all(line["url"].startswith("http") and line[held].strip() for line in lines)


def test_archives_come_as_they_are(crawl, tmp_path):
    said = own_files(crawl.root, tmp_path / "own", crawl.built.dump, "warc")

    stored = {path.name: path for path in crawl.root.glob("crawl-data/*/segments/*/warc/*.gz")}
    assert said == f"{len(stored)} WARC files"
    assert stored
    assert {path.name for path in (tmp_path / "own").iterdir()} == stored.keys()
    assert all((tmp_path / "own" / n).read_bytes() == p.read_bytes() for n, p in stored.items())
