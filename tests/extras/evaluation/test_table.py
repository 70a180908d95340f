"""The table of `skord study evaluate`: which difference is one."""

import pytest

from skord.extras.evaluation.evaluate import lines_of
from skord.models.byte_models.compare import Figure


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [(-0.2, -0.1, "better"), (0.1, 0.2, "worse"), (-0.1, 0.1, "no difference"),
     (-0.2, 0.0, "no difference"), (0.0, 0.2, "no difference")],
)  # fmt: skip
def test_a_difference_is_one_where_its_bounds_leave_out_zero(low, high, verdict):
    figures = [
        Figure("A", "ngrams", 2.0, 1.9, 2.1, None),
        Figure("B", "ngrams", 2.1, 2.0, 2.2, ((low + high) / 2, low, high)),
    ]
    _, first, second = lines_of(figures)
    assert first.split() == ["ngrams", "2.0000", "1.900", "to", "2.100", "A"]
    assert second.endswith("B")
    assert f"({low:+.4f} to {high:+.4f}) {verdict}  " in second
