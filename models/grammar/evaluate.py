"""The figures of CARD.md: what the grades tell apart, on text that the grammars have not seen.

    python -m skord.models.grammar.evaluate --data FOLDER [FOLDER …] [--only lv sv]

The folders are those of `skord.models.grammar.train`, and hold the texts and error corpora besides.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from skord.core.failures import ConfigError
from skord.models.grammar.evaluation.corruptions import (
    CORRUPTIONS,
    Surroundings,
    is_word,
    joined_sentences,
)
from skord.models.grammar.evaluation.measure import (
    SEED,
    Measured,
    Score,
    calibrated_areas,
    calibrated_on,
    corruption_aucs,
    grade_folds,
)
from skord.models.grammar.grader import Grade, Grader
from skord.models.grammar.grammaticality import Calibration, grammatical_size, grammaticality
from skord.models.grammar.interface import load_calibration, load_grader
from skord.models.grammar.treebanks.materials import (
    MATERIALS,
    Snippet,
    corruption_material,
    running_words,
    sentence_snippets,
    text_lines,
    treebank_folds,
)
from skord.models.logistic import auc

REPORTED = (40, 200)
"""Words of a snippet."""

SCORES: Mapping[str, Score] = {
    "known %": lambda grade: grade.known / max(1, grade.words),
    "recognized %": lambda grade: grade.sizes.recognized,
    "avg_size": lambda grade: grade.sizes.avg_size,
}
"""By name; the share of known words is what a spelling checker knows, `avg_size` the published size."""
CALIBRATED = "grammaticality"

Areas = Mapping[str, float]


@dataclass(frozen=True)
class Figures:
    """What was measured of one language.

    Attributes:
        areas: words and score to the AUC of each corruption.
        crawl: score to the average precision of its ranking of a simulated crawl.
        elsewhere: name of a text to AUC by `avg_size` and by `grammaticality`.
    """

    areas: Mapping[tuple[int, str], Areas]
    crawl: Mapping[str, float]
    elsewhere: Mapping[str, tuple[float, float]]


def language_figures(language: str, folders: Sequence[Path]) -> Figures:
    """Everything of one language."""
    measured = grade_folds(language, folders)
    areas: dict[tuple[int, str], Areas] = {}
    for words in REPORTED:
        for name, score in SCORES.items():
            areas[words, name] = corruption_aucs(measured.grades[words], score)
        areas[words, CALIBRATED] = calibrated_areas(measured, words)
    fold = next(iter(treebank_folds(language, folders)))
    around = corruption_material(language, fold, folders)
    crawl = simulated_crawl_precision(
        measured.graders[0], calibrated_on(measured), running_words(fold.test), around
    )
    return Figures(areas, crawl, auc_elsewhere(language, folders, measured, around))


# -- a crawl of good pages and junk: how pure the top of a ranking is ---------------------

PAGES = 400
GOOD_SHARE = 0.25
"""Of the pages: held-out text. The others are as long, and of the kinds of `JUNK`, equally often."""
PAGE_WORDS = (50, 4000)
CRAWL_SEED = 11

MENU_HEAVY = "menu-heavy"
JUNK = (
    "shuffled", "unigram salad", "keywords", "keywords, commas", "menu", "prices",
    "30 % English", "30 % sister", "no accents", "transliterated", "UTF-8 misread",
    "random letters", "words split", "words joined", MENU_HEAVY,
)  # fmt: skip
"""Not among them: lemmas, swapped neighbours and text by a Markov chain, which the grades hardly
tell from good text (the tables say how badly)."""


def simulated_crawl_precision(
    grader: Grader, calibration: Calibration, lines: Sequence[Sequence[str]], around: Surroundings
) -> dict[str, float]:
    """Average precision of rankings of a crawl: the paper's, by `avg_size`, and by gated size.

    Args:
        calibration: of `grammaticality`.
        lines: held-out text, words and signs of each sentence.
        around: what the corruptions draw on.
    """
    chance = random.Random(CRAWL_SEED)
    graded: list[tuple[Grade, bool]] = []
    for number in range(PAGES):
        page = _sentence_run(lines, _page_length(chance), chance)
        is_good = number < GOOD_SHARE * PAGES
        kind = "" if is_good else JUNK[number % len(JUNK)]
        graded.append((grader.grade(_crawled_page(kind, page, chance, around)), is_good))

    def gated_size(grade: Grade) -> float:
        likely = grammaticality(grade, calibration)
        return grammatical_size(grade.sizes.recognized_words, likely)

    rankings: Mapping[str, Score] = {
        "recognised words": lambda grade: grade.sizes.recognized_words,
        "avg_size": SCORES["avg_size"],
        "gated size": gated_size,
    }
    return {name: average_precision(graded, score) for name, score in rankings.items()}


def average_precision(graded: Sequence[tuple[Grade, bool]], score: Score) -> float:
    """Mean precision at each good text of a ranking, the highest score first."""
    ranked = sorted(graded, key=lambda pair: score(pair[0]), reverse=True)
    hits = [place for place, (_, is_good) in enumerate(ranked, 1) if is_good]
    return fmean(number / place for number, place in enumerate(hits, 1)) if hits else 0.0


def _page_length(chance: random.Random) -> int:
    low, high = PAGE_WORDS
    return int(low * (high / low) ** chance.random())


def _sentence_run(lines: Sequence[Sequence[str]], words: int, chance: random.Random) -> Snippet:
    """Consecutive sentences from somewhere on, round the end if need be."""
    at, stretch, length = chance.randrange(len(lines)), [], 0
    while length < words:
        stretch.append(lines[at % len(lines)])
        length += len(lines[at % len(lines)])
        at += 1
    return stretch


def _crawled_page(kind: str, page: Snippet, chance: random.Random, around: Surroundings) -> str:
    """The page spoilt in that way; as it is for ""."""
    if not kind:
        return joined_sentences(page)
    if kind != MENU_HEAVY:
        return CORRUPTIONS[kind](page, chance, around)
    half = len(page) // 2 + 1
    menu = CORRUPTIONS["menu"](page[half:] or page, chance, around)
    return f"{joined_sentences(page[:half])}\n{menu}"


# -- text of other kinds than the grammars and the weights were made of -------------------

OTHER_WORDS = 200
SENTENCE_WORDS = 8
MOST_SNIPPETS = 300


def auc_elsewhere(
    language: str, folders: Sequence[Path], measured: Measured, around: Surroundings
) -> dict[str, tuple[float, float]]:
    """AUC of other text against itself shuffled, by `avg_size` and by `grammaticality`.

    What is not sentences cannot be told from the same shuffled, so that of texts with lists and
    tables in them the sentences are also measured by themselves.
    """
    likely = partial(grammaticality, calibration=calibrated_on(measured))
    areas = {}
    for name in MATERIALS[language].elsewhere:
        lines = text_lines(name, folders, language)
        sentences = list(filter(is_sentence, lines))
        for title, part in ((name, lines), (f"{name}, sentences", sentences)):
            good, bad = shuffled_grades(part, measured.graders[0], around)
            by_size, by_weights = (
                auc(list(map(score, good)), list(map(score, bad)))
                for score in (SCORES["avg_size"], likely)
            )
            areas[title] = (by_size, by_weights)
    return areas


def is_sentence(line: Sequence[str]) -> bool:
    """Whether it is a sentence for certain, and no heading, row of a table or item of a list."""
    return line[-1] == "." and sum(map(is_word, line)) >= SENTENCE_WORDS


def shuffled_grades(
    lines: Sequence[Sequence[str]], grader: Grader, around: Surroundings
) -> tuple[list[Grade], list[Grade]]:
    """Grades of a text's snippets, and of the same shuffled."""
    shuffle, chance = CORRUPTIONS["shuffled"], random.Random(SEED)
    pieces = sentence_snippets(lines, OTHER_WORDS)[:MOST_SNIPPETS]
    good = [grader.grade(joined_sentences(snippet)) for snippet in pieces]
    return good, [grader.grade(shuffle(snippet, chance, around)) for snippet in pieces]


# -- sentences with errors and without: does the corrected side score higher? -------------

LEAST_WORDS = 4
NEARLY = 2
"""Words by which a Swedish pair may differ."""

Pair = tuple[str, str]
"""A sentence with errors, and one without."""


class Preferred(NamedTuple):
    """How often the side without errors scored higher, of the pairs that differ in score."""

    pairs: int
    different: int
    share: float


def preferred_sides(pairs: Sequence[Pair], grader: Grader, score: Score) -> Preferred:
    """Compare both sides of each pair."""
    scored = [(score(grader.grade(bad)), score(grader.grade(good))) for bad, good in pairs]
    different = [(bad, good) for bad, good in scored if abs(bad - good) > 1e-9]
    higher = sum(good > bad for bad, good in different)
    return Preferred(len(pairs), len(different), higher / max(1, len(different)))


def icelandic_pairs(folders: Sequence[Path]) -> list[Pair]:
    """Sentences of iceErrorCorpus that the correction changed."""
    rows = map(json.loads, _error_text(folders, "iceErrorCorpus.jsonl.gz").splitlines())
    pairs = [(row["original"], row["corrected"]) for row in rows]
    return [(bad, good) for bad, good in pairs if bad != good]


def swedish_pairs(folders: Sequence[Path]) -> list[Pair]:
    """Learners' sentences of SweLL with words marked wrong, each with the next unused one without.

    SweLL has no corrections; both are of nearly the same length.
    """
    text = _error_text(folders, "multiged_sv_swell_train.tsv.gz")
    sentences = list(_labelled_sentences(text))
    clean = [(at, words) for at, (words, wrong) in enumerate(sentences) if not wrong]
    used: set[int] = set()
    pairs = []
    for at, (words, wrong) in enumerate(sentences):
        if not wrong or len(words) < LEAST_WORDS:
            continue
        for other, candidate in clean:
            if other > at and other not in used and abs(len(candidate) - len(words)) <= NEARLY:
                used.add(other)
                pairs.append((" ".join(words), " ".join(candidate)))
                break
    return pairs


def _labelled_sentences(text: str) -> Iterator[tuple[list[str], bool]]:
    """Words of each sentence, and whether any is marked wrong."""
    for block in text.split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if "\t" in line]
        if rows:
            yield [row[0] for row in rows], any(row[1] == "i" for row in rows)


def _error_text(folders: Sequence[Path], name: str) -> str:
    for folder in folders:
        for path in folder.rglob(name):
            return gzip.decompress(path.read_bytes()).decode()
    raise ConfigError(f"{name} is in none of {', '.join(map(str, folders))}")


# -- the tables ---------------------------------------------------------------------------


def mean_auc(tables: Mapping[str, Figures]) -> list[str]:
    """Mean AUC of each score, over corruptions and languages."""
    names = [*SCORES, CALIBRATED]
    rows = []
    for words in REPORTED:
        of_score = (
            [fmean(t.areas[words, name].values()) for t in tables.values()] for name in names
        )
        rows.append([str(words), *(f"{fmean(means):.3f}" for means in of_score)])
    return _table(["words", *names], rows)


def by_corruption(tables: Mapping[str, Figures], name: str) -> list[str]:
    """AUC of a score for each corruption and language, at both lengths."""
    areas = [[table.areas[words, name] for words in REPORTED] for table in tables.values()]
    rows = []
    for kind in CORRUPTIONS:
        figures = [[at_length[kind] for at_length in language] for language in areas]
        means = [fmean(at_length) for at_length in zip(*figures, strict=True)]
        cells = ("/".join(f"{figure:.2f}" for figure in language) for language in figures)
        rows.append([kind, *cells, "/".join(f"{mean:.3f}" for mean in means)])
    last = ("/".join(f"{fmean(one.values()):.3f}" for one in language) for language in areas)
    return _table(["corruption", *tables, "mean"], [*rows, ["**mean**", *last, ""]])


def crawl_table(tables: Mapping[str, Figures]) -> list[str]:
    """Average precision of the simulated crawls."""
    rows = [[code, *(f"{one:.2f}" for one in t.crawl.values())] for code, t in tables.items()]
    return _table(["", *next(iter(tables.values())).crawl], rows)


def elsewhere_table(tables: Mapping[str, Figures]) -> list[str]:
    """AUC of text of other kinds, 200 words, against itself shuffled."""
    rows = [
        [f"{code}, {name}", *(f"{area:.3f}" for area in areas)]
        for code, table in tables.items()
        for name, areas in table.elsewhere.items()
    ]
    return _table(["text", "avg_size", CALIBRATED], rows)


def error_table(folders: Sequence[Path]) -> list[str]:
    """Which side of the error pairs scores higher."""
    rows = []
    for code, read in {"is": icelandic_pairs, "sv": swedish_pairs}.items():
        pairs, grader, weights = read(folders), load_grader(code), load_calibration(code)
        scores = dict(SCORES)
        if weights:
            scores[CALIBRATED] = partial(grammaticality, calibration=weights)
        for name, score in scores.items():
            rate = preferred_sides(pairs, grader, score)
            figures = [str(rate.pairs), str(rate.different), f"{rate.share:.1%}"]
            rows.append([f"{code}, {name}", *figures])
    return _table(["pairs", "number", "of different score", "corrected higher"], rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in Markdown."""
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m skord.models.grammar.evaluate", description=__doc__
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--only", nargs="+", choices=sorted(MATERIALS), default=list(MATERIALS))
    options = parser.parse_args()
    tables = {code: language_figures(code, options.data) for code in options.only}
    print("\nMean AUC over languages and corruptions\n", *mean_auc(tables), sep="\n")
    for name in ("avg_size", CALIBRATED):
        print(f"\n{name}, AUC at {REPORTED} words\n", *by_corruption(tables, name), sep="\n")
    print("\nSimulated crawl, average precision\n", *crawl_table(tables), sep="\n")
    print("\nElsewhere, against shuffled, AUC\n", *elsewhere_table(tables), sep="\n")
    print("\nErrors\n", *error_table(options.data), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
