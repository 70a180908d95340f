from __future__ import annotations

import zipfile

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.reference_classifier import network
from skord.models.reference_classifier.interface import load_reference_classifier
from skord.models.reference_classifier.train import Recipe, initial_weights


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "model.npz"
    network.write_network(path, initial_weights(Recipe(width=2)))
    return path


def test_a_network_comes_back_as_it_was_stored(written):
    made = network.as_stored(initial_weights(Recipe(width=2)))
    actual, digest = network.read_network(written)
    for array, again in zip(made, actual, strict=True):
        assert again.dtype == np.float32
        assert np.array_equal(array, again)
    assert len(digest) == 12


def test_equal_networks_are_equal_bytes_and_other_weights_another_name(written, tmp_path):
    made = initial_weights(Recipe(width=2))
    again, other = tmp_path / "again.npz", tmp_path / "other.npz"
    network.write_network(again, made)
    network.write_network(other, made._replace(platt=np.array([2, 0], np.float32)))
    assert again.read_bytes() == written.read_bytes()
    with zipfile.ZipFile(written) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    names = {load_reference_classifier(str(path)).name for path in (written, again, other)}
    assert len(names) == 2
    assert all(name.startswith("reference-") for name in names)


def test_no_path_is_no_model():
    assert load_reference_classifier("") is None


def test_a_damaged_file_is_a_config_error(written, tmp_path):
    content = written.read_bytes()
    cut = [content[:at] for at in (0, 1, 100, len(content) // 2, len(content) - 1)]
    places = range(0, len(content), len(content) // 40)
    flipped = [content[:at] + bytes([content[at] ^ 255]) + content[at + 1 :] for at in places]
    good, _ = network.read_network(written)
    refused = 0
    for damaged in [*cut, *flipped, b"\x93NUMPY", b"PK\x05\x06" + bytes(18), b"text"]:
        (tmp_path / "damaged.npz").write_bytes(damaged)
        try:
            actual, _ = network.read_network(tmp_path / "damaged.npz")
        except ConfigError as error:
            assert "damaged.npz" in str(error)  # noqa: PT017
            refused += 1
        else:
            assert all(map(np.array_equal, good, actual))
    assert refused >= len(cut) + len(flipped) - 1


def changed(**arrays):
    good = network._network_arrays(initial_weights(Recipe(width=2)))
    return {name: array for name, array in {**good, **arrays}.items() if array is not None}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"features_version": None}, "holds no reference classifier"),
        ({"features_version": np.array(0)}, "train it again"),
        ({"platt": None}, "holds no reference classifier"),
        ({"more": np.zeros(1)}, "holds no reference classifier"),
        ({"bias": np.array(["a", "b"])}, "holds no reference classifier"),
        ({"bias": np.array([object()])}, "cannot read"),
        ({"bias": np.zeros(3, np.float32)}, "impossible"),
        ({"inputs": np.zeros((3, 2), np.float16)}, "impossible"),
        ({"inputs": np.zeros(3, np.float16)}, "impossible"),
        ({"outputs": np.zeros(0, np.float32)}, "impossible"),
        ({"bias": np.array([np.nan, 0], np.float32)}, "not finite"),
    ],
)
def test_a_file_that_holds_something_else_is_a_config_error(tmp_path, arrays, message):
    np.savez(tmp_path / "other.npz", **changed(**arrays))
    with pytest.raises(ConfigError, match=message):
        load_reference_classifier(str(tmp_path / "other.npz"))


def test_a_missing_file_and_a_folder_are_config_errors(tmp_path):
    for path in (tmp_path / "absent.npz", tmp_path):
        with pytest.raises(ConfigError, match="cannot read"):
            load_reference_classifier(str(path))


def test_scores_are_probabilities_and_do_not_depend_on_neighbours(written):
    classifier = load_reference_classifier(str(written))
    texts = ["Bron över ån", "", "* * *", "橋を渡る " * 300, "köp\ud800 nu"]
    scores = classifier.scores(texts)
    assert scores.dtype == np.float32
    assert scores.shape == (5,)
    assert ((scores >= 0) & (scores <= 1)).all()
    assert scores[1] == scores[2] == 0
    assert [float(classifier.scores([text])[0]) for text in texts] == scores.tolist()
    assert classifier.scores([]).shape == (0,)


def test_logits_are_rounded_so_that_last_bits_do_not_show(written):
    texts = [f"bron över ån nummer {'å' * n}" for n in range(50)]
    scores = load_reference_classifier(str(written)).scores(texts).astype(float)
    steps = np.log(scores / (1 - scores)) / network.LOGIT_STEP
    assert len(set(np.rint(steps))) > 3
    assert np.abs(steps - np.rint(steps)).max() < 1e-3
