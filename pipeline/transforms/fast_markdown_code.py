"""A block of code under way."""

from __future__ import annotations

import re

from pipeline.transforms.fast_markdown_inlines import unescape
from pipeline.transforms.fast_markdown_tree import Block

_CLASS = re.compile(r' class="([^"]*)"')


class CodeUnderWay:
    """Takes the texts and tags inside `<pre>`; only breaks show of the tags.

    Args:
        attributes: of `<pre>`, as written; its class names a language.
    """

    def __init__(self, attributes: str) -> None:
        language = _CLASS.search(attributes)
        self._language = unescape(language[1]) if language else ""
        self._texts: list[str] = []

    def text(self, text: str) -> None:
        """Take a text."""
        self._texts.append(text)

    def line_break(self) -> None:
        """Take a `<br>`."""
        self._texts.append("\n")

    def block(self) -> Block:
        """The code, without a line break of its own at either end."""
        text = "".join(self._texts).removeprefix("\n").removesuffix("\n")
        return Block("code", text=text, name=self._language)
