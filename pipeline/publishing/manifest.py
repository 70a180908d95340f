"""What phases and manifest of a published corpus are called, and the lists' part in them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from pipeline.publishing.removals.lists import state_of

FILES = "files"
CARD = "card"
"""The phases that write what is published."""

FACTS = "card"
REMOVALS = "removals"
FORM = "form"
"""Keys of the manifest: what the card says besides figures, the lists in force, the form."""


def overlaid(fingerprint: str, names: Sequence[str]) -> str:
    """The fingerprint of what depends on the lists, too.

    >>> overlaid("0123", ())
    '0123'
    """
    state = state_of(names)
    return (
        hashlib.sha256(f"{fingerprint}{state}".encode()).hexdigest()[:16] if state else fingerprint
    )
