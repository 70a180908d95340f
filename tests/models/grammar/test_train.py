"""A grammar made and measured from made-up trees: `skord.models.grammar.train` and `evaluate`."""

import gzip
import json
import random
import sys

import pytest

from skord.models.grammar import evaluate, train
from skord.models.grammar.evaluation.corruptions import CORRUPTIONS
from skord.models.grammar.interface import ENDING
from skord.models.grammar.treebanks.materials import MATERIALS, Material

NOUNS = ["kungen", "bron", "ån", "staden", "hunden", "sjön", "skogen", "vägen"]
VERBS = ["såg", "byggde", "mätte", "fann", "gillade"]
PARTS = ["NOUN", "VERB", "DET", "ADJ", "NOUN"]
KINDS = ["nsubj", "root", "det", "amod", "obj"]
TINY = Material(own=["x-ud-dev"], sister="nb", elsewhere=["y-ud-dev"])


def tree(chance, number):
    one, other = (
        [chance.choice(NOUNS), chance.choice(VERBS), "den", "stora", chance.choice(NOUNS)]
        for _ in range(2)
    )
    words = [*one, "och", *other, "."]
    parts = [*PARTS, "CCONJ", *PARTS, "PUNCT"]
    heads = [2, 0, 5, 5, 2, 8, 8, 2, 11, 11, 8, 2]
    kinds = [*KINDS, "cc", "nsubj", "conj", *KINDS[2:], "punct"]
    tokens = zip(words, parts, heads, kinds, strict=True)
    rows = [
        f"{n}\t{word}\t{word}\t{part}\t_\t_\t{head}\t{kind}\t_\t_"
        for n, (word, part, head, kind) in enumerate(tokens, 1)
    ]
    return f"# text = {' '.join(words)}\n" + "\n".join(rows) + "\n\n"


@pytest.fixture
def data(tmp_path, monkeypatch):
    chance = random.Random(3)
    folder = tmp_path / "data"
    for language in ("sv", "en", "nb"):
        (folder / language).mkdir(parents=True)
        words = b"the dog saw some words here\n"
        (folder / language / "ud.gz").write_bytes(gzip.compress(words))
    for name, number in (("x", 250), ("y", 50)):
        text = "".join(tree(chance, n) for n in range(number))
        (folder / f"{name}-ud-dev.conllu").write_text(text)
    monkeypatch.setitem(MATERIALS, "sv", TINY)
    return folder


def test_the_command_writes_a_grammar_and_tells_its_size(data, tmp_path, monkeypatch, capsys):
    out = tmp_path / "made/here"
    words = ["train", "--data", str(data), "--only", "sv", "--out", str(out)]
    monkeypatch.setattr(sys, "argv", words)

    assert train.main() == 0

    size = (out / f"sv{ENDING}").stat().st_size
    output = capsys.readouterr().out
    assert output.startswith(f"sv: {size:,} bytes, ")
    monkeypatch.setattr(train, "MAX_BYTES", size - 1)
    assert train.main() == 1


def test_figures_are_told_of_every_corruption_and_kind_of_text(data, monkeypatch, capsys):
    rows = [{"original": "a b xqzt d", "corrected": "a b c d"}]
    errors = "Jag\tc\nbxqor\ti\nhxqr\tc\nnu\tc\n\nHon\tc\nbor\tc\nhär\tc\nnu\tc\n\n"
    for name, text in (
        ("iceErrorCorpus.jsonl.gz", json.dumps(rows[0])),
        ("multiged_sv_swell_train.tsv.gz", errors),
    ):
        (data / name).write_bytes(gzip.compress(text.encode()))
    monkeypatch.setattr("skord.models.grammar.evaluate.PAGE_WORDS", (50, 400))
    monkeypatch.setattr(sys, "argv", ["evaluate", "--data", str(data), "--only", "sv"])

    assert evaluate.main() == 0

    lines = capsys.readouterr().out.splitlines()
    titles = [line for line in lines if line and line[0] != "|"]
    assert titles == [
        "Mean AUC over languages and corruptions", "avg_size, AUC at (40, 200) words",
        "grammaticality, AUC at (40, 200) words", "Simulated crawl, average precision",
        "Elsewhere, against shuffled, AUC", "Errors",
    ]  # fmt: skip
    for kind in CORRUPTIONS:
        assert sum(line.startswith(f"| {kind} | ") for line in lines) == 2
    by_score = dict(zip(cells(lines[3])[1:], cells(lines[5])[1:], strict=True))
    assert float(by_score["grammaticality"]) > float(by_score["avg_size"]) - 0.05
    assert float(by_score["grammaticality"]) > 0.8
    kinds = [cells(line)[0] for line in lines if line.startswith("| sv, ")]
    assert kinds[:2] == ["sv, y-ud-dev", "sv, y-ud-dev, sentences"]
    (crawl,) = [cells(line) for line in lines if line.startswith("| sv | ")]
    assert all(0.25 < float(cell) <= 1 for cell in crawl[1:])


def cells(line):
    return line.strip("| ").split(" | ")
