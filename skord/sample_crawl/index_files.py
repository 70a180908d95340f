"""The index of a sample crawl, and the lists by which its files are found.

The index is ZipNum: lines sorted by SURT and time, cut into files, each file a chain of
gzip members of a fixed number of lines; `cluster.idx` names the first line of each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from pathlib import Path

from skord.crawl.cdx import timestamp_of
from skord.crawl.urls import surt_of
from skord.crawl.warc.written_records import gzip_member
from skord.sample_crawl.crawl_files import Stored, index_charset


def cdx_line(stored: Stored, digest: str) -> str:
    """Return the index's line for a capture, without line end.

    The digest is not the true one where damage is wanted.
    """
    capture = stored.capture
    fields = {
        "url": capture.url,
        "mime": capture.mime,
        "mime-detected": capture.mime,
        "status": str(capture.status),
        "digest": digest,
        "length": str(stored.length),
        "offset": str(stored.offset),
        "filename": stored.filename,
    }
    if capture.charset is not None:
        fields["charset"] = index_charset(capture.charset)
    for name in ("languages", "redirect", "truncated"):
        value = getattr(capture, name)
        if value is not None:
            fields[name] = value
    written = json.dumps(fields, ensure_ascii=False)
    return f"{surt_of(capture.url)} {timestamp_of(capture.date)} {written}"


def write_index(
    root: Path, dump: str, lines: Iterable[str], count: int, files: int, lines_per_block: int
) -> list[str]:
    """Write index files, `cluster.idx` and `metadata.yaml`; return their names below the root.

    There are `count` sorted lines. Common Crawl has 3000 in a block, which is one gzip member.
    """
    collection = f"cc-index/collections/CC-MAIN-{dump}"
    folder = root / collection / "indexes"
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"cdx-{number:05d}.gz" for number in range(files)]
    bounds = [count * number // files for number in range(files + 1)]
    cluster: list[str] = []
    rest = iter(lines)
    for name, (start, end) in zip(names, pairwise(bounds), strict=True):
        part = list(islice(rest, end - start))
        cluster += write_cdx(folder / name, part, lines_per_block, len(cluster))
    (folder / "cluster.idx").write_text("".join(cluster), encoding="utf-8")
    about = f"title: CC-MAIN-{dump}\ndescription: made by pipeline.sample_crawl\n"
    (root / collection / "metadata.yaml").write_text(about, encoding="utf-8")
    listed = [f"indexes/{name}" for name in (*names, "cluster.idx")]
    return [f"{collection}/{name}" for name in (*listed, "metadata.yaml")]


def write_cdx(path: Path, lines: Sequence[str], lines_per_block: int, before: int) -> list[str]:
    """Write one index file; return its lines of `cluster.idx`, numbered on from `before`."""
    entries: list[str] = []
    with path.open("wb") as file:
        for start in range(0, len(lines), lines_per_block):
            block = lines[start : start + lines_per_block]
            packed = gzip_member("".join(f"{line}\n" for line in block).encode(), 9)
            key = " ".join(block[0].split(" ", 2)[:2])
            place = (path.name, str(file.tell()), str(len(packed)), str(before + len(entries) + 1))
            entries.append("\t".join((key, *place)) + "\n")
            file.write(packed)
    return entries


def write_paths(root: Path, dump: str, name: str, paths: Iterable[str]) -> None:
    """Write one list of files, such as `warc.paths.gz`, in the order given."""
    path = root / f"crawl-data/CC-MAIN-{dump}/{name}.paths.gz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip_member("".join(f"{line}\n" for line in paths).encode(), 9))


def write_collinfo(root: Path, dump: str, dates: Sequence[str]) -> None:
    """Write `collinfo.json`, the list of dumps, newest first; other dumps' entries stay."""
    path = root / "collinfo.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    name = f"CC-MAIN-{dump}"
    entry = {
        "id": name,
        "name": f"Rehearsal {dump} Index",
        "timegate": f"https://index.rehearsal.example/{name}/",
        "cdx-api": f"https://index.rehearsal.example/{name}-index",
        "from": min(dates, default="").removesuffix("Z"),
        "to": max(dates, default="").removesuffix("Z"),
    }
    entries = [entry, *(other for other in known if other["id"] != name)]
    entries.sort(key=lambda one: str(one["id"]), reverse=True)
    path.write_text(json.dumps(entries, indent=2) + "\n", encoding="utf-8")
