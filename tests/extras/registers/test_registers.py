"""Registers of texts: told apart on pages that taught nothing, the same for each text alone."""

import gzip

import numpy as np
import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.core.storage.shared_columns import FAILURE
from skord.extras.registers.task import LabelRegisters
from skord.models.hashed_text.linear import EMBEDDED
from skord.models.registers.interface import (
    CODES,
    REGISTERS,
    RegisterModel,
    load_registers,
    write_registers,
)
from skord.models.registers.train import labels_of, micro_f1, read, train

FLOOR = 0.75


@pytest.fixture(scope="module")
def pages(shared_data):
    return read(shared_data / "register" / "swecore_dev.tsv.gz")


def test_pages_that_taught_nothing_are_labelled_well_enough(pages):
    texts, truth = pages
    model = load_registers(EMBEDDED)

    scores = model.scores(texts)

    said = np.array([[name in model.registers(row) for name in REGISTERS] for row in scores])
    assert micro_f1(said, truth) >= FLOOR


def test_a_text_has_the_same_scores_alone_and_among_others(pages):
    model, texts = load_registers(EMBEDDED), pages[0][:20]

    together = model.scores(texts)

    assert all(
        (model.scores([text])[0] == row).all() for text, row in zip(texts, together, strict=True)
    )
    assert model.scores([]).shape == (0, len(REGISTERS))
    assert model.scores([""]).shape == (1, len(REGISTERS))


def test_training_learns_what_tells_texts_apart_and_files_keep_it(tmp_path):
    texts = ["häll i mjölet och vispa", "partiet vann valet i går"] * 30
    labels = np.zeros((60, len(CODES)), np.bool_)
    labels[::2, CODES.index("HI")] = True
    labels[1::2, CODES.index("NA")] = True

    weights = train(texts, labels)

    said = labels_of(weights, ["vispa mjölet", "valet vann partiet"])
    assert said[:, [CODES.index("HI"), CODES.index("NA")]].tolist() == [
        [True, False],
        [False, True],
    ]
    path = tmp_path / "weights.npz"
    write_registers(path, weights)
    read_back = load_registers(str(path))
    texts.append("vispa partiet")  # no score of it is near 0 or 1, where all sums look alike
    assert read_back.scores(texts) == pytest.approx(RegisterModel(weights).scores(texts), abs=0.02)


def test_files_are_read_by_code(tmp_path):
    path = tmp_path / "some.tsv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.write("NA OP\tDet hände\nLY\tEn dikt\n")

    texts, labels = read(path)

    assert texts == ["Det hände", "En dikt"]
    assert labels.tolist() == [[True, False, True, False, False, False], [False] * 6]


def test_the_task_labels_the_languages_that_the_model_was_taught(settings):
    settings()
    batch = pa.table(
        {
            "ProcessMarkdown.text": ["Köp nu med fri frakt! Beställ här.", "Hello there", None],
            "FilterDocuments.language": ["sv", "en", None],
        }
    )

    rows = LabelRegisters(dump="2024-10").process(batch)

    assert rows.schema == LabelRegisters.schema.append(FAILURE)
    scores = [rows[f"register_{name}"].to_pylist() for name in REGISTERS]
    assert all(0 <= one[0] <= 1 and one[1:] == [None, None] for one in scores)
    assert rows["registers"].to_pylist()[1:] == [None, None]


def test_weights_that_are_none_are_told(tmp_path):
    path = tmp_path / "weights.npz"
    path.write_bytes(b"none")

    with pytest.raises(ConfigError, match="holds no registers weights"):
        load_registers(str(path))
