"""A bench of its own for each test of the graph; the whole run and the corpus are everybody's."""

import pytest

from tests.graph.bench import Bench


@pytest.fixture
def bench(tmp_path, crawl_url) -> Bench:
    return Bench(tmp_path / "bench", crawl_url)
