r"""The images of a page's Markdown, apart from its text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_CONTAINER = r"[ >]*(?:(?:[-*+]|\d+[.)])[ ]+[ >]*)*"
"""Quote signs, indentation and list markers before a block."""

_FENCE = re.compile(_CONTAINER + r"(`{3,}(?=[^`]*$)|~{3,})")

_CODE_OR_IMAGE = re.compile(
    r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)"
    r"|(?<!\\)(?P<escapes>(?:\\\\)*)!\[(?:[^\[\]\\]|\\.|\[(?:[^\[\]\\]|\\.)*+\])*+\]\("
)
_PARENTHESIS_OR_BLANK = re.compile(r"\\.|[()\s]")
_BRACKETED = re.compile(r"<([^<>]*)>")
_TITLE = re.compile(r"""\s*(?:\s"(?:[^"\\]|\\.)*"|\s'(?:[^'\\]|\\.)*')?\s*\)""")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_ONLY_CONTAINER = re.compile(_CONTAINER + r"(?:[-*+]|\d+[.)])?\s*")


def split_text_and_images(markdown: str) -> tuple[str, list[tuple[int, str]]]:
    r"""Take the images out of a text.

    Lines stay where they are: one that held only images is left empty. Code is not searched.

    Returns:
        The text, and for each image its place, as an offset into that text, and its address.

    >>> split_text_and_images("Se ![En [båt]](/File_(1).jpg) här\n\n![](b.png)\n")
    ('Se här\n\n\n', [(3, '/File_(1).jpg'), (8, 'b.png')])
    """
    if "![" not in markdown:
        return markdown, []
    pieces: list[str] = []
    images: list[tuple[int, str]] = []
    done = gone = 0
    for start, end in _lines_to_search(markdown):
        text, images_of_line = _take_images(markdown[start:end])
        pieces += [markdown[done:start], text]
        images += [(start - gone + column, address) for column, address in images_of_line]
        gone += end - start - len(text)
        done = end
    return "".join([*pieces, markdown[done:]]), images


def _lines_to_search(markdown: str) -> Iterator[tuple[int, int]]:
    """Where lines begin and end that are no code and may hold an image."""
    if "```" in markdown or "~~~" in markdown:
        start = 0
        for is_code, run in _runs(markdown.split("\n")):
            for line in run:
                end = start + len(line)
                if "![" in line and not is_code:
                    yield start, end
                start = end + 1
        return
    at = markdown.find("![")
    while at >= 0:
        end = markdown.find("\n", at)
        end = len(markdown) if end < 0 else end
        yield markdown.rfind("\n", 0, at) + 1, end
        at = markdown.find("![", end)


def _runs(lines: Sequence[str]) -> Iterator[tuple[bool, list[str]]]:
    """Yield runs of lines, and whether a run is code between fences (fences included)."""
    run: list[str] = []
    fence = ""
    for line in lines:
        opening = None if fence else _FENCE.match(line)
        if opening:
            yield False, run
            run, fence = [line], opening[1]
            continue
        run.append(line)
        if fence and _closes(line, fence):
            yield True, run
            run, fence = [], ""
    yield bool(fence), run


def _closes(line: str, fence: str) -> bool:
    content = line.strip(" >")
    return len(content) >= len(fence) and not content.strip(fence[0])


def _take_images(line: str) -> tuple[str, list[tuple[int, str]]]:
    """One line without its images, and their columns in what is left."""
    ends = _ends_of_addresses(line)
    text, done = "", 0
    images: list[tuple[int, str]] = []
    for match in _CODE_OR_IMAGE.finditer(line):
        escapes = match["escapes"]
        target = None if escapes is None or match.start() < done else _target(line, match, ends)
        if target is None or escapes is None:
            continue
        text += line[done : match.start() + len(escapes)]
        done, address = target
        if not text[-1:].strip():  # the blank before the image serves for the one after it too
            done = _after_blanks(line, done)
        images.append((len(text), address))
    text += line[done:]
    if images and _ONLY_CONTAINER.fullmatch(text):
        return "", [(0, address) for _, address in images]
    return text, images


def _target(line: str, image: re.Match[str], ends: dict[int, int]) -> tuple[int, str] | None:
    """Where an image ends, and its address; None if the address or the title does not end."""
    start = image.end()
    if bracketed := _BRACKETED.match(line, start):
        address, end = bracketed[1], bracketed.end()
    else:
        end = ends.get(start - 1, -1)
        address = line[start:end]
    title = _TITLE.match(line, end) if end >= 0 else None
    return (title.end(), _ESCAPED.sub(r"\1", address)) if title else None


def _ends_of_addresses(line: str) -> dict[int, int]:
    """Where the address behind each parenthesis ends; parentheses inside it may nest.

    That is at the closing parenthesis, or at a blank if all opened since are closed.
    """
    ends: dict[int, int] = {}
    opened: list[int] = []
    for match in _PARENTHESIS_OR_BLANK.finditer(line):
        if match[0] == "(":
            opened.append(match.start())
        elif opened and match[0] == ")":
            ends[opened.pop()] = match.start()
        elif opened and match[0].isspace():
            ends[opened[-1]] = match.start()
            opened.clear()
    return ends


def _after_blanks(line: str, start: int) -> int:
    while line.startswith(" ", start):
        start += 1
    return start
