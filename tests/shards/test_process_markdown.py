"""Which thresholds ProcessMarkdown takes, of `pipeline.markdown_processing`."""

import pytest

from pipeline.markdown_processing import ProcessMarkdown
from skord.core.failures import ConfigError


@pytest.mark.parametrize("threshold", [None, 0.0, 0.5, 1.0])
def test_a_probability_is_a_threshold(settings, threshold):
    settings()
    ProcessMarkdown(dump="2024-10", line_filter_threshold=threshold).check()


@pytest.mark.parametrize("threshold", [-0.1, 1.1, 2.0])
def test_anything_else_is_none(settings, threshold):
    settings()
    with pytest.raises(ConfigError, match="must lie between 0 and 1, or be empty"):
        ProcessMarkdown(dump="2024-10", line_filter_threshold=threshold).check()
