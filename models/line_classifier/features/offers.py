"""What stands beside a page's content under a heading that says so: offers, customers' reviews."""

from __future__ import annotations

import re
from collections.abc import Iterator

from skord.markdown.plain_lines import PlainLines

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

# Of 19 such sections on likely products' pages of 9 sites, with 8,179 words, none is main text. On
# pages of other types they often are: a company shows what its customers say. So is "Reviews"
# alone at times: what the press says.
_REVIEWS = (
    r"(?:customers?'?s?|user|buyer) (?:reviews?|ratings?|testimonials?|feedback)(?: for .*)?",
    r"\d+ (?:customer )?(?:reviews?|ratings?)(?: for .*)?|reviews? (?:for .*|summary)",
    r"ratings? (?:&|and) reviews?|what (?:our )?(?:customers|buyers) (?:say|are saying|think)",
    r"(?:kund)?(?:recensioner|omdömen)|(?:kunde|bruger)?anmeldelser|(?:kunde)?(?:omtaler|omtalar)",
    r"vad (?:våra )?kunder (?:säger|tycker)",
    r"det (?:siger|sier|seier) (?:vore |våre )?kund(?:er|erne|ene|ane)",
    r"umsagnir(?: viðskiptavina)?|kundenbewertungen|kundenrezensionen",
)
_REVIEWS_HEADING = re.compile(rf"(##+) \W*(?:{'|'.join(_REVIEWS)})[\W\d]*", re.IGNORECASE)


def offers(lines: PlainLines) -> Iterator[tuple[int, int]]:
    """First line of each section of offers, its heading, and the line after its last.

    Args:
        lines: of the page, in plain form.

    >>> page = ["# Tält", "## Andra köpte också", "- Sovsäck", "### Kök", "## Mått", "2 m"]
    >>> list(offers(PlainLines.of(page))), list(offers(PlainLines.of(["# Recently viewed"])))
    ([(1, 4)], [])
    """
    return _sections(lines, _HEADING, LONG_WORDS)


def reviews(lines: PlainLines) -> Iterator[tuple[int, int]]:
    """The same of each section of customers' reviews; it ends with a heading of its level.

    >>> page = ["# Tält", "## Customer reviews", "### Bra!", "Tätt.", "## Mått", "2 m"]
    >>> list(reviews(PlainLines.of(page)))
    [(1, 4)]
    """
    return _sections(lines, _REVIEWS_HEADING, None)


def _sections(
    lines: PlainLines, headed: re.Pattern[str], long_words: int | None
) -> Iterator[tuple[int, int]]:
    end = 0
    for start, line in lines.headings.items():
        if start >= end and (heading := headed.fullmatch(line)):
            end = _end(lines, start + 1, len(heading[1]), long_words)
            yield start, end


def _end(lines: PlainLines, start: int, level: int, long_words: int | None) -> int:
    """The first line from `start` on that is long, or a heading that is not below the level."""
    for number in range(start, len(lines)):
        line = lines[number]
        above = line.startswith("#") and not line.startswith("#" * (level + 1))
        if above or (long_words and len(line.split()) >= long_words):
            return number
    return len(lines)
