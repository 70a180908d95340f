"""Arrays as a file of numpy's kind (`.npz`) whose bytes depend on the arrays alone.

`numpy.savez_compressed` leaves the headers to Python's `zipfile`, which writes other ones in
Python 3.11.2 than in 3.11.7; a file's digest names the weights in it. What is compressed is
still as this machine's zlib does it.
"""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
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


# Fields of PKWARE's APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16.
_VERSION = 45  # sizes of 64 bits
_DEFLATED = 8
_FIRST_DAY = 0x21  # 1980-01-01
_UNIX, _FOR_OWNER = 3, 0o600 << 16
_LOCAL = struct.Struct("<4sHHHHHLLLHH")
_LARGE_SIZES = struct.Struct("<HHQQ")
_CENTRAL = struct.Struct("<4sBBHHHHHLLLHHHHHLL")
_END = struct.Struct("<4sHHHHLLH")
_IN_EXTRA = 0xFFFFFFFF


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays of at most 4 GB each under their names; `numpy.load` reads them."""
    content, directory = bytearray(), bytearray()
    for name, array in arrays.items():
        at = len(content)
        local, central = _archive_member(f"{name}.npy".encode(), _array_bytes(array), at)
        content += local
        directory += central
    count = len(arrays)
    end = _END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(content), 0)
    path.write_bytes(bytes(content + directory + end))


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


def _array_bytes(array: NDArray[Any]) -> bytes:
    """As numpy writes one array, without pickles."""

    file = io.BytesIO()
    np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
    return file.getvalue()


def _archive_member(name: bytes, data: bytes, at: int) -> tuple[bytes, bytes]:
    """What stands for a file of the archive at its place, and in the directory at the end."""
    deflate = zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = deflate.compress(data) + deflate.flush()
    said = (0, _DEFLATED, 0, _FIRST_DAY, zlib.crc32(data))
    sizes = _LARGE_SIZES.pack(1, 16, len(data), len(packed))
    large = (_IN_EXTRA, _IN_EXTRA, len(name), len(sizes))
    local = _LOCAL.pack(b"PK\3\4", _VERSION, *said, *large) + name + sizes + packed
    small = (len(packed), len(data), len(name), 0, 0, 0, 0, _FOR_OWNER, at)
    return local, _CENTRAL.pack(b"PK\1\2", _VERSION, _UNIX, _VERSION, *said, *small) + name
