"""Fields of evaluation sets as texts."""

import pytest

from skord.extras.contamination.evaluation_sets import _field_text


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("ett", "ett"),
        (3, "3"),
        (["ett", None, 2], "ett\n2"),
        ({"text": ["ett", "två"], "label": None, "more": "tre"}, "ett\ntvå\ntre"),
        ([], ""),
    ],
)
def test_what_is_missing_in_a_list_or_an_object_is_left_out(value, said):
    assert _field_text(value) == said
