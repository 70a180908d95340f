"""Street addresses in running text: a street by what its name ends in, or by a postal code.

A name is one to four words that begin with a capital, the last perhaps a word for a street; a
number follows, with letter, range, entrance, floor or flat. It counts as an address where

* its last word has one of `ENDINGS` behind a name (*Storgatan 5*); those that end other words, too,
  only where their language stands around it (*Dahlbråten 8*, *Reykjafold 84*),
* its last word is one of `STREETS` behind a name (*Karl Johans gate 7*, *Ida Ekmanin tie 90*,
  *Krišjāņa Barona iela 12*),
* or a postal code and a place follow, whatever it is called (*Skipholti 20, 105 Reykjavík*).

Icelandic names in *-land*, *-nes*, *-vík*, *-hús* are also those of countries, towns and their
teams: they count where the name is none of `_TOWNS` and no score follows. Left out are endings that
are more often something else's: *-lia* (*Italia 2*), *-tori* (*traktori*), *-portti* (*raportti*).
"""

from __future__ import annotations

import re

_CAPITAL, _SMALL = "A-ZÅÄÖÆØÞÐÉÁÍÓÚÝÜĀČĒĢĪĶĻŅŠŪŽ", "a-zåäöæøþðáéíóúýüāčēģīķļņšūž"

ENDINGS: dict[str, tuple[str, ...]] = {
    "": (
        # Swedish, Danish, Norwegian
        "gatan", "gata", "vägen", "väg", "gränden", "gränd", "torget", "torg", "stigen", "allén",
        "allé", "esplanaden", "gade", "vej", "vejen", "vænget", "vænge", "stræde", "strædet",
        "terrasse", "alle", "boulevard", "gate", "gaten", "vei", "veien", "vegen", "alléen",
        "alleen",
        # Icelandic, in the nominative and as it stands behind "at"
        "götu", "vegur", "vegi", "braut", "stræti", "stígur", "stíg",
        # Finnish, and on it
        "katu", "kadulla", "tie", "tiellä", "kuja", "kujalla", "polku", "polulla", "puisto",
        "bulevardi", "väylä", "aukio", "raitti", "penger", "kaari", "esplanadi", "ranta", "laituri",
        # Latvian
        "iela", "ielā", "ielas",
        # cut short: Kungsg. 5, Karlbergsv. 3, Storgt. 7, Drammensvn. 9
        "sg.", "gg.", "sv.", "gv.", "dv.", "gt.", "svn.",
        # Swedish
        "backen", "stråket", "slingan", "brinken", "kajen", "promenaden", "svängen", "kroken",
        "ängen", "bryggan", "bågen", "gärdet", "hammaren", "höjden", "kullen",
        "ljungen", "lyckan", "näset", "platsen", "rundeln", "stallet", "stranden", "trappan",
        "täppan", "udden", "vallen", "vreten", "mården", "slätten", "slätt", "gläntan", "backarna",
        "länken",
        # Danish
        "toften", "vangen", "bakken", "svinget", "krogen", "skrænten", "torvet", "gyden", "dammen",
        "højen", "skoven", "kæret", "leddet", "hegnet", "mosen", "pladsen", "husene", "dybet",
        "bjerget", "bryggen", "bækken", "diget", "højden", "klinten", "krattet", "løkken", "løkke",
        "lodden", "næsset", "pynten", "syrenen", "volden", "gyde", "rækken", "splads",
        # Norwegian
        "svingen", "bråten", "tunet", "haugen", "åsen", "kollen", "skogen", "holtet", "stykket",
        "stranda", "løkka", "høgda", "tjernet", "stubben", "flata", "havna", "berget", "vollen",
        "skrenten", "jordet", "grenda", "faret", "lunden", "teigen", "sletta", "plassen", "bakkane",
        "brekka", "kleiva", "lyngen", "gjerdet", "åkeren", "brygge", "kaia", "lykkja", "sletten",
        "hammeren", "haugane", "høyden", "rabben", "slåtta", "tråkket", "røa", "gropa", "spranget",
        "snaret",
        # Finnish
        "niitty", "kaarre", "aukea", "piennar", "ahde", "syrjä", "taival", "törmä", "luhta",
        "tanhua", "palsta",
    ),
    r"[åäöæøÅÄÖÆØ]|\b(?:og|och|ikkj?e|inte|att|till?|a[vf]|som|det|eller|skal?|fra|selv|mellom|med|har"
    r"|kan|blir|ved|efter|etter)\b": (
        # Swedish
        "liden", "bron", "stenen", "furan", "granen",
        # Danish
        "stien", "haven", "torv", "dalen", "parken", "marken", "buen", "holmen", "porten", "banken",
        "bakke", "toft", "vang", "kær", "gaden", "kaj", "led", "dam", "sti", "broen", "brink",
        "bøgen", "høj", "kanten", "lyng", "sving", "hegn",
        # Norwegian
        "gota", "veg", "hagen", "toppen", "moen", "ekra", "marka", "engen", "ringen", "myra",
        "terrasse", "gangen", "bekken", "odden", "bukta", "terrassen", "enga", "steinen", "tangen",
        "urda", "roa", "vika",
        # Finnish
        "rinne", "rivi", "kulma", "silta", "pelto", "haka", "piha", "mutka", "laita",
    ),
    "[ðþáíúýÐÞÁÍÚÝ]": (
        "hlíð", "múli", "múla", "holt", "holti", "tún", "túni", "gerði", "torgi", "teigur", "teigi",
        "melur", "hagi", "haga", "stétt", "tröð", "garður", "garði", "smári", "smára", "lundur",
        "lundi", "hvammur", "hvammi", "fold", "rimi", "rima", "mýri", "flöt", "síða", "síðu",
        "höfði", "höfða", "grandi", "granda", "vangur", "vangi", "hamrar", "hömrum", "salir",
        "sölum", "lind", "kór", "kvísl", "gil", "lækur", "læk", "vellir", "völlum", "hóll", "hól",
        "hólar", "hólum", "tangi", "tanga", "heiði", "barð", "klettur", "kletti", "kinn", "brekka",
        "brekku", "bakki", "bakka", "hraun", "hrauni", "stekkur", "berg", "bergi", "skógar",
        "tjörn", "fell", "byggð", "hæð", "ás", "ási", "brún", "búðir", "móar", "móum", "garðar",
        "görðum", "bugur", "akur", "akri", "slóð", "dalur", "dal", "borgir", "skálar", "hvarf",
        "þing", "vogur", "vogi",
        # Icelandic farms, and streets that are called like them
        "kot", "koti", "sel", "seli", "ból", "bóli", "bær", "bæ", "tunga", "tungu", "grund",
        "sund", "sundi", "hvoll", "hvoli", "háls", "hálsi", "hella", "hellu", "leiti", "hjalli",
        "hjalla", "skjól", "skjóli", "brunnur", "brunni", "heimar", "heimum", "hylur", "hyl",
        "hamar", "hamri", "klöpp", "gróf", "laut", "flatir", "flötum", "skógur", "skógi",
        "strönd", "hjáleiga", "hjáleigu", "mói", "vað", "vaði",
        "hlíðar", "hlíðum", "hvammar", "hólmi", "hólmur", "hólma", "kambur", "kambi", "hryggur",
        "mýrar", "hagar", "teigar", "bringur", "breiðir", "börð", "grundir", "þúfa", "viður",
        "viði", "drög", "hlein", "barmur", "engjar", "bali", "bala", "stapi", "stapa", "lækjar",
        "geisli", "geisla", "dæl", "lág", "brú",
    ),
}  # fmt: skip
"""What the last word of a street's name ends in behind two letters or more, by what must stand
around: a letter or a word of the languages that have it."""

FARM_ENDINGS = (
    "nes", "nesi", "land", "landi", "lönd", "vík", "eyri", "staðir", "stöðum", "hús", "húsi",
    "mörk", "foss", "horn", "vatn", "vatni", "vör", "skarð", "engi",
)  # fmt: skip
"""Of Icelandic farms and streets, and of towns, whose teams' scores are none: *Ósvík 4 - 0*."""
_TOWNS = frozenset(
    (
        # towns
        "akranes", "borgarnes", "seltjarnarnes", "álftanes", "reykjanes", "snæfellsnes",
        "reykjavík", "keflavík", "njarðvík", "grindavík", "húsavík", "ólafsvík", "dalvík",
        "bolungarvík", "súðavík", "hólmavík", "breiðdalsvík", "grenivík", "klaksvík", "akureyri",
        "flateyri", "þingeyri", "suðureyri", "hjalteyri", "hvanneyri", "egilsstaðir",
        "egilsstöðum", "selfoss", "sunderland", "portland", "cleveland", "oakland", "auckland",
        # countries and parts of them
        "ísland", "grænland", "finnland", "danmörk", "finnmörk", "skotland", "írland", "england",
        "holland", "frakkland", "þýskaland", "grikkland", "pólland", "rússland", "eistland",
        "lettland", "tékkland", "ungverjaland", "taíland", "tæland", "svasíland", "nýja-sjáland",
        "norðurland", "suðurland", "austurland", "vesturland", "jótland", "sjáland", "gotland",
        "hálogaland", "island", "finland", "iceland", "ireland", "poland", "thailand", "nederland",
        "deutschland", "switzerland", "zealand", "maryland", "disneyland", "öland", "åland",
        "jylland", "sjælland", "lolland",
        # words
        "vinnustaðir", "gististaðir", "veitingastaðir", "áfangastaðir", "viðkomustaðir",
        "sölustaðir", "skoðunarstaðir", "sögustaðir", "sjúkrahús", "ráðhús", "raðhús", "parhús",
        "safnahús", "leikhús", "fjölbýlishús", "einbýlishús", "sumarhús", "gróðurhús",
        "viðmiðunarmörk", "hættumörk", "þolmörk", "landamörk", "tímamörk",
    )
)  # fmt: skip
"""Of these endings, with countries and common words, what is followed by other numbers."""

GENITIVE = (
    "gata", "väg", "torg", "gränd", "allé", "plats", "esplanad", "kaj", "gård", "gade", "vej",
    "plads", "torv", "stræde", "boulevard", "gate", "vei", "veg", "plass", "vænge",
)  # fmt: skip
FINNISH = ("katu", "tie", "kuja", "polku", "puisto", "bulevardi", "aukio", "väylä", "tori")
LATVIAN = (
    "iela", "ielā", "ielas", "bulvāris", "bulvārī", "prospekts", "prospektā", "laukums", "laukumā",
    "gatve", "gatvē", "šoseja", "šosejā", "krastmala", "krastmalā", "dambis", "dambī", "aleja",
    "alejā",
)  # fmt: skip
STREETS = frozenset(
    (*GENITIVE, *FINNISH, *LATVIAN, "gatan", "vägen", "strædet", "terrasse", "alle")
)
"""Words for a street that stand apart: behind a genitive, or with a capital behind any name."""

_WHICH = frozenset(
    (
        "norra", "södra", "östra", "västra", "gamla", "nya", "lilla", "stora", "övre", "nedre",
        "nordre", "søndre", "østre", "vestre", "gamle", "nye", "lille", "store", "øvre",
    )
)  # fmt: skip
_WHOLE = frozenset(
    ("esplanadi", "esplanaden", "alleen", "alléen", "bulevardi", "torget", "torvet", "kajen")
)
_NOT_STREETS = frozenset(
    (
        "riksväg", "riksvägen", "länsväg", "länsvägen", "europaväg", "europavägen", "motorvägen",
        "riksvei", "riksveien", "riksveg", "fylkesvei", "fylkesveien", "fylkesveg", "europavei",
        "europaveg", "motorvei", "motorveien", "motorvej", "motorvejen", "landevej", "hovedvej",
        "valtatie", "kantatie", "seututie", "moottoritie", "þjóðvegur", "hringvegur", "partie",
        "kategorie", "protokollen", "kontrollen", "arbeidsplassen", "førsteplassen", "andreplassen",
        "skandalen", "hveragerði", "thüringen", "valpladsen", "tredjeplassen", "omgangen",
        "sesongen", "katie", "hattie", "mattie", "bettie", "lottie", "dottie", "scottie", "nettie",
        "beattie", "christie", "kristie", "cristie", "kirstie", "hastie", "carnoustie", "bertie",
        "gertie", "artie", "auntie", "lektie", "demokratie", "diplomatie", "brussel", "kassel",
        "basel", "diesel", "egilsstaðir", "egilsstöðum", "garðabær", "garðabæ", "mosfellsbær",
        "mosfellsbæ", "reykjanesbær", "reykjanesbæ", "haugesund", "kristiansund", "stralsund",
    )
)  # fmt: skip
"""Roads with a number of their own; places, names and words that end as streets do."""

_STEM, _FARM, _NEAR, _BEHIND = 2, 5, 200, 8
"""Letters before an ending, and fewer than a farm's name has; characters to either side where its
language is looked for, and behind a name, where two numbers are a score."""

_MONTHS = r"(?:jan|feb|mar|apr|ma[ijíy]|j[uú]n|j[uú]l|aug|ág|sep|o[ck]t|nov|de[cs])"
_MONTH = re.compile(rf"{_MONTHS}[{_SMALL}]*\.?", re.IGNORECASE)
_NAME = rf"[{_CAPITAL}][\w.'’-]*"
_KIND = "|".join(sorted((*STREETS, *map(str.capitalize, STREETS)), key=len, reverse=True))
_PERSONS = "|".join(("vei", "veg", "väg", "vej", "gate", "gata", "gade", "plass", "plads", "plats"))
"""Behind the whole name of somebody: *Hans Nielsen Hauges vei 5*."""
_CODE = (
    r"(?:[A-Z]{1,2}-)?(?:[0-9]{3}[ ]?[0-9]{2}|[0-9]{3,4})"
    rf"[ ][{_CAPITAL}][\w-]+(?:[ ](?:[KVNSØCÖ]\b|[A-ZÅÄÖÆØ][{_SMALL}]+(?:by|borg|stad)\b))?"
)
_SCORE = re.compile(rf"[ ]?[-–—][ ]?[0-9]{{1,3}}\b(?![ ][{_CAPITAL}])")
_HOUSE = re.compile("[ ][1-9][0-9]{0,2}[ ]?[A-H]\\b")
_LONG_CODE = re.compile(r"[0-9]{3}[ ]?[0-9]{2}")
ADDRESS = re.compile(
    rf"(?<![\w-])(?:c/o[ ](?:{_NAME}[ ]?){{1,3}},?[ ])?"
    rf"(?P<name>(?:{_NAME}[ ]){{2}}{_NAME}s[ ](?:{_PERSONS})|(?:{_NAME}[ ]){{0,2}}"
    rf"(?:{_NAME}|(?<=[ ])(?:{_KIND})|(?<=n[ ])[{_SMALL}]+(?:katu|tie|kuja|polku)))"
    # the number: 5, 12A, 12 B, 3-5, 12/14
    r"[ ](?:[Nn]r\.?[ ])?[1-9][0-9]{0,2}(?:[A-Za-z]\b|[ ][A-H]\b(?:[ ][0-9]{1,2}\b)?)?"
    r"(?:[-–/][0-9]{1,3}[A-Za-z]?\b)?"
    rf"(?![\w%:°]|[.,-][0-9]|\.[ ]{_MONTHS}"
    r"|[ ](?:år|mil|km|m|meter|minut\w*|kr|gånger|dager|dage|gange|procent|vuotta|km/h)\b)"
    # entrance, floor, flat: A 5; 2. tv; 1 tr; st. th; lgh 1102
    r"(?:,?[ ](?:[A-H][ ]?[0-9]{1,3}\b|[0-9]{1,2}\.(?:[ ](?:sal|tv|th|mf|etg|hæð)\b\.?){1,2}"
    r"|[0-9][ ]tr\b\.?|st\.[ ](?:tv|th|mf)\b\.?|(?:lgh|bst|as\.|dz\.|H|U)[ ]?[0-9]{1,4}\b))?"
    rf"(?P<place>(?:,[ ]?|[ ]?\n)(?:{_CODE}|{_NAME}(?:[ ]{_NAME})?,[ ]?LV-[0-9]{{4}}\b)"
    rf"|[ ](?:[A-Z]{{2}}-)?[0-9]{{3}}[ ]?[0-9]{{2}}[ ]{_NAME})?"
)
"""What may be an address; `is_address` tells."""


def is_address(match: re.Match[str]) -> bool:
    """Whether what `ADDRESS` matched is one: its name a street's, or a code and a place behind it.

    >>> texts = ("Skipholti 20, 105 Reykjavík", "Windows 10", "March 31, 1881 Argentina")
    >>> [is_address(ADDRESS.search(text)) for text in texts]
    [True, False, False]
    """
    name, place = match["name"], match["place"] or ""
    around = match.string[max(0, match.start() - _NEAR) : match.end() + _NEAR]
    told = match.string[match.end("name") : match.end() + _BEHIND]
    has_letter = _HOUSE.match(told) is not None
    if is_street(name, around, 0 if has_letter else _STEM) or (
        _is_farm(name, around) and not _SCORE.search(told)
    ):
        return True
    is_sure = place.startswith(",") or _LONG_CODE.search(place) is not None
    return is_sure and not _MONTH.fullmatch(name.split()[-1])


def is_street(name: str, around: str, stem: int = _STEM) -> bool:
    """Whether words name a street, in a text of which this stands around them.

    Args:
        name: the words.
        around: some of the text before, and behind.
        stem: how many letters must stand before an ending; none where a house's letter follows the
            number, as in *Vangen 12B*.

    >>> names = ("Storgatan", "Karl Johans gate", "Haagan pappilantie", "Gatan", "Riksvägen")
    >>> [is_street(name, name) for name in names]
    [True, True, True, False, False]
    >>> is_street("Solskogen", "på Solskogen 8"), is_street("Skogen", "på Skogen 8")
    (True, False)
    >>> is_street("Skogen", "på Skogen 8B", stem=0)
    True
    """
    *before, last = name.split()
    plain = last.lower()
    if plain in _NOT_STREETS and (not before or before[-1].lower() not in _WHICH):
        return False
    if plain in STREETS:
        return bool(before) and _stands_apart(before[-1], last)
    return plain in _WHOLE or any(
        plain.endswith(end) and len(plain) >= len(end) + stem
        for words, endings in ENDINGS.items()
        if re.search(words, around)
        for end in endings
    )


def _is_farm(name: str, around: str) -> bool:
    """Whether words name an Icelandic farm, or a street that is called like one.

    >>> names = ("Helluland", "Blikanes", "Skotland", "Skotlandi", "Nes")
    >>> [_is_farm(name, "það") for name in names]
    [True, True, False, False, False]
    """
    plain = name.rsplit(maxsplit=1)[-1].lower()
    return (
        plain.endswith(FARM_ENDINGS)
        and len(plain) > _FARM
        and not {plain, plain.removesuffix("i")} & _TOWNS
        and re.search("[ðþ]", around) is not None
    )


def _stands_apart(before: str, street: str) -> bool:
    """Whether a word for a street belongs to the name before it.

    >>> pairs = (("Johans", "gate"), ("Norra", "vägen"), ("Den", "gatan"), ("Sama", "tie"))
    >>> [_stands_apart(*pair) for pair in pairs]
    [True, True, False, False]
    """
    if street[0].isupper():
        return street != "Gate"  # as in games
    if street in FINNISH:
        return before.endswith("n")
    if street in GENITIVE:
        return before.endswith("s") or before.lower() in _WHICH
    return street not in ("gatan", "vägen", "strædet", "alle") or before.lower() in _WHICH
