"""Grammars and dictionaries changed anywhere are refused in one sentence, or grade as they did."""

import json
import lzma
import random

import pytest

from skord.core.failures import ConfigError
from skord.models.grammar.forms import forms_of
from skord.models.grammar.grader import Grader
from skord.models.grammar.grammar import TOY, dump_grammar, parse_grammar
from skord.models.grammar.interface import ENDING, load_calibration, load_grammar

WHOLE = json.loads(dump_grammar(TOY))


def changed(**values):
    return json.dumps({**WHOLE, **values})


@pytest.mark.parametrize(
    "text",
    [
        "", "{}", "[" * 100_000, "9" * 5_000,
        changed(tags="ADJ"), changed(tags=[1]), changed(tags=["ADJ"]),
        changed(classes=["99"]), changed(classes=["-1"]), changed(classes=["9" * 30]),
        changed(lexicon="ord 99"), changed(lexicon="ord -1"), changed(suffixes="a x"),
        changed(chunks="0 1 2 0 1 2"), changed(chunks="0 99"), changed(names=99),
        changed(numbers=-1), changed(numbers="1"), changed(numbers=None), changed(head=[]),
        changed(language=None),
    ],
)  # fmt: skip
def test_what_is_no_grammar_is_refused(text):
    with pytest.raises(ValueError, match="this is no chunk grammar"):
        parse_grammar(text)


@pytest.mark.parametrize(
    "calibration",
    [
        {"words": [1]}, {"words": [1], "weights": [[1.0]], "constants": [1.0]},
        {"words": [1, 2], "weights": [[1.0] * 9], "constants": [1.0]},
        {"words": [float("nan")], "weights": [[1.0] * 9], "constants": [1.0]},
        {"words": ["a"], "weights": [["a"] * 9], "constants": [1.0]}, [1],
    ],
)  # fmt: skip
def test_a_calibration_of_another_shape_is_refused(tmp_path, calibration):
    path = tmp_path / f"sv{ENDING}"
    path.write_bytes(lzma.compress(changed(head={"calibration": calibration}).encode()))

    with pytest.raises(ConfigError, match=f"{path} has "):
        load_calibration("sv", str(tmp_path))


def test_damage_anywhere_is_one_sentence_or_leaves_a_grammar(tmp_path):
    content, chance, messages = lzma.compress(dump_grammar(TOY).encode()), random.Random(3), []
    for number in range(60):
        raw = bytearray(content if number % 2 else dump_grammar(TOY).encode())
        for _ in range(chance.randrange(1, 4)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / f"sv{ENDING}").write_bytes(raw if number % 2 else lzma.compress(bytes(raw)))
        try:
            Grader(load_grammar("sv", str(folder)), ()).grade("En stor hund ser 3 städer.")
        except ConfigError as error:
            messages.append(str(error))

    assert len(messages) > 40
    assert all(str(tmp_path) in sentence and "\n" not in sentence for sentence in messages)


def test_a_dictionary_with_a_condition_that_is_none_is_refused(tmp_path):
    (tmp_path / "x.aff").write_bytes(b"SET UTF-8\nSFX A Y 1\nSFX A 0 s [a\n")
    (tmp_path / "x.dic").write_bytes(b"1\nhund/A\n")

    with pytest.raises(ConfigError, match="is no hunspell dictionary"):
        list(forms_of(tmp_path / "x.aff"))
