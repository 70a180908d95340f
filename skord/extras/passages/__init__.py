"""Text that kept texts repeat: passages found and cut out, paragraphs taken out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from skord.cli.declarations import WhatIfSetting, WhyPart
from skord.extras import Function, TaskModule
from skord.publishing.card.dataset_card import CardPart
from skord.quality.features import NO_LIMIT, Feature
from skord.text.cuts import KEPT, TREATMENTS


def _card_sentences(values: Mapping[str, Any]) -> Iterator[str]:
    """What was cut out of texts as repeated."""
    cut = {"later": "all but the first copy of each", "all": "all copies"}
    yield (
        f"Passages of {values['tokens']} tokens or more that occur again, in another "
        f"kept text or the same, are cut out: {cut[values['treatment']]}."
    )


def _why_sentences(tables: Mapping[str, Mapping[str, Any]], export: Any) -> Iterator[str]:
    """How much of a page's text repeats others, where that stays in."""
    share = float(tables.get("FindRepeatedPassages", {}).get("repeated_char_ratio") or 0)
    if share and export.passages == KEPT:
        yield f"{share:.0%} of its text are later copies: [ExportCorpus] passages leaves them"


DECLARES = (
    TaskModule("skord.extras.passages.removal"),
    TaskModule("skord.extras.passages.task", of_pages=("FindRepeatedPassages",)),
    Feature("repeated_char_ratio", *NO_LIMIT, "share of characters",
            "after Lee et al. 2022 (arXiv 2107.06499), exact substrings", "passages",
            "Share of the text's characters in passages that occur again in kept texts, and first "
            "elsewhere; null for a text that is not kept. By FindRepeatedPassages."),
    CardPart(
        "FindRepeatedPassages",
        "passages",
        Function("skord.extras.passages.task", "card_values"),
        _card_sentences,
    ),
    WhyPart(_why_sentences),
    WhatIfSetting(
        "passages",
        "FindRepeatedPassages",
        TREATMENTS,
        Function("skord.extras.passages.what_if", "PassageCuts"),
        Function("skord.extras.passages.what_if", "cuts_in_lines"),
    ),
)  # fmt: skip
