"""Arrays out of a file of numpy's kind (`.npz`), whose digest names the weights in it."""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

DAMAGE = (
    OSError,
    EOFError,
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)
"""What numpy and zipfile raise of damaged files: their readers check little themselves."""


class DamagedArraysError(ValueError):
    """A file of arrays cannot be read."""


def unpack_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """The arrays of an .npz by their names; numbers that are not finite are damage, too.

    Raises:
        DamagedArraysError: it is none, or is damaged.
    """
    try:
        with np.load(io.BytesIO(content)) as held:
            arrays = {name: np.asarray(held[name]) for name in held.files}
    except DAMAGE as error:
        raise DamagedArraysError(" ".join(str(error).split()) or type(error).__name__) from error
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise DamagedArraysError(f"{name} has numbers that are not finite")
    return arrays


def digest_of(weights: bytes) -> str:
    """What names a weights file: the start of its SHA-256."""
    return sha256(weights).hexdigest()[:12]
