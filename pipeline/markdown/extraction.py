"""From a page's Markdown and a verdict on each line to the page's text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain
from typing import NamedTuple
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from pipeline.markdown.emptied import without_emptied
from pipeline.markdown.escapes import without_needless_escapes
from pipeline.markdown.fences import code_lines
from pipeline.markdown.images import split_text_and_images
from pipeline.markdown.mojibake import mended
from pipeline.markdown.plain_lines import plain_markdown
from pipeline.markdown.quotations import repeated_quotations
from pipeline.native import best_cut as compiled_cut
from pipeline.native import chances_of, lines_perhaps_alike

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

LEAST_EXPECTED_F1 = 0.1
"""A page whose best choice of lines is expected to agree less than this with its main text has
none: its lines are kept by chance."""
LONGEST_HEADING_MARK = 80
REPEAT_WORDS = 4
"""A line of so many words that stands on the page once more is kept once."""

_WORD = re.compile(r"\w+")
_BREAK = re.compile(r"([-*_])(?: ?\1){2,}")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)]) |\|")
# What documentation and wikis hang on a heading: its own address, and a button. A "#" stays behind
# one letter, as in C#.
_HEADING_MARK = re.compile(
    r"(?:\s*(?:\\?\[\s*(?:edit(?: source)?|redig[eé]ra?|endre|breyta|rætta|bearbeiten)"
    r"(?:\s*\|[^\[\]]*)?\s*\\?\]"
    r"|¶|🔗|(?<=\w{3})\\?#|(?<= )\\?#))+\s*$",
    re.IGNORECASE,
)

_LAST_OF_MARK = frozenset("]¶🔗#")


class NothingKept(StrEnum):
    """Why a page that was classified has no text.

    Attributes:
        no_line: it has no line with a visible character.
        no_main_text: no line is likely enough.
        pictures_only: what was kept holds no words.
    """

    no_line = "no_line"
    no_main_text = "no_main_text"
    pictures_only = "pictures_only"


_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def split_lines(markdown: str) -> list[str]:
    r"""The lines that a line classifier judges, each without its "\n".

    "\n" alone ends a line; text after the last one is not judged.

    >>> split_lines("# Rubrik\n\nText\u2028mer\n")
    ['# Rubrik', '', 'Text\u2028mer']
    """
    return markdown.split("\n")[:-1]


def probabilities(logits: Floats) -> Floats:
    """Logits as probabilities of being main text.

    >>> probabilities(np.array([-200, 0, 200], np.float32)).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.frombuffer(chances_of(np.ascontiguousarray(logits, np.float32)), np.float32)


def as_bytes(line_probabilities: Floats) -> bytes:
    """One byte for each line: probability × 255, rounded.

    >>> list(as_bytes(np.array([0, 0.5, 1], np.float32)))
    [0, 128, 255]
    """
    return np.rint(line_probabilities * 255).astype(np.uint8).tobytes()


def from_bytes(line_probabilities: bytes) -> Floats:
    """The probabilities that `as_bytes` wrote, to within 1/510."""
    shares: Floats = np.divide(
        np.frombuffer(line_probabilities, np.uint8), np.float32(255), dtype=np.float32
    )
    return shares


def page_threshold(lines: Sequence[str], line_probabilities: Floats) -> float:
    """The threshold by which a page's kept words agree best with its main text, as expected.

    With probabilities p and words n of its lines, keeping some gives an expected F1 of about
    2 Σ p n / (Σ n + Σ p n), the first two sums over the lines kept, the last over all; the lines
    above some threshold are the best choice (Lipton et al. 2014, arXiv 1402.1892).

    Args:
        lines: of the page, in plain form.
        line_probabilities: one for each.

    Returns:
        a probability of one of the lines; more than 1, so that none is kept, where even the best
        choice promises less than LEAST_EXPECTED_F1.

    >>> page_threshold(["Hem", "Ett två tre fyra", "Fem"], np.array([0.1, 0.9, 0.5], np.float32))
    0.5
    """
    best = best_cut(lines, line_probabilities)
    return best.threshold if best.expected_f1 >= LEAST_EXPECTED_F1 else 2.0


class Cut(NamedTuple):
    """A threshold, and the F1 of words that a page is expected to have with it."""

    threshold: float
    expected_f1: float


def best_cut(lines: Sequence[str], line_probabilities: Floats) -> Cut:
    """The best choice of `page_threshold`, however little it promises.

    >>> best_cut(["Hem", "Nej"], np.zeros(2, np.float32))
    Cut(threshold=2.0, expected_f1=0.0)
    """
    return Cut(*compiled_cut(_utf8(lines), np.ascontiguousarray(line_probabilities)))


def _utf8(lines: Sequence[str]) -> bytes:
    return "\n".join(lines).encode("utf-8", "surrogatepass")


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

    >>> line_verdicts(["Nu är det vår.", "Hej", "Nu är det vår.", "Hej"], np.ones(4), 0.5).tolist()
    [True, True, False, True]
    >>> line_verdicts(["- Ny bro över ån", "", "# Ny bro över ån"], np.ones(3), 0.5).tolist()
    [False, True, True]
    >>> line_verdicts(["Ett", "", "---", "", "Två", "", "---"], np.ones(7), 0.5).tolist()
    [True, True, True, True, True, True, False]
    """
    kept: Mask = line_probabilities >= threshold
    chosen = np.flatnonzero(kept).tolist()
    for number in chain(_outer_breaks(lines, chosen), _outer_breaks(lines, chosen[::-1])):
        kept[number] = False
    quoted = repeated_quotations(lines, kept)
    again = lines_perhaps_alike(_utf8([lines[number] for number in chosen]), REPEAT_WORDS)
    suspects = [number for number, alike in zip(chosen, again, strict=False) if alike]
    met: dict[str, int] = {}
    code = code_lines(lines) if suspects else set()
    for number in suspects:
        line = lines[number]
        if number in code or line[:1] == "|" or line.endswith("  "):
            continue
        words = _WORD.findall(line.lower())
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


def _outer_breaks(lines: Sequence[str], numbers: Iterable[int]) -> Iterator[int]:
    """Those of some lines that are thematic breaks, up to the first with another visible sign."""
    for number in numbers:
        line = lines[number].strip()
        if line and not _BREAK.fullmatch(line):
            return
        if line:
            yield number


def joined_lines(lines: Sequence[str], kept: Mask) -> list[str]:
    r"""The kept lines, with a blank one where what was left out between two kept them apart.

    >>> joined_lines(["Kör så här:", "```", "make", "```", "Sedan är det klart."],
    ...     np.array([1, 0, 0, 0, 1], bool))
    ['Kör så här:', '', 'Sedan är det klart.']
    """
    joined: list[str] = []
    last = -1
    code = code_lines(lines)
    for number in np.flatnonzero(kept).tolist():
        line = lines[number]
        if number not in code:
            line = without_heading_marks(line) if line.startswith("#") else line
            line = without_needless_escapes(line) if "\\" in line else line
        if joined and number > last + 1 and line.strip() and lines[last].strip():
            listed = _ITEM.match(line) and _ITEM.match(lines[last])
            if not listed and any(left.strip() for left in lines[last + 1 : number]):
                joined.append("")
        joined.append(line)
        last = number
    return joined


def without_heading_marks(line: str) -> str:
    r"""A heading without the signs that lead to itself, and without its button to edit.

    >>> without_heading_marks("## Installation¶"), without_heading_marks(r"## Arv \[redigera\]")
    ('## Installation', '## Arv')
    >>> without_heading_marks("## Levevis [redigér]"), without_heading_marks("## Lär dig C#")
    ('## Levevis', '## Lär dig C#')
    """
    if line.rstrip()[-1:] not in _LAST_OF_MARK:
        return line
    # Only the end is searched: a long run of blanks would cost the pattern the square of it.
    end = max(len(line) - LONGEST_HEADING_MARK, 0)
    left = line[:end] + _HEADING_MARK.sub("", line[end:])
    return left if left.strip("# ") else line


def kept_text(markdown: str, line_probabilities: Floats, threshold: float | None) -> str:
    r"""The text of the lines that are kept, images included.

    Args:
        markdown: in plain form; ends in "\n", as the converter's does.
        line_probabilities: one for each "\n".
        threshold: least probability of a line that is kept; None: as `page_threshold` has it.

    >>> kept_text("# Titel\n\nMeny\nText\n", np.array([1, 0.9, 0.1, 0.5], np.float32), 0.5)
    '# Titel\n\nText\n'
    """
    lines = _judged_lines(markdown, line_probabilities)
    chosen = page_threshold(lines, line_probabilities) if threshold is None else threshold
    kept = joined_lines(lines, line_verdicts(lines, line_probabilities, chosen))
    return "".join(f"{line}\n" for line in kept)


def _judged_lines(markdown: str, line_probabilities: Floats) -> list[str]:
    """The lines of a page.

    Raises:
        ValueError: there is not one probability for each line, or text after the last.
    """
    if markdown and not markdown.endswith("\n"):
        raise ValueError("the Markdown does not end in a line break, so its end has no verdict")
    lines = split_lines(markdown)
    if len(lines) != len(line_probabilities):
        raise ValueError(f"{len(line_probabilities)} probabilities for {len(lines)} lines")
    return lines


def fold_blank_lines(text: str) -> str:
    r"""The text with single blank lines, and none at its start and end.

    >>> fold_blank_lines("\n\nEn.\n\n\n\nTvå.\n")
    'En.\n\nTvå.'
    """
    return _BLANK_LINES.sub("\n\n", text).strip("\n")


def extracted(
    markdown: str,
    logits: Floats,
    threshold: float | None = None,
    page_url: str | None = None,
    types: Mapping[str, float] | None = None,
    plain: str | None = None,
) -> dict[str, object]:
    """The columns of ProcessMarkdown for one page.

    The verdict is taken on the probabilities as stored, so that what is decided later from
    the column agrees.

    Args:
        markdown: ends in "\n".
        logits: one for each "\n".
        threshold: least probability of a line that is kept; None: as `page_threshold` has it.
        page_url: by which addresses of images become absolute; None leaves them.
        types: the share of each type that the page may have, if they are known.
        plain: `plain_markdown` of the page, if somebody has asked for it already.
    """
    stored = as_bytes(probabilities(logits))
    likely = from_bytes(stored)
    lines = _judged_lines(plain_markdown(markdown) if plain is None else plain, likely)
    chosen = page_threshold(lines, likely) if threshold is None else threshold
    verdicts = line_verdicts(lines, likely, chosen)
    text, images = text_of_lines(joined_lines(lines, verdicts), page_url)
    page_type = max(types, key=types.__getitem__) if types else None
    return {
        "text": text,
        "images": images,
        "kept_lines": int(verdicts.sum()),
        "line_probabilities": stored,
        "line_verdicts": verdicts.astype(np.uint8).tobytes(),
        "threshold": chosen if chosen <= 1 else None,
        "page_type": page_type,
        "page_type_share": round(types[page_type], 4) if types and page_type else None,
        "nothing_kept": None if text else _why_nothing(lines, verdicts),
    }


def _why_nothing(lines: Sequence[str], verdicts: Mask) -> NothingKept:
    if not any(line.strip() for line in lines):
        return NothingKept.no_line
    return NothingKept.pictures_only if verdicts.any() else NothingKept.no_main_text


def text_of_lines(
    kept: Sequence[str], page_url: str | None = None
) -> tuple[str, list[dict[str, object]]]:
    r"""The text that kept lines make, and its images: position in the text, and URL.

    Mojibake in the lines is mended (ftfy) and images are set aside, in this order, as in the
    published pipeline. Where lines or images went, one blank line stays; what holds nothing else
    goes with them (`without_emptied`).

    >>> text_of_lines(["# VÃ¤dret", "", "![sol](s.png)", "", "Sol."], "http://a.example/b/")
    ('# Vädret\n\nSol.', [{'position': 8, 'url': 'http://a.example/b/s.png'}])
    """
    split, images = split_text_and_images(mended("".join(f"{line}\n" for line in kept)))
    split, left = without_emptied(split, [at for at, _ in images])
    text = fold_blank_lines(split)
    places = [min(len(fold_blank_lines(split[:at])), len(text)) for at in left]
    return text, [
        {"position": at, "url": absolute(url, page_url)}
        for at, (_, url) in zip(places, images, strict=True)
    ]


def absolute(address: str, page_url: str | None) -> str:
    """An address as seen from a page (RFC 3986, section 5); as it is where that fails.

    >>> absolute("//b.example/c.png", "https://a.example/d/e"), absolute("/c.png", None)
    ('https://b.example/c.png', '/c.png')
    """
    try:
        return urljoin(page_url, address) if page_url else address
    except ValueError:  # brackets that are no IPv6 address
        return address
