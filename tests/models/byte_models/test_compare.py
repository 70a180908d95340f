"""Models of bytes know which text is like the held-out one, and how sure that is."""

import json
import random

import numpy as np
import pytest

from skord.cli.main import main
from skord.models.byte_models.compare import (
    ByteNgrams,
    NetworkRecipe,
    compare_byte_models,
    equal_amounts,
    network_bits,
)

SWEDISH = [
    "bron",
    "över",
    "ån",
    "öppnades",
    "igår",
    "efter",
    "många",
    "års",
    "arbete",
    "och",
    "var",
]
FINNISH = ["silta", "joen", "yli", "avattiin", "eilen", "monen", "vuoden", "työn", "jälkeen"]


def texts(words, number, seed=0):
    chance = random.Random(seed)
    return [" ".join(chance.choices(words, k=60)) + f" {n}." for n in range(number)]


@pytest.mark.parametrize("text", [b"", b"B", b"Br"])
def test_texts_shorter_than_a_run_have_bits(text):
    assert len(ByteNgrams.train(b"Bron").bits(text)) == len(text)


def test_probabilities_of_all_bytes_sum_to_one():
    model = ByteNgrams.train("Bron öppnades. Bron är öppen.".encode())

    for head in (b"Bro", b"", b"zz\xff", "ö".encode()):
        bits = [model.bits(head + bytes([byte]))[-1] for byte in range(256)]
        assert np.exp2(-np.array(bits)).sum() == pytest.approx(1)


def test_a_longer_order_tells_more_and_unknown_bytes_are_possible():
    text = " ".join(texts(SWEDISH, 30)).encode()

    by_order = [ByteNgrams.train(text, order).bits(text).mean() for order in (1, 3, 6)]

    assert by_order == sorted(by_order, reverse=True)
    assert np.isfinite(ByteNgrams.train(text).bits(b"\xff\xfe")).all()


def test_equal_amounts_are_equal_and_the_same_each_time():
    corpora = {"a": texts(SWEDISH, 40), "b": texts(FINNISH, 10)}

    amounts = equal_amounts(corpora, 1, 10**9)

    assert len({len(data) for data in amounts.values()}) == 1
    assert equal_amounts(corpora, 1, 10**9) == amounts
    assert equal_amounts(corpora, 2, 10**9) != amounts
    assert {len(data) for data in equal_amounts(corpora, 1, 100).values()} == {100}
    with pytest.raises(ValueError, match="c has no text"):
        equal_amounts({"c": []}, 1, 100)


def test_the_corpus_in_the_language_of_the_held_out_text_is_better_and_its_twin_is_not():
    corpora = {
        "sv": texts(SWEDISH, 40), "fi": texts(FINNISH, 40, 1), "twin": texts(SWEDISH, 40, 2),
    }  # fmt: skip

    figures, taken = compare_byte_models(
        corpora, texts(SWEDISH, 20, 3), [1, 2], 10_000, with_network=False
    )

    sv, fi, twin = figures
    assert taken == 10_000
    assert sv.low < sv.bits < sv.high < fi.low
    assert fi.against_first[1] > 0
    assert twin.against_first[1] < 0 < twin.against_first[2]


def test_the_network_learns_and_is_the_same_for_the_same_seed():
    recipe = NetworkRecipe(context=4, width=4, hidden=16, steps=200, batch=64)
    text, held = (" ".join(texts(SWEDISH, 20, seed)).encode() for seed in (0, 1))

    bits = network_bits(text, held, 1, recipe)

    assert len(bits) == len(held)
    assert bits.mean() < 7
    assert np.array_equal(bits, network_bits(text, held, 1, recipe))


def test_the_command_compares_folders_and_leaves_out_what_stands_in_a_corpus(tmp_path, capsys):
    for name, words, seed in (("sv", SWEDISH, 0), ("fi", FINNISH, 1), ("held", SWEDISH, 3)):
        (tmp_path / name).mkdir()
        drawn = texts(words, 12, seed)
        if name == "held":
            drawn.append(texts(SWEDISH, 12, 0)[0])
        lines = "".join(json.dumps({"text": text}) + "\n" for text in drawn)
        (tmp_path / name / "a.jsonl").write_text(lines)
    corpora = ["--corpus", str(tmp_path / "sv"), "--corpus", str(tmp_path / "fi")]

    status = main(["evaluate", *corpora, "--held-out", str(tmp_path / "held"), "--no-network"])

    out = capsys.readouterr().out
    assert status == 0
    assert "held out: 12 texts (1 left out)" in out
    assert "worse" in out.split("\n")[3]
    assert main(["evaluate", *corpora[:2], "--held-out", str(tmp_path / "held")]) == 1
    assert main(["evaluate", *corpora, "--held-out", str(tmp_path / "sv")]) == 1
    assert "12 stand in a corpus" in capsys.readouterr().err


def test_without_torch_one_sentence_says_so_before_anything_is_read(monkeypatch, capsys):
    monkeypatch.setattr("skord.extras.evaluation.evaluate.find_spec", {}.get)

    assert main(["evaluate", "--corpus", "a", "--corpus", "b", "--held-out", "c"]) == 1

    assert "pip install 'skord[transformers]', or give --no-network" in capsys.readouterr().err


def test_bits_per_byte_are_those_of_all_bytes_of_the_documents():
    corpora, held_out = {"a": texts(SWEDISH, 30)}, texts(SWEDISH, 3, seed=9)
    whole = "".join(f"{text}\n\0" for text in held_out).encode()
    taken = equal_amounts(corpora, 1, 2_000)["a"]
    expected = ByteNgrams.train(taken).bits(whole)

    (figure,), size = compare_byte_models(corpora, held_out, [1], 2_000, with_network=False)

    assert size == len(taken) == 2_000
    assert figure.bits == pytest.approx(expected.sum() / len(whole))
    assert figure.low < figure.bits < figure.high
