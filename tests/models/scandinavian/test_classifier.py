"""The classifier that divides lid.176's Scandinavian scores."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.language_id.batches import load_language_batches
from skord.models.scandinavian import evaluate
from skord.models.scandinavian.evaluate import OTHER, label_confusion, read_labelled
from skord.models.scandinavian.interface import (
    BLANK,
    EMBEDDED,
    LANGUAGES,
    LEAST_SUM,
    MOST_LETTERS,
    NONE,
    WEIGHTS,
    ScandinavianClassifier,
    _label_scores,
    letter_table,
    load_scandinavian,
    read_letters,
    read_weights,
    write_weights,
)
from skord.models.scandinavian.train import Recipe, train_scandinavian, training_lines
from skord.text.languages import language_of

SENTENCES = {
    "sv": "Jag vet inte vad hon heter, men hon kommer från Bergen och bor här nu.",
    "da": "Jeg ved ikke, hvad hun hedder, men hun kommer fra Bergen og bor her nu.",
    "no": "Jeg vet ikke hva hun heter, men hun kommer fra Bergen og bor her nå.",
    "nn": "Eg veit ikkje kva ho heiter, men ho kjem frå Bergen og bur her no.",
    "is": "Ég veit ekki hvað hún heitir, en hún kemur frá Bergen og býr hér núna.",
    "fo": "Eg veit ikki, hvussu hon eitur, men hon kemur úr Bergen og býr her nú.",
}


@pytest.fixture(scope="module")
def identify():
    return load_language_batches("")


@pytest.fixture(scope="module")
def classifier(identify):
    return load_scandinavian(EMBEDDED, identify.one_by_one.labels)


@pytest.fixture(scope="module")
def held_out(shared):
    return [
        pair
        for pair in read_labelled(shared / "data/lid/lingua_sentences.jsonl.gz")
        if pair[0] in LANGUAGES
    ]


def label_accuracy(confusion):
    """Share of each language's sentences that got its label."""
    return {label: predicted[label] / predicted.total() for label, predicted in confusion.items()}


def test_each_language_is_told_from_the_others(identify, classifier):
    texts = list(SENTENCES.values())

    divided = classifier.divide_scores(texts, identify.scores_of(texts))

    assert [language_of(scores) for scores in divided] == list(SENTENCES)


def test_what_lid_176_takes_for_icelandic_may_be_faroese(identify, classifier):
    text = "Føroyar eru oyggjar í Norðuratlantshavi, og høvuðsstaðurin eitur Tórshavn."
    scores = identify.scores_of([text])

    assert language_of(scores[0]) == "is"
    assert language_of(classifier.divide_scores([text], scores)[0]) == "fo"


def test_the_sum_and_all_other_labels_stay(identify, classifier):
    texts = [*SENTENCES.values(), "Fri frakt! Welcome to our store.", "Labdien, kā klājas?", ""]
    before = identify.scores_of(texts)

    for old, new in zip(before, classifier.divide_scores(texts, before), strict=True):
        assert {k: v for k, v in new.items() if k not in LANGUAGES} == {
            k: v for k, v in old.items() if k not in LANGUAGES
        }
        listed = sum(new.get(label, 0) for label in LANGUAGES)
        assert listed == pytest.approx(sum(old.get(label, 0) for label in LANGUAGES), abs=0.05)
        assert list(new.values()) == sorted(new.values(), reverse=True)


def test_a_text_scores_the_same_alone_and_among_others(identify, classifier):
    texts = ["", *SENTENCES.values(), "日本語", SENTENCES["nn"] * 100]
    scores = identify.scores_of(texts)

    together = classifier.divide_scores(texts, scores)

    alone = [classifier.divide_scores([t], [s])[0] for t, s in zip(texts, scores, strict=True)]
    assert together == alone
    assert classifier.divide_scores([], []) == []


def test_what_lid_176_is_sure_is_swedish_stays(classifier):
    scores = {"sv": 0.9, "no": 0.1}

    assert classifier.divide_scores([SENTENCES["nn"]], [scores]) == [scores]
    assert (
        language_of(classifier.divide_scores([SENTENCES["nn"]], [{"sv": 0.5, "no": 0.5}])[0])
        == "nn"
    )


def test_scores_are_divided_from_the_least_sum_on(classifier):
    below = float(np.nextafter(LEAST_SUM, 0))
    for score, divided in ((below, {"en": 1.0, "da": below}), (LEAST_SUM, None)):
        scores = {"en": 1.0, "da": score}
        (after,) = classifier.divide_scores([SENTENCES["nn"]], [scores])
        assert after == divided or (divided is None and "nn" in after)


def test_only_letters_in_lower_case_are_seen():
    seen = [
        read_letters([text]).letters.tolist() for text in ("Åh, 2 FÅR!", "åh får", "  åh\n(får)")
    ]

    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0] == seen[0][-1] == BLANK
    assert len(set(letter_table().tolist())) < 256


def test_no_more_letters_are_read_than_tell_the_language():
    letters, starts = read_letters(["å" * 9000, "a"])

    assert np.diff(starts).tolist() == [MOST_LETTERS + 1, 3]
    assert len(letters) == MOST_LETTERS + 4


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 no weights", None])
def test_a_file_that_holds_something_else_is_told(tmp_path, identify, content):
    path = tmp_path / "weights.npz"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ConfigError, match=r"weights\.npz"):
        load_scandinavian(str(path), identify.one_by_one.labels)


def test_an_identifier_with_other_labels_is_told():
    with pytest.raises(ConfigError, match=r"no label 'sv'.*scandinavian_model = none"):
        load_scandinavian(EMBEDDED, ("swe_Latn", "dan_Latn"))

    assert load_scandinavian(NONE, ("swe_Latn",)) is None


def test_weights_are_read_as_they_were_written(tmp_path):
    weights = read_weights(WEIGHTS)

    write_weights(tmp_path / "again.npz", weights)

    again = read_weights(tmp_path / "again.npz")
    assert np.array_equal(again.steps, weights.steps)
    assert (again.scale, again.longest, again.prior) == (
        weights.scale,
        weights.longest,
        weights.prior,
    )


def test_training_learns_and_gives_the_same_weights_each_time(tmp_path):
    lines = {"da": [SENTENCES["da"]] * 3, "nn": [SENTENCES["nn"]] * 3}
    recipe = Recipe(buckets=1 << 10, samples=20, passes=2)

    weights = train_scandinavian(lines, recipe)

    shares = ScandinavianClassifier(weights).shares(
        [SENTENCES["da"], SENTENCES["nn"]], np.zeros((2, len(LANGUAGES)))
    )
    assert [LANGUAGES[place] for place in shares.argmax(axis=1)] == ["da", "nn"]
    assert np.array_equal(train_scandinavian(lines, recipe).steps, weights.steps)


def test_lines_held_out_short_or_seen_before_are_not_trained_on(tmp_path: Path):
    path = tmp_path / "text.txt.gz"
    lines = [
        "En lagom lång mening.",
        "Kort.",
        "EN lagom lång mening!",
        "En mening som är undantagen.",
    ]
    path.write_bytes(gzip.compress("\n".join(lines).encode()))

    assert list(training_lines([str(path)], frozenset(["enmeningsomärundantagen"]))) == lines[:1]
    assert list(training_lines([f"{path}=2"], frozenset())) == lines[:1]
    assert list(training_lines([f"{path}=9"], frozenset())) == [lines[0], lines[3]], (
        "all that there are"
    )


@pytest.mark.shared
def test_every_language_is_told_better_than_lid_176_does(held_out):
    """Sentences of other sources than were trained on; figures as in the card."""
    before, now = (
        label_accuracy(label_confusion(held_out, NONE)),
        label_accuracy(label_confusion(held_out, EMBEDDED)),
    )

    assert all(now[label] > before[label] for label in before), (before, now)
    floors = {"sv": 0.97, "da": 0.97, "no": 0.84, "nn": 0.925, "is": 0.98}
    assert all(now[label] >= floor for label, floor in floors.items()), now


@pytest.mark.shared
def test_swedish_where_lid_176_is_at_its_best_is_told_no_worse(shared):
    """The treebank's sentences; its share of Swedish that is trusted was chosen on them."""
    path = shared / "data/treebanks/UD_Swedish-Talbanken/sv_talbanken-ud-dev.conllu.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [line.removeprefix("# text = ") for line in lines if line.startswith("# text = ")]
    pairs = [("sv", text.strip()) for text in texts]

    before, now = (
        label_accuracy(label_confusion(pairs, NONE)),
        label_accuracy(label_confusion(pairs, EMBEDDED)),
    )

    assert now["sv"] >= before["sv"] > 0.9


def test_what_was_said_of_each_language_is_counted():
    pairs = [("sv", SENTENCES["sv"]), ("sv", "Vad heter du och var kommer du ifrån?")]
    pairs += [("da", SENTENCES["da"]), ("da", "The weather was fine all day, and so were we.")]

    counts = label_confusion(pairs, EMBEDDED)

    assert counts == {"sv": {"sv": 2}, "da": {"da": 1, OTHER: 1}}
    assert label_accuracy(counts) == {"sv": 1.0, "da": 0.5}


@pytest.mark.shared
def test_of_ten_sentences_together_the_language_is_always_told(held_out):
    texts = {label: [t for of, t in held_out if of == label] for label, _ in held_out}
    pairs = [
        (label, " ".join(actual[at : at + 10]))
        for label, actual in texts.items()
        for at in range(0, len(actual) - 9, 10)
    ]

    assert set(label_accuracy(label_confusion(pairs, EMBEDDED)).values()) == {1.0}


def test_scores_come_best_first_and_equal_ones_by_their_labels():
    listed = _label_scores({"fi": 0.25, "de": 0.25, "sv": 0.5}, [0.125, 0.25, 0.125, 0.0, 0.0, 0.0])
    expected = [("da", 0.25), ("de", 0.25), ("fi", 0.25), ("no", 0.125), ("sv", 0.125)]
    assert list(listed.items()) == expected


def test_the_command_prints_how_many_of_each_language_get_which_label(
    tmp_path, monkeypatch, capsys
):
    path = tmp_path / "lid.jsonl.gz"
    rows = [{"lang": lang, "text": text} for lang, text in SENTENCES.items()]
    rows += [{"lang": "nb", "text": SENTENCES["sv"]}, {"lang": "fi", "text": "Hän tuli kotiin."}]
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)
    monkeypatch.setattr(sys, "argv", ["evaluate", str(path)])

    evaluate.main()

    alone, divided = capsys.readouterr().out.split("divided\n")
    assert alone.startswith("lid.176\n")
    head, *lines = divided.splitlines()
    assert head.split() == ["n", *LANGUAGES, OTHER]
    shares = {line.split()[0]: list(map(float, line.split()[1:])) for line in lines}
    assert "fi" not in shares
    assert shares["sv"] == [1, *(100.0 * (label == "sv") for label in (*LANGUAGES, OTHER))]
    assert sum(share[0] for share in shares.values()) == len(rows) - 1
    assert shares["no"][1 + LANGUAGES.index("sv")] > 0
