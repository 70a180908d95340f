"""Pages that are too deep for the reader of what pandoc read."""

from __future__ import annotations

import re

MAX_DEPTH = 60
"""Lists, quotations, cells and styles in one another."""

_STYLE_TAGS = "a b code del dfn em i kbd q s samp strike strong sub sup tt"
_STYLES = frozenset(_STYLE_TAGS.split())
_DEEP = "ul ol li blockquote dl dt dd table thead tr td th caption figure figcaption"
_TAG = re.compile(rf"<(/?)({'|'.join([*_DEEP.split(), *_STYLE_TAGS.split()])})(?: [^>]*)?>")


def less_deep(cleaned_html: str) -> str:
    """A page without what stands deeper than any reader could follow; all text stays.

    >>> less_deep("<ul><li>" * 31 + "x")[-19:]
    '<ul><li><div><div>x'
    """
    depth = 0

    def shallow(tag: re.Match[str]) -> str:
        nonlocal depth
        depth -= bool(tag[1])
        is_deep = depth >= MAX_DEPTH
        depth += not tag[1]
        return tag[0] if not is_deep else "" if tag[2] in _STYLES else f"<{tag[1]}div>"

    return _TAG.sub(shallow, cleaned_html)
