"""Weights of registers of another shape decide nothing, of `skord.models.registers.interface`."""

import numpy as np
import pytest

from skord.core.failures import ConfigError
from skord.models.registers.interface import WEIGHTS, load_registers


@pytest.mark.parametrize(
    ("name", "shape"), [("second", (1, 6)), ("second", (25, 1)), ("least", (0,))]
)
def test_weights_of_another_shape_are_refused(tmp_path, name, shape):
    """Numpy would repeat what has one row or column."""
    with np.load(WEIGHTS) as held:
        arrays = {**held, name: np.zeros(shape, np.float32)}
    np.savez(tmp_path / "weights.npz", **arrays)

    with pytest.raises(ConfigError, match="weights of another shape"):
        load_registers(str(tmp_path / "weights.npz"))
