"""Many texts at once, as Arrow holds them, for compiled code.

There are two kinds of words. SWEb's are runs without white space, with ASCII punctuation taken
out. The plain ones are those with all punctuation and symbols taken out, cut also where the
script changes in Japanese, which writes no spaces. Both are known by a polynomial over their
lower-case, decomposed letters modulo 2**64: two words of one number would be taken for one,
which in a text of a thousand words happens once in some 10**13 texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray


def string_buffers(texts: pa.Array) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Where each text or binary begins, one entry more than there are, and the bytes of all."""
    import numpy as np
    import pyarrow as pa

    is_binary = pa.types.is_large_binary(texts.type) or pa.types.is_binary(texts.type)
    large = texts.cast(pa.large_binary() if is_binary else pa.large_string())
    _, offsets, data = large.buffers()
    starts = np.frombuffer(offsets, np.int64)[large.offset : large.offset + len(large) + 1]
    return starts, np.frombuffer(data or b"", np.uint8)
