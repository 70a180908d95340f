"""`skord study evaluate`, of `skord.extras.evaluation.evaluate`: which texts are held out."""

import json
import random
from argparse import Namespace

import pytest

from skord.core.failures import ConfigError
from skord.extras.evaluation.evaluate import run, texts_in


def words(seed, count=60):
    chance = random.Random(seed)
    return " ".join(chance.choices(["bron", "över", "ån", "är", "lång", "och", "ny"], k=count))


def write(path, texts):
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return str(path)


@pytest.fixture
def files(tmp_path):
    one, two = ([words(first + n) for n in range(20)] for first in (0, 100))
    held_out = [words(200), words(201), words(202), one[3]]
    return [
        write(tmp_path / f"{name}.jsonl", texts)
        for name, texts in (("one", one), ("two", two), ("held", held_out))
    ]


def options(one, two, held_out, **changed):
    values = {
        "corpus": [one, two], "held_out": held_out, "no_network": True, "seeds": 2,
        "megabytes": 0.004, "json": False,
    }  # fmt: skip
    return Namespace(**{**values, **changed})


def test_corpora_are_compared_on_texts_that_stand_in_none(files, capsys):
    run(options(*files))

    output = capsys.readouterr().out.splitlines()
    assert output[0].endswith("of each, 2 times; held out: 3 texts (1 left out)")
    taken = int(output[0].split()[2].replace(",", ""))
    assert 3000 < taken <= 4000
    assert [line.split()[-1] for line in output[2:]] == files[:2]

    run(options(*files, json=True))
    told = json.loads(capsys.readouterr().out)
    assert (told["bytes"], told["held_out"]) == (taken, 3)
    assert [one["corpus"] for one in told["figures"]] == files[:2]


def test_a_single_corpus_and_texts_that_are_known_are_refused(files, tmp_path):
    with pytest.raises(ConfigError, match="name two or more"):
        run(options(*files, corpus=files[:1]))
    known = write(tmp_path / "known.jsonl", [words(0), words(1), words(300)])
    with pytest.raises(ConfigError, match="3 texts, of which 2 stand in a corpus"):
        run(options(*files[:2], known))


def test_nothing_is_said_of_what_is_left_out_where_nothing_is(files, tmp_path, capsys):
    run(options(*files[:2], write(tmp_path / "new.jsonl", [words(300), words(301)])))
    assert capsys.readouterr().out.splitlines()[0].endswith("held out: 2 texts")


def test_a_corpus_without_text_is_told(tmp_path):
    empty = write(tmp_path / "empty.jsonl", [""])
    with pytest.raises(ConfigError, match=r"empty\.jsonl has no text"):
        texts_in(empty)
