"""The selection of the whole graph, exported and minified."""

import pytest

from tests.graph.bench import Bench
from tests.graph.publishing.ccnet_forms import EXPORT, MINIFY, copy_of, run


@pytest.fixture(scope="module")
def ccnet(whole, tmp_path_factory) -> Bench:
    """The selection of the whole graph, exported and minified."""
    bench = copy_of(
        whole, tmp_path_factory.mktemp("ccnet"), ("DownloadWET", "HashParagraphs", "CCNet")
    )
    run(bench, EXPORT)
    run(bench, MINIFY)
    return bench
