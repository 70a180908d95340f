r"""What `skord.native.read_html` is to find of elements and words, read from markup by tags."""

from __future__ import annotations

import html as html_entities
import re
from typing import NamedTuple

from tests.reference.page_cleaning import page_markup

MAX_DEPTH = 64
"""Elements deeper than this count as the one that holds them: paths stay short."""

_INLINE = (
    "a abbr acronym area b base bdi bdo big body br button cite code col colgroup data del dfn"
    " em embed font hr html i img input ins kbd label link map mark meta meter nobr optgroup"
    " option output param picture progress q rp rt ruby s samp select small source span strike"
    " strong sub sup tbody time track tt u var wbr"
)
"""Elements that part no lines and say little; all lines lie in `html` and `body`."""
_PASSED_OVER = frozenset(_INLINE.split())
_CONTROLS = frozenset(("button", "label", "optgroup", "option"))

_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(/?)([a-z][^\s/>]*)((?:\s[^\s>]*?=\"[^\"]*\")*+)>", re.DOTALL
)
"""What lexbor writes: lower case, every attribute with a value in double quotes."""
_ATTRIBUTE = re.compile(
    r"\s(class|id|role|itemprop|itemtype|hidden|aria-hidden|style)=\"([^\"]*)\""
)
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
WORD = re.compile(rf"[{_ALONE}]|[^\W_{_ALONE}]+")
"""A run of letters and digits, or one letter of a script that is written without spaces."""

_MOST_CLASSES = 8
_MOST_CHARS = 32
"""Of a class or an id: names made by machines are long and never come again."""


class ElementWords(NamedTuple):
    """A page's elements and words.

    Attributes:
        elements, parents: as in `line_context.LineContext`.
        words: all words, in lower case.
        owners: for each word the innermost element around it, -1 for none.
        linked, controlled: for each word whether it is in a link, in a control.
    """

    elements: list[str]
    parents: list[int]
    words: list[str]
    owners: list[int]
    linked: list[bool]
    controlled: list[bool]


def element_words(html: str) -> ElementWords:
    """The words that a reader of the page may see, in the order of the HTML.

    >>> page = element_words('<div class="a b" hidden><p>Se <a href="/x">hit</a></div>')
    >>> page.elements, page.parents
    (['div .a .b !hidden', 'p'], [-1, 0])
    >>> page.words, page.owners, page.linked
    (['se', 'hit'], [1, 1], [False, True])
    """
    return words_of_markup(page_markup(html).text)


def words_of_markup(markup: str) -> ElementWords:
    """The same of a page that `page_markup` has parsed."""
    parts = _MARKUP.split(markup)
    reader = _Reader()
    reader.text(parts[0])
    for at in range(1, len(parts), 4):
        name, text = parts[at + 1], parts[at + 3]
        if name == "a":
            reader.link(bool(parts[at]), parts[at + 2])
        elif name in _CONTROLS:
            reader.control(bool(parts[at]))
        elif name and name not in _PASSED_OVER:
            if parts[at]:
                reader.close(name)
            else:
                reader.open(name, parts[at + 2])
        if text and not text.isspace():
            reader.text(text)
    return reader.listed


class _Reader:
    """Takes a page's tags and texts one by one."""

    def __init__(self) -> None:
        self.listed = ElementWords([], [], [], [], [], [])
        self._open: list[tuple[str, int]] = []
        self._links = 0
        self._controls = 0

    def link(self, closing: bool, attributes: str) -> None:
        """Take a tag of a link; one without an address is none."""
        if closing:
            self._links = 0
        elif " href=" in attributes:
            self._links = 1

    def control(self, closing: bool) -> None:
        """Take a tag of a control."""
        self._controls = max(self._controls + (-1 if closing else 1), 0)

    def open(self, name: str, attributes: str) -> None:
        """Take a start tag."""
        parent = self._owner()
        if len(self._open) >= MAX_DEPTH:
            self._open.append((name, parent))
            return
        self.listed.parents.append(parent)
        self.listed.elements.append(described(name, attributes))
        self._open.append((name, len(self.listed.elements) - 1))

    def close(self, name: str) -> None:
        """Take an end tag, and those that the page forgot before it."""
        for at in range(len(self._open) - 1, -1, -1):
            if self._open[at][0] == name:
                del self._open[at:]
                return

    def text(self, text: str) -> None:
        """Take a text, entities as in markup."""
        words = WORD.findall((html_entities.unescape(text) if "&" in text else text).lower())
        self.listed.words.extend(words)
        self.listed.owners.extend([self._owner()] * len(words))
        self.listed.linked.extend([self._links > 0] * len(words))
        self.listed.controlled.extend([self._controls > 0] * len(words))

    def _owner(self) -> int:
        return self._open[-1][1] if self._open else -1


def described(name: str, attributes: str) -> str:
    """An element as `line_context.LineContext` writes it.

    >>> described("div", ' id="main" class="post wide" role="main" style="display: none"')
    'div #main .post .wide @main !hidden'
    """
    words = [name]
    for key, value in _ATTRIBUTE.findall(attributes) if attributes else ():
        if key == "class":
            words += [f".{part[:_MOST_CHARS]}" for part in value.split()[:_MOST_CLASSES]]
        elif key == "id":
            words += [f"#{part[:_MOST_CHARS]}" for part in value.split()[:1]]
        elif key in ("hidden", "aria-hidden", "style"):
            hides = {"hidden": True, "aria-hidden": value == "true"}.get(key)
            words += ["!hidden"] * bool(_HIDING.search(value) if hides is None else hides)
        else:
            words += [f"@{part.rpartition('/')[2][:_MOST_CHARS]}" for part in value.split()[:2]]
    return " ".join(words)
