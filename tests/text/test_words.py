"""Where texts begin in what Arrow holds of them, of `skord.text.words`."""

from itertools import pairwise

import pyarrow as pa
import pytest

from skord.text.words import string_buffers


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
@pytest.mark.parametrize(("first", "length"), [(0, 4), (1, 2), (2, 2), (4, 0), (0, 1)])
def test_there_is_one_place_more_than_there_are_texts(kind, first, length):
    whole = [b"ett", b"", "två å".encode(), b"tre"]
    texts = pa.array(whole, pa.binary()).cast(kind).slice(first, length)

    starts, data = string_buffers(texts)

    assert len(starts) == length + 1
    found = [bytes(data[a:b]) for a, b in pairwise(starts)]
    assert found == whole[first : first + length]


def test_no_texts_have_one_place():
    assert string_buffers(pa.array([], pa.string()))[0].tolist() == [0]
