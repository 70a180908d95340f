"""Damage done to a sample crawl on purpose, and what should come of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError
from skord.sample_crawl.captures.drafts import number_of
from skord.sample_crawl.captures.schedule import Placed
from skord.sample_crawl.crawl_files import Stored

_TURNED_OVER_BYTES = 16


@dataclass(frozen=True)
class Damage:
    """How many ordinary pages to spoil, each in one way.

    Attributes:
        corrupt_members: the response's gzip member in the WARC file cannot be unpacked.
        wrong_digests: the index gives a digest that the payload does not have.
        missing_from_index: the index has no line for the capture.
    """

    corrupt_members: int = 0
    wrong_digests: int = 0
    missing_from_index: int = 0


def chosen_for_damage(placed: Sequence[Placed], damage: Damage, seed: str) -> dict[str, str]:
    """Choose ordinary pages to damage; return the outcome to expect by record id.

    Raises:
        ConfigError: there are fewer ordinary pages than damage asked for.
    """
    wanted = (
        ["bad_gzip"] * damage.corrupt_members
        + ["digest_mismatch"] * damage.wrong_digests
        + ["not_in_index"] * damage.missing_from_index
    )
    times = Counter(one.draft.url for one in placed)
    copied = {one.draft.gold.variant_of for one in placed if one.draft.gold}
    ordinary = [
        one.fetch.record_id
        for one in placed
        if one.draft.gold
        and one.draft.gold.outcome in ("kept", None)
        and one.draft.url not in copied
        and times[one.draft.url] == 1
    ]
    if len(wanted) > len(ordinary):
        raise ConfigError(f"damage to {len(wanted)} pages, but only {len(ordinary)} are ordinary")
    ordinary.sort(key=lambda record_id: number_of(seed, "damage", record_id))
    return dict(zip(ordinary, wanted, strict=False))


def index_digest(stored: Stored, spoiled: Mapping[str, str]) -> str:
    """Return the digest that the index gives for a capture: a wrong one where that is wanted."""
    digest = stored.fetch.payload_digest()
    if spoiled.get(stored.fetch.record_id) == "digest_mismatch":
        return digest[::-1] if digest != digest[::-1] else "A" * len(digest)
    return digest


def corrupt(out: Path, stored: Iterable[Stored]) -> None:
    """Turn over a few bytes in the middle of each member; its length stays."""
    for one in stored:
        content = bytearray((out / one.filename).read_bytes())
        start = one.offset + one.length // 2
        part = content[start : start + _TURNED_OVER_BYTES]
        content[start : start + _TURNED_OVER_BYTES] = bytes(byte ^ 0xFF for byte in part)
        (out / one.filename).write_bytes(content)
