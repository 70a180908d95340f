"""A small network that predicts the next byte from those before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class NetworkRecipe:
    """Every number of the training.

    Attributes:
        context: bytes that are looked at.
        width: of an embedded byte.
        hidden: units of each of two layers.
        steps: of training.
        batch: bytes foretold in a step.
        rate: of Adam at the beginning; it falls to a tenth.
    """

    context: int = 16
    width: int = 24
    hidden: int = 256
    steps: int = 1500
    batch: int = 1024
    rate: float = 2e-3


def network_bits(
    text: bytes, held_out: bytes, seed: int, recipe: NetworkRecipe | None = None
) -> NDArray[np.float64]:
    """Bits that each byte of a held-out text takes a network trained on another.

    Args:
        text: to train on; as many steps whatever its length.
        held_out: to predict.
        seed: of the first weights and the order of training; the same one gives the same bits.
        recipe: of the training.
    """
    import torch  # noqa: PLC0415 - takes a second, and only this needs it

    recipe = recipe or NetworkRecipe()
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    chance = np.random.default_rng(seed)
    model = torch.nn.Sequential(
        torch.nn.Embedding(256, recipe.width),
        torch.nn.Flatten(),
        torch.nn.Linear(recipe.context * recipe.width, recipe.hidden),
        torch.nn.GELU(),
        torch.nn.Linear(recipe.hidden, recipe.hidden),
        torch.nn.GELU(),
        torch.nn.Linear(recipe.hidden, 256),
    )
    windows = _byte_windows(text, recipe.context)
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe.rate)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.1, recipe.steps)
    for _ in range(recipe.steps):
        rows = torch.from_numpy(windows[chance.integers(0, len(windows), recipe.batch)])
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(rows[:, :-1]), rows[:, -1])
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        falling.step()
    held = _byte_windows(held_out, recipe.context)
    with torch.no_grad():
        parts = [
            torch.nn.functional.cross_entropy(
                model(rows[:, :-1]), rows[:, -1], reduction="none"
            ).numpy()
            for first in range(0, len(held), 8192)
            for rows in [torch.from_numpy(held[first : first + 8192].astype(np.int64))]
        ]
    bits: NDArray[np.float64] = np.concatenate(parts).astype(np.float64) / np.log(2)
    return bits


def _byte_windows(text: bytes, context: int) -> NDArray[np.int64]:
    """For each byte those before it, then itself; zeros before the start."""
    data = np.frombuffer(b"\0" * context + text, np.uint8)
    view = np.lib.stride_tricks.sliding_window_view(data, context + 1)
    return view.astype(np.int64)
