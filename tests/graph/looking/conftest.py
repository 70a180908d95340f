"""The report of the whole graph."""

import pytest

from tests.graph.bench import DUMP


@pytest.fixture(scope="session")
def report(whole):
    status, output = whole.run(
        "-m", "pipeline", "report", "--dump", DUMP, "--out", str(whole.folder / "report.html")
    )
    assert status == 0, output
    return whole.folder / "report.html"
