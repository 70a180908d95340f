"""Evaluation sets inside texts: Decontaminate, `skord study contamination`."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping

from skord.cli.declarations import ExtraCommand
from skord.cli.parser import Command, as_json, of_dump
from skord.extras import Function, TaskModule
from skord.publishing.card.dataset_card import CardPart
from skord.quality.features import Feature


def _contamination(parser: ArgumentParser) -> None:
    of_dump(parser)
    parser.add_argument("--set", help="one evaluation set; all when left out")
    parser.add_argument(
        "--limit", type=float, default=0.5, help="score from which a text counts (default 0.5)"
    )
    parser.add_argument("--examples", type=int, default=20, help="matches shown; 0: none")
    as_json(parser)


def _card_sentences(sets: Mapping[str, int]) -> Iterator[str]:
    """What texts were compared with."""
    named = [f"{name} ({number:,} items)" for name, number in sorted(sets.items())]
    yield f"Contamination is that by items of these evaluation sets: {', '.join(named)}."


DECLARES = (
    TaskModule("skord.extras.contamination.task", of_pages=("Decontaminate",)),
    *(
        Feature(
            f"{part}_contamination",
            0,
            0.5,
            "share of weight",
            "here, after Spärck Jones 1972",
            "contamination",
            f"The most that the text holds of one {part} of the evaluation sets: share of its "
            "words, weighted by rarity, that the text has in the same places. "
            "By Decontaminate.",
        )
        for part in ("question", "answer")
    ),
    CardPart(
        "Decontaminate",
        "evaluation_sets",
        Function("skord.extras.contamination.task", "card_values"),
        _card_sentences,
    ),
    ExtraCommand(
        "look closer",
        Command(
            "contamination",
            "which evaluation sets are in a dump's texts",
            "skord.extras.contamination.command",
            _contamination,
            description="Which evaluation sets are in the texts of a dump, as Decontaminate found "
            "them: of each set how many questions and answers some text holds, one text both, and "
            "how many texts; then the best matches to read, each item once.",
        ),
    ),
)
