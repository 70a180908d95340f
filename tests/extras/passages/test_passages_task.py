"""The limits of FindRepeatedPassages, which texts it takes, and what it counts."""

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.extras.passages.passages import KEEP, PASSAGES_TYPE, TEXT, kept_texts
from skord.extras.passages.task import FindRepeatedPassages


def test_a_text_of_which_nobody_says_that_it_is_kept_is_not():
    batch = pa.table({TEXT: ["a", "b", None, "d"], KEEP: [True, False, True, None]})
    assert kept_texts(batch).to_pylist() == ["a", None, None, None]


@pytest.mark.parametrize(
    ("length", "parts", "works"), [(2, 1, 1), (1, 1, 0), (2, 0, 1), (2, -1, 0)]
)
def test_a_passage_has_two_tokens_and_no_part_is_below_nought(settings, length, parts, works):
    settings()
    task = FindRepeatedPassages(dump="2024-10", length=length, num_partitions=parts)
    if works:
        task.check()
    else:
        with pytest.raises(ConfigError, match="2 or more"):
            task.check()


def test_texts_with_passages_are_counted_and_passages(settings):
    settings()
    one = {"start": 0, "end": 5, "copies": 2, "is_first": True}
    rows = pa.array([[one], [], None, [one, one, one]], PASSAGES_TYPE)
    task = FindRepeatedPassages(dump="2024-10")
    counted = task.count(pa.table({"repeated_passages": rows}))
    assert counted == {"texts_with_passages": 2, "passages": 4}
    none = task.count(pa.table({"repeated_passages": pa.array([], PASSAGES_TYPE)}))
    assert none == {"texts_with_passages": 0, "passages": 0}
