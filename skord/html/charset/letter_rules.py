"""What is known of languages whose pages are declared in the wrong charset: a rule for each.

Dzerins & Dzonsons ("Harvesting National Language Text Corpora from the Web") take a page for
Latvian when 3 % of its words are on a list of frequent ones without accents, which read the same
in every charset, and then assume one Baltic charset. By itself that rule reads half of a grid of
declarations and charsets rightly: it garbles pages in UTF-8 that do not say so, all in ISO-8859-4
and -10, and takes Lithuanian, Estonian, Finnish, and some French, Italian and Spanish pages for
Latvian. So it comes after UTF-8 and after what is declared with thought (`decode`), each language
has a rule, and what a charset makes of the bytes beyond ASCII is weighed by how frequent each
letter is in the language, so that short pages and kindred charsets can be told apart, too.
`letters` and `entities` put the rules to use.

To add a language: a file in the folder of [languages] (`skord.text.own_languages`), which
`skord language` writes, or a `LetterRule` in `RULES`. Words and letters are counted on any running
text. Words that are frequent in other languages of the same script are left out.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import NamedTuple

MIN_SHARE = 0.03
"""Of a page's words, those in the rule's list: the paper's limit."""

_FOREIGN = 0.5
"""Letters per thousand that a letter counts for which the language does not have."""

_IN_ANY_TEXT = frozenset("\xa0\xad“”„’‘‚‹›«»–—…•·†‡§©®™°±×²³½¼¾€£¥¢¿¡¶ªº")
"""What text of any language holds beyond ASCII; other signs are a sign of the wrong charset."""

_ASCII = re.compile(r"[\x00-\x7f]+")


class Evidence(NamedTuple):
    """The letters beyond ASCII in a text.

    Attributes:
        weight: mean logarithm of how much likelier they are in the language than at random
            among 128 characters; 2.4 to 3.4 in true text, below 0 in most other.
        number: how many there are.
        different: how many different ones.
    """

    weight: float
    number: int
    different: int

    def reaches(self, enough: Evidence) -> bool:
        """Whether there is at least so much of everything."""
        return all(has >= needs for has, needs in zip(self, enough, strict=True))


@dataclass(frozen=True, eq=False)
class LetterRule:
    """What is known of a language.

    Attributes:
        language: its ISO 639 code.
        words: frequent words without accents, lower case, with a blank between.
        letters: lower-case letters beyond ASCII, and how many of a thousand of such letters
            each one is in running text.
        charsets: what its pages may be in besides UTF-8, likeliest first.
        older: what they were in on DOS and the Macintosh; short pages do not say that.
        as_latin1: the charset whose bytes editors of old wrote down as if they were Latin-1
            (`&acirc;` for `ā`); None if the language's letters are in Latin-1.
    """

    language: str
    words: str
    letters: dict[str, float]
    charsets: tuple[str, ...]
    older: tuple[str, ...] = ()
    as_latin1: str | None = None

    @cached_property
    def known(self) -> frozenset[str]:
        """The frequent words."""
        return frozenset(self.words.split())

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much likelier a letter is here than at random, as logarithm."""
        return {letter: log(share / 1000 * 128) for letter, share in self.letters.items()}

    def knows(self, words: Counter[str]) -> bool:
        """Whether the words without accents, each with its count, are those of the language."""
        known = sum(map(words.__getitem__, self.known))
        return known > 0 and known >= MIN_SHARE * words.total()

    def evidence(self, text: str) -> Evidence:
        """Weigh the letters beyond ASCII in a text."""
        counts = Counter(_ASCII.sub("", text).lower())
        letters = {char: count for char, count in counts.items() if char not in _IN_ANY_TEXT}
        foreign = log(_FOREIGN / 1000 * 128)
        total = sum(self.weights.get(char, foreign) * count for char, count in letters.items())
        number = sum(letters.values())
        return Evidence(total / max(1, number), number, len(letters))


_LATIN = ("windows-1252",)
_DOS_AND_MAC = ("macintosh", "ibm850")

RULES = (
    LetterRule(
        "lv",
        "un ir ar ka uz kas bet bija vai nav lai tas jau tikai ko kad jo tad var latvijas valsts"
        " kur tiek savu tam gada tika kaut daudz mums gadu visu pirms pret darba mani vien"
        " tagad kuru kuri vairs kuras viss viens visi nebija bez labi kura sevi laiku atkal tie"
        " kuram savas viena darbu vienu tev citu reizi dienu gadiem savus otru domas starp"
        " kopumu",
        {
            "ā": 370,
            "ī": 183,
            "ē": 172,
            "š": 100,
            "ņ": 52,
            "ū": 42,
            "ļ": 31,
            "ž": 19,
            "ķ": 13,
            "ģ": 10,
            "č": 7.4,
            "ŗ": 0.6,
            "ō": 0.6,
        },
        ("windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-10"),
        as_latin1="windows-1257",
    ),
    LetterRule(
        "lt",
        "ir kad su yra tik tai taip buvo kaip savo nuo apie bei bet gali kai pat europos"
        " lietuvos bus darbo jis dar jau labai pagal jie kas iki daug jei turi prie kurios metu"
        " tiek nes jos galima mes kuris kurie dabar reikia kartu nors juos lietuvoje toliau",
        {"ė": 210, "ų": 200, "š": 149, "ž": 114, "ą": 98, "į": 84, "ū": 68, "č": 56, "ę": 22},
        ("windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-10"),
        as_latin1="windows-1257",
    ),
    LetterRule(
        "et",
        "ja ei ka kui siis see aga oma oli ning nii pole seda mis ta juba veel kuid meie saab"
        " tuleb kes kas vaid peale nende oleks sest nagu ise hea eesti kus mitte midagi olen olema"
        " ole peaks selle kuidas vastu ainult palju kuna olnud ikka enam tema teha olla need siin",
        {"ä": 380, "õ": 339, "ü": 190, "ö": 84, "ž": 2.5, "š": 2.5},
        ("windows-1252", "windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-15"),
    ),
    LetterRule(
        "sv",
        "och att det som av med till har inte ett kan han sig eller vi jag vid hade detta vara"
        " kommer finns hur olika mellan skall skulle blir ut barn genom utan denna mycket bara"
        " efter ska upp varje mot inom dessa",
        {"ä": 407, "å": 302, "ö": 289, "é": 1, "ü": 0.6},
        _LATIN,
        _DOS_AND_MAC,
    ),
    LetterRule(
        "da",
        "og af med til som har ikke kan vi jeg skal han fra sig ved vil hvor hvad eller hun ud"
        " efter hvis kunne blev noget havde selv denne meget hvordan mange ind bliver deres mig"
        " nogle kommer skulle bare hende siger",
        {"å": 407, "æ": 295, "ø": 288, "é": 7.4, "ü": 1.3, "ö": 0.6, "ä": 0.6},
        _LATIN,
        _DOS_AND_MAC,
    ),
    LetterRule(
        "no",
        "og det er som til av har med ikke jeg vi fra kan seg vil skal sier etter ut hun dette"
        " hadde blir eller noe opp mot mer ved bare mange bli enn meg noen hva dei ikkje eit eg"
        " meir vart noko mellom kva fleire",
        {
            "å": 630,
            "ø": 290,
            "æ": 65,
            "é": 4.5,
            "ò": 3,
            "ê": 0.8,
            "è": 1,
            "ä": 1,
            "ö": 0.7,
            "ü": 0.7,
        },
        _LATIN,
        _DOS_AND_MAC,
    ),
    LetterRule(
        "is",
        "og sem ekki hann til fyrir af svo eftir hefur eru hafa eins dag upp bara voru hans"
        " honum vera yfir hef inn sig undir vegna fara segir mig hafi allt ekkert aftur okkur"
        " sinn hvort heldur mun gera koma alveg aldrei taka",
        {
            "ð": 316,
            "í": 155,
            "á": 126,
            "þ": 120,
            "ó": 76,
            "æ": 52,
            "ö": 49,
            "ú": 48,
            "é": 44,
            "ý": 12,
        },
        _LATIN,
        ("x-mac-icelandic", "ibm861", "ibm850"),
    ),
)
