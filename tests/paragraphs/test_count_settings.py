"""Which numbers CountParagraphs can work with."""

import pytest

from pipeline.core.failures import ConfigError
from pipeline.paragraph_extraction import CountParagraphs


@pytest.mark.parametrize("said", [{"max_distance": 0}, {"max_distance": 63}, {"window": 0}])
def test_the_least_and_the_most_are_taken(settings, said):
    settings()
    CountParagraphs(dump="2024-10", num_partitions=1, **said).check()


@pytest.mark.parametrize(
    "said", [{"max_distance": -1}, {"max_distance": 64}, {"window": -1}, {"num_partitions": 0}]
)
def test_what_lies_beyond_is_refused(settings, said):
    settings()
    with pytest.raises(ConfigError, match=next(iter(said))):
        CountParagraphs(dump="2024-10", **said).check()
