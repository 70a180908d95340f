"""Which paragraphs of a page are kept, and whether the page is: Uzushio's filters as settings.

Each paragraph gets the name of the first filter that takes it out, or none; then the page as a
whole is measured on what is left. After Uzushio's filters (its README and the articles that
present it), with link shares measured on the links themselves.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import pyarrow as pa

from pipeline.paragraphs.format import Paragraph, path_steps

NO_CONTENT = (
    "header",
    "footer",
    "aside",
    "nav",
    "noscript",
    "form",
    r"(div|p|ul|h1|section)[.#]\S*(header|footer|side|menu|nav|banner|logo|breadcrumb|widget|button)",
)
"""Steps of a path in which there is no content; Uzushio's, for languages of any script."""

COMPRESSED_BYTES = 1 << 20
_HEADING = re.compile(r"h([1-6])")
_LIST = frozenset({"ul", "ol", "menu", "dir"})
_END = re.compile(r"[.!?…。！？»”\"')\]]\s*$")
_WORD = re.compile(r"\w+")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class ParagraphLimits:
    """What is taken out.

    Attributes:
        no_content: patterns of path steps, `tag.class#id`, matched from their start.
        min_chars: of a paragraph.
        max_link_ratio: share of a paragraph's characters that are links.
        max_exact_freq, max_near_freq: paragraphs of the dump that are the same, or nearly; 0: any.
        run_freq, run_length: so many paragraphs in a row that are near so many others are template,
            and with them their frequent neighbours; 0: none are.
        min_page_chars: of all that is left of a page.
        min_compression, max_compression: packed size (LZ4) against size, of what is left; repeated
            text packs too well, lists of codes too badly.
        min_hiragana: share of hiragana in Japanese text.
        min_ended: share of the paragraphs left, headings and lists apart, that end a sentence.
        max_listed_words: words of a list that a page may hold.
        listed_words: the list, lower case.
    """

    no_content: tuple[str, ...] = NO_CONTENT
    min_chars: int = 1
    max_link_ratio: float = 0.8
    max_exact_freq: int = 0
    max_near_freq: int = 0
    run_freq: int = 100
    run_length: int = 3
    min_page_chars: int = 200
    min_compression: float = 0.0
    max_compression: float = 1.0
    min_hiragana: float = 0.1
    min_ended: float = 0.0
    max_listed_words: int = 2
    listed_words: frozenset[str] = frozenset()

    @cached_property
    def steps(self) -> re.Pattern[str] | None:
        """Any of the patterns.

        Raises:
            re.error: one is none.
        """
        if not self.no_content:
            return None
        whole = (f"{one}(?![\\w-])" if one.isalnum() else one for one in self.no_content)
        return re.compile("|".join(f"(?:{pattern})" for pattern in whole), re.IGNORECASE)


def link_ratio(paragraph: Paragraph) -> float:
    """Share of its characters but blanks that are the text of links.

    >>> link_ratio(Paragraph("body", "Se \\x02allt\\x03"))
    0.6666666666666666
    """
    shown = len("".join(paragraph.plain.split()))
    linked = sum(len("".join(link.split())) for link in paragraph.links)
    return linked / shown if shown else 0.0


def paragraph_reasons(
    paragraphs: Sequence[Paragraph],
    exact: Sequence[int],
    near: Sequence[int],
    limits: ParagraphLimits,
) -> list[str | None]:
    """The name of the first filter that takes each paragraph out; None for those kept.

    Args:
        paragraphs: of one page.
        exact: how many of the dump have the same text.
        near: those, and the ones nearly like it.
        limits: in force.

    >>> page = [Paragraph("body>nav>ul", "Hem"), Paragraph("body>p", "Text.")]
    >>> paragraph_reasons(page, [9, 1], [9, 1], ParagraphLimits())
    ['no_content', None]
    """
    runs = frequent_runs(near, limits.run_freq, limits.run_length)
    return [
        _reason(paragraph, same, alike, in_run, limits)
        for paragraph, same, alike, in_run in zip(paragraphs, exact, near, runs, strict=True)
    ]


def _reason(
    paragraph: Paragraph, same: int, alike: int, in_run: bool, limits: ParagraphLimits
) -> str | None:
    if limits.steps and _is_no_content(limits.steps, paragraph.path):
        return "no_content"
    if len(paragraph.plain.strip()) < limits.min_chars:
        return "min_chars"
    if link_ratio(paragraph) > limits.max_link_ratio:
        return "max_link_ratio"
    if limits.max_exact_freq and same > limits.max_exact_freq:
        return "max_exact_freq"
    if limits.max_near_freq and alike > limits.max_near_freq:
        return "max_near_freq"
    return "run" if in_run else None


@lru_cache(maxsize=4096)
def _is_no_content(pattern: re.Pattern[str], path: str) -> bool:
    return any(map(pattern.match, _steps(path)))


def _steps(path: str) -> list[str]:
    return [
        step.tag + "".join(f".{name}" for name in step.classes) + (f"#{step.id}" if step.id else "")
        for step in path_steps(path)
    ]


def frequent_runs(near: Sequence[int], freq: int, length: int) -> list[bool]:
    """Which paragraphs stand in a row of frequent ones.

    >>> frequent_runs([9, 9, 9, 1, 9, 9], 9, 3)
    [True, True, True, False, False, False]
    """
    found = [False] * len(near)
    if not freq:
        return found
    first = 0
    for place in range(len(near) + 1):
        if place < len(near) and near[place] >= freq:
            continue
        if place - first >= length:
            found[first:place] = [True] * (place - first)
        first = place + 1
    return found


def as_markdown(paragraphs: Sequence[Paragraph]) -> str:
    r"""Kept paragraphs as Markdown: headings with their marks, lists with a bullet each line.

    >>> as_markdown([Paragraph("body>h2", "Hej"), Paragraph("body>ul", "ett\ntvå"),
    ...     Paragraph("body>p", "Text.")])
    '## Hej\n\n- ett\n- två\n\nText.'
    """
    return "\n\n".join(_marked(one) for one in paragraphs if one.plain.strip())


def _tag(paragraph: Paragraph) -> str:
    steps = path_steps(paragraph.path)
    return steps[-1].tag if steps else ""


def _marked(paragraph: Paragraph) -> str:
    tag, text = _tag(paragraph), paragraph.plain.strip()
    if heading := _HEADING.fullmatch(tag):
        return f"{'#' * int(heading[1])} {' '.join(text.split())}"
    if tag in _LIST:
        return "\n".join(f"- {line.strip()}" for line in text.split("\n") if line.strip())
    if tag == "pre":
        return f"```\n{paragraph.plain}\n```"
    return text


@dataclass(frozen=True)
class PageMeasures:
    """What is left of a page, measured; None where a measure says nothing of it."""

    chars: int
    compression_ratio: float | None
    hiragana_ratio: float | None
    ended_ratio: float | None
    num_listed_words: int


def measured(paragraphs: Sequence[Paragraph], words: Collection[str]) -> PageMeasures:
    """Measure the kept paragraphs of a page.

    Args:
        paragraphs: kept.
        words: a list, lower case.
    """
    text = "\n".join(one.plain for one in paragraphs)
    data = text.encode("utf-8", "replace")[:COMPRESSED_BYTES]
    packed = pa.compress(data, codec="lz4_raw", asbytes=True) if data else b""
    wide = len(_WIDE.findall(text))
    is_japanese = wide > 0.3 * max(len("".join(text.split())), 1)
    prose = [
        one for one in paragraphs if not _HEADING.fullmatch(_tag(one)) and _tag(one) not in _LIST
    ]
    ended = sum(bool(_END.search(one.plain)) for one in prose)
    return PageMeasures(
        chars=len(text),
        compression_ratio=len(packed) / len(data) if data else None,
        hiragana_ratio=len(_HIRAGANA.findall(text)) / len(text) if is_japanese else None,
        ended_ratio=ended / len(prose) if prose else None,
        num_listed_words=sum(word in words for word in _WORD.findall(text.lower())) if words else 0,
    )


def page_reason(measures: PageMeasures, limits: ParagraphLimits) -> str | None:
    """The first limit that a page is outside of; None for one that is kept."""
    packed, ended, kana = (
        measures.compression_ratio,
        measures.ended_ratio,
        measures.hiragana_ratio,
    )
    if measures.chars < limits.min_page_chars:
        return "min_page_chars"
    if packed is not None and not limits.min_compression <= packed <= limits.max_compression:
        return "compression"
    if kana is not None and kana < limits.min_hiragana:
        return "min_hiragana"
    if ended is not None and ended < limits.min_ended:
        return "min_ended"
    return "max_listed_words" if measures.num_listed_words > limits.max_listed_words else None
