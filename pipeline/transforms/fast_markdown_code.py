"""A block of code under way."""

from __future__ import annotations

import re

from pipeline.transforms.fast_markdown_blocks import Block
from pipeline.transforms.fast_markdown_inlines import fence, unescape

_CLASS = re.compile(r' class="([^"]*)"')


class CodeUnderWay:
    """Takes the texts and tags inside `<pre>`; only breaks show of the tags.

    Args:
        attributes: of `<pre>`, as written; its class, which names a language, is read, or that
            of a `<code>` that it begins with.
    """

    def __init__(self, attributes: str) -> None:
        self._attributes = attributes
        self._texts: list[str] = []
        self._tags = 0

    def text(self, text: str) -> None:
        """Take a text."""
        self._texts.append(text)

    def open(self, name: str, attributes: str) -> None:
        """Take a start tag."""
        if name == "br":
            self._texts.append("\n")
        elif name == "code" and not self._tags and not self._texts:
            self._attributes = self._attributes or attributes
        self._tags += 1

    def block(self) -> Block:
        """The code between fences, without blanks at the ends of its lines."""
        text = "".join(self._texts).rstrip("\n")
        language = _CLASS.search(self._attributes)
        mark = fence(text)
        first = f"{mark} {unescape(language[1])}" if language else mark
        body = [line.rstrip() for line in text.split("\n")] if text else []
        return Block("lines", content=[first, *body, mark])
