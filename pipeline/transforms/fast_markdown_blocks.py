"""Blocks of a page, and how they follow one another as lines of Markdown.

A list whose items all begin with plain text is tight: its items stand on lines that follow
each other. Any other list has an empty line between its items. These are pandoc's rules; they
decide on what line a text stands, and so what a line classifier is asked about.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipeline.transforms.fast_markdown_inlines import lines

_FENCE = re.compile(r"[ >]*(?:(?:-|\d+\.) +[ >]*)*(`{3,})(?=[^`]*$)")


@dataclass(slots=True, eq=False)
class Container:
    """What holds blocks: the page, an item, a quotation, a cell."""

    blocks: list[Block] = field(default_factory=list)
    divs: int = 0
    """`<div>`s open at this moment."""
    is_quote: bool = False
    spoils_table: bool = False
    """Whether this is a cell whose table cannot be one, for something in it."""
    has_paragraph: bool = False
    """Whether some block outside of any `<div>` makes paragraphs of the plain texts here."""


@dataclass(slots=True, eq=False)
class Block:
    """One block.

    `kind` is "plain" (text without an empty line after it in a list), "para", "term" (of a list
    of definitions, which follow it after a break), "rule", "lines" (a heading, code, a table),
    "quote" or "list".
    """

    kind: str
    text: str = ""
    content: list[str] = field(default_factory=list)
    parts: list[Container] = field(default_factory=list)
    in_div: bool = False
    ends_div: bool = False
    first_number: int | None = None
    all_paragraphs: bool = False


def make_paragraphs(container: Container) -> None:
    """Turn plain text into paragraphs where a block beside it calls for that."""
    if container.has_paragraph:
        for block in container.blocks:
            if block.kind == "plain" and not block.in_div:
                block.kind = "para"


def written(container: Container, *, in_list: bool = False, deep: bool = False) -> list[str]:
    """The lines of a container's blocks; "" is an empty line.

    Args:
        container: whose depth the caller has bounded: this calls itself for each level.
        in_list: plain texts stay without an empty line after them.
        deep: all of them are paragraphs nevertheless.
    """
    found: list[str] = []
    before: Block | None = None
    for block in container.blocks:
        new = _block_lines(block, in_list=in_list, deep=deep or block.all_paragraphs)
        if new == [""]:
            continue
        if before and before.kind == "term" and not before.ends_div:
            found[-1] += "  "
        elif before and (block.kind == "rule" or _needs_gap(before, in_list and not deep)):
            found.append("")
        found += new
        before = block
    if in_list and container.blocks and container.blocks[0].kind == "rule":
        found[:0] = ["", ""]
    return found


def _needs_gap(block: Block, in_list: bool) -> bool:
    return block.kind != "plain" or block.ends_div or not in_list


def _block_lines(block: Block, *, in_list: bool, deep: bool) -> list[str]:
    if block.kind == "rule":
        return ["---"]
    if block.kind == "lines":
        return block.content
    if block.kind == "quote":
        inner = written(block.parts[0], in_list=in_list, deep=deep)
        return [f"> {line}" if line else ">" for line in _flat(inner) or [""]]
    if block.kind == "list":
        return _items(block, deep)
    return lines(block.text)


def _flat(quoted: list[str]) -> list[str]:
    """Lines for a quotation: outside of code, indentation does not survive behind its sign."""
    if not any(line.startswith("  ") for line in quoted):
        return quoted
    kept: list[str] = []
    fence = ""
    for line in quoted:
        content = line.strip(" >")
        opening = None if fence else _FENCE.match(line)
        is_text = not fence and not opening
        kept.append(line.lstrip(" ") if is_text else line)
        if opening:
            fence = opening[1]
        elif fence and content.startswith(fence) and not content.strip("`"):
            fence = ""
    return kept


def _items(block: Block, deep: bool) -> list[str]:
    items = [item for item in block.parts if item.blocks]
    is_tight = not deep and _is_tight(block)
    found: list[str] = []
    number = block.first_number
    for at, item in enumerate(items):
        inner = written(item, in_list=True, deep=deep)
        mark, indent = "-", "  "
        if number is not None:
            mark = f"{number + at}."
            indent = " " * max(4, len(mark) + 1)
        if found and not is_tight:
            found.append("")
        found.append(f"{mark} {inner[0]}" if inner[0] else mark)
        found += [indent + line if line else "" for line in inner[1:]]
    return found


def _is_tight(block: Block) -> bool:
    """Whether all items begin with plain text, or are nothing but such a list themselves."""
    for item in block.parts:
        if item.blocks:
            first = item.blocks[0]
            is_list = first.kind == "list" and len(item.blocks) == 1
            if first.in_div or not (first.kind == "plain" or (is_list and _is_tight(first))):
                return False
    return True
