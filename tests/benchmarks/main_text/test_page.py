"""The benchmark of a page from bytes to text: ways, parts, and what is not installed."""

from __future__ import annotations

import gzip
import json
import subprocess
from pathlib import Path

from tests.conftest import run_python

PAGE = """<nav><a href=/>Hem</a></nav><main><h1>Ny bro {0}</h1><p>Kommunen bygger en ny bro
över ån, och den skall stå klar redan i vår, säger de som bygger den.</p></main>"""


def bench(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_python("-m", "benchmarks.main_text.page", "--pages", str(folder), *words)


def test_every_way_reads_every_page(tmp_path):
    with gzip.open(tmp_path / "pages.jsonl.gz", "wt") as lines:
        for number in range(6):
            body = PAGE.format(number) if number else "x" * 3000
            page = {"id": str(number), "split_key": f"{number}.se", "html": body}
            lines.write(json.dumps(page) + "\n")
    words = ["--rounds", "1", "--largest-kb", "2", "--peers", "absent", "json:dumps"]
    done = bench(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["skord.extract", "5", "5"] in [row[:3] for row in rows]
    assert ["tasks", "5", "5"] in [row[:3] for row in rows]
    assert ["json:dumps", "5", "0"] in [row[:3] for row in rows]
    assert "absent is left out: pip install absent" in done.stdout
    parts = {"charset", "parse,", "context", "features", "network", "rules", "text"}
    assert parts <= {row[0] for row in rows if row}
    assert rows[-1][0] == "page:"
    assert "json:dumps" in done.stdout.splitlines()[-1]


def test_a_folder_without_pages_is_refused(tmp_path):
    done = bench(tmp_path)
    assert done.returncode == 2
    assert "name a folder of pages by --pages" in done.stderr
