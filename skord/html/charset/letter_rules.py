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
`skord study language` writes, or a `LetterRule` in `RULES`. Words and letters are counted on any running
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

_IN_ANY_TEXT = "\xa0\xad“”„’‘‚‹›«»–—…•·†‡§©®™°±×²³½¼¾€£¥¢¿¡¶ªº"
"""What text of any language holds beyond ASCII; other signs are a sign of the wrong charset."""

_NO_LETTERS = re.compile(
    r"[\x00-\x7f]+|[\xa0\xadªº’‘·]+"
    rf"|(?<![^\W\d_])[{_IN_ANY_TEXT}]+|[{_IN_ANY_TEXT}]+(?![^\W\d_])"
    r"|(?<![^\W\d_])[\x80-\x9f\ufffd]+(?![^\W\d_])"
)
"""Signs, and bytes without a character that stand alone; in a word they stand for a letter."""


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
        as_latin1: the charsets whose bytes editors of old wrote down as if they were Latin-1
            (`&acirc;` for `ā`); none if the language's letters are in Latin-1.
    """

    language: str
    words: str
    letters: dict[str, float]
    charsets: tuple[str, ...]
    older: tuple[str, ...] = ()
    as_latin1: tuple[str, ...] = ()

    @cached_property
    def known(self) -> frozenset[str]:
        """The frequent words."""
        return frozenset(self.words.split())

    @cached_property
    def weights(self) -> dict[str, float]:
        """How much likelier a letter is here than at random, as logarithm."""
        return {letter: log(share / 1000 * 128) for letter, share in self.letters.items()}

    def knows(self, words: Counter[str], total: int) -> bool:
        """Whether the words without accents, each with its count, are those of the language."""
        known = sum(words[word] for word in self.known & words.keys())
        return known > 0 and known >= MIN_SHARE * total

    def evidence(self, letters: Counter[str]) -> Evidence:
        """Weigh the letters beyond ASCII of a text, as `foreign_letters` counts them."""
        foreign = log(_FOREIGN / 1000 * 128)
        total = sum(self.weights.get(char, foreign) * count for char, count in letters.items())
        number = sum(letters.values())
        return Evidence(total / max(1, number), number, len(letters))


def foreign_letters(text: str) -> Counter[str]:
    """Count the letters beyond ASCII in a text, in lower case."""
    return Counter(_NO_LETTERS.sub("", text).lower())


_LATIN = ("windows-1252",)
_CENTRAL = ("windows-1250", "iso-8859-2")
_DOS_AND_MAC = ("macintosh", "ibm850")


def _per_mille(counted: str) -> dict[str, float]:
    """Letters, each with its number.

    >>> _per_mille("é7.4 ü1")
    {'é': 7.4, 'ü': 1.0}
    """
    return {letter[0]: float(letter[1:]) for letter in counted.split()}


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
        as_latin1=("windows-1257", "iso-8859-4"),
    ),
    LetterRule(
        "lt",
        "ir kad su yra tik tai taip buvo kaip savo nuo apie bei bet gali kai pat europos"
        " lietuvos bus darbo jis dar jau labai pagal jie kas iki daug jei turi prie kurios metu"
        " tiek nes jos galima mes kuris kurie dabar reikia kartu nors juos lietuvoje toliau",
        {"ė": 210, "ų": 200, "š": 149, "ž": 114, "ą": 98, "į": 84, "ū": 68, "č": 56, "ę": 22},
        ("windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-10"),
        as_latin1=("windows-1257", "iso-8859-4"),
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
    LetterRule(
        "fi",
        "ovat voi sen joka kuin mutta niin mukaan noin ollut aikana koko eri kuitenkin vuonna"
        " siten jotka yli voit varten voidaan esimerkiksi jossa siihen kaikki hyvin kautta koska"
        " kanssa vaikka jota vastaan voivat ajan vain tuli uusi ennen olisi oli",
        _per_mille("ä852 ö143 å4 é1"),
        _LATIN,
    ),
    LetterRule(
        "de",
        "und von mit zu auf sie ist sich im eine auch dem nicht wir wird einer oder aus sind einem"
        " nur aber hat einen noch zur kann war wenn haben mehr zum diese sein bis dass wurde dann"
        " durch schon",
        _per_mille("ü381 ä331 ö161 ß123 é2 ë1"),
        _LATIN,
    ),
    LetterRule(
        "fr",
        "une dans pour sur sont plus avec aux ils nous cette leur peut elle vous ont faire deux"
        " fait tout autre ainsi ces comme ses aussi tous autres donc doit leurs depuis encore sans"
        " dont avant vers chaque toujours pendant les des",
        _per_mille("é676 à116 è95 ê42 ô20 î14 â13 ç11 ù4 ï3 û3 ë2 œ1"),
        _LATIN,
    ),
    LetterRule(
        "es",
        "los las del una con por sus tiene muy pero hay puede cuando hasta mejor donde puedes esto"
        " ahora mucho nuestro aunque hacer hace fue desde entre sobre todo ser son como ese esta"
        " este siempre mientras luego entonces ellos",
        _per_mille("ó290 í220 á200 é140 ñ90 ú55 ü5"),
        _LATIN,
    ),
    LetterRule(
        "pt",
        "os uma ao mas tem foi anos muito ainda pelo pela pode isso num outros fazer bem primeiro"
        " pessoas tudo numa onde primeira sim depois apenas hoje minha mesmo essa pouco dos"
        " mais como quando ele ela nos sua eles essas",
        _per_mille("ã231 ç197 á149 é117 í80 ó61 õ44 ê39 ú39 à24 â14 ô5"),
        _LATIN,
    ),
    LetterRule(
        "it",
        "di che della sono anche nel stato delle sul dell dal nella gli due questo degli questa"
        " dopo essere ora hanno sia dalla oltre ancora tutti dove oggi nell dai molto giorni poi"
        " chi sulla nuovo ore il non alla loro",
        _per_mille("à344 è342 ì136 ù92 ò51 é33 ç2"),
        _LATIN,
    ),
    LetterRule(
        "ca",
        "els amb dels aquest aquesta altres anys ens seva fins tots pel ara sense cal cap poden"
        " quan molt tenen lloc seves veure havia aquests totes estat diferents dins pla millor"
        " pels tenir hi les per una molts moltes entre",
        _per_mille("ó280 à165 é144 è124 í91 ò83 ú38 ç36 ï15 ü11 á7"),
        _LATIN,
    ),
    LetterRule(
        "sq",
        "dhe me nga edhe tij ishte nuk duke prej ku deri kjo mund ky cili ajo saj disa ata kishte"
        " dy vitit tjera apo madhe madh gjitha ato mbi sot nje vitet ose gjithashtu iu fundit"
        " ishin si shtet vend",
        _per_mille("ë975 ç22 é2"),
        _LATIN,
    ),
    LetterRule(
        "pl",
        "jest przez tym dla tylko jednak czy oraz przy bo jego tej lat tego przed bardzo temu"
        " jeszcze pracy dobrze tych nawet gdy kiedy ponad takie prawie jej tyle sobie dwa lub trzy"
        " takich czasu gdzie bardziej trzeba jak roku wszystkim",
        _per_mille("ł240 ą161 ę154 ż138 ó132 ś77 ć60 ń30 ź8"),
        (*_CENTRAL, "iso-8859-13", "iso-8859-16"),
    ),
    LetterRule(
        "cs",
        "je pro jsou jsem nebo jako byl jen bylo bude aby jeho pokud jsme proto jejich kde tedy"
        " velmi podle tento byla byly toho byli tomu pouze dnes kdo kterou dva nejen tyto novou"
        " lze mezi dne roky budou jste jeste jde tato",
        _per_mille("í221 á157 ě108 é88 ř82 č72 ý68 ž62 š58 ů50 ú15 ň7 ť5 ó4 ď3"),
        _CENTRAL,
    ),
    LetterRule(
        "sk",
        "sa aj ako ale alebo pri bol bola bolo boli len tak preto jeho jej mu sme ste tento"
        " tieto toto tejto tomto pred pod nad medzi cez kde kedy lebo viac roku rokov dnes teraz"
        " iba jeden jedna dva potom velmi roky",
        _per_mille("á200 í120 é110 č100 ý100 ž90 š85 ú75 ľ40 ť30 ô20 ň15 ä10 ó3 ď2"),
        _CENTRAL,
    ),
    LetterRule(
        "sl",
        "je ki pa kot po tudi ali pri bi bo smo ste bil bila bilo bili tem lahko samo"
        " zato ker kar kako kje kdo vse vseh pred brez svoje svojo leta let leto danes tako"
        " bolj prav imajo ima bodo svoj njegov potem njihov",
        _per_mille("č400 š320 ž270 ć7 é3"),
        _CENTRAL,
    ),
    LetterRule(
        "hr",
        "je za od koji koja koje kao ili bi bio bila bilo bili sam smo ste iz nije samo"
        " kada kako zbog nakon prije prema oko uz bez jer ako svoje svoj ovaj ova ovo taj ima imaju"
        " mogu godine godina danas njegov njihov",
        _per_mille("š260 č250 ć220 ž190 đ80"),
        _CENTRAL,
    ),
    LetterRule(
        "hu",
        "az hogy nem egy volt csak mint vagy magyar azt ezt nagy pedig aki amely minden majd mert"
        " hanem ami egyik amit volna amikor lehet szerint olyan nagyon akik ilyen sok akkor ezek"
        " miatt azonban annak itt azok alatt maga ott",
        _per_mille("á315 é298 ö99 ó84 ü53 í50 ő60 ú28 ű13"),
        _CENTRAL,
    ),
    LetterRule(
        "ro",
        "cu care din pentru pe mai sau ca fost fi prin trebuie acest poate cele timp aceasta foarte"
        " cel peste iar multe cea toate face fie atunci despre fiecare unui doar spre orice astfel"
        " daca dupa lor anul acesta aceste",
        _per_mille("ă430 î180 ţ90 ț80 ş80 ș70 â65 é2 ü1"),
        _CENTRAL,
    ),
    LetterRule(
        "tr",
        "ve bir bu ile olarak olan daha sonra ilgili kadar veya nin bilgi gibi yeni bulunan olmak"
        " ilk genel yer iyi gerekli devam uygun birlikte hale fazla gerek edilen ancak temel karar"
        " aile nda belirli toplam fakat tek bunu onun",
        _per_mille("ı395 ü185 ş133 ç97 ö92 ğ92 â5 î1"),
        ("windows-1254",),
    ),
)
