"""The educational score: pairs that taught nothing are ordered better than by length."""

import gzip
import json

import numpy as np
import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.shared_columns import FAILURE
from skord.extras.education.task import ScoreEducation
from skord.models.education.interface import load_education
from skord.models.education.train import PAIRS, by_other_parts, parts_of_pairs
from skord.models.hashed_text.linear import EMBEDDED
from skord.models.read_texts import ReadText, digest_of, read_labels, read_texts

EXPLAINS = (
    "Lymfsystemet består av ett nätverk med kärl som transporterar lymfa. Det består av organ,"
    " som mjälten, och är viktigt för kroppens vätskebalans och försvar mot sjukdomar. " * 3
)
SELLS = (
    "Välkommen in till oss! Beställ nu med fri frakt, vi har öppet till sex. Kram och puss! " * 5
)


def test_what_explains_is_above_what_chats():
    first, second = load_education(EMBEDDED).scores([EXPLAINS, SELLS])

    assert first > second + 0.3


def test_a_text_has_the_same_score_alone():
    model = load_education(EMBEDDED)

    assert model.scores([EXPLAINS, SELLS])[1] == model.scores([SELLS])[0]


def test_the_task_scores_every_text(settings):
    settings()
    batch = pa.table({"ProcessMarkdown.text": [EXPLAINS, None, ""]})
    task = ScoreEducation(dump="2024-10")

    table = task.process(batch)

    assert table.schema == ScoreEducation.schema.append(FAILURE)
    assert [score is None for score in table["education_score"].to_pylist()] == [False, True, True]
    assert task.count(table) == {"scored": 1, "above_usual": 0}
    scores = pa.table({"education_score": [0.0, 0.5, None, -1.0, 2.0]})
    assert task.count(scores) == {"scored": 4, "above_usual": 2}


def test_no_site_and_no_chain_of_pairs_is_in_two_parts():
    texts = [ReadText(str(n), "", "sv", site, "") for n, site in enumerate("aabcdef")]
    firsts, seconds = np.array([0, 2, 4, 5]), np.array([2, 3, 3, 6])

    part = parts_of_pairs(texts, firsts, seconds)

    assert part[0] == part[1] == part[2] != part[3]


def test_pairs_are_judged_by_models_that_did_not_see_them():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 200))
    rows[:, :5] *= 5
    part = np.arange(100) % 5

    learnt = by_other_parts(rows @ rows.T, np.sign(rows[:, :5].sum(axis=1)), part)
    chance = by_other_parts(rows @ rows.T, rng.choice([-1.0, 1.0], 100), part)

    assert learnt.mean() > 0.6
    assert chance.mean() < 0.7


def test_texts_are_found_by_their_digests(tmp_path):
    (tmp_path / "register").mkdir()
    (tmp_path / "extraction").mkdir()
    for name in ("swecore_train", "swecore_dev"):
        with gzip.open(tmp_path / "register" / f"{name}.tsv.gz", "wt") as lines:
            lines.write(f"NA\ttext {name}\n")
    row = {"lang": "da", "gold_text": ["ord"] * 40, "split_key": "a.dk"}
    other = row | {"lang": "en"}
    with gzip.open(tmp_path / "extraction" / "a.jsonl.gz", "wt") as lines:
        lines.writelines(json.dumps(one) + "\n" for one in (row, row, other))

    texts = list(read_texts(tmp_path))

    assert [text.site for text in texts][2:] == ["a.dk"]
    assert texts[0].digest == digest_of("text swecore_train")


def test_every_label_names_two_texts_of_the_data(shared_data):
    known = {text.digest for text in read_texts(shared_data)}

    rows = read_labels(PAIRS)

    assert len(rows) == 297
    assert all(row["first"] in known and row["second"] in known for row in rows)


def test_weights_that_are_none_are_told(tmp_path):
    path = tmp_path / "weights.npz"
    path.write_bytes(b"none")

    with pytest.raises(ConfigError, match="holds no education weights"):
        load_education(str(path))


def test_a_text_of_one_letter_has_a_score(settings):
    settings()
    table = ScoreEducation(dump="2024-10").process(pa.table({"ProcessMarkdown.text": ["a", ""]}))
    assert [score is None for score in table["education_score"].to_pylist()] == [False, True]
