"""How an input is changed: by what it is made of, so that readers get beyond their first check."""

from __future__ import annotations

import gzip
import random
import re
import zlib
from collections.abc import Callable, Sequence

EDGES = (0, 1, 2, 127, 128, 255, 256, 32767, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
MOST_BYTES = 1 << 18
"""Longer inputs are cut, but for models; what is quadratic shows before."""

Mutation = Callable[[random.Random, bytes], bytes]

WORDS = (
    b"WARC/1.0\r\n",
    b"\r\n\r\n",
    b"Content-Length: ",
    b"Content-Length: -1\r\n",
    b"\0",
    b"\xff",
    b"Content-Length: 99999999999999999999\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"\xf4\x90",
    b"Content-Encoding: gzip\r\n",
    b"WARC-Type: response\r\n",
    b"WARC-Target-URI: <>\r\n",
    b"\xed\xa0\x80",
    b"WARC-Refers-To: <urn:uuid:\r\n",
    b"HTTP/1.1 200\r\n",
    b"<meta charset=utf-7>",
    b"\xfe\xff",
    b"\xff\xfe",
    b"<table>",
    b"<svg>",
    b"<math>",
    b"<template>",
    b"<plaintext>",
    b"<!--",
    b"-->",
    b"<![CDATA[",
    b"]]>",
    b"<select><option>",
    b"</p>",
    b"<a href=",
    b"<pre>",
    b"<ul><li>",
    b"<blockquote>",
    b"&#x110000;",
    b"&NotA",
    b"&#0;",
    b"<td colspan=999999999 rowspan=4294967296>",
    b"<ol start=-9223372036854775808>",
    b"\\",
    b"`",
    b"|",
    b"com,example)/ 20240101000000 {",
    b'"offset": "-1"',
    b'"length": 1e400',
    b"\xe2\x80\xa8",
    b"\xcc\x81" * 40,
)
_TOKENS = re.compile(rb"<[^>]{0,200}>?|&#?\w{0,12};?|\s+|[^<&\s]+")
_NUMBERS = re.compile(rb"\d+")


def bytewise(dice: random.Random, data: bytes) -> bytes:
    """Turn, insert, remove, repeat or overwrite a few bytes."""
    made = bytearray(data or b"\0")
    for _ in range(dice.choice((1, 1, 2, 5))):
        at = dice.randrange(len(made) or 1)
        length = dice.choice((1, 2, 4, 8, 50))
        match dice.randrange(6):
            case 0 if made:
                made[at] ^= 1 << dice.randrange(8)
            case 1:
                made[at:at] = dice.randbytes(length)
            case 2:
                del made[at : at + length]
            case 3:
                made[at:at] = made[at : at + length] * dice.choice((2, 20, 300))
            case 4:
                width = dice.choice((1, 2, 4, 8))
                made[at : at + width] = (dice.choice(EDGES) % 256**width).to_bytes(width, "little")
            case _:
                made[at:at] = dice.choice(WORDS)
    return bytes(made)


def cut(dice: random.Random, data: bytes) -> bytes:
    """Keep the first bytes, or the last."""
    at = dice.randrange(len(data) + 1)
    return data[:at] if dice.random() < 0.8 else data[at:]


def tokenwise(dice: random.Random, data: bytes) -> bytes:
    """Move, repeat, nest or remove tags, entities and words."""
    tokens = _TOKENS.findall(data) or [b"a"]
    for _ in range(dice.choice((1, 3, 10))):
        at, other = dice.randrange(len(tokens)), dice.randrange(len(tokens))
        match dice.randrange(6):
            case 0:
                tokens[at], tokens[other] = tokens[other], tokens[at]
            case 1:
                tokens[at] = b"" if len(tokens) > 1 else b"a"
            case 2:
                tokens[at] *= dice.choice((2, 30, 400))
            case 3:
                tokens[at] = tokens[other]
            case 4:
                tokens[at] += dice.choice(WORDS)
            case _:
                low, high = sorted((at, other))
                tokens[at:at] = tokens[low : min(high, low + 40)] * dice.choice((1, 3))
    return b"".join(tokens)


def numberwise(dice: random.Random, data: bytes) -> bytes:
    """Write another number where one stands."""
    places = list(_NUMBERS.finditer(data))
    if not places:
        return bytewise(dice, data)
    place = dice.choice(places)
    number = dice.choice((*EDGES, -1, 10**30, int(place[0][:18]) + 1))
    return data[: place.start()] + str(number).encode() + data[place.end() :]


def spliced(dice: random.Random, data: bytes, other: bytes) -> bytes:
    """The beginning of one and the end of another."""
    return data[: dice.randrange(len(data) + 1)] + other[dice.randrange(len(other) + 1) :]


def memberwise(inner: Sequence[Mutation]) -> Mutation:
    """Change what gzip members hold and pack it again, or change the members."""

    def mutate(dice: random.Random, data: bytes) -> bytes:
        parts = members_of(data)
        if not parts:
            return bytewise(dice, data)
        at = dice.randrange(len(parts))
        match dice.randrange(8):
            case 0:
                parts[at : at + 1] = []
            case 1:
                parts.insert(at, parts[at])
            case 2:
                parts[at : at + 2] = [b"".join(parts[at : at + 2])]
            case _:
                parts[at] = dice.choice(inner)(dice, parts[at])
        packed = [gzip.compress(part, 1, mtime=0) for part in parts]
        if packed and dice.random() < 0.2:
            at = dice.randrange(len(packed))
            packed[at] = dice.choice((bytewise, cut))(dice, packed[at])
        return b"".join(packed) or b"\x1f\x8b"

    return mutate


def members_of(data: bytes) -> list[bytes]:
    """What the gzip members of a file hold, up to the first that cannot be read."""
    parts: list[bytes] = []
    while data:
        inflater = zlib.decompressobj(31)
        try:
            part = inflater.decompress(data, MOST_BYTES)
        except zlib.error:
            break
        if not inflater.eof:
            break
        parts.append(part)
        data = inflater.unused_data
    return parts


TEXTUAL: tuple[Mutation, ...] = (bytewise, tokenwise, tokenwise, numberwise, cut)
PACKED: tuple[Mutation, ...] = (memberwise(TEXTUAL), memberwise(TEXTUAL), bytewise, cut)
BINARY: tuple[Mutation, ...] = (bytewise, bytewise, cut)
