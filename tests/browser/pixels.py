"""The pixels of a screenshot, to see whether what should be drawn is drawn."""

import struct
import zlib

import numpy as np


def pixels(png: bytes) -> np.ndarray:
    """Rows × columns × 3 of an 8-bit PNG without interlacing (PNG, sections 9 and 11)."""
    width, height, depth, colour = struct.unpack(">IIBB", png[16:26])
    assert depth == 8
    channels = {2: 3, 6: 4}[colour]
    packed, at = b"", 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        if png[at + 4 : at + 8] == b"IDAT":
            packed += png[at + 8 : at + 8 + length]
        at += length + 12
    stride = width * channels
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, stride + 1)
    actual = np.zeros((height, stride), np.uint8)
    above = np.zeros(stride, np.uint8)
    for number, row in enumerate(rows):
        above = actual[number] = _unfiltered(row[0], row[1:], above, channels)
    return actual.reshape(height, width, channels)[:, :, :3]


def share_of(picture: np.ndarray, colour: tuple[int, int, int]) -> float:
    """Share of the pixels that have a colour, to within rounding."""
    return float((np.abs(picture.astype(int) - colour).max(axis=2) <= 2).mean())


def _unfiltered(kind, row, above, channels):
    if kind == 0:
        return row
    if kind == 2:
        return row + above
    line, up = row.reshape(-1, channels).astype(int), above.reshape(-1, channels).astype(int)
    if kind == 1:
        return (np.cumsum(line, axis=0) % 256).astype(np.uint8).reshape(-1)
    left, corner = [0] * channels, [0] * channels
    actual = np.zeros_like(line)
    for at, (values, over) in enumerate(zip(line.tolist(), up.tolist(), strict=True)):
        guess = _averages(left, over) if kind == 3 else _paeth(left, over, corner)
        left = [(v + g) % 256 for v, g in zip(values, guess, strict=True)]
        actual[at], corner = left, over
    return actual.astype(np.uint8).reshape(-1)


def _averages(left, up):
    return [(a + b) // 2 for a, b in zip(left, up, strict=True)]


def _paeth(left, up, corner):
    guesses = []
    for a, b, c in zip(left, up, corner, strict=True):
        p = a + b - c
        guesses.append(min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2])
    return guesses
