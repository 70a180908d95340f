"""`skord train`: an extractor of one's own from labelled pages, and `skord train evaluate`."""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skord.annotation_tool.backend.labelled import Labelled, read_labelled, write_labelled
from skord.annotation_tool.backend.published import SourcePage
from skord.annotation_tool.backend.sources import PageReader
from skord.cli.json_output import print_json
from skord.core.failures import ConfigError
from skord.models.line_classifier.embedded import EmbeddedClassifier
from skord.models.line_classifier.gold import LABELS, read_gold
from skord.models.line_classifier.interface import (
    EMBEDDED,
    EMBEDDED_NAMES,
    LineClassifier,
    verdicts,
)
from skord.models.line_classifier.load import load_line_classifier
from skord.models.line_classifier.pytorch.transformers_model import check_model_path
from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.evaluate import (
    LEAST_SITES,
    Mean,
    Method,
    Row,
    classified_lines,
    comparison,
    peer_extractors,
    scores,
    worst_pages,
)
from skord.models.line_classifier.training.examples import page_context
from skord.models.line_classifier.training.finetune import FineTuning, fine_tune
from skord.models.line_classifier.training.tuning import (
    ABOUT,
    Tuning,
    read_about,
    tune_embedded,
    write_about,
)
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages

HELD_OUT = "held-out.jsonl"
SHIPPED = "shipped"
PEER = "trafilatura"
SAMPLE_SOURCE = "rehearsal/"
"""What the sources of shipped labels begin with whose pages come with the package."""


class Split(NamedTuple):
    """Pages to train on, and pages of other sites."""

    trained: list[Page]
    held_out: list[Page]


def run(options: argparse.Namespace) -> None:
    """Train, write the folder, and say what to do next."""
    if not 0 <= options.held_out < 1:
        raise ConfigError(f"--held-out {options.held_out:g}: give a share from 0 to below 1")
    if options.epochs is not None and options.epochs < 1:
        raise ConfigError(f"--epochs {options.epochs}: give 1 or more")
    if options.out.exists() and not options.out.is_dir():
        raise ConfigError(f"--out {options.out} is a file: name a folder")
    if (options.out / ABOUT).exists() and not options.replace:
        raise ConfigError(f"{options.out} holds an extractor: name another, or give --replace")
    given = list(_pages_of(options.pages))
    labelled = read_labelled(options.labels, given)
    print(labelled.sentence())
    split = split_by_site(labelled, options.held_out)
    replayed = _shipped_gold(given, split) if options.with_shipped_gold else []
    print(
        f"training on {len(split.trained)} pages of {_sites(split.trained)}"
        + (f" and {len(replayed)} shipped ones" if replayed else "")
        + f"; held out: {len(split.held_out)} of {_sites(split.held_out)}",
        flush=True,
    )
    began = time.monotonic()
    base = _train(options, [*split.trained, *replayed])
    write_about(options.out, _about(base, split, replayed))
    if split.held_out:
        write_labelled(options.out / HELD_OUT, split.held_out)
    print(f"{options.out}: trained in {(time.monotonic() - began) / 60:.1f} minutes")
    if split.held_out:
        print(f"next: skord train evaluate {options.out} {options.out / HELD_OUT}")
    print(f"to use it: [ProcessMarkdown] model_path = {options.out}")


def _train(options: argparse.Namespace, pages: Sequence[Page]) -> str:
    """Write the weights; returns the name of what training started from."""
    try:
        may_be = options.base in ("", EMBEDDED) or (Path(options.base) / "weights.npz").is_file()
        base = load_line_classifier(options.base) if may_be else None
        if isinstance(base, EmbeddedClassifier):
            tuning = Tuning(epochs=options.epochs) if options.epochs else Tuning()
            files = tune_embedded(base, pages, options.out, tuning)
            if len(files) == 1:
                print("the labels hold no HTML: this extractor judges by the Markdown alone")
            return base.name
        check_model_path(options.base)
        recipe = FineTuning(epochs=options.epochs) if options.epochs else FineTuning()
        options.out.mkdir(parents=True, exist_ok=True)
        loss = fine_tune(options.base, pages, options.out, recipe)
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"training needs {error.name}: pip install 'skord[transformers]'"
        ) from error
    print(f"mean loss of the last pass {loss:.3f}")
    return str(options.base)


def split_by_site(labelled: Labelled, share: float) -> Split:
    """Hold out whole sites, the same for the same labels, until they have a share of the pages.

    Of four sites and more two are held out at least, so that there are intervals.
    """
    if not share:
        return Split(list(labelled.pages), [])
    sites = sorted(labelled.sites, key=lambda site: hashlib.sha256(site.encode()).digest())
    if len(sites) < 2:
        raise ConfigError(
            f"all {len(labelled.pages)} labelled pages are of one site ({sites[0]}), so none can be"
            " held out: label pages of another site, or give --held-out 0 and judge it on others"
        )
    wanted, held, count = math.ceil(len(labelled.pages) * share), set[str](), 0
    for site in sites[:-1]:
        if count < wanted or (len(held) < LEAST_SITES <= len(sites) // 2):
            held.add(site)
            count += labelled.sites[site]
    return Split(
        [page for page in labelled.pages if page.site not in held],
        [page for page in labelled.pages if page.site in held],
    )


def _sites(pages: Sequence[Page]) -> str:
    number = len({page.site for page in pages})
    return f"{number} site{'s' * (number != 1)}"


def _pages_of(paths: Sequence[Path]) -> Iterator[SourcePage]:
    for path in paths:
        yield from PageReader().read(path)


def _shipped_gold(given: Sequence[SourcePage], split: Split) -> list[Page]:
    """Shipped labels whose pages come with the package or are given, none of test sites."""
    avoided = {page.site for page in split.held_out}
    own = {page.id for page in split.trained}
    pages = {f"{SAMPLE_SOURCE}{page.lang}/{page.slug}": page for page in bundled_pages()}
    sources = {gold.page: gold.source for gold in read_gold() if gold.source in pages}
    reader = PageReader()
    ours = [
        page._replace(digest=digest)
        for digest, source in sources.items()
        for page in reader.pages_of_html(pages[source].url, *render_page(pages[source]), source)
    ]
    replayed = read_labelled(
        [LABELS], chain(ours, given), lambda gold: not gold.is_test and gold.site not in avoided
    )
    return [page for page in replayed.pages if page.id not in own]


def _about(base: str, split: Split, replayed: Sequence[Page]) -> Mapping[str, Any]:
    languages = Counter(page.lang for page in split.trained)
    return {
        "base": base,
        "skord": version("skord"),
        "pages": len(split.trained),
        "shipped_pages": len(replayed),
        "languages": dict(sorted(languages.items())),
        "sites": sorted({page.site for page in (*split.trained, *replayed)}),
        "held_out_sites": sorted({page.site for page in split.held_out}),
        "ids": sorted(page.id for page in (*split.trained, *replayed)),
    }


def evaluate(options: argparse.Namespace) -> None:
    """Score the extractor beside others, print the table, and write the worst pages."""
    classifier = load_line_classifier(options.extractor)
    labelled = read_labelled(options.labels, _pages_of(options.pages))
    trained = set(read_about(options.extractor).get("sites", ()))
    pages = [page for page in labelled.pages if page.site not in trained]
    if not pages:
        raise ConfigError(
            f"all {len(labelled.pages)} pages are of sites that {options.extractor} was trained on:"
            " label pages of other sites"
        )
    other = load_line_classifier(options.beside)
    kinds = _page_types(load_line_classifier(EMBEDDED), pages)
    name = Path(options.extractor).name or EMBEDDED
    (own,) = classified_lines(classifier, pages, [None])
    methods = [own._replace(name=name)]
    if other.name != classifier.name:
        (judged,) = classified_lines(other, pages, [None])
        known = options.beside in EMBEDDED_NAMES
        methods.append(judged._replace(name=SHIPPED if known else Path(options.beside).name))
    methods += _peer()
    by_method = scores(pages, methods)
    rows = comparison(pages, kinds, by_method)
    assert own.kept is not None
    options.out.write_text(worst_pages(pages, own.kept, by_method), encoding="utf-8")
    left = len(labelled.pages) - len(pages)
    if options.json:
        print_json(
            {
                "extractor": classifier.name,
                "pages": len(pages),
                "trained_on": left,
                "groups": [_plain(row) for row in rows],
                "worst_pages": str(options.out),
            }
        )
        return
    print(labelled.sentence())
    if left:
        print(f"{left} pages of sites that {name} was trained on: left out")
    print(f"\nF1 of the text, mean over pages; 95 % intervals from drawing sites anew: {name}\n")
    print("\n".join(table_lines(rows)))
    print(f"\n{options.out}: the pages that {name} gets most wrong")


def _peer() -> list[Method]:
    """trafilatura, where it is installed and can be imported."""
    try:
        return peer_extractors([PEER])
    except ImportError as error:
        print(f"{PEER} cannot be imported and is left out: {error}", file=sys.stderr)
        return []


def _page_types(shipped: LineClassifier, pages: Sequence[Page]) -> list[str]:
    """The type that the shipped extractor takes each page for."""
    judged = verdicts(
        shipped, [page.markdown for page in pages], [page_context(page) for page in pages]
    )
    return [max(one.types, key=lambda kind: one.types[kind], default="") for one in judged]


def table_lines(rows: Sequence[Row]) -> Iterator[str]:
    """The table as Markdown: a row for each group, a column for each extractor."""
    methods = list(rows[0].means)
    names = ["group", "pages", "sites", *methods]
    if rows[0].gain:
        names.append(f"{methods[0]} less {methods[1]}")
    yield f"| {' | '.join(names)} |"
    yield "|---" * len(names) + "|"
    for row in rows:
        cells = [row.group, f"{row.pages}", f"{row.sites}", *map(_shown, row.means.values())]
        if row.gain:
            cells.append(_shown(row.gain, "+"))
        yield f"| {' | '.join(cells)} |"


def _shown(mean: Mean, sign: str = "") -> str:
    """A figure with its interval.

    >>> _shown(Mean(0.5, 0.25, 0.75)), _shown(Mean(0.5, None, None), "+")
    ('.500 (.250 to .750)', '+.500')
    """
    if mean.low is None or mean.high is None:
        return _figure(mean.value, sign)
    return f"{_figure(mean.value, sign)} ({_figure(mean.low, sign)} to {_figure(mean.high, sign)})"


def _figure(value: float, sign: str) -> str:
    return f"{np.round(value, 3):{sign}.3f}".replace("0.", ".", 1)


def _plain(row: Row) -> dict[str, Any]:
    return {
        **row._asdict(),
        "means": {name: mean._asdict() for name, mean in row.means.items()},
        "gain": row.gain and row.gain._asdict(),
    }
