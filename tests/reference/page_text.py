"""From verdicts on lines to a page's text in Python alone: a definition for the tests.

Compiled code does it (skord/native/page_text); headings' own addresses, and mojibake, are told
by Python there, too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from skord.markdown.extraction import without_heading_marks
from skord.native import without_needless_escapes

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

REPEAT_WORDS = 4
LONGEST_LINE = 10_000
_CONTAINER = r"[ >]*(?:(?:[-*+]|\d+[.)])[ ]+[ >]*)*"
_FENCE = re.compile(_CONTAINER + r"(`{3,}(?=[^`]*$)|~{3,})")
_WORDS = re.compile(r"\w+")
_BREAK = re.compile(r"([-*_])(?: ?\1){2,}")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) |\|")


def fenced_blocks(lines: Sequence[str]) -> list[tuple[int, int]]:
    r"""First line of each block of code between fences, and the line after its last.

    A fence that is never closed opens nothing: the rest of the page would be one block. A shorter
    one, or one of the other sign, inside a block is code.

    Args:
        lines: of the page.
    """
    blocks, opened, fence = [], -1, ""
    for number, line in enumerate(lines):
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if opening and opened < 0:
            opened, fence = number, opening[1]
        elif opening and opening[1].startswith(fence) and not line[opening.end() :].strip():
            blocks.append((opened, number + 1))
            opened = -1
    return blocks


def code_lines(lines: Sequence[str]) -> set[int]:
    """Numbers of the lines of code between fences, the fences among them."""
    return {number for start, end in fenced_blocks(lines) for number in range(start, end)}


RUN_WORDS = 4
LEAST_SHARE = 0.8
"""Of a quotation's runs of words, those that stand before it, if it says nothing new."""
MOST_NAMING_WORDS = 12

_NAMING = re.compile(
    r".*(?:said|wrote|writes|skrev|skriver|sagde|sade|skrifaði|schrieb)(?: [^:]*)?:\W*"
    r"|\W*click to expand\W*",
    re.IGNORECASE | re.DOTALL,
)


def repeated_quotations(lines: Sequence[str], kept: NDArray[np.bool_]) -> list[int]:
    """Numbers of the kept lines of quotations whose words stand before them in what is kept.

    The line that says who said so goes with a quotation.

    Args:
        lines: of a page, in plain form.
        kept: whether each is kept.
    """
    chosen = np.flatnonzero(kept).tolist()
    quoted = [place for place, number in enumerate(chosen) if lines[number][:1] == ">"]
    if not quoted:
        return []
    met: set[tuple[str, ...]] = set()
    tail: list[str] = []
    dropped: list[int] = []
    last = -1
    for block in _blocks(lines, chosen[: quoted[-1] + 1]):
        words = [
            word
            for number in block
            if not is_naming(lines[number])
            for word in _WORDS.findall(lines[number].lower())
        ]
        if lines[block[0]][:1] == ">" and _share(words, met) >= LEAST_SHARE:
            if last >= 0 and lines[last][:1] != ">" and is_naming(lines[last]):
                dropped.append(last)
            dropped.extend(block)
            continue
        tail += words
        met.update(_runs(tail))
        tail = tail[1 - RUN_WORDS :]
        if words or is_naming(lines[block[-1]]):
            last = block[-1]
    return dropped


def is_naming(line: str) -> bool:
    """Whether a line says no more than who is quoted."""
    return len(line.split()) <= MOST_NAMING_WORDS and bool(_NAMING.fullmatch(line))


def _blocks(lines: Sequence[str], chosen: Sequence[int]) -> Iterator[list[int]]:
    """The chosen lines one by one, those of a quotation together."""
    block: list[int] = []
    for number in chosen:
        quoted = lines[number][:1] == ">"
        if block and not (quoted and block[-1] == number - 1 and lines[block[-1]][:1] == ">"):
            yield block
            block = []
        block.append(number)
    yield block


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[at:] for at in range(RUN_WORDS)), strict=False)


def _share(words: Sequence[str], met: set[tuple[str, ...]]) -> float:
    """Share of the runs of some words that are met; 0 of fewer words than a run has."""
    runs = list(_runs(words))
    return sum(map(met.__contains__, runs)) / len(runs) if runs else 0.0


def line_verdicts(lines: Sequence[str], line_probabilities: Floats, threshold: float) -> Mask:
    """Which lines are kept: those at or above the threshold, without what stood there before.

    Shops and front pages hold a text once for each size of screen. Rows of tables, code and the
    lines of a verse may stand twice, but not in a quotation of what is kept before it. Of a heading
    and the end of a trail above it, which says the same, the heading is kept.

    Args:
        lines: of the page, in plain form.
        line_probabilities: one for each.
        threshold: from 0 to 1; above 1 nothing is kept.

    A thematic break that the text would begin or end with is left out, since it parts nothing.
    The title just above a text that begins without one is kept.
    """
    kept: Mask = line_probabilities >= threshold
    kept[title_above(lines, line_probabilities, kept)] = True
    chosen = np.flatnonzero(kept).tolist()
    for number in chain(_outer_breaks(lines, chosen), _outer_breaks(lines, chosen[::-1])):
        kept[number] = False
    quoted = repeated_quotations(lines, kept)
    met: dict[str, int] = {}
    code = code_lines(lines)
    for number in chosen:
        line = lines[number]
        if number in code or line[:1] == "|" or line.endswith("  "):
            continue
        words = _WORDS.findall(line.lower())
        if len(words) < REPEAT_WORDS:
            continue
        text = " ".join(words)
        before = met.setdefault(text, number)
        if line[:1] == "#" and lines[before].lstrip(" -*+>")[:1] != "#":
            kept[before], met[text] = False, number
            continue
        # A line behind a hard break is one of a verse, whose refrain is no repetition.
        kept[number] = before == number or lines[number - 1].endswith("  ")
    kept[quoted] = False
    return kept


def title_above(lines: Sequence[str], line_probabilities: Floats, kept: Mask) -> list[int]:
    """The one heading of the first two levels, if there is one, that a text without one is under.

    It has two words and a chance of .05, and none of the first five visible lines of the text is
    such a heading; it is the nearest of the six visible lines above these.
    """
    visible = [number for number, line in enumerate(lines) if line.strip()]
    begins = [number for number in visible if kept[number]][:5]
    if not begins or any(lines[number].startswith(("# ", "## ")) for number in begins):
        return []
    above = [number for number in visible if number < begins[0]][:-7:-1]
    code = code_lines(lines)
    titles = (
        number
        for number in above
        if lines[number].startswith(("# ", "## "))
        and line_probabilities[number] >= np.float32(0.05)
        and len(_WORDS.findall(lines[number].lower())) > 1
        and number not in code
    )
    return list(titles)[:1]


def _outer_breaks(lines: Sequence[str], numbers: Iterable[int]) -> Iterator[int]:
    """Those of some lines that are thematic breaks, up to the first with another visible sign."""
    for number in numbers:
        line = lines[number].strip()
        if line and not _BREAK.fullmatch(line):
            return
        if line:
            yield number


def joined_lines(lines: Sequence[str], kept: Mask) -> list[str]:
    r"""The kept lines, with a blank one where what was left out between two kept them apart."""
    joined: list[str] = []
    last = -1
    code = code_lines(lines)
    for number in np.flatnonzero(kept).tolist():
        line = lines[number]
        if number not in code:
            line = without_heading_marks(line) if line.startswith("#") else line
            line = (
                without_needless_escapes(line.encode("utf-8", "surrogatepass"))
                if "\\" in line
                else line
            )
        if joined and number > last + 1 and line.strip() and lines[last].strip():
            listed = _ITEM.match(lines[number]) and _ITEM.match(lines[last])
            if not listed and any(left.strip() for left in lines[last + 1 : number]):
                joined.append("")
        joined.append(line)
        last = number
    return joined


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
    start = 0
    lines = markdown.split("\n")
    code = code_lines(lines)
    for number, line in enumerate(lines):
        end = start + len(line)
        if "![" in line and number not in code:
            yield start, end
        start = end + 1


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


_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Soft hyphen, joiners, marks of direction."""
_NO_TEXT = re.compile(rf"[\s{_UNSEEN}]*")
_NO_CELLS = re.compile(rf"[-:|\s{_UNSEEN}]*")


def without_emptied(text: str, places: Sequence[int]) -> tuple[str, list[int]]:
    """The text without its `emptied_spans`, and where places in it come to lie.

    A place in one of them moves to where it stood. Time is linear: a page can hold very many.
    """
    spans = list(emptied_spans(text))
    starts = [start for start, _ in spans]
    gone = [0, *accumulate(end - start for start, end in spans)]

    def moved(place: int) -> int:
        before = bisect_right(starts, place)
        beyond = place - spans[before - 1][1] if before else 0
        return place - gone[before] - min(beyond, 0)

    ends = [0, *(end for _, end in spans)]
    left = "".join(text[end:start] for end, start in zip(ends, [*starts, len(text)], strict=True))
    return left, [moved(place) for place in places]


def emptied_spans(text: str) -> Iterator[tuple[int, int]]:
    r"""Where a text holds lines that say nothing, in order: first character, and the one after.

    They are tables without a word, lines of characters that nobody sees, and headings that repeat
    the heading before them, on whatever level. Code is not looked at.
    """
    titles = [line.lstrip("#") for line in text.split("\n") if line[:1] == "#"]
    # Most texts have none of these, and to go through lines costs time.
    if (
        "|" in text
        or any(map(text.__contains__, _UNSEEN))
        or any(map(str.__eq__, titles, titles[1:]))
    ):
        yield from _spans(text)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    lines = text.split("\n")
    code = code_lines(lines)
    at, heading = 0, ""
    table = -1  # where the one that is being read began
    is_empty = False
    for number, line in enumerate(lines):
        if line.lstrip()[:1] == "|" and number not in code:
            if table < 0:
                table, is_empty = at, True
            is_empty = is_empty and bool(_NO_CELLS.fullmatch(line))
        else:
            if table >= 0 and is_empty:
                yield table, at
            elif table >= 0:
                heading = ""
            table = -1
            title = line.lstrip("#") if line[:1] == "#" and number not in code else ""
            if (line and line.strip() and _NO_TEXT.fullmatch(line)) or (title and title == heading):
                yield at, min(at + len(line) + 1, len(text))
            elif line and not line.isspace():
                heading = title
        at += len(line) + 1
    if table >= 0 and is_empty:
        yield table, len(text)


def fold_blank_lines(text: str) -> str:
    """The text with single blank lines, and none at its start and end."""
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).lstrip("\n").rstrip()


def defined_text(kept: Sequence[str]) -> tuple[str, list[tuple[int, str]]]:
    """The text of kept lines, and its images, without what is mended of mojibake."""
    split, images = split_text_and_images("".join(f"{line}\n" for line in kept))
    split, left = without_emptied(split, [at for at, _ in images])
    text = fold_blank_lines(split)
    # Within a line, blanks before an image stay.
    within = [
        split[at - 1 : at] != "\n"
        and split[at - 1 : at].isspace()
        and bool(split[at:].split("\n")[0].strip())
        for at in left
    ]
    places = [
        min(len(fold_blank_lines(split[:at] + "x" * inside)) - inside, len(text))
        for at, inside in zip(left, within, strict=True)
    ]
    return text, [(at, url) for at, (_, url) in zip(places, images, strict=True)]
