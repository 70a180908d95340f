"""The teaching of the educational score, of `skord.models.education.train`, on texts made of words."""

import gzip
import json
import random
import sys

import numpy as np
import pytest

from skord.models.education import train as module
from skord.models.education.interface import load_education
from skord.models.education.train import PARTS, by_other_parts, main, pairs_of, parts_of_pairs
from skord.models.read_texts import ReadText, digest_of

TEACHES, SELLS = ["fotosyntes", "cell", "energi", "växter"], ["köp", "rea", "frakt", "klicka"]
OTHER = [f"ord{n}" for n in range(40)]


def text(words, seed, size=30):
    chance = random.Random(seed)
    return " ".join(chance.choices(words, k=5) + chance.choices(OTHER, k=size))


def read(number, site):
    return ReadText(str(number), "", "sv", site, "")


def test_groups_are_dealt_to_the_part_that_has_least_the_largest_first():
    sites = [*"aaaa", *"bbb", *"cc", *"dd", *"ee", *"ff"]
    texts = [read(n, site) for n, site in enumerate(sites)]
    firsts = np.array([0, 1, 2, 4, 5, 7, 9, 11, 13])
    seconds = np.array([1, 2, 3, 5, 6, 8, 10, 12, 14])

    part = parts_of_pairs(texts, firsts, seconds)

    assert part.tolist() == [0, 0, 0, 1, 1, 2, 3, 4, 2]
    assert PARTS == 5


def test_each_part_is_judged_by_the_others():
    """A part whose pairs are told the other way round is ordered wrongly, and no other."""
    chance = np.random.default_rng(0)
    rows = chance.normal(size=(100, 3))
    part = np.arange(100) % 5
    better = np.sign(rows[:, 0]) * np.where(part == 3, -1, 1)

    right = by_other_parts(rows @ rows.T, better, part)

    shares = [right[part == one].mean() for one in range(5)]
    assert shares[3] < 0.3
    assert min(shares[:3] + shares[4:]) > 0.6


def test_pairs_are_places_and_the_better_side(tmp_path, monkeypatch):
    rows = [{"first": "a", "second": "b", "better": "first"},
            {"first": "b", "second": "c", "better": "second"}]  # fmt: skip
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr(module, "PAIRS", path)

    firsts, seconds, better = pairs_of({"a": 5, "b": 6, "c": 7})

    assert (firsts.tolist(), seconds.tolist(), better.tolist()) == ([5, 6], [6, 7], [1.0, -1.0])


def test_the_command_teaches_measures_and_writes(tmp_path, monkeypatch, capsys):
    good = [text(TEACHES, n) for n in range(20)]
    bad = [text(SELLS, 100 + n, 60) for n in range(20)]
    idle = [text(OTHER, 200 + n) for n in range(5)]
    (tmp_path / "register").mkdir()
    (tmp_path / "extraction").mkdir()
    for name, texts in (("swecore_train", good + idle), ("swecore_dev", bad + good[:3])):
        with gzip.open(tmp_path / "register" / f"{name}.tsv.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(f"NA\t{one}\n" for one in texts)
    rows = [
        {"first": digest_of(a), "second": digest_of(b), "better": "first"} if n % 2 else
        {"first": digest_of(b), "second": digest_of(a), "better": "second"}
        for n, (a, b) in enumerate(zip(good, bad, strict=True))
    ]  # fmt: skip
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(map(json.dumps, rows)))
    monkeypatch.setattr(module, "PAIRS", pairs)
    out = tmp_path / "weights.npz"
    monkeypatch.setattr(sys, "argv", ["train", str(tmp_path), "--out", str(out)])

    main()

    printed = capsys.readouterr().out
    assert "40 texts, 20 pairs, parts of [4, 4, 4, 4, 4]" in printed
    assert "right order: 1.00 (" in printed
    assert "by length: 0.00 (" in printed, "what teaches is the shorter here"
    assert "penalty 3.0" in printed, "the highest of those that are right alike"
    scores = load_education(str(out)).scores([*good, *bad])
    assert scores[:20].min() > scores[20:].max()
    assert scores.mean() == pytest.approx(0, abs=0.01)
    assert scores.std() == pytest.approx(1, abs=0.01)
