"""Which part of a text tells its language.

Uzushio counts the n-grams of the characters outside ASCII and nothing else: in a page in
Japanese or Greek, whatever is in ASCII is markup, code, names and advertisements. That cannot
tell languages in Latin script, which it does not take at all. Here a page in another script
is judged in its way, and every other page by its whole text.
"""

from __future__ import annotations

import re

MIN_LETTERS = 256
"""More letters of other scripts than this are enough to go by (Uzushio's number)."""

MIN_SHARE = 0.2
"""Of all letters. A Swedish page that quotes some Greek stays a Swedish page."""

SAMPLE_CHARS = 5_120
"""Characters looked at, runs of ASCII counted as one (Uzushio's buffer)."""

_LETTERS = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPTS = re.compile(
    "[^\\W\\d_\x00-\u02ff\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f"
    "\uff21-\uff3a\uff41-\uff5a]+"
)
"""Letters that are not Latin ones: ASCII to IPA, the later blocks, the full-width forms."""

_ASCII = re.compile("[\x00-\x7f]+")


def telling_text(text: str) -> str:
    """Return what the language of a page is to be judged by.

    Args:
        text: of the page, without paths and link marks.

    Returns:
        The first characters outside ASCII, each run of others between them one space, where
        letters of another script than Latin abound; else the text itself.

    >>> telling_text("これは本です。see also: " * 60)[:13]
    'これは本です。 これは本で'
    >>> telling_text("Blåbärssylt")
    'Blåbärssylt'
    """
    others = sum(map(len, _OTHER_SCRIPTS.findall(text)))
    if others <= MIN_LETTERS or others < MIN_SHARE * sum(map(len, _LETTERS.findall(text))):
        return text
    return _ASCII.sub(" ", text).strip()[:SAMPLE_CHARS]
