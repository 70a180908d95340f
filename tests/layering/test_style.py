"""Style and types are tests like any other."""

import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.conftest import ROOT

WITH_TYPED_LUIGI = pytest.mark.skipif(
    version("luigi").split(".")[:2] in (["3", "6"], ["3", "7"]),
    reason="Luigi has types from 3.8 on, which Python 3.14 cannot have",
)


@pytest.mark.timeout(3600)  # mypy has taken 505 s without its cache on two cores at load 12
@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        pytest.param(("mypy",), marks=WITH_TYPED_LUIGI),
    ],
    ids=["ruff", "format", "mypy"],
)
def test_the_tree_is_clean(command):
    program = shutil.which(command[0], path=str(Path(sys.executable).parent))
    assert program, f"{command[0]} is not installed beside {sys.executable}"

    done = subprocess.run(
        [program, *command[1:]], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
