"""The published way over some of the pages of a built crawl, stage by stage, in CPU a page.

Selection is cc_net's (a checkout, patched in two lines, no language models), over whole WET
files. Conversion is BeautifulSoup and a pandoc process for each page, features and signatures are
SWEb's own functions (a checkout), over the pages that our CCNet selected. Download, index, fetch
and SWEb's search for near-duplicates beyond signatures are not measured on that side: the one line
leaves them out of ours, the line before counts them on ours alone. Longformer is left out, as
ProcessMarkdown is, and told apart (`make bench-line-classifier`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.ccnet.selection import patched_copy, prepare_peer
from benchmarks.conversion.ways import cost, published
from benchmarks.measuring import BenchmarkError, print_table
from benchmarks.settings import ROOT
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.warc.gzip import Member, gzip_members
from skord.crawl.warc.records import read_response
from skord.html.pandoc import find_pandoc
from skord.models.language_id.lid176 import bundled_model

WET_FILES = 2
CONVERTED = 40
"""Pages; one takes a fifth of a second."""

OURS = {
    "selection, of a WET page": ("HashParagraphs", "CCNet"),
    "conversion, of a fetched page": ("ConvertToMarkdown",),
    "features and signature, of a fetched page": ("FilterDocuments", "ComputeSignatures"),
}
"""Stages that are measured on both sides, and our tasks of each."""


def published_costs(
    folder: Path, dump: str, pages_a_file: int, peers: Mapping[str, Path], packages: str
) -> dict[str, float]:
    """CPU seconds a page of each stage.

    Args:
        folder: of one size's crawl and results.
        dump: its id.
        pages_a_file: WET records of a file.
        peers: checkouts, of `cc_net` and `sweb`.
        packages: a folder of what cc_net imports, if this Python has it not.
    """
    store = ColumnStore(Storage(str(folder / "data")), dump)
    records = store.read_table(store.path("FetchHTMLDocuments", 0), ["record"])["record"]
    texts = store.read_table(store.path("ConvertToMarkdown", 0), ["content"])["content"]
    bodies = [read_response(one).body for one in records.to_pylist()[:CONVERTED] if one]
    way = published(find_pandoc())
    cost(way, bodies[0])
    converted = sum(cost(way, body).cpu_s for body in bodies) / len(bodies)
    shown = [text for text in texts.to_pylist() if text]
    stages = list(OURS)
    with tempfile.TemporaryDirectory(prefix="bench-dump-") as name:
        selected = _cc_net(Path(name), folder, peers["cc_net"], packages)
        features = _sweb(Path(name), shown, peers["sweb"])
    per_page = selected / (WET_FILES * pages_a_file)
    return dict(zip(stages, (per_page, converted, features / len(shown)), strict=True))


def _cc_net(work: Path, folder: Path, peer: Path, packages: str) -> float:
    """CPU seconds of cc_net over some WET files."""
    results = sorted((folder / "crawl").rglob("*.warc.wet.gz"))[:WET_FILES]
    files = [_as_of_2019(path, work / f"{at}.warc.wet.gz") for at, path in enumerate(results)]
    (work / "run").mkdir()
    settings = prepare_peer(
        work / "run",
        files,
        argparse.Namespace(
            shards=len(files), group_shards=50, prepared_models=None, lid=bundled_model()
        ),
    )
    copy = patched_copy(peer, work)
    words = [sys.executable, ROOT / "benchmarks/ccnet/peer.py", settings]
    paths = os.pathsep.join(filter(None, [str(copy), packages]))
    environment = {"PYTHONPATH": paths, "LC_ALL": "C.UTF-8", "OMP_NUM_THREADS": "1"}
    return float(_told(words, environment)["cpu_s"])


def _as_of_2019(path: Path, to: Path) -> Path:
    """A WET file without the header of languages; cc_net takes headers by their places."""
    with path.open("rb") as source, to.open("wb") as file:
        for member in gzip_members(source):
            if isinstance(member, Member):
                plain = re.sub(rb"WARC-Identified-Content-Language: [^\r]*\r\n", b"", member.data)
                file.write(gzip.compress(plain, mtime=0))
    return to


def _sweb(work: Path, texts: Sequence[str], peer: Path) -> float:
    """CPU seconds of SWEb's features and signatures of all texts."""
    (work / "texts.json").write_text(json.dumps(list(texts)), encoding="utf-8")
    script = ROOT / "benchmarks/scale/sweb_peer.py"
    words = [sys.executable, "-W", "ignore", script, peer.resolve(), work / "texts.json"]
    _told([*words, work / "found.json"], os.environ)
    results = json.loads((work / "found.json").read_text())
    return float(results["features_s"]) + float(results["signature_s"])


def _told(words: Sequence[object], environment: Mapping[str, str]) -> dict[str, float]:
    """The last line that a peer's process printed, where it is JSON."""
    done = subprocess.run(
        [str(word) for word in words],
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BenchmarkError(f"{words[1]}: {done.stderr[-3000:]}")
    last = (done.stdout.splitlines() or ["{}"])[-1]
    return dict(json.loads(last)) if last.startswith("{") else {}


def print_comparison(
    theirs: Mapping[str, float], cpu_s: Mapping[str, float], pages: int, fetched: int
) -> None:
    """Stage by stage, all our tasks against these stages, and the one line, of the same stages."""
    rows: list[list[object]] = []
    published_s = same_s = 0.0
    for stage, tasks in OURS.items():
        number = pages if "WET" in stage else fetched
        ours = sum(cpu_s[task] for task in tasks) / number
        published_s += theirs[stage] * number
        same_s += ours * number
        rows.append([stage, 1e3 * theirs[stage], 1e3 * ours, theirs[stage] / ours])
    print(f"\nthe published way, {fetched:,} of {pages:,} pages fetched")
    print_table(["ms of CPU", "published", "here", "×"], rows)
    but_classifier = sum(seconds for task, seconds in cpu_s.items() if task != "ProcessMarkdown")
    against_all, with_classifier = published_s / but_classifier, published_s / sum(cpu_s.values())
    print(
        "these stages against all our tasks, download, index, fetch and matching among them: "
        f"{against_all:.1f}×; with our classifier, nothing for theirs: {with_classifier:.1f}×\n"
        f"dump: {published_s / same_s:.1f}× less CPU than the published way in the stages of both"
    )
