"""The report of the whole graph."""

import pytest

from tests.graph.bench import DUMP


@pytest.fixture(scope="session")
def report(whole):
    out = whole.folder / "reports/first/report.html"  # folders that are made
    status, output = whole.run("-m", "pipeline", "report", "--dump", DUMP, "--out", str(out))
    assert status == 0, output
    return out
