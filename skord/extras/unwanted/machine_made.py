"""Signs of texts that a program filled in or translated: empty templates, translated offers.

Templates without content are known by what they say in place of content (a parked domain, the
first post of a new blog, "no reviews yet"), in eight languages. Offers made for many countries
name the same place or product over and over, leave whole passages in another language, name
prices in currencies that nobody there pays with, and set a blank before a full stop. None of these
means much for a text that offers nothing, so they count as far as words of offers occur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Row = NDArray[np.float64]

_READ_CHARS = 8_000
_LEAST_WORDS = 50
"""A text counts as one of so many words at least: one sign in ten words is not ten in a hundred."""

_PHRASES = """
    domännamnet är registrerat|domännamnet är köpt|är parkerad|parkerad hos|ladda upp din hemsida
    domänen är till|domæne er|domænet er|domenet er|domene er|lénið er|þetta lén|verkkotunnus on
    domēns ir|domain is|domain name|this domain|coming soon|under construction|under uppbyggnad
    under opbygning|under oppbygging|í vinnslu|hej världen|hej verden|hei verden|halló heimur
    hei maailma|sveika pasaule|hello world|just another|ditt första inlägg|dit første indlæg
    ditt første innlegg|fyrsta færsla|ensimmäinen artikkelisi|pirmais ieraksts|sample page
    exempelsida|exempel på en sida|eksempelside|lorem ipsum|dolor sit amet|your content here
    text goes here|din text här|din tekst her|it works!|welcome to nginx|inga recensioner
    inga omdömen|inte angivit|ännu inga|inga träffar|inga resultat|inga produkter|lägsta pris
    jämför priser|jämför pris|ingen anmeldelser|ingen resultater|ingen treff|sammenlign priser
    laveste pris|engar umsagnir|engar niðurstöður|ei arvosteluja|ei tuloksia|vertaa hintoja
    nav atsauksmju|nav rezultātu|salīdzini cenas|no reviews|no results|compare prices|inte hittas
    hittades inte|sidan finns inte|ikke fundet|siden finnes ikke|fannst ekki|ei löydy|nav atrasta
    not found|är på engelska|google translate|översatt av|oversat af|oversatt av|maskinöversatt
    maskinoversat|vélþýð|konekäännös|mašīntulk|machine translat"""
"""Of parked domains, new sites, empty entries and lists, missing pages, translations."""

_OFFER_WORDS = """
    pris priser priset kr sek boka bokning beställ köp köpa billig billiga billigt billigaste
    erbjudande erbjudanden rea frakt leverans varukorg hotell hotellet hotel rum lägenhet villa
    flyg resa flygbiljetter hyra uthyres recension recensioner omdöme omdömen betyg produkt
    produkter kund kunder garanti rabatt prisen bestil køb købe billige tilbud fragt levering kurv
    værelse værelser lejlighed anmeldelse anmeldelser fly leje bestill kjøp kjøpe handlekurv rom
    leilighet leie verð kaupa panta tilboð hótel herbergi íbúð flug umsagnir afsláttur sending karfa
    hinta hinnat osta tilaa tarjous hotelli huone arvostelut alennus toimitus cena cenas pirkt
    pasūtīt viesnīca istaba atsauksmes atlaide piegāde price prices buy book room rooms offer review
    reviews shipping order discount"""
"""Words of shops, hotels and journeys, in Swedish, Danish, Norwegian, Icelandic, Finnish, Latvian
and English."""

_FOREIGN: Mapping[str, tuple[str, ...]] = {
    "en": ("the", "of", "and", "with", "you", "your", "this", "from", "was", "that", "were",
           "which", "our", "their"),
    "de": ("und", "das", "nicht", "für", "auch", "oder", "werden", "sie", "wir"),
    "fr": ("le", "les", "des", "est", "dans", "pour", "vous", "une", "avec", "sur"),
    "es": ("el", "los", "las", "del", "una", "para", "con", "por", "que", "su"),
    "it": ("il", "di", "che", "una", "della", "nel", "sono"),
    "nl": ("het", "een", "voor", "niet", "zijn", "wij", "naar", "ook"),
}  # fmt: skip
"""Function words; a few are Nordic words, too (*del*, *les*), which `_USUAL_FOREIGN` allows for."""

_OFFERS = frozenset(_OFFER_WORDS.split())

MEASURES = (
    "template_phrases", "repeated_names", "foreign_words", "spaced_marks", "foreign_prices",
)  # fmt: skip
"""What the model of `skord.models.unwanted`, file `machine_made.json`, weighs."""

_WORDS = re.compile(r"\w+")
_WORDS_AND_ENDS = re.compile(r"\w+|[.!?]")
_SPACED = re.compile(r"\w [.,!?](?=\s|$)")
_PRICE = re.compile(r"[$£€]\s?\d|\d\s?(?:€|GBP|EUR|USD)")
_OFTEN = 3
"""How often a pair of words with a capital stands before it counts as repeated."""
_MOST = 4.0
"""Signs in a hundred words; more say nothing more."""
_USUAL_NAMES, _USUAL_FOREIGN = 0.05, 0.02
"""Shares of words that good texts reach."""
_OFFERED = 2.0
"""Words of offers in a hundred, from which on a text is one."""


def machine_made_measures(text: str, language: str | None) -> Row:
    """What the model weighs of one text: `MEASURES`, shape (measures,).

    Of the text's first 8,000 characters; function words of the language are not foreign.

    >>> machine_made_measures("Den här domänen är till salu.", "sv").round(2).tolist()
    [1.41, 0.0, 0.0, 0.0, 0.0]
    """
    read = text[:_READ_CHARS]
    low = " ".join(read.lower().split())
    words = Counter(_WORDS.findall(low))
    number = max(words.total(), 1)
    hundreds = max(number, _LEAST_WORDS) / 100
    offered = min(sum(words[word] for word in _OFFERS) / hundreds / _OFFERED, 1)
    names = max(_repeated_names(read) / number - _USUAL_NAMES, 0)
    foreign = max(_foreign_words(words, language) / number - _USUAL_FOREIGN, 0)
    phrases, spaced, prices = (
        min(len(pattern.findall(held)) / hundreds, _MOST)
        for pattern, held in ((_phrase(), low), (_SPACED, read), (_PRICE, read))
    )
    return np.array([
        np.sqrt(phrases),
        *(offered * np.array([
            3 * np.sqrt(names), 5 * np.sqrt(foreign), np.sqrt(spaced), np.sqrt(prices),
        ])),
    ])  # fmt: skip


@cache
def _phrase() -> re.Pattern[str]:
    """One of the phrases; compiled on first use."""
    phrases = (phrase.strip() for phrase in re.split(r"[|\n]", _PHRASES))
    return re.compile("|".join(re.escape(phrase) for phrase in phrases if phrase))


def _repeated_names(text: str) -> int:
    """Words in pairs, one of them with a capital, that stand three times and more."""
    words = _WORDS_AND_ENDS.findall(text)
    pairs = Counter(
        (one, other)
        for one, other in pairwise(words)
        if one[0].isalpha() and other[0].isalpha() and (one[0].isupper() or other[0].isupper())
    )
    return sum(2 * times for times in pairs.values() if times >= _OFTEN)


def _foreign_words(words: Mapping[str, int], language: str | None) -> int:
    """Function words of the other language that has most of them."""
    return max(
        sum(words[word] for word in listed) for name, listed in _FOREIGN.items() if name != language
    )
