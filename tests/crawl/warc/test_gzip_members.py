"""Multi-member gzip: one damaged member costs one member, in bounded memory."""

from __future__ import annotations

import gzip
import io
import random
import tracemalloc

import pytest

from skord.crawl.warc.gzip import BrokenMember, GzipFailure, Member, Window, gzip_members

TEXTS = [f"record {number} ".encode() * 40 for number in range(5)]
PACKED = [gzip.compress(text, mtime=0) for text in TEXTS]
NOISE = random.Random(7)


class Trickle(io.RawIOBase):
    """A stream that cannot seek and gives a few bytes at a time, as a socket may."""

    def __init__(self, content: bytes) -> None:
        self._content = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._content.read(min(size, 7))


def read(content: bytes, **options: int) -> list[Member | BrokenMember]:
    return list(gzip_members(io.BytesIO(content), **options))


def texts_of(items: list[Member | BrokenMember]) -> list[bytes | str]:
    return [item.data if isinstance(item, Member) else str(item.reason) for item in items]


def test_every_member_comes_with_the_range_that_holds_it() -> None:
    content = b"".join(PACKED)
    for item, text in zip(read(content), TEXTS, strict=True):
        assert isinstance(item, Member)
        assert item.data == text
        assert gzip.decompress(content[item.offset : item.offset + item.length]) == text


def test_a_stream_that_trickles_reads_the_same() -> None:
    damaged = [PACKED[0], PACKED[1][:20] + b"\xff" * 20, *PACKED[2:]]
    content = b"".join(damaged)
    assert list(gzip_members(Trickle(content))) == read(content)  # type: ignore[arg-type]


def flipped_in_the_data(member: bytes) -> bytes:
    return member[:14] + bytes([member[14] ^ 0xFF]) + member[15:]


def wrong_checksum(member: bytes) -> bytes:
    return member[:-8] + bytes(4) + member[-4:]


def wrong_size(member: bytes) -> bytes:
    return member[:-4] + bytes(4)


def cut_short(member: bytes) -> bytes:
    return member[:-9]


def broken_magic(member: bytes) -> bytes:
    return b"XX" + member[2:]


@pytest.mark.parametrize(
    "damage", [flipped_in_the_data, wrong_checksum, wrong_size, cut_short, broken_magic]
)
@pytest.mark.parametrize("place", range(5))
def test_damage_to_one_member_costs_one_member(damage, place: int) -> None:
    packed = list(PACKED)
    packed[place] = damage(packed[place])
    items = read(b"".join(packed))
    broken = [item for item in items if isinstance(item, BrokenMember)]
    assert [item.offset for item in broken] == [sum(map(len, PACKED[:place]))]
    assert [item.data for item in items if isinstance(item, Member)] == [
        text for number, text in enumerate(TEXTS) if number != place
    ]


def test_any_single_wrong_byte_costs_at_most_its_own_member() -> None:
    content = b"".join(PACKED)
    ends = [sum(map(len, PACKED[: number + 1])) for number in range(5)]
    for position in range(0, len(content), 3):
        wrong = bytes([content[position] ^ (1 + position % 255)])
        items = read(content[:position] + wrong + content[position + 1 :])
        hit = next(number for number, end in enumerate(ends) if position < end)
        kept = [text for number, text in enumerate(TEXTS) if number != hit]
        whole = [item.data for item in items if isinstance(item, Member)]
        assert whole in (kept, TEXTS), position  # TEXTS: a byte such as the mtime says nothing
        assert len(items) == len(TEXTS), position


def test_a_stored_block_that_claims_the_following_members_gives_them_back() -> None:
    noise = NOISE.randbytes(300)
    stored = gzip.compress(noise, compresslevel=0, mtime=0)
    assert stored[10] == 1
    claims_more = stored[:10] + b"\x00" + (60000).to_bytes(2, "little")
    claims_more += (60000 ^ 0xFFFF).to_bytes(2, "little") + stored[15:]
    items = read(claims_more + b"".join(PACKED))
    assert texts_of(items) == ["truncated", *TEXTS]


def test_a_file_that_ends_inside_a_member_says_so() -> None:
    content = b"".join(PACKED)[:-30]
    assert texts_of(read(content)) == [*TEXTS[:-1], "truncated"]


def test_zero_padding_is_no_damage_but_garbage_is() -> None:
    content = PACKED[0] + bytes(200) + PACKED[1] + bytes(100)
    assert texts_of(read(content)) == TEXTS[:2]
    assert texts_of(read(PACKED[0] + b"<html>" + PACKED[1])) == [TEXTS[0], "not_gzip", TEXTS[1]]
    assert read(b"no gzip at all") == [BrokenMember(0, GzipFailure.NOT_GZIP)]
    assert read(b"") == []


def test_a_gzip_file_stored_inside_a_whole_member_is_its_data() -> None:
    inner = gzip.compress(NOISE.randbytes(2000), mtime=0)
    outer = gzip.compress(inner, compresslevel=0, mtime=0)
    assert texts_of(read(outer + PACKED[0])) == [inner, TEXTS[0]]


def test_a_member_over_the_limit_is_passed_over_without_holding_it() -> None:
    huge = gzip.compress(bytes(80 << 20), mtime=0)
    content = PACKED[0] + huge + PACKED[1]
    tracemalloc.start()
    items = read(content, max_bytes=1 << 20)
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert texts_of(items) == [TEXTS[0], "too_large", TEXTS[1]]
    assert peak_bytes < 8 << 20
    exact = len(TEXTS[0])
    assert texts_of(read(PACKED[0], max_bytes=exact)) == [TEXTS[0]]
    assert texts_of(read(PACKED[0], max_bytes=exact - 1)) == ["too_large"]


def test_an_oversized_member_that_breaks_off_does_not_hide_the_next() -> None:
    huge = gzip.compress(NOISE.randbytes(300_000), mtime=0)
    content = huge[:-2000] + PACKED[0] + PACKED[1]
    assert texts_of(read(content, max_bytes=1000))[-1] == TEXTS[1]


def test_a_window_finds_a_pattern_across_its_reading_bounds() -> None:
    for position in range((64 << 10) - 6, (64 << 10) + 3):
        content = bytes(position) + b"NEEDLE" + bytes(100)
        window = Window(io.BytesIO(content))
        assert window.find(b"NEEDLE", 0) == position
        assert window.read(position, 6) == b"NEEDLE"
    assert Window(io.BytesIO(bytes(70_000))).find(b"NEEDLE", 0) == 70_000


def test_a_window_can_pass_over_more_than_it_holds() -> None:
    content = bytes(300_000) + b"here"
    window = Window(io.BytesIO(content))
    window.forget(300_000)
    assert window.read(300_000, 10) == b"here"
    window.forget(400_000)
    assert window.read(400_000, 1) == b""
