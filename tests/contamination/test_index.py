"""Planted items of evaluation sets are found in texts, edited ones too, and nothing else is."""

import gzip
import random
from itertools import islice

import numpy as np
import pyarrow as pa
import pytest

from pipeline.contamination.evaluation_sets import ANSWER, QUESTION, Probe
from pipeline.contamination.index import Scorer, build_index, inverse_frequencies

LIMIT = 0.2
"""The score from which a text counts as marked here, as docs/how-to/rights.md recommends."""


def sentences(shared_data, *names):
    for name in names:
        with gzip.open(shared_data / "text" / name, "rt", encoding="utf-8") as lines:
            yield from (line.strip() for line in lines if 12 <= len(line.split()) <= 60)


@pytest.fixture(scope="module")
def planted(shared_data):
    """Items, and texts of other sources: news of the same days hold items nearly as they are."""
    own = ("sv/ud.txt.gz", "nb/ndt_norne.txt.gz", "da/ud.txt.gz")
    others = ("sv/sfs_statutes.txt.gz", "nb/kodeklubben.txt.gz", "da/adl_literature.txt.gz")
    items = list(dict.fromkeys(sentences(shared_data, *own)))
    rest = list(dict.fromkeys(sentences(shared_data, *others)))
    chance = random.Random(1)
    items = chance.sample(items, 400)
    chance.shuffle(rest)
    texts = [" ".join(rest[at : at + 6]) for at in range(0, len(rest) - 6, 6)]
    index = build_index([Probe("prov", n, QUESTION, item) for n, item in enumerate(items)], 3)
    return items, texts, index


def scorer_for(index, texts):
    hits = index.hits(pa.array(texts))
    rarity = inverse_frequencies(index.document_frequencies(hits), len(texts))
    return Scorer(index, index.rarity * rarity)


def edited(item, chance, share):
    words = item.split()
    for at in chance.sample(range(len(words)), max(1, round(share * len(words)))):
        words[at] = f"ny{chance.randrange(1000)}"
    return " ".join(words)


def best(scorer, texts):
    return [(rows[0] if rows else None) for rows in scorer.matches(pa.array(texts))]


@pytest.mark.parametrize(("way", "least"), [("verbatim", 0.99), ("edited", 0.95), ("split", 0.99)])
def test_planted_items_are_found(planted, way, least):
    items, texts, index = planted
    chance = random.Random(2)
    hosts = chance.sample(texts, len(items))
    forms = {
        "verbatim": lambda item: item,
        "edited": lambda item: edited(item, chance, chance.uniform(0.1, 0.3)),
        "split": lambda item: item.replace(" ", "\n\n", 7).replace("\n\n", " ", 6),
    }
    dirty = [
        f"{host[:200]}\n\n{forms[way](item)}\n\n{host[200:]}"
        for host, item in zip(hosts, items, strict=True)
    ]
    scorer = scorer_for(index, [*texts, *dirty])

    found = best(scorer, dirty)
    right = [row and row["item"] == n and row["score"] >= LIMIT for n, row in enumerate(found)]
    assert sum(map(bool, right)) / len(items) >= least
    if way == "verbatim":
        passages = [
            (row["passage"], item) for row, item, ok in zip(found, items, right, strict=True) if ok
        ]
        assert np.mean([passage.strip(" .,?!»«\"'") in item for passage, item in passages]) > 0.95


def test_texts_without_an_item_are_not_marked(planted):
    _, texts, index = planted
    scorer = scorer_for(index, texts)
    wrong = [row for row in best(scorer, texts) if row and row["score"] >= LIMIT]
    assert len(wrong) <= len(texts) / 1000, wrong[:3]


def test_question_and_answer_are_told_apart():
    question = "Vilken sjö i Sverige är den största räknat i yta"
    answer = "Det är Vänern som är störst av alla sjöar i landet"
    index = build_index([Probe("sjö", 0, QUESTION, question), Probe("sjö", 0, ANSWER, answer)], 4)
    scorer = Scorer(index, index.rarity * 0 + 1)

    rows = list(
        scorer.matches(
            pa.array([f"Inledning. {question}? Nej.", f"{answer}. {question}", "Hej", None])
        )
    )
    assert [[row["part"] for row in found] for found in rows[:2]] == [
        ["question"],
        ["answer", "question"],
    ]
    assert rows[2:] == [[], []]
    assert rows[0][0]["score"] == pytest.approx(1)
    text = f"Inledning. {question}? Nej."
    assert text[rows[0][0]["start"] : rows[0][0]["end"]] == question


def test_what_many_texts_say_counts_little():
    probe = "enligt lag får ingen behandlas på det sättet i Sverige"
    index = build_index([Probe("lag", 0, QUESTION, probe)], 4)
    common = "enligt lag får ingen göra så"
    texts = [common] * 50 + ["annat"] * 50
    scorer = scorer_for(index, texts)
    plain = Scorer(index, index.rarity * 0 + 1)

    (few,), (many,) = (
        list(islice(s.matches(pa.array([common + " " + common])), 1)) for s in (scorer, plain)
    )
    assert (few[0]["score"] if few else 0) < (many[0]["score"] if many else 1)


def test_runs_that_stand_alone_far_from_one_another_are_no_match():
    probe = "ett två tre fyra fem sex sju åtta nio tio"
    index = build_index([Probe("tal", 0, QUESTION, probe)], 4)
    scorer = Scorer(index, index.rarity * 0 + 1)
    filler = " ".join(f"ord{n}" for n in range(100))

    near = "ett två tre fyra och sju åtta nio tio"
    apart = f"ett två tre fyra {filler} sju åtta nio tio"
    rows = list(scorer.matches(pa.array([near, apart])))

    assert rows[0][0]["score"] == pytest.approx(2 / 7)
    assert rows[1] == []
