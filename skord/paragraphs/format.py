"""Paragraphs of a page as one text, in the format that Uzushio made known, and back again.

    body>div.container>p\x1cText with a \x02link\x03 in it.

Paragraphs are separated by a blank line. Each begins with the way to its block from `<body>`,
as a CSS selector, and U+001C; what a link shows stands between U+0002 and U+0003; a line break
within a paragraph is one line feed. The format has no escapes of its own, so its marks must not
occur in what it holds: `write_paragraphs` refuses what could not be read back.

In a path `.`, `#`, `>` and the backslash are escaped with a backslash where they belong to a
name, as in CSS: pages with classes such as `w-1.5` or `[&>p]:mt-4` are common.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

PARAGRAPH_END = "\n\n"
PATH_END = "\x1c"
LINK_START = "\x02"
LINK_END = "\x03"

BLANKS = "\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f"
"""Controls and spaces, for a character class; not the ideographic space, which is text."""

_BLANKS = re.compile(f"[{BLANKS}]+")
_SPECIAL = re.compile(r"[\\.#>]")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_STEP = re.compile(r"(?:[^\\>]|\\.)+", re.DOTALL)
_PART = re.compile(r"([.#]?)((?:[^\\.#]|\\.)+)", re.DOTALL)
_LINK = re.compile(f"{LINK_START}([^{LINK_START}{LINK_END}]*){LINK_END}")
_UNREADABLE_TEXT = re.compile(f"{PATH_END}|{PARAGRAPH_END}|\\A\n|\n\\Z|\\A\\Z")
_UNREADABLE_PATH = re.compile(f"[{PATH_END}\n]")


class Paragraph(NamedTuple):
    """The path to a paragraph's block, and its text with link marks and line feeds."""

    path: str
    text: str

    @property
    def plain(self) -> str:
        """The text without link marks.

        >>> Paragraph("body>p", "Se \\x02allt\\x03!").plain
        'Se allt!'
        """
        return self.text.replace(LINK_START, "").replace(LINK_END, "")

    @property
    def links(self) -> list[str]:
        """What each link shows.

        >>> Paragraph("body>ul", "\\x02Hem\\x03\\n\\x02Om oss\\x03").links
        ['Hem', 'Om oss']
        """
        return _LINK.findall(self.text)


class Step(NamedTuple):
    """One element of a path."""

    tag: str
    classes: tuple[str, ...]
    id: str | None


def write_paragraphs(paragraphs: Iterable[Paragraph]) -> str:
    r"""Return paragraphs as one text.

    Raises:
        ValueError: a paragraph is empty or holds a mark of the format where text should be.

    >>> write_paragraphs([Paragraph("body>h1", "Hej"), Paragraph("body", "då")])
    'body>h1\x1cHej\n\nbody\x1cdå'
    """
    return PARAGRAPH_END.join(map(_written_paragraph, paragraphs))


def read_paragraphs(text: str) -> list[Paragraph]:
    r"""Split what `write_paragraphs` made; text of another writer that has no paths reads, too.

    >>> read_paragraphs('body>h1\x1cHej\n\nbody\x1cdå')
    [Paragraph(path='body>h1', text='Hej'), Paragraph(path='body', text='då')]
    >>> read_paragraphs("")
    []
    """
    return [_read_paragraph(paragraph) for paragraph in text.split(PARAGRAPH_END) if paragraph]


def written_step(tag: str, classes: str | None, id: str | None) -> str:
    r"""Return one element of a path.

    Args:
        classes: the attribute as written; None if there is none.
        id: likewise. Blanks in it become one space each run.

    >>> written_step("div", "w-1.5\tnav ", "top")
    'div.w-1\\.5.nav#top'
    """
    step = _escaped_name("".join(_without_blanks(tag)))
    for name in _without_blanks(classes):
        step += f".{_escaped_name(name)}"
    if written_id := " ".join(_without_blanks(id)):
        step += f"#{_escaped_name(written_id)}"
    return step


def path_steps(path: str) -> list[Step]:
    r"""Return the elements of a path, outermost first.

    >>> path_steps('body>div.w-1\\.5.nav#top')
    [Step(tag='body', classes=(), id=None), Step(tag='div', classes=('w-1.5', 'nav'), id='top')]
    """
    return [_path_step(step) for step in _STEP.findall(path)]


def _written_paragraph(paragraph: Paragraph) -> str:
    path, text = paragraph
    if _UNREADABLE_PATH.search(path) or _UNREADABLE_TEXT.search(text):
        raise ValueError(f"the format cannot hold the paragraph {path[:200]!r}, {text[:200]!r}")
    return f"{path}{PATH_END}{text}"


def _read_paragraph(paragraph: str) -> Paragraph:
    path, mark, text = paragraph.partition(PATH_END)
    return Paragraph(path, text) if mark else Paragraph("", paragraph)


def _path_step(written: str) -> Step:
    parts = [(mark, _ESCAPE.sub(r"\1", name)) for mark, name in _PART.findall(written)]
    return Step(
        tag=next((name for mark, name in parts if not mark), ""),
        classes=tuple(name for mark, name in parts if mark == "."),
        id=next((name for mark, name in parts if mark == "#"), None),
    )


def _without_blanks(attribute: str | None) -> list[str]:
    return [part for part in _BLANKS.split(attribute or "") if part]


def _escaped_name(name: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", name)
