"""Which paragraphs of a page are kept, and whether the page is: Uzushio's filters as settings.

Each paragraph gets the name of the first filter that takes it out, or none; then the page as a
whole is measured on what is left. After Uzushio's filters (its README and the articles that
present it), with link shares measured on the links themselves.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import inf

from skord.extras.paragraphs.page_measures import PageMeasures, heading_level, is_list, last_tag
from skord.paragraphs.format import Paragraph, path_steps

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


@dataclass(frozen=True)
class ParagraphLimits:
    """What is taken out; the settings of FilterParagraphs of the same names explain each.

    Attributes:
        no_content: patterns of path steps, `tag.class#id`, matched from their start.
        listed_words: of `word_list_files`, lower case.
    """

    no_content: tuple[str, ...] = NO_CONTENT
    min_chars: int = 1
    drop_adjacent: bool = True
    max_link_ratio: float = 0.8
    max_exact_freq: int = 0
    max_near_freq: int = 0
    run_freq: int = 100
    run_length: int = 3
    min_page_chars: int = 200
    max_page_chars: int = 0
    min_compression: float = 0.0
    max_compression: float = 1.0
    min_script: float = 0.0
    min_hiragana: float = 0.1
    min_ended: float = 0.0
    max_listed_words: int = 2
    listed_words: frozenset[str] = frozenset()
    max_perplexity: float = 0.0
    expected_copies: float = 0.0

    @cached_property
    def steps(self) -> re.Pattern[str] | None:
        """Any of the patterns."""
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

    `exact` is how many of the dump have the same text, `near` those and the ones nearly like it.

    >>> page = [Paragraph("body>nav>ul", "Hem"), Paragraph("body>p", "Text.")]
    >>> paragraph_reasons(page, [9, 1], [9, 1], ParagraphLimits())
    ['no_content', None]
    """
    runs = frequent_runs(near, limits.run_freq, limits.run_length)
    reasons: list[str | None] = []
    before = None
    for paragraph, same, alike, in_run in zip(paragraphs, exact, near, runs, strict=True):
        is_again = limits.drop_adjacent and paragraph.plain == before
        before = paragraph.plain
        reasons.append(
            "adjacent" if is_again else _removal_reason(paragraph, same, alike, in_run, limits)
        )
    return reasons


def _removal_reason(
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
    return any(map(pattern.match, _path_steps(path)))


def _path_steps(path: str) -> list[str]:
    return [
        step.tag + "".join(f".{name}" for name in step.classes) + (f"#{step.id}" if step.id else "")
        for step in path_steps(path)
    ]


def frequent_runs(near: Sequence[int], freq: int, length: int) -> list[bool]:
    """Which paragraphs stand in a row of frequent ones.

    >>> frequent_runs([9, 9, 9, 1, 9, 9], 9, 3)
    [True, True, True, False, False, False]
    """
    in_run = [False] * len(near)
    if not freq:
        return in_run
    first = 0
    for place in range(len(near) + 1):
        if place < len(near) and near[place] >= freq:
            continue
        if place - first >= length:
            in_run[first:place] = [True] * (place - first)
        first = place + 1
    return in_run


def as_markdown(paragraphs: Sequence[Paragraph]) -> str:
    r"""Kept paragraphs as Markdown: headings with their marks, lists with a bullet each line.

    >>> as_markdown([Paragraph("body>h2", "Hej"), Paragraph("body>ul", "ett\ntvå"),
    ...     Paragraph("body>p", "Text.")])
    '## Hej\n\n- ett\n- två\n\nText.'
    """
    return "\n\n".join(_marked_paragraph(one) for one in paragraphs if one.plain.strip())


def _marked_paragraph(paragraph: Paragraph) -> str:
    tag, text = last_tag(paragraph), paragraph.plain.strip()
    if level := heading_level(tag):
        return f"{'#' * level} {' '.join(text.split())}"
    if is_list(tag):
        return "\n".join(f"- {line.strip()}" for line in text.split("\n") if line.strip())
    if tag == "pre":
        return f"```\n{paragraph.plain}\n```"
    return text


def page_reason(measures: PageMeasures, limits: ParagraphLimits) -> str | None:
    """The first limit that a page is outside of; None for one that is kept.

    A measure that is not known (None) keeps a page.
    """
    outside = {
        "min_page_chars": measures.chars < limits.min_page_chars,
        "max_page_chars": 0 < limits.max_page_chars < measures.chars,
        "compression": _is_outside(
            measures.compression_ratio, limits.min_compression, limits.max_compression
        ),
        "min_script": _is_outside(measures.script_ratio, limits.min_script),
        "min_hiragana": _is_outside(measures.hiragana_ratio, limits.min_hiragana),
        "min_ended": _is_outside(measures.ended_ratio, limits.min_ended),
        "max_listed_words": measures.num_listed_words > limits.max_listed_words,
        "max_perplexity": _is_outside(measures.perplexity, 0.0, limits.max_perplexity or inf),
        "expected_copies": measures.copies_drawn is False,
    }
    return next((name for name, is_outside in outside.items() if is_outside), None)


def _is_outside(value: float | None, low: float, high: float = inf) -> bool:
    return value is not None and not low <= value <= high
