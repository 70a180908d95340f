"""Which blocks of code are prose: `skord.models.line_classifier.features.code_blocks`."""

import pytest

from skord.models.line_classifier.features.code_blocks import is_prose

STATUTE = "Konungen förordnar att denna lag skall gälla i hela riket från den dag, då den utgivits."


@pytest.mark.parametrize(
    ("lines", "prose"),
    [
        ([STATUTE] * 3, True),
        ([STATUTE.replace(",", "").replace(".", "")] * 3, False),
        (["ip nat inside source list pool overload", "permit ip any any log"] * 6, False),
        (["ip nat inside source list pool overload, then"] * 5, True),
        ([STATUTE], False),
    ],
)
def test_prose_has_signs_that_end_or_part_its_sentences(lines, prose):
    assert is_prose(["```", *lines, "```"]) is prose
