"""What a page offers beside its content under a heading that says so: "others also bought"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

LONG_WORDS = 25
"""A line of so many words is no entry of a list of offers: it ends one."""
# Of 130 such sections on the pages of training and test, with 4,449 words, none is main text. What
# is said of articles ("related", "read more") stands amid texts, too, and is judged.
_OFFERS = (
    r"andra (?:har )?(?:köpte|köpt|tittade på|sett)(?: också)?|du kanske också gillar",
    r"(?:andra söker|andre søger|andre søker|andre søkjer|aðrir leita)"
    r"(?: (?:också|også|òg|líka))?(?: (?:efter|etter|að))?",
    r"(?:nyligen|senast) (?:visade|besökta)|relaterade produkter",
    r"liknande (?:produkter|trådar|varor)",
    r"andre (?:har også (?:købt|set)|købte også)|(?:sidst|senest) (?:sete|viste)",
    r"relaterede produkter|lignende (?:produkter|tråde|tråder|varer)",
    r"måske kan du også lide|du vil måske også kunne lide",
    r"andre (?:kjøpte(?: også| òg)?|har kjøpt)|sist sett(?: på)?|relaterte produkter",
    r"liknende (?:produkter|tråder|varer)|liknande produkt",
    r"aðrir (?:keyptu|skoðuðu) (?:líka|einnig)|nýlega skoðað|tengdar vörur",
    r"svipað(?:ar vörur|ir þræðir)",
    r"(?:customers|people|others|shoppers|users)(?: who \w+ this(?: item| product)?)? also "
    r"(?:bought|viewed|liked|shopped for|searched for)|recently viewed(?: items| products)?",
    r"you (?:may|might) also (?:like|enjoy|be interested in)(?: these)?|you'?ll also love",
    r"related products|similar (?:products|items|threads)|frequently bought together",
    # more of the same: 64 sections on 48 sites, with 2,890 words, 3 of them main text
    r"(?:fler|flera|flere|fleire|fleiri|more|mer|mere|meira)(?: (?:of|from))?(?: \w+)? "
    r"(?:recept|opskrifter|oppskrifter|uppskriftir|recipes|artiklar|artikler|greinar|articles"
    r"|stories|news|posts|nyheter|nyheder|fréttir|inlägg|indlæg|innlegg|trådar|tråde|tråder|þræðir"
    r"|threads|topics|videos|produkter|vörur|products|jobs|events)",
    r"more (?:\w+ )?(?:like this|for you|from \w.{0,30})|(?:mer från|mere fra|mer fra) \w.{0,30}",
)
_HEADING = re.compile(rf"(##+) \W*(?:{'|'.join(_OFFERS)})\W*", re.IGNORECASE)


def offers(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """First line of each section of offers, its heading, and the line after its last.

    Args:
        lines: of the page, in plain form.

    >>> list(offers(["# Tält", "## Andra köpte också", "- Sovsäck", "### Kök", "## Mått", "2 m"]))
    [(1, 4)]
    >>> list(offers(["# Recently viewed", "- Tent"]))
    []
    """
    end = 0
    for start in [number for number, line in enumerate(lines) if line[:2] == "##"]:
        heading = _HEADING.fullmatch(lines[start]) if start >= end else None
        if heading:
            end = _end(lines, start + 1, len(heading[1]))
            yield start, end


def _end(lines: Sequence[str], start: int, level: int) -> int:
    """The first line from `start` on that is long, or a heading that is not below the level."""
    for number in range(start, len(lines)):
        line = lines[number]
        above = line.startswith("#") and not line.startswith("#" * (level + 1))
        if above or len(line.split()) >= LONG_WORDS:
            return number
    return len(lines)
