"""The teaching of registers, of `skord.models.registers.train`, on pages made of words."""

import gzip
import json
import random
import re
import sys

import numpy as np
import pytest

from skord.models.hashed_text.features import SIZE
from skord.models.hashed_text.linear import Weights
from skord.models.hashed_text.ridge import kernel_of, log_count_rows, rarity_of, weight_by_rarity
from skord.models.read_texts import digest_of
from skord.models.registers import train as module
from skord.models.registers.interface import (
    CODES,
    RegisterModel,
    RegisterWeights,
    apply_limits,
    second_inputs,
)
from skord.models.registers.train import (
    PARTS,
    PENALTIES,
    by_site,
    in_parts,
    limits_of,
    main,
    micro_f1,
    second_stage,
    select_by_parts,
    truths,
)

NEWS = ["regeringen", "valet", "partiet", "riksdagen", "ministern", "polisen"]
RECIPE = ["vispa", "mjölet", "smöret", "ugnen", "baka", "socker"]
OTHER = [f"ord{n}" for n in range(30)]


def page(words, seed):
    chance = random.Random(seed)
    return " ".join(chance.choices(words, k=5) + chance.choices(OTHER, k=15))


def pages(number, first=0, wrong=()):
    """Texts by turns of news and recipes, and their codes; those that are wrong have the other."""
    kinds = [(NEWS, "NA"), (RECIPE, "HI IN")]
    texts = [page(kinds[n % 2][0], first + n) for n in range(number)]
    return texts, [kinds[(n + (n in wrong)) % 2][1] for n in range(number)]


def write(path, texts, codes):
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(f"{code}\t{text}\n" for text, code in zip(texts, codes, strict=True))
    return str(path)


def test_codes_name_registers_and_f1_is_over_all_of_them():
    labels = truths(["NA OP", "LY", "HI NA"])
    assert labels.shape == (3, 6)
    assert labels.sum(axis=0).tolist() == [2, 0, 1, 0, 0, 1]
    said = labels.copy()
    said[0, 0], said[1, 1] = False, True
    assert micro_f1(labels, labels) == 1.0
    assert micro_f1(said, labels) == 6 / 8
    none = np.zeros((2, 6), np.bool_)
    assert micro_f1(none, none) == 0.0
    assert micro_f1(labels[:1], labels[1:2]) == 0.0


def test_every_part_has_about_as_many_pages_and_the_same_each_time():
    parts = in_parts(1000)
    assert sorted(set(parts.tolist())) == list(range(PARTS))
    assert np.bincount(parts).min() > 150
    assert (parts == in_parts(1000)).all()


def test_the_highest_of_a_text_counts_from_lower_on_than_others_do():
    """Every text is of its highest from 0.3 on, and of others from 0.5 on."""
    rows = [(0.3, 0.1), (0.4, 0.32), (0.9, 0.48), (0.8, 0.5), (0.26, 0.2), (0.6, 0.55)] * 20
    scores = np.zeros((len(rows), len(CODES)))
    scores[:, :2] = rows
    truth = (scores >= 0.3) & ((scores >= 0.5) | (np.arange(len(CODES)) == 0))

    limit, least = limits_of(scores, truth)

    assert 0.48 < limit <= 0.5
    assert 0.26 < least <= 0.3
    assert (apply_limits(scores, np.full(len(CODES), limit), least) == truth).all()


def test_the_second_stage_reads_scores_squares_distances_and_what_is_high():
    actual = second_inputs(np.array([[0.5, 0.25]]))

    assert actual.tolist() == [pytest.approx([0.5, 0.25, 0.25, 0.0625, 0.0, -0.25, 0.15, 0.0, 1.0])]


def test_the_second_stage_knows_which_registers_exclude_one_another():
    chance = np.random.default_rng(1)
    scores = chance.random((400, len(CODES))) / 2
    truth = np.zeros(scores.shape, np.bool_)
    truth[:, 0] = scores[:, 0] > 0.2
    truth[:, 1] = (scores[:, 1] > 0.2) & (scores[:, 0] < scores.max(axis=1))

    said = second_inputs(scores) @ second_stage(scores, truth)

    assert micro_f1(said[:, :2] > 0.5, truth[:, :2]) > 0.9
    assert micro_f1(scores[:, :2] > 0.2, truth[:, :2]) < 0.97


def test_the_penalty_is_that_of_the_best_f1_on_pages_that_did_not_teach():
    texts, codes = pages(40, wrong=range(0, 40, 7))
    labels = truths(codes)
    rows = log_count_rows(texts)
    kernel = kernel_of(weight_by_rarity(rows, rarity_of(rows)))

    best = select_by_parts(kernel, labels, in_parts(40))

    assert best.penalty in PENALTIES
    assert 0.6 < best.micro_f1 < 0.95, "six of forty are called wrong"
    limit, least = best.limits
    assert 0 < least <= limit
    assert best.second.shape == (4 * len(CODES) + 1, len(CODES))
    right = truths(pages(40)[1])
    assert select_by_parts(kernel, right, in_parts(40)).micro_f1 == 1.0


def test_models_of_other_sites_know_what_the_first_texts_do_not_teach():
    """Abroad recipes are opinions, which only texts from abroad can teach."""
    texts, codes = pages(10)
    others, _ = pages(60, first=100)
    truth = truths(["NA", "OP"] * 30)

    alone, taught = by_site(texts, truths(codes), others, truth, [f"s{n % 3}" for n in range(60)])

    opinion = CODES.index("OP")
    assert alone.shape == taught.shape == truth.shape
    assert not alone[:, opinion].any()
    assert micro_f1(alone[:, :1], truth[:, :1]) > 0.9
    assert micro_f1(taught, truth) > 0.9
    # a site whose recipes are something else is judged by the others, and by their limit
    truth[1::6] = truths(["ID"])
    _, judged = by_site(texts, truths(codes), others, truth, [f"s{n % 3}" for n in range(60)])
    assert judged[1::6, opinion].any()
    assert not judged[::2, opinion].any()


def test_the_command_teaches_measures_and_writes(tmp_path, monkeypatch, capsys):
    train = write(tmp_path / "train.tsv.gz", *pages(40))
    texts, codes = pages(20, first=500)
    codes[0] = "OP"
    test = write(tmp_path / "test.tsv.gz", texts, codes)
    abroad = ["Abroad " + page(NEWS, 900 + n) for n in range(4)]
    data = tmp_path / "data"
    (data / "register").mkdir(parents=True)
    (data / "extraction").mkdir()
    for name in ("swecore_train", "swecore_dev"):
        write(data / "register" / f"{name}.tsv.gz", [], [])
    with gzip.open(data / "extraction/a.jsonl.gz", "wt", encoding="utf-8") as lines:
        for number, text in enumerate(abroad):
            lang = ("da", "is")[number % 2]
            row = {"lang": lang, "gold_text": text, "split_key": f"{number % 2}.dk"}
            lines.write(json.dumps(row) + "\n")
    rows = [json.dumps({"text": digest_of(text), "registers": "NA"}) for text in abroad[:3]]
    nordic = tmp_path / "nordic.jsonl"
    nordic.write_text("\n".join(rows))
    monkeypatch.setattr(module, "NORDIC", nordic)
    out = tmp_path / "weights.npz"
    words = [train, test, "--nordic", str(data), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", ["train", *words])

    main()

    output = capsys.readouterr().out
    assert re.search(r"^Swedish alone: micro-F1 1\.000 \{'da': 1\.0, 'is': 1\.0\}$", output, re.M)
    assert re.search(r"^and other sites: micro-F1 1\.000 \{'da': 1\.0, 'is': 1\.0\}$", output, re.M)
    # of 10 news and 10 recipes of two labels each one page of news is called wrong
    assert re.search(
        rf"^test: micro-F1 {2 * 29 / (30 + 30):.3f}, \S+ texts a second of CPU$", output, re.M
    )
    assert f"  NA: F1 {2 * 9 / 19:.3f} of 9" in output
    assert "  HI: F1 1.000 of 10" in output
    assert "  OP: F1 0.000 of 1" in output
    with np.load(out) as weights:
        shares = weights["shares"]
    # 20 of 40 pages, and three from abroad
    assert shares[CODES.index("NA")] == pytest.approx(23 / 43, abs=1e-3)
    assert shares[CODES.index("HI")] == pytest.approx(20 / 43, abs=1e-3)


def test_scores_lie_between_nought_and_one():
    rarity = np.ones(SIZE, np.float32)
    for weight, score in ((9.0, 1.0), (-9.0, 0.0)):
        weights = np.full((SIZE, len(CODES)), weight, np.float32)
        first = Weights(rarity, weights, np.zeros(len(CODES)), np.ones(len(CODES)))
        second = np.vstack([np.eye(len(CODES)), np.zeros((3 * len(CODES) + 1, len(CODES)))])
        model = RegisterModel(RegisterWeights(first, second, np.zeros(1)))
        assert model.scores(["regeringen vann valet"]).tolist() == [[score] * len(CODES)]
