"""The network: from a text's features to a calibrated logit, and its weights on disk.

    hidden    relu(features · W + b), `width` of them; none in the linear form
    logit     hidden · v + c, or features · w + c in the linear form
    result    scale * logit + shift, fitted on held-out pages (Platt 1999)

A weights file is an .npz of plain arrays; nothing in it is ever unpickled.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from skord.core.failures import ConfigError
from skord.models.array_file import unpack_arrays
from skord.models.reference_classifier.features import BLOCKS, BUCKETS, Floats, TextFeatures

INPUTS = BLOCKS * BUCKETS
FEATURES_VERSION = 1
"""Weights fit the features that they were trained on. To be raised with every change there."""
# Logits are rounded to this, so that the last bits, in which linear algebra libraries
# differ between machines, hardly ever show.
LOGIT_STEP = 1 / 256


# What the readers of .npy and .zip raise for bytes that are neither.
class Network(NamedTuple):
    """Weights, all float32 once read.

    Attributes:
        inputs: [INPUTS, width], or [INPUTS, 1] in the linear form.
        bias: [width] or [1].
        outputs: [width] and out_bias [1]; empty in the linear form.
        platt: [2], scale and shift of the calibration.
    """

    inputs: Floats
    bias: Floats
    outputs: Floats
    out_bias: Floats
    platt: Floats


def raw_logit(network: Network, text: TextFeatures) -> float:
    """Before calibration; positive: rather cited than not.

    A text is computed alone, never with others in a matrix, so that its score does not
    depend on its neighbours in a batch.
    """
    sums = text.values @ network.inputs.take(text.buckets, axis=0) + network.bias
    if not network.outputs.size:
        return float(sums[0])
    return float(np.maximum(sums, 0) @ network.outputs + network.out_bias[0])


def citation_probability(network: Network, text: TextFeatures) -> float:
    """Calibrated, from 0 to 1; 0 for a text without a word, which nobody would cite."""
    if not text.buckets.size:
        return 0.0
    scale, shift = network.platt.tolist()
    logit = scale * raw_logit(network, text) + shift
    steps = np.rint(np.clip(logit, -30, 30) / LOGIT_STEP)
    return float(1 / (1 + np.exp(-steps * LOGIT_STEP)))


def as_stored(network: Network) -> Network:
    """As it comes back from disk: large arrays at half precision."""
    halved = network.inputs.astype(np.float16).astype(np.float32)
    return network._replace(inputs=halved)


def write_network(path: Path, network: Network) -> None:
    """Write a weights file, whole or not at all. Equal networks give equal bytes."""
    partial = path.with_name(f"{path.name}.partial")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in _network_arrays(network).items():
            content = io.BytesIO()
            np.lib.format.write_array(content, array, allow_pickle=False)
            # The date of a member would make every file another one.
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy"), content.getvalue(), zipfile.ZIP_DEFLATED
            )
    partial.replace(path)


def _network_arrays(network: Network) -> dict[str, np.ndarray]:
    arrays: dict[str, np.ndarray] = network._asdict()
    return {
        "features_version": np.array(FEATURES_VERSION),
        **arrays,
        "inputs": network.inputs.astype(np.float16),
    }


def read_network(path: Path) -> tuple[Network, str]:
    """The network of a weights file, and the start of the file's SHA-256.

    Raises:
        ConfigError: the file is missing or damaged, or holds something else.
    """
    try:
        content = path.read_bytes()
        stored = unpack_arrays(content)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read the reference classifier {path}: {error}") from error
    version = stored.pop("features_version", None)
    numbers = all(array.dtype.kind == "f" for array in stored.values())
    if version is None or set(stored) != set(Network._fields) or not numbers:
        raise ConfigError(f"{path} holds no reference classifier: {', '.join(sorted(stored))}")
    if version.tolist() != FEATURES_VERSION:
        raise ConfigError(f"{path} was trained on other features: train it again")
    network = Network(**{name: array.astype(np.float32) for name, array in stored.items()})
    if not _is_consistent(network):
        raise ConfigError(f"{path} holds a reference classifier of impossible shapes or values")
    return network, hashlib.sha256(content).hexdigest()[:12]


def _is_consistent(network: Network) -> bool:
    """Whether the arrays belong together and are finite."""
    shapes = [array.shape for array in network]
    width = shapes[0][-1] if len(shapes[0]) == 2 else 0
    linear = [(INPUTS, 1), (1,), (0,), (0,), (2,)]
    layered = [(INPUTS, width), (width,), (width,), (1,), (2,)]
    return shapes in (linear, layered) and all(np.isfinite(array).all() for array in network)
