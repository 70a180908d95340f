"""Planted items of evaluation sets are found in texts, edited ones too, and nothing else is."""

import gzip
import random

import numpy as np
import pyarrow as pa
import pytest

from skord.extras.contamination.evaluation_sets import ANSWER, MARKED, QUESTION, Probe
from skord.extras.contamination.index import (
    Copies,
    Frequencies,
    Scorer,
    _own_rarity,
    build_index,
    formulas_of,
    scores_of,
)

SEALED = ("nn/ud.txt.gz", "en/ud.txt.gz", "fi/ud.txt.gz")
"""Sources of items that no limit was chosen with."""

OTHERS = ("sv/sfs_statutes.txt.gz", "nb/kodeklubben.txt.gz", "da/adl_literature.txt.gz")


def sentences(shared_data, *names):
    for name in names:
        with gzip.open(shared_data / "text" / name, "rt", encoding="utf-8") as lines:
            yield from (line.strip() for line in lines if 10 <= len(line.split()) <= 60)


def indexed(*texts):
    return build_index([Probe("prov", n, QUESTION, text) for n, text in enumerate(texts)], 3)


def scorer_for(index, texts):
    return Scorer(index, index.frequencies(pa.array(texts, pa.string())))


def best(scorer, texts):
    return [(rows[0] if rows else None) for rows in scorer.matches(pa.array(texts, pa.string()))]


@pytest.fixture(scope="module")
def planted(shared_data):
    """Items, and texts of other sources: news of the same days hold items nearly as they are."""
    items = list(dict.fromkeys(sentences(shared_data, *SEALED)))
    rest = list(dict.fromkeys(sentences(shared_data, *OTHERS)))
    chance = random.Random(1)
    items = chance.sample(items, 400)
    chance.shuffle(rest)
    texts = [" ".join(rest[at : at + 6]) for at in range(0, len(rest) - 6, 6)]
    return items, texts, indexed(*items)


def edited(item, chance):
    words = item.split()
    for at in chance.sample(
        range(len(words)), max(1, round(chance.uniform(0.1, 0.3) * len(words)))
    ):
        words[at] = chance.choice(("hus", "og", "the", "on", "verða"))
    return " ".join(words)


def halves(item, between):
    words = item.split()
    half = len(words) // 2
    return f"{' '.join(words[:half])}\n\n{between}\n\n{' '.join(words[half:])}"


def turned(item):
    words = item.split()
    half = len(words) // 2
    return " ".join([*words[half:], *words[:half]])


@pytest.mark.parametrize(
    ("way", "least"), [("verbatim", 0.99), ("edited", 0.95), ("split", 0.99), ("turned", 0.95)]
)
def test_planted_items_are_found(planted, way, least):
    items, texts, index = planted
    chance = random.Random(2)
    hosts = chance.sample(texts, len(items))
    forms = {
        "verbatim": lambda item: item,
        "edited": lambda item: edited(item, chance),
        "split": lambda item: halves(item, hosts[0][:150]),
        "turned": turned,
    }
    dirty = [
        f"{host[:200]}\n\n{forms[way](item)}\n\n{host[200:]}"
        for host, item in zip(hosts, items, strict=True)
    ]
    actual = best(scorer_for(index, [*texts, *dirty]), dirty)

    right = [
        bool(row) and row["item"] == n and row["score"] >= MARKED for n, row in enumerate(actual)
    ]
    assert sum(right) / len(items) >= least
    for row, text in zip(actual, dirty, strict=True):
        assert row is None or row["passage"] == text[row["start"] : row["end"]][:500]


def test_texts_without_an_item_are_not_marked(planted):
    _, texts, index = planted
    wrong = [row for row in best(scorer_for(index, texts), texts) if row and row["score"] >= MARKED]
    assert wrong == []


def test_question_and_answer_are_told_apart():
    question = "Vilken sjö i Sverige är den största räknat i yta"
    answer = "Det är Vänern som är störst av alla sjöar i landet"
    index = build_index([Probe("sjö", 0, QUESTION, question), Probe("sjö", 0, ANSWER, answer)], 4)
    texts = [f"Inledning. {question}? Nej.", f"{answer}. {question}", "Hej", None]
    scorer = scorer_for(index, texts)

    rows = list(scorer.matches(pa.array(texts)))
    assert [[row["part"] for row in actual] for actual in rows] == [
        ["question"], ["answer", "question"], [], [],
    ]  # fmt: skip
    assert rows[0][0]["score"] == pytest.approx(1)
    assert texts[0][rows[0][0]["start"] : rows[0][0]["end"]] == question


def test_a_short_answer_counts_beside_its_question_only():
    question = "Vilken sjö i Sverige är den största räknat i yta"
    index = build_index([Probe("sjö", 0, QUESTION, question), Probe("sjö", 0, ANSWER, "Vänern")], 3)
    far = " ".join(f"ord{n}" for n in range(60))
    texts = [f"{question}? Svar: VÄNERN!", f"{question}? {far} Vänern", "Vänern är en sjö",
             f"Vänern. {question}?", f"{question}? Vänersborg"]  # fmt: skip
    rows = list(scorer_for(index, texts).matches(pa.array(texts)))
    assert [sorted(row["part"] for row in actual) for actual in rows] == [
        ["answer", "question"], ["question"], [], ["answer", "question"], ["question"],
    ]  # fmt: skip
    answers = [row for actual in rows for row in actual if row["part"] == ANSWER]
    assert [row["passage"] for row in answers] == ["VÄNERN", "Vänern"]


def test_words_changed_left_out_or_put_in_leave_the_rest_found():
    item = "en gammal fiskare lagade sina trasiga nät medan måsarna skrek över hamnen"
    other = "Annars var allt som det brukade."
    changed = "en gammal fiskare lagade sina slitna nät medan måsarna skrek över hamnen"
    shorter = "en gammal fiskare lagade nät medan måsarna skrek över hamnen"
    longer = (
        "en mycket gammal fiskare lagade där sina trasiga nät medan alla måsarna skrek över hamnen"
    )
    texts = [f"{other} {form}. {other}" for form in (changed, shorter, longer)]
    actual = best(scorer_for(indexed(item), [*texts, *[other] * 200]), texts)
    assert [round(row["score"], 1) for row in actual] == [0.9, 0.8, 1.0]


def test_what_many_texts_say_is_no_evidence():
    item = "enligt lag får ingen behandlas på det sättet i Sverige"
    common = "enligt lag får ingen behandlas så illa"
    rare = scorer_for(indexed(item), ["annat"] * 3000)
    usual = scorer_for(indexed(item), [common] * 2900 + ["annat"] * 100)
    assert best(rare, [common])[0]["evidence"] > 15
    assert best(usual, [common]) == [None]


def test_a_template_of_a_set_counts_little():
    template = "läs hela texten noga och välj sedan det alternativ som passar bäst till frågan"
    index = indexed(*(f"{template} nummer{n} ord{n} sak{n} ting{n}" for n in range(100)))
    texts = [f"{template} bara", f"{template} nummer7 ord7 sak7 ting7"]
    assert [row and row["item"] for row in best(scorer_for(index, texts), texts)] == [None, 7]


def test_the_halves_of_an_item_far_apart_count_together_and_chance_words_do_not():
    item = "den blinde orgelbyggaren lämnade aldrig sin verkstad under hela den långa kalla vintern"
    filler = " ".join(f"ord{n}" for n in range(300))
    words = item.split()
    apart = f"{' '.join(words[:6])} {filler} {' '.join(words[6:])}"
    strewn = " ".join(f"{word} {filler}" for word in words)
    actual = best(scorer_for(indexed(item), [apart, strewn, *["annat"] * 100]), [apart, strewn])
    assert actual[0]["score"] == pytest.approx(1)
    assert actual[1] is None


def test_frequencies_count_texts_once_and_no_null():
    index = indexed("ett två tre")
    frequencies = index.frequencies(pa.array(["ett två tre ett två tre", "ett", None]))
    assert frequencies.texts == 2
    assert sorted(frequencies.words.tolist()) == [1, 1, 2]
    assert frequencies.grams.tolist() == [1]
    assert isinstance(frequencies, Frequencies)


def test_a_phrase_of_common_words_is_marked_only_where_all_of_it_stands():
    index = indexed("Let me know if you have any questions")
    each, runs = np.full(index.words.size, 40_000), np.full(index.grams.size, 20)
    scorer = Scorer(index, Frequencies(each, runs, 1_000_000))
    whole, nearly = best(scorer, ["So let me know if you have any questions.",
                                  "So let me know if you have any doubts."])  # fmt: skip
    assert whole["score"] == pytest.approx(1)
    assert nearly is None


def test_a_words_rarity_is_the_mean_of_the_runs_over_it_and_one_where_none_is():
    index = indexed("en hund såg", "en hund såg en katt i dag", "nej")
    starts = np.flatnonzero(index.gram_at >= 0).tolist()
    rarity = dict(zip(starts, index.rarity[index.gram_at[starts]].tolist(), strict=True))
    over = [[rarity[at] for at in range(w - 2, w + 1) if at in rarity] for w in range(11)]
    wanted = [sum(some) / len(some) if some else 1.0 for some in over]

    assert _own_rarity(index).tolist() == pytest.approx(wanted)
    assert [len(some) for some in over] == [1, 1, 1, 1, 2, 3, 3, 3, 2, 1, 0]
    assert wanted[0] != 1.0


FORMULA = "Intervjun med {} kan ses i sin helhet i spelaren här ovanför texten idag."
ITEMS = (FORMULA.format("Karin Boye"), "Vänern är den till ytan största sjön i hela Sverige, EU.")


def test_what_many_texts_hold_in_part_is_a_formula_and_its_whole_still_counts():
    index = indexed(*ITEMS)
    names = ("Anna Ek", "Britta Dal", "Cecilia Ås", "Disa By", "Eva Lind", "Frida Alm")
    texts = [
        *(f"I dag talade vi med henne. {FORMULA.format(name)}" for name in names),
        f"Nyss. {ITEMS[0]}",
        f"Vem vet? {ITEMS[1]}",
        "Vänern är den till ytan största insjön i hela Norden och EU.",
    ]
    counts = index.frequencies(pa.array(texts))
    frequencies = Frequencies(counts.words, counts.grams, 1_000_000)
    first = Scorer(index, frequencies)

    copies = first.copies(pa.array(texts))
    assert [part.tolist() for part in copies] == [[6, 1], [1, 1]]
    formulas = formulas_of(copies)
    assert formulas.tolist() == [True, False]
    assert not formulas_of(copies, 7).any()
    assert not formulas_of(copies, 0).any()
    assert not formulas_of(Copies(np.array([6]), np.array([2]))).any(), "the whole is as frequent"

    rows = list(Scorer(index, frequencies, formulas=formulas).matches(pa.array(texts)))
    counted = [scores_of(own)[QUESTION] for own in rows]
    assert counted[:6] == [0] * 6
    assert all(own[0]["is_formula"] and own[0]["score"] > MARKED for own in rows[:6])
    assert counted[6] == pytest.approx(1)
    assert counted[7] == pytest.approx(1)
    assert MARKED < counted[8] < 1


def test_no_answer_is_looked_for_beside_a_formula():
    probes = [Probe("prov", 0, QUESTION, ITEMS[0]), Probe("prov", 0, ANSWER, "ja")]
    index = build_index(probes, 3)
    text = pa.array([f"{FORMULA.format('Anna Ek')} Ja"])
    counts = index.frequencies(text)
    frequencies = Frequencies(counts.words, counts.grams, 1_000_000)

    (before,) = Scorer(index, frequencies).matches(text)
    (after,) = Scorer(index, frequencies, formulas=np.array([True, False])).matches(text)

    assert [row["part"] for row in before] == [ANSWER, QUESTION]
    assert [row["part"] for row in after] == [QUESTION]
