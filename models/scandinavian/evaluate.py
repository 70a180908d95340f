"""How well sentences of known language are identified, by lid.176 alone and divided anew.

    python -m skord.models.scandinavian.evaluate lid.jsonl.gz [--model weights.npz]

A file has an object with `lang` and `text` on each line; "nb" counts as "no". Prints for each
language how many percent of its sentences get which label.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.models.language_id.batches import load_language_batches
from skord.models.scandinavian.interface import EMBEDDED, LANGUAGES, NONE, load_scandinavian
from skord.text.languages import LABEL_OF_CODE, language_of

OTHER = "other"
Confusion = dict[str, Counter[str]]


def main() -> None:
    """Read the command line; print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--model", default=EMBEDDED)
    args = parser.parse_args()
    pairs = [pair for pair in read_labelled(args.file) if pair[0] in LANGUAGES]
    for name, model in (("lid.176", NONE), ("divided", args.model)):
        print(f"{name}\n" + "\n".join(table_lines(label_confusion(pairs, model))))


def read_labelled(path: Path) -> Iterator[tuple[str, str]]:
    """Label and text of each line."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            yield LABEL_OF_CODE.get(entry["lang"], entry["lang"]), entry["text"]


def label_confusion(pairs: Sequence[tuple[str, str]], model: str) -> Confusion:
    """For each true label, how often each label was predicted."""
    identify = load_language_batches("")
    texts = [text for _, text in pairs]
    scores = identify.scores_of(texts)
    classifier = load_scandinavian(model, identify.one_by_one.labels)
    divided = classifier.divide_scores(texts, scores) if classifier else scores
    confusion: Confusion = {}
    for (label, _), of_text in zip(pairs, divided, strict=True):
        predicted = language_of(of_text)
        confusion.setdefault(label, Counter())[predicted if predicted in LANGUAGES else OTHER] += 1
    return confusion


def table_lines(scored: Confusion) -> Iterator[str]:
    """The table for a terminal, in percent."""
    yield f"{'':4}{'n':>6}" + "".join(f"{label:>7}" for label in (*LANGUAGES, OTHER))
    for label in LANGUAGES:
        if label in scored:
            predicted = scored[label]
            shares = (100 * predicted[name] / predicted.total() for name in (*LANGUAGES, OTHER))
            yield f"{label:4}{predicted.total():6}" + "".join(f"{share:7.1f}" for share in shares)


if __name__ == "__main__":
    main()
