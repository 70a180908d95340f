"""Make the shipped language models: `make language-models DATA=FOLDER`.

    python -m skord.models.language_model.shipped --data FOLDER [--only lv fi] [--out FOLDER]

The folder holds `text/LANG/NAME.txt.gz` (a sentence or paragraph a line), `lid/*.jsonl.gz` with
labelled sentences of other sources, and `extraction/*.jsonl.gz` with web pages; CARD.md says where
each is from and under which terms. The limits between the buckets are percentiles of pages as CCNet
sees them: all that a page shows, without the lines that other pages of its site show, too. For a
language of which there are no pages they are percentiles of its labelled sentences, multiplied by
what pages have more than such sentences in the other languages.

Equal input, equal bytes; a minute or two of CPU for each language.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError, DocumentError
from skord.html.converter import convert_html
from skord.models.language_model.cutoffs import page_perplexities, set_limits
from skord.models.language_model.files import (
    CUTOFFS_NAME,
    FOLDER,
    LanguageFiles,
    find_languages,
    note_digests,
)
from skord.models.language_model.perplexity import breaks_as_spaces, normalize_for_language_model
from skord.models.language_model.scorer import Scorer
from skord.models.language_model.train import NgramRecipe, Recipe, train_language_model
from skord.models.read_texts import data_files

LEAST_WORDS = 8
SEED = 1


@dataclass(frozen=True)
class HeldOut:
    """Figures of one model on some texts.

    Attributes:
        texts: how many have a perplexity.
        bits: a character of the normalised text, which compares models of other pieces, too.
        in_order: share of the lines of eight words or more that are likelier than the same words
            shuffled; None where there is no such line.
    """

    texts: int
    bits: float
    median_perplexity: float
    in_order: float | None

    def __str__(self) -> str:
        order = (
            ""
            if self.in_order is None
            else f", {self.in_order:.1%} of lines likelier than shuffled"
        )
        return (
            f"{self.texts} texts held out: {self.bits:.3f} bits a character, perplexity "
            f"{self.median_perplexity:.0f} in the median{order}"
        )


def held_out_figures(files: LanguageFiles, texts: Sequence[str]) -> HeldOut:
    """The figures of a model on texts.

    Raises:
        ConfigError: no text has a perplexity.
    """
    scorer = Scorer(files)
    lines = [normalize_for_language_model(breaks_as_spaces(text)) for text in texts]
    values, pieces = scorer.perplexities(lines), scorer.num_pieces(lines)
    scored = [
        (value, number, len(line))
        for value, number, line in zip(values, pieces, lines, strict=True)
        if value is not None
    ]
    if not scored:
        raise ConfigError("no held-out text has a perplexity: give more text")
    bits = sum(math.log2(value) * (number + 1) for value, number, _ in scored)
    return HeldOut(
        texts=len(scored),
        bits=bits / sum(length for *_, length in scored),
        median_perplexity=median(value for value, *_ in scored),
        in_order=_in_order(scorer, [line for text in texts for line in text.split("\n")]),
    )


def _in_order(scorer: Scorer, lines: Sequence[str]) -> float | None:
    chance = random.Random(SEED)
    long_enough = [words for line in lines if len(words := line.split()) >= LEAST_WORDS]
    shuffled = [chance.sample(words, len(words)) for words in long_enough]
    good, bad = (
        scorer.perplexities([normalize_for_language_model(" ".join(words)) for words in some])
        for some in (long_enough, shuffled)
    )
    pairs = [(a, b) for a, b in zip(good, bad, strict=True) if a is not None and b is not None]
    return sum(a < b for a, b in pairs) / len(pairs) if pairs else None


LEAST_PAGES = 10
MOST_PAGES_A_SITE = 20
MIN_CHARS = 300
SENTENCES_A_TEXT = 20


Floats = NDArray[np.float64]
Perplexities = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Material:
    """What a language's model is made of.

    Attributes:
        texts: names of the files of its folder.
        prune: as for lmplz; what more would give was measured, and stands in CARD.md.
    """

    texts: Sequence[str]
    prune: tuple[int, ...] = (0, 0, 0, 1, 1)


MATERIALS: Mapping[str, Material] = {
    "sv": Material(["ud", "sfs_statutes"]),
    "da": Material(["ud", "dat2cph", "adl_literature"], (0, 0, 1, 1, 1)),
    "nb": Material(["ud", "ndt_norne", "kodeklubben"]),
    "nn": Material(["ud", "ndt_norne", "kodeklubben", "ud_spoken_lia"]),
    "is": Material(
        ["ud", "ruv_rmh2018", "althingi_rmh2018", "kodeklubben", "lagasafn_statutes"],
        (0, 0, 1, 1, 1),
    ),
    "lv": Material(["fullstack_lv", "ud_lvtb_dev"]),
    "fi": Material(["ud"]),
}


def train_shipped(language: str, data: Path, out: Path) -> str:
    """Train one language; returns the lines to print.

    Raises:
        ConfigError: a file or a program is missing.
    """
    material = MATERIALS[language]
    recipe = Recipe(
        vocab_size=4000,
        lines_at_most=20,
        ngrams=NgramRecipe(prune=material.prune, quantised=True, memory="2G"),
    )
    files = [data / "text" / language / f"{name}.txt.gz" for name in material.texts]
    sentence = train_language_model(language, files, [], out, recipe)
    held_out = labelled_sentences(data, language)
    return f"{sentence}\n    {held_out_figures(find_languages(out)[language], held_out)}"


def labelled_sentences(data: Path, language: str) -> list[str]:
    """Labelled sentences of a language, so many a text."""
    lines = [
        entry["text"]
        for path in sorted((data / "lid").glob("*.jsonl.gz"))
        for entry in _json_lines(path)
        if entry["lang"] == language
    ]
    return [
        "\n".join(lines[first : first + SENTENCES_A_TEXT])
        for first in range(0, len(lines), SENTENCES_A_TEXT)
    ]


def distinct_page_texts(data: Path) -> dict[str, list[str]]:
    """Of each language what pages show and no other page of their site does, of many sites."""
    by_site: defaultdict[tuple[str, str], list[list[str]]] = defaultdict(list)
    for path in data_files(data / "extraction"):
        for entry in _json_lines(path):
            if entry["lang"] in MATERIALS and (lines := _lines_of_entry(entry)):
                by_site[entry["lang"], entry["split_key"]].append(lines)
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for (language, _), shown in sorted(by_site.items()):
        on = Counter(line for lines in shown for line in set(lines))
        own = ("\n".join(line for line in lines if on[line] == 1) for lines in shown)
        long_enough = [text for text in own if len(text) >= MIN_CHARS]
        texts[language] += long_enough[:MOST_PAGES_A_SITE]
    return texts


def _lines_of_entry(entry: Mapping[str, str]) -> list[str]:
    html = entry.get("html") or base64.b64decode(entry.get("html_b64") or "")
    try:
        markdown = convert_html(html)
    except DocumentError:
        return []
    return [bare for line in markdown.split("\n") if (bare := line.strip("#*_>|- \t"))]


def _json_lines(path: Path) -> Iterator[dict[str, str]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def write_limits(data: Path, out: Path) -> Iterator[str]:
    """Set the limits of every language that has a model; yields the lines to print."""
    models = find_languages(out)
    seen = distinct_page_texts(data)
    by_pages = {
        language: page_perplexities(files, seen[language])
        for language, files in models.items()
        if len(seen.get(language, ())) >= LEAST_PAGES
    }
    by_sentences = {
        language: page_perplexities(files, labelled_sentences(data, language))
        for language, files in models.items()
    }
    more = _page_ratios(by_pages, by_sentences)
    for language in models:
        column = by_pages.get(language) or list(
            perplexity_percentiles(by_sentences[language]) * more
        )
        head, tail = set_limits(out / CUTOFFS_NAME, language, column)
        source = f"{len(column)} pages" if language in by_pages else "sentences, as pages differ"
        yield f"{language}: limits {head} and {tail}, from {source}"


def _page_ratios(pages_of: Perplexities, sentences_of: Perplexities) -> Floats:
    """What pages have more than sentences at each percentile, in the median over languages."""
    ratios = [
        perplexity_percentiles(pages_of[one]) / perplexity_percentiles(sentences_of[one])
        for one in pages_of
    ]
    of_languages: Floats = np.median(ratios, axis=0)
    return of_languages


def perplexity_percentiles(values: Sequence[float]) -> Floats:
    """Percentiles 0 to 99."""
    limits: Floats = np.percentile(values, range(100))
    return limits


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m skord.models.language_model.shipped")
    parser.add_argument(
        "--data", type=Path, required=True, help="folder with text, lid, extraction"
    )
    parser.add_argument("--only", nargs="*", choices=sorted(MATERIALS), default=list(MATERIALS))
    parser.add_argument("--out", type=Path, default=FOLDER)
    options = parser.parse_args()
    lacking = [one for one in ("text", "lid", "extraction") if not (options.data / one).is_dir()]
    if lacking:
        raise SystemExit(
            f"{options.data} has no folder {lacking[0]}: see models/language_model/CARD.md"
        )
    try:
        for language in options.only:
            print(train_shipped(language, options.data, options.out), flush=True)
        print("\n".join(write_limits(options.data, options.out)))
        note_digests(options.out)
    except ConfigError as error:
        raise SystemExit(f"{error}") from error


if __name__ == "__main__":
    main()
