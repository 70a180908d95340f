"""Finding out charsets: how often right, and how fast, beside four libraries that do only that.

    python -m benchmarks charset [--data ../shared/data] [--pages 200] [--rounds 5]

Accuracy: files of known charset (`charset/charset.jsonl.gz` of the data; tests of other projects,
translations, old pages). Right is a text that equals the one read by the true name. All names
are read by the WHATWG table, ISO-8859-1 as windows-1252 and so on, those of the libraries too, and
nobody is told an HTTP header.

Speed: CPU time from bytes to text on ordinary pages (UTF-8, with letters beyond ASCII; from
`extraction/`), page by page in turn, medians of the rounds. "ours" is the verdict with the text,
as the libraries give it; "ours, cleaned" is what the pipeline calls: control characters gone,
misread entities mended. The libraries come into a temporary folder by pip.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import importlib
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import metadata
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from benchmarks.measuring import BenchmarkError, print_table
from benchmarks.settings import SHARED_TEXT
from skord.core.failures import PipelineError
from skord.html.charset.decode import decode, verdict, without_controls
from skord.html.charset.decoders import read
from skord.html.charset.names import name_of_codec

PEERS = (
    "charset-normalizer==3.5.2",
    "chardet==7.7.0",
    "faust-cchardet==3.2.0",
    "Resiliparse==2.0.1",
    "FastWARC==2.0.1",
)
"""FastWARC is what Resiliparse loads with itself."""

LEAST_SPEED = 20
"""Times as fast as charset_normalizer on the median page."""

Reader = Callable[[bytes], str | None]


class Sample(NamedTuple):
    """A file, what charset it is in, and its text."""

    charset: str
    body: bytes
    text: str


def readers(folder: Path) -> dict[str, Reader]:
    """Return what is compared: bytes to text.

    Raises:
        BenchmarkError: the libraries cannot be had.
    """
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    if subprocess.run([*pip, *PEERS], check=False).returncode:
        raise BenchmarkError(f"pip could not install what is compared: {' '.join(PEERS)}")
    sys.path.append(str(folder))
    normalizer: Any = importlib.import_module("charset_normalizer")
    chardet: Any = importlib.import_module("chardet")
    cchardet: Any = importlib.import_module("cchardet")
    resiliparse: Any = importlib.import_module("resiliparse.parse.encoding")
    return {
        "ours": lambda body: verdict(body, None).text,
        "charset_normalizer": lambda body: by_name(body, _best(normalizer.from_bytes(body).best())),
        "chardet": lambda body: by_name(body, chardet.detect(body)["encoding"]),
        "faust-cchardet": lambda body: by_name(body, cchardet.detect(body)["encoding"]),
        "resiliparse": lambda body: by_name(body, resiliparse.detect_encoding(body)),
    }


def _best(match: Any) -> str | None:
    return match.encoding if match else None


def by_name(body: bytes, label: str | None) -> str | None:
    """Decode by what a library calls a charset; None if nobody knows the name."""
    if label is None:
        return None
    label = label.replace("mac-central", "maccentral")
    name = None if label.lower().startswith(("utf-16", "utf_16", "utf-32", "utf_32")) else label
    if name and (ours := name_of_codec(name)):
        return read(body, ours, "replace")
    try:
        return body.decode(label, "replace")
    except LookupError:
        return None


def samples(path: Path) -> Iterator[Sample]:
    """Yield the files whose charset Python can read."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            body = base64.b64decode(row["bytes_b64"])
            text = by_name(body, row["charset"])
            if text is not None:
                yield Sample(row["charset"], body, comparable(text))


def comparable(text: str | None) -> str:
    """A text without byte-order mark and controls, which nobody is judged by."""
    return without_controls((text or "").removeprefix("\ufeff"))


def accuracy(files: list[Sample], compared: dict[str, Reader]) -> dict[str, int]:
    """Print the table, a row per charset; returns how many each got right."""
    right = {name: Counter[str]() for name in compared}
    for file in files:
        for name, reader in compared.items():
            right[name][file.charset] += comparable(reader(file.body)) == file.text
    number = Counter(file.charset for file in files)
    rows = [
        (charset, count, *(right[name][charset] for name in compared))
        for charset, count in sorted(number.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    totals = {name: sum(counts.values()) for name, counts in right.items()}
    print_table(("charset", "files", *compared), [*rows, ("all", len(files), *totals.values())])
    return totals


def pages(folder: Path, number: int) -> list[bytes]:
    """Ordinary pages, equally many from each file."""
    paths = sorted(folder.glob("*.jsonl.gz"))
    results: list[bytes] = []
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            htmls = (json.loads(line).get("html") or "" for line in lines)
            bodies = (html.encode() for html in htmls if not html.isascii())
            results += islice(bodies, -(-number // len(paths)))
    return results


def speed(bodies: list[bytes], compared: dict[str, Reader], rounds: int) -> dict[str, list[float]]:
    """Return seconds for each page: the median of the rounds."""
    taken: dict[str, list[float]] = {name: [] for name in compared}
    for body in bodies:
        turns: dict[str, list[float]] = {name: [] for name in compared}
        for _ in range(rounds):
            for name, reader in compared.items():
                start = time.process_time_ns()
                reader(body)
                turns[name].append((time.process_time_ns() - start) / 1e9)
        for name, seconds in turns.items():
            taken[name].append(median(seconds))
    return taken


def report_speed(taken: dict[str, list[float]]) -> float:
    """Print the table; returns how many times as fast as charset_normalizer the verdict is."""
    peer = taken["charset_normalizer"]
    rows = [
        (
            name,
            1e6 * median(seconds),
            1e6 * sum(seconds) / len(seconds),
            median(theirs / own for theirs, own in zip(peer, seconds, strict=True)),
            sum(peer) / sum(seconds),
        )
        for name, seconds in taken.items()
    ]
    print_table(("", "median µs", "mean µs", "× on the median page", "× in all"), rows)
    return rows[0][3]


def main(arguments: list[str] | None = None) -> int:
    """Measure both; 1 if a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks charset", description=__doc__)
    parser.add_argument("--data", type=Path, default=SHARED_TEXT.parent)
    parser.add_argument("--pages", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory(prefix="skord-charset-") as folder:
            return _measure(options, Path(folder))
    except (PipelineError, OSError) as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return 2


def _measure(options: argparse.Namespace, folder: Path) -> int:
    files = list(samples(options.data / "charset/charset.jsonl.gz"))
    compared = readers(folder)
    print(
        ", ".join(
            f"{peer.split('==')[0]} {metadata.version(peer.split('==')[0])}" for peer in PEERS
        )
    )
    totals = accuracy(files, compared)
    best = max(count for name, count in totals.items() if name != "ours")
    bodies = pages(options.data / "extraction", options.pages)
    print(f"\n{len(bodies)} pages, {median(map(len, bodies)) / 1000:.0f} kB the median one\n")
    whole: dict[str, Reader] = {"ours, cleaned": lambda body: decode(body, None).text}
    times = report_speed(speed(bodies, {**compared, **whole}, options.rounds))
    print(
        f"charset: {times:.1f}× the speed of charset_normalizer on the median page (at least"
        f" {LEAST_SPEED}×); {totals['ours']} of {len(files)} files right, the best library {best}"
    )
    return int(times < LEAST_SPEED or totals["ours"] < best)


if __name__ == "__main__":
    sys.exit(main())
