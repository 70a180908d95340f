from __future__ import annotations

import json
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
GROUPS = ("in_the_wild", "negative", "synthetic", "known_failures")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `case` runs once for each case of its module's `CASE_FILE`."""
    if "case" in metafunc.fixturenames:
        groups = json.loads((CASES / metafunc.module.CASE_FILE).read_text(encoding="utf-8"))
        assert tuple(groups) == GROUPS
        metafunc.parametrize("case", [p for name in GROUPS for p in params(name, groups[name])])


def params(group: str, cases: list[dict]) -> list:
    marks = (pytest.mark.xfail(strict=True),) if group == "known_failures" else ()
    return [pytest.param(case, id=f"{group}: {case['label']}", marks=marks) for case in cases]


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the evaluation data beside a development checkout; no part of the project."""
    folder = Path(__file__).parents[3] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the data beside a development checkout is not here")
    return folder
