"""Weights cut or changed anywhere are refused in one sentence, whichever model they are of."""

import random
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from skord.models.education import interface as education
from skord.models.line_classifier import interface as lines
from skord.models.line_classifier.network import read_network
from skord.models.registers import interface as registers
from skord.models.scandinavian import interface as scandinavian
from skord.models.scandinavian.interface import read_weights

LOADERS = {
    "education": (education.WEIGHTS, lambda path: education.load_education(str(path))),
    "registers": (registers.WEIGHTS, lambda path: registers.load_registers(str(path))),
    "scandinavian": (scandinavian.WEIGHTS, read_weights),
    "lines": (lines.WEIGHTS, lambda path: read_network(path, with_context=False)),
}


def damaged(content: bytes, chance: random.Random) -> bytes:
    """Cut, or with some bytes changed: at the ends, where headers and the directory stand, or within."""
    if chance.random() < 0.2:
        return content[: chance.randrange(len(content))]
    changed = bytearray(content)
    for _ in range(chance.randrange(1, 6)):
        place = chance.choice([chance.randrange(300), len(content) - 1 - chance.randrange(600)])
        changed[place] = chance.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("name", LOADERS)
def test_damage_is_one_sentence(name, tmp_path):
    whole, load = LOADERS[name]
    content, chance, messages = Path(whole).read_bytes(), random.Random(11), []
    for number in range(40):
        path = tmp_path / f"{number}.npz"
        path.write_bytes(damaged(content, chance))
        try:
            load(path)
        except ConfigError as error:
            messages.append(str(error))

    assert len(messages) > 25
    assert all(str(tmp_path) in sentence and "\n" not in sentence for sentence in messages)
