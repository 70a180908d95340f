"""Which of several corpora small models learn most from: bits per byte of held-out text."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

from skord.cli.json_output import print_json
from skord.core.dumps import Source, SourceKind
from skord.core.failures import ConfigError
from skord.models.byte_models.compare import Figure, compare_byte_models
from skord.sources.pages import SourcePage, pages_of
from skord.sources.shards import checked_files


def run(options: argparse.Namespace) -> None:
    """Train on equal amounts of each corpus, and print."""
    if len(options.corpus) < 2:
        raise ConfigError("evaluate compares corpora: name two or more, --corpus A --corpus B")
    if not options.no_network and find_spec("torch") is None:
        raise ConfigError(
            "the network needs torch: pip install 'skord[transformers]', or give --no-network"
        )
    corpora = {path: texts_in(path) for path in options.corpus}
    held_out, known = texts_in(options.held_out), set().union(*corpora.values())
    unseen = sorted({text for text in held_out if text not in known})
    if len(unseen) < 2:
        raise ConfigError(
            f"--held-out {options.held_out}: {len(held_out)} texts, of which "
            f"{len(held_out) - len(unseen)} stand in a corpus: give some that are in none"
        )
    seeds = list(range(1, options.seeds + 1))
    most = int(options.megabytes * 1e6)
    figures, taken = compare_byte_models(
        corpora, unseen, seeds, most, with_network=not options.no_network
    )
    if options.json:
        print_json({"bytes": taken, "held_out": len(unseen), "figures": list(map(asdict, figures))})
        return
    print(
        f"trained on {taken:,} bytes of each, {len(seeds)} times; held out: {len(unseen):,} texts"
        + (f" ({len(held_out) - len(unseen)} left out)" if len(unseen) < len(held_out) else "")
    )
    print("\n".join(lines_of(figures)))


def texts_in(path: str) -> list[str]:
    """The texts of a file, a folder, Parquet or JSON Lines with a column text."""
    rooted = path if "://" in path else str(Path(path).absolute())
    source = Source(SourceKind.TEXTS, rooted, markdown=True)
    files = checked_files(source)
    texts = []
    for name, size in files.sizes.items():
        with files.open(name) as file:
            pages = pages_of(source, file, name, size)
            texts += [page.text.strip("\n") for page in pages if isinstance(page, SourcePage)]
    if not texts:
        raise ConfigError(f"{path} has no text")
    return texts


def lines_of(figures: Sequence[Figure]) -> Iterator[str]:
    """The table for a terminal."""
    yield f"{'model':<9}{'bits per byte':>14}  {'95 %':<16}{'against the first':<30}corpus"
    for one in figures:
        gap = ""
        if one.against_first:
            value, low, high = one.against_first
            outcome = "better" if high < 0 else "worse" if low > 0 else "no difference"
            gap = f"{value:+.4f} ({low:+.4f} to {high:+.4f})"
            gap = f"{gap} {outcome}"
        yield (
            f"{one.model:<9}{one.bits:>14.4f}  {f'{one.low:.3f} to {one.high:.3f}':<16}{gap:<44}"
            f"{one.corpus}"
        )
