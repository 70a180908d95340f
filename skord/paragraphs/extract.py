"""A page's HTML to its paragraphs, each with its place in the page: all text, nothing chosen.

What is kept and what is boilerplate is left to those who read the paragraphs; the path, the
link marks and how often a paragraph occurs (`counts`) are for them.

The rules are Uzushio's (its README and the series of articles that presents it), with these
differences, each of which mends a loss there:

* A text belongs to the innermost block that is open around it. (Uzushio gives text that
  follows a block the path of that block.)
* List items, table rows and the like begin lines and table cells stand apart, so that their
  texts do not run together where the source has no blank between the tags.
* A line feed in the source is a blank, as in browsers, and nothing at all between East Asian
  characters (CSS Text Level 3, section 4.1.3). Only `<br>`, items, rows and `<pre>` break lines.
* Link marks are balanced in every paragraph, with the blanks outside, so that a text without
  its marks is the clean text; `<a>` without an address is no link.
* What browsers never show (frames, templates, drawings, media) goes besides script and style.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from selectolax.lexbor import LexborHTMLParser, LexborNode

from skord.core.failures import DocumentError
from skord.html.cleaning import MAX_HTML_CHARS, without_packed_data
from skord.html.failures import ConversionFailure
from skord.html.nesting import refuse_parser_bombs, with_easy_menus
from skord.paragraphs.format import BLANKS, LINK_END, LINK_START, Paragraph, written_step

_UNSEEN = (
    "applet audio canvas embed frame head iframe noembed noframes object script style svg template"
    " title video"
)
_BLOCK_TAGS = (
    "address article aside blockquote body caption center details dialog dir div dl fieldset"
    " figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend listing main menu nav noscript"
    " ol optgroup option p plaintext pre search section summary table textarea ul xmp"
)
_BLOCKS = frozenset(_BLOCK_TAGS.split())
"""Elements that are paragraphs of their own: Uzushio's list, and those that HTML has gained."""

_LINES = frozenset(["dd", "dt", "figcaption", "li", "tbody", "tfoot", "thead", "tr"])
_SPACED = frozenset(["button", "input", "label", "select", "td", "th"])
_PREFORMATTED = frozenset(["listing", "plaintext", "pre", "textarea", "xmp"])


MAX_CHARS = 16_000_000
"""That all paths and texts of a page may have together.

A path is repeated for each paragraph, so they can be many more than the page's.
"""


def page_paragraphs(html: str) -> list[Paragraph]:
    r"""Return the paragraphs of a page in the order of its source; at least one.

    Args:
        html: of the whole page, decoded.

    Raises:
        DocumentError: too_large, too_deep or empty_page.

    >>> page_paragraphs("<div id=a>Hej<p class=b>Se <a href=/>allt</a>.</p><br>då<br>igen</div>")
    ... # doctest: +NORMALIZE_WHITESPACE
    [Paragraph(path='body>div#a', text='Hej'),
     Paragraph(path='body>div#a>p.b', text='Se \x02allt\x03.'),
     Paragraph(path='body>div#a', text='då\nigen')]
    """
    if len(html) > MAX_HTML_CHARS:
        html = without_packed_data(html)
    if len(html) > MAX_HTML_CHARS:
        raise DocumentError(ConversionFailure.too_large, f"{len(html)} characters of HTML")
    refuse_parser_bombs(html)
    tree = LexborHTMLParser(with_easy_menus(html))
    tree.strip_tags(_UNSEEN.split(), recursive=True)
    page = _Page()
    for node, entered in _walk_nodes(tree.body) if tree.body is not None else ():
        if node.is_text_node:
            if entered:
                page.write(node.text_content or "")
        elif node.is_element_node:
            (page.enter if entered else page.leave)(node)
    if not page.paragraphs:
        raise DocumentError(ConversionFailure.empty_page)
    return page.paragraphs


def _walk_nodes(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Every node below `root` and itself, once when entered and once when left.

    No recursion: thousands of levels are no trouble.
    """
    node = root
    while True:
        yield node, True
        if (child := node.child) is not None:
            node = child
            continue
        yield node, False
        while node.next is None:
            parent = node.parent
            if parent is None or node.mem_id == root.mem_id:
                return
            node = parent
            yield node, False
            if node.mem_id == root.mem_id:
                return
        if node.mem_id == root.mem_id:
            return
        node = node.next


class _Page:
    """Collects text until a block begins or ends, then puts the paragraph down."""

    def __init__(self) -> None:
        self.paragraphs: list[Paragraph] = []
        self._room = MAX_CHARS
        self._steps: list[str] = []
        self._blocks: list[int] = []  # for each open block, how many steps lead to it
        self._pieces: list[str] = []
        self._links = 0
        self._preformatted = 0

    def write(self, text: str) -> None:
        """Take text of the page."""
        self._pieces.append(fold_blanks(text, keep_lines=bool(self._preformatted)))

    def enter(self, node: LexborNode) -> None:
        """Open an element."""
        tag = node.tag or ""
        attributes = node.attributes
        if tag in _BLOCKS:
            self._end_paragraph()
        self._steps.append(written_step(tag, attributes.get("class"), attributes.get("id")))
        if tag in _BLOCKS:
            self._blocks.append(len(self._steps))
            self._preformatted += tag in _PREFORMATTED
        elif tag == "a" and "href" in attributes:
            self._pieces += [] if self._links else [LINK_START]
            self._links += 1
        else:
            self._pieces += _tag_gap(tag)

    def leave(self, node: LexborNode) -> None:
        """Close an element."""
        tag = node.tag or ""
        if tag in _BLOCKS:
            self._end_paragraph()
            self._blocks.pop()
            self._preformatted -= tag in _PREFORMATTED
        elif tag == "a" and "href" in node.attributes:
            self._links -= 1
            self._pieces += [] if self._links else [LINK_END]
        elif tag != "br":
            self._pieces += _tag_gap(tag)
        self._steps.pop()

    def _end_paragraph(self) -> None:
        if not self._pieces:
            return
        text = settle_blanks("".join([*self._pieces, LINK_END] if self._links else self._pieces))
        self._pieces = [LINK_START] if self._links else []
        if text:
            path = ">".join(self._steps[: self._blocks[-1]])
            self._room -= len(path) + len(text)
            if self._room < 0:
                raise DocumentError(ConversionFailure.too_large, "too many characters of paths")
            self.paragraphs.append(Paragraph(path, text))


def _tag_gap(tag: str) -> list[str]:
    """What an element puts before and after its text to keep it from its neighbours'."""
    if tag == "br" or tag in _LINES:
        return ["\n"]
    return [" "] if tag in _SPACED else []


_RUN = re.compile(f"[{BLANKS}]+")
_RUN_IN_LINE = re.compile(f"(?:(?!\n)[{BLANKS}])+")
_INVISIBLE = re.compile("[\xad\u200b\u2060\ufeff]")
"""Soft hyphens and zero-width blanks, which split words for every later step."""

_SOFT = "\x1e"
"""Stands for a run of blanks with a line feed in it, while a paragraph is put together."""
_IDEOGRAPHIC_SPACE = "\u3000"
_IN_GAP = f" \n{_SOFT}{LINK_START}{LINK_END}{_IDEOGRAPHIC_SPACE}"
_GAP = re.compile(f"[{_IN_GAP}]{{2,}}|[{_IN_GAP.strip(' ')}]|\\A | \\Z")
"""What stands between visible characters, if it is more than one space."""


def fold_blanks(text: str, *, keep_lines: bool = False) -> str:
    r"""Return a piece of a page's text with each run of blanks folded, for `settle_blanks`.

    Args:
        text: controls in it count as blanks, so that none can be taken for a mark.
        keep_lines: as in `<pre>`: line feeds break lines.

    >>> fold_blanks("a \x02\t b\n  c"), fold_blanks("a \x02\t b\n  c", keep_lines=True)
    ('a b\x1ec', 'a b\n c')
    """
    text = _INVISIBLE.sub("", text)
    if keep_lines:
        return _RUN_IN_LINE.sub(" ", text)
    return _RUN.sub(lambda run: _SOFT if "\n" in run[0] else " ", text)


def settle_blanks(raw: str) -> str:
    r"""Give every gap between visible characters the one form that it has in a paragraph.

    Lines and the paragraph begin and end with text; a link begins and ends with text, too, and
    one without text is gone; in a link there is no line feed.

    >>> settle_blanks(" \x02 Hem\n\x03\x02\x03\n \x02 Om \n oss\x03\x02x\x03 ")
    '\x02Hem\x03\n\x02Om oss\x03 \x02x\x03'
    """
    done: list[str] = []
    at, linked = 0, False
    for gap in _GAP.finditer(raw):
        done.append(raw[at : gap.start()])
        at = gap.end()
        marks = [mark for mark in gap[0] if mark in (LINK_START, LINK_END)]
        now = marks[-1] == LINK_START if marks else linked
        ends, begins = bool(linked and marks), bool(now and marks)
        blank = _blank_of_gap(gap, within=linked and not ends, between=ends and begins)
        done += [LINK_END if ends else "", blank, LINK_START if begins else ""]
        linked = now
    return "".join([*done, raw[at:]])


def _blank_of_gap(gap: re.Match[str], *, within: bool, between: bool) -> str:
    """What remains of the blanks in a gap `within` one link, or `between` two, or elsewhere."""
    run, raw = gap[0], gap.string
    if gap.start() == 0 or gap.end() == len(raw):
        return ""
    if "\n" in run:
        return " " if within else "\n"
    if wide := run.count(_IDEOGRAPHIC_SPACE):
        return _IDEOGRAPHIC_SPACE * wide
    if " " in run or between:
        return " "
    breaks = _SOFT in run and not (
        _joins_lines(raw[gap.start() - 1]) and _joins_lines(raw[gap.end()])
    )
    return " " if breaks else ""


@lru_cache(maxsize=1 << 14)
def _joins_lines(char: str) -> bool:
    """Whether a line feed beside it is no space: wide, and not Hangul, which writes spaces."""
    wide = unicodedata.east_asian_width(char) in "FWH"
    return wide and "HANGUL" not in unicodedata.name(char, "")
