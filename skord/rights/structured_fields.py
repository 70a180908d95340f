"""Dictionaries of structured fields (RFC 9651 §3.2), as far as Content-Usage needs them, and the
lists of Content-Signal, which are none."""

from __future__ import annotations

import http_sf
from http_sf import StructuredFieldError, Token

REFUSABLE = ("train-ai", "ai", "genai", "train-genai", "tdm", "bots")
"""Uses that a corpus is made for: the label of draft-ietf-aipref-vocab, then those of its earlier
versions, which sites still write."""


def parse_field_dictionary(field: str) -> dict[str, str]:
    """Keys to the tokens that are their values; "" for a value of another type.

    >>> parse_field_dictionary('train-ai=y, search=n;why="x", bots')
    {'train-ai': 'y', 'search': 'n', 'bots': ''}

    Raises:
        StructuredFieldError: it is no dictionary; as a whole it counts for nothing.
    """
    members = http_sf.parse(field.encode(errors="replace"), tltype="dictionary")
    assert isinstance(members, dict)
    values = {key: one[0] if isinstance(one, tuple) else one for key, one in members.items()}
    return {key: str(value) if isinstance(value, Token) else "" for key, value in values.items()}


def refused_uses(field: str) -> list[str]:
    """Which of the uses in `REFUSABLE` a Content-Usage field refuses; none where it is malformed.

    >>> [refused_uses(field) for field in ("train-ai=n, search=y", "train-ai=y, train-ai", "A=n")]
    [['train-ai'], [], []]
    """
    try:
        values = parse_field_dictionary(field)
    except StructuredFieldError:
        return []
    return [use for use in REFUSABLE if values.get(use) == "n"]


def refuses_training(signals: str) -> bool:
    """Whether a Content-Signal (contentsignals.org, draft-romm-aipref-contentsignals) does.

    Names and values are separated by "=" and one another by ","; case and blanks do not count. Of
    two that contradict each other the refusal counts.

    >>> refuses_training("search=yes, ai-train=no"), refuses_training("ai-input=no, ai-train=yes")
    (True, False)
    """
    pairs = ("".join(part.split()).lower() for part in signals.split(","))
    return "ai-train=no" in pairs
