"""Lines that say nothing but what a site's buttons, counters and notices say.

On most pages such a line is known by where it stands. On pages that builds of components make it
may stand anywhere, and the network takes it for text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import numpy as np

from skord.markdown.plain_lines import PlainLines
from skord.models.line_classifier.array_types import Ints
from skord.native import lines_holding, said_lines

MOST_WORDS = 12
MOST_LETTERS = 120
"""A longer line is not looked at."""

_NETWORK = (
    r"(?:facebook|twitter|x|linkedin|whatsapp|messenger|instagram|pinterest|reddit|telegram|bluesky"
    r"|mastodon|e ?post|e ?mail|mejl|tölvupósti?)"
)
# Nordic languages, English and German. Of those among the lines of the training pages hardly any is
# main text (CARD.md). "Learn more" is not here: services' gold keeps it.
_WHOLE = (
    # to wait for
    r"(?:please wait|(?:loading|laddar|laster|lastar|indlæser|henter|hentar|hleð|hleður|sæki|wird geladen)"
    r"(?: (?:more|content|comments|mer|mere|meir|meira|fler|flere|fleire|fleiri|innehåll|innhold"
    r"|innhald|indhold|efni|kommentarer))?)",
    # to jump to
    r"(?:skip|jump|hoppa|hopp|gå|fara|beint|leyp|zum)(?: (?:to|till|til|over|direkte|beint|í))*"
    r"(?: (?:the|main|sidans|sidens|sidas))*"
    r" (?:content|navigation|innehåll|innehållet|huvudinnehåll|huvudinnehållet|indhold|indholdet"
    r"|hovedindhold|innhold|innholdet|hovedinnhold|hovedinnholdet|innhaldet|hovudinnhaldet"
    r"|innihaldið|efni(?: (?:síðunnar|í síðunni))?|inhalt)",
    r"(?:till|til) (?:innehållet|huvudinnehållet|huvudmenyn|detaljmenyn|menyn|sökningen"
    r"|hjälpfunktioner|indholdet|hovedindholdet|innholdet|hovedinnholdet|innhaldet)",
    r"siirry (?:suoraan )?(?:sisältöön|pääsisältöön)|hyppää sisältöön"
    r"|liigu (?:edasi )?(?:põhisisu|sisu) juurde|pāriet uz (?:galveno )?saturu"
    r"|pereiti (?:prie|į) (?:pagrindinio )?(?:turinio|turinį)"
    r"|przejdź do (?:głównej )?(?:treści|zawartości)|přejít (?:na|k) (?:hlavní(?:mu)? )?obsahu?"
    r"|本文へ(?:スキップ|移動|ジャンプ)?(?:する)?|コンテンツへ(?:スキップ|移動)",
    # to be known by
    r"(?:log ?in|log ?out|sign (?:in|up|out)|create (?:an )?account|my account|logga (?:in|ut)"
    r"|logg (?:inn|ut|på)|log (?:ind|ud)|innskráning|nýskráning|skrá inn|(?:skapa|opprett|opret)"
    r" konto|stofna aðgang|mina sidor|einloggen|anmelden|registrieren)",
    # to do with a post or a page
    r"(?:reply|quote|report|likes?|share|edit|permalink|multi ?quote|upvote|downvote|copy link"
    r"|citera|siter|sitér|citér|citer|vitna í|svara|svar|anmäl|anmeld|rapporter|rapportera"
    r"|tilkynna|gilla|lik|synes godt om|dela|deila|del|print|skriv ut|udskriv|prenta"
    r"|(?:kopiera|kopiér|kopier|afrita) (?:länken|linket|link|lenka|lenke|lenken|slóðina)"
    r"|back to top|(?:till|til) (?:toppen|topps))"
    r"(?: (?:(?:this )?post|comment|inlägg(?:et)?|indlæg(?:get)?|innlegg(?:et|ið)?))?",
    # to hand on by
    rf"(?:(?:share|tweet|post|dela|del|deila|deildu|jaa|teilen|send|senda|skicka|sende?)"
    rf"(?: (?:this|article|page|artikel[n]?|artikkelen|sid[ae]n?|síðunni|greininni|fréttinni|som"
    rf"|with))*(?: (?:on|via|to|by|with|på|med|per|som|til|till|á|í|með|auf))? {_NETWORK}"
    rf"|(?<=\w )x|(?!x\b){_NETWORK})",
    # to be changed by
    r"(?:edit|redigera|redig[eé]r|endre|breyta) (?:this |denna |den här |denne |þessari )?"
    r"(?:page|sidan?|siden?|síðu(?:nni)?)(?: (?:on|på|á) git ?(?:hub|lab))?",
    # to buy by
    r"(?:add to (?:cart|bag|basket|wish ?list)|buy now|notify me|quick (?:view|shop)"
    r"|lägg i (?:varu)?korgen|legg i (?:hande?le)?kurv(?:en)?|læg i kurv(?:en)?|setja í körfu)",
    r"(?:your (?:cart|basket|bag) is (?:currently )?empty|karfan (?:þín )?er tóm|(?:din (?:varukorg"
    r"|kundvagn|handlekurv|handlevogn|indkøbskurv|kurv)|handlekurven(?: din)?|varukorgen"
    r"|kundvagnen|handlevogna(?: di)?) (?:är|er) tom)",
    # what is counted
    r"\d+ (?:likes?|upvotes?|repl(?:y|ies)|views?|visningar|visninger)",
    r"\d+(?: \d+)? (?:posts?|messages|inlägg|indlæg|innlegg|beiträge)",
    r"(?:posts|messages|threads|reaction score|trophy points|inlägg|indlæg|innlegg|beiträge)"
    r" \d+(?: \d+)?",
    r"(?:joined|join date|member since|medlem (?:sedan|siden|sidan)|skráður síðan|meðlimur síðan)"
    r"(?: \w+){0,2} (?:19|20)\d\d(?: \d\d)?",
    # what is advertised, and what more there is
    r"advertisement|sponsored|annons|annonse|annonce|auglýsing|anzeige|werbung|reklame?",
    r"(?:\w+ ){0,1}(?:läs mer|les meir|les mer|læs mere|lesa meira|se mere|vis mere?|visa mer"
    r"|visa fler|vis flere|sjá meira|mehr lesen|weiterlesen|lue (?:lisää|koko juttu)"
    r"|näytä lisää|loe (?:lähemalt|edasi|rohkem|veel)|lasīt (?:vairāk|tālāk|visu)|skatīt vairāk"
    r"|skaityti (?:daugiau|plačiau|toliau)|rodyti daugiau|czytaj (?:więcej|dalej|całość)"
    r"|zobacz więcej|číst (?:dále|více)|zobrazit více|続きを(?:読む|見る)|もっと(?:見る|読む))",
    # what others read, and what is on the page
    r"mest (?:läst|lästa|lest|lese|lesne|læst|læste|lesið)(?: (?:núna|just nu|akkurat n[åo]|lige nu))?"
    r"|läs också|läs även|les også|les òg|læs også|lestu líka|lesið einnig|lue myös|loe ka|lasi arī"
    r"|most (?:read|popular)|luetuimmat|loetumad|lasītākie|populārākie|skaitomiausi"
    r"|najczęściej czytane|nejčtenější",
    r"á þessari síðu|on this page|in this article|(?:på|i) (?:den här|denne|denna) (?:sidan|siden|sida|side)",
    # to answer by
    r"(?:skriv|lämna|legg igjen|efterlad|skrifa) (?:en|ett|et)? ?(?:kommentar|svar|athugasemd)"
    r"|leave a (?:comment|reply)|jätä kommentti|lisa kommentaar|(?:pievienot|rakstīt) komentāru"
    r"|rašyti komentarą|dodaj komentarz|přidat komentář|コメントする",
)
_ONCE = (
    # what telephones sign with
    r"(?:sent from my|skickat från min|sendt? fra min|sent úr|von meinem) (?:\w+ )?"
    r"(?:i?phone|ipad|android|galaxy|telefon|mobil|síma)\w*(?: \w+){0,4}",
    # to turn pages by
    r"(?:\d{1,4} )*(?:previous|next|prev|föregående|nästa|forrige|førre|næste|neste|fyrri|næsta)"
    r"(?: \d{1,4}| previous| next| nästa| næste| neste| næsta)*",
    # to go back by
    r"(?:tillbaka|tilbake|tilbage|til baka|aftur|back|takaisin|tagasi|atpakaļ|atgal|wróć|powrót|zpět)"
    r"(?: (?:till|til|to|í|á|uz|į|do|na))? (?:startsidan|forsiden|framsida|forsíðu|home ?page|etusivulle"
    r"|avalehele|sākumu|pradžią|strony głównej|úvod|oversikten|översikten|oversigten|listan|listen|yfirlit)",
    # what is asked of readers
    r"kunne du bruge (?:siden|denne side)(?: .{0,30})?|kom (?:síðan|þetta) að gagni(?: .{0,30})?",
    r"(?:was|did|is|var|fick|fik|hjälpte|hittade|fandt|fant|fann|fannstu|hade|kunne|hjalp|haben) "
    r".{0,40}\b(?:helpful|useful|hjälp|hjälpte dig|hjælp|hjelp|hjálp|nytta av.{0,20}|informationen "
    r"dig|leita etter|lette etter|leitte etter|sökte|søgte|leitaðir að|oplysningerne|geholfen)"
    r"(?: (?:suggest an edit|dela sidan|del siden|del sida|deila síðunni|f[oö]reslå en \w+"
    r"|gjer framlegg om (?:ei )?\w+|leggja til \w+))?",
)
_COOKIES = (
    r"cookies?|kakor|kakorna|informasjonskapsl\w+|informationskapsl\w+|vafrakök\w+|evästei\w+"
    r"|küpsis\w*|sīkdat\w+|slapuk\w+|ciasteczk\w+|クッキー"
)
_NOTICES = (
    # what readers are to pay for
    r"(?:är|er) du (?:redan|allerede|alt|alle?reie) (?:prenumerant|abonnent|kund[e]?)\b.*",
    r"(?:bli|bliv) (?:prenumerant|abonnent|digital kund[e]?) (?:för|for|fra|från|i dag|nu|nå)\b"
    r".*",
    r"(?:ting|test|prøv|prova) (?:avisa|avisen|tidningen|oss) (?:for|för|gratis|i)\b.*",
    r"(?:ertu|ert þú) (?:þegar |nú þegar )?áskrifandi\b.*|gerast áskrifandi\b.*",
    r"(?:den här|denna|denne|dette|denne) (?:artikeln|artikel|saken|artikkelen|artiklen) (?:är|er)"
    r" (?:bara |kun |endast )?(?:för|for) (?:prenumeranter|abonnenter|inloggade)\b.*",
    r"(?:are you )?already (?:a )?(?:subscriber|subscribed)\b.*|subscribe (?:now )?(?:to|for)\b.*"
    r"\b(?:keep|continue) reading\b.*|to continue reading\b.*",
    r"(?:resten av|den här|denna|denne|þessi|see|šis|šis|šio|ten|tento|dieser|tämä)? ?(?:\w+ )?"
    r"(?:artikel[n]?|artikkelen|frétt|grein|artikkel|raksts|straipsnis|artykuł|článek|artikkeli)"
    r" (?:.{0,20}\b)?(?:(?:för|for|fyrir|ist nur für|tik|tikai|dla|pro) )?(?:áskrifendur|tellijatele"
    r"|tellijale|abonentiem|prenumeratoriams|prenumeratorów|subskrybentów|předplatitele|abonnenten"
    r"|tilaajille|prenumeranter|abonnenter)\b.{0,40}",
    r"(?:logg inn|logga in|log ind|innskráning|kirjaudu sisään|logi sisse)"
    r" (?:for å |för att |for at |til að )?(?:lese|läsa|læse|lesa|lukeaksesi|lugemiseks)\b.{0,60}",
    r"(?:sind sie )?bereits abonnent\b.*|oletko jo tilaaja\b.*|tilaa\b.*\bjatkaaksesi\b.*",
    r"\w+ (?:lugemiseks|lugemist) .*\b(?:telli|tellija\w*)\b.*|lai turpinātu lasīt\b.*",
    # chapters and services to go to
    r"(?:førre|forrige|föregående|fyrri|previous|edellinen|eelmine|iepriekšējā|neste|nästa|næste"
    r"|næsti|next|seuraava|järgmine|nākamā) (?:kapittel|kapitel|kapitlet|kafli|chapter|luku"
    r"|peatükk|nodaļa)(?: ?[:–→-].*)?",
    r"(?:starta e[- ]?tjänsten|start tjenesten|start selvbetjeningen|opna þjónustu\w*)\b.*",
    # letters to subscribe to
    r"(?:prenumerera på|anmäl dig till|få|fáðu|meld (?:deg|dykk) på|abonner på|tilmeld dig|skráðu þig"
    r" (?:á|í)|tilaa|subscribe to|sign up (?:for|to)|liitu|telli|piesakies|pieraksties"
    r"|prenumeruokite|zapisz się|přihlaste se)\b.{0,60}(?:nyhetsbrev|nyhedsbrev|nyheitsbrev|póstlist"
    r"|fréttabréf|uutiskirje|newsletter|uudiskir|jaunum|naujienlaišk)\w*.{0,80}",
    # what nobody may copy
    r"griežtai draudžiama\b.{0,300}",
    # how readers feel, and what they find wrong
    r"クリックして今の気分を選択.{0,20}",
    r"(?:funnet en|hittat ett|fundet en) (?:feil|fel|fejl)\?.*",
)
"""Sentences of a site, not of the text: of Nordic, Baltic and some other languages."""
_AMID = [
    # what a page asks of browsers
    (
        ["javascript"],
        r".{0,80}\b(?:(?:need|have|must|please|required?) .{0,20}(?:enable|activate|turn on)|slå på"
        r"|slå til|aktiver[a]?|kytke|ota käyttöön|lubage|ieslē\w+|įjung\w+|włącz\w*|povolte|zapněte"
        r"|virkja|kveikja á)\b.{0,30}javascript\b.{0,120}"
        r"|.{0,60}javascript\b.{0,30}\b(?:is disabled|is not enabled|är avstängt|är inaktiverat"
        r"|er slått av|er slået fra|er deaktivert|が無効|を有効に).{0,120}",
    ),
    # what visitors are to accept
    (
        ["cookie", "kakor", "kaps", "kök", "eväst", "küpsis", "sīkdat", "slapuk", "ciasteczk",
         "クッキー"],
        rf".{{0,160}}\b(?:{_COOKIES})\b.{{0,160}}\b(?:accept\w*|godkänn\w*|samtyck\w*|godta\w*|samtykk\w*"
        r"|samþykk\w*|hyväksy\w*|nõustu\w*|piekrīt\w*|sutink\w*|akcept\w*|souhlas\w*|zustimm\w*"
        r"|klicka|klikke?r?)\b.{0,200}",
    ),
    # what nobody may copy
    (
        ["copy", "reprod", "republ", "kop", "eftertry", "gjengiv", "taasaval", "pārpub", "platin",
         "powiel"],
        r".{0,120}\b(?:reproduction|copying|republication|eftertryck|kopiering|eftertryk|gjengivelse"
        r"|kopiointi|kopeerimine|taasavaldamine|pārpublicēšana|kopēšana|kopijavim\w+|platin\w+"
        r"|kopiowanie|powielanie|kopírování)\b.{0,160}\b(?:prohibited|forbidden|not permitted"
        r"|without (?:the )?(?:prior |written |express )*(?:permission|consent)|förbjud\w+|forbudt"
        r"|ikke tillatt|kielle\w+|keelatud|aizlieg\w+|draudžiam\w+|zabronion\w+|zakázáno)\b.{0,120}",
    ),
    (["無断"], r".{0,60}無断(?:転載|複製|使用).{0,40}禁.{0,40}"),
    (
        ["åndsverkl", "upphovsr", "ophavsret", "höfundal", "tekijänoik", "autoriõ", "autort",
         "autorių teis", "autorsk"],
        r".{0,60}\b(?:vern|skydd|beskytt|vari[ðn]|suoja|kaits|aizsarg|saugo|chroni|chráněn)\w*\b.{0,20}"
        r"\b(?:åndsverkl\w+|upphovsrätt\w*|ophavsret\w*|höfundal\w+|tekijänoikeu\w+|autoriõigus\w*"
        r"|autorties\w+|autorių teis\w+|praw\w* autorsk\w+|autorsk\w+ práv\w+)\b.{0,20}"
        r"(?:\. (?:oppgi|oppgje|ange|husk|vinsamlega)\b.{0,60})?",
    ),
    # what readers are to pay for
    (["会員"], r".{0,30}(?:会員|有料会員)限定.{0,20}"),
]  # fmt: skip
_AMID_NOTICES = [(parts, re.compile(pattern, re.IGNORECASE)) for parts, pattern in _AMID]
"""Sentences that are known by what stands amid them: each holds one of those parts in any case, by
which most are passed over."""
_IN_NOTICES = [
    "abonn", "prenumer", "áskrif", "subscri", "tilaa", "tellija", "lasīt", "reading", "kapi",
     "chapter", "kafl", "luku", "peatükk", "nodaļa", "tjänst", "tjenest", "betjen", "þjónust",
     "brev", "bréf", "póstlist", "kirje", "letter", "uudiskir", "jaunum", "laišk",
     "javascript", "cookie", "kakor", "kaps", "kök", "eväst", "küpsis", "sīkdat", "slapuk",
     "ciasteczk", "クッキー", "avisa", "avisen", "tidningen", "copy", "repro", "republ", "kopi",
     "eftertry", "gjengiv", "taasaval", "pārpub", "kopē", "platin", "powiel", "draudž", "無断",
     "気分", "funnet", "hittat", "fundet", "abonent", "předpl", "subskryb", "kirjaudu",
     "logi sisse", "log in", "logg in", "logga in", "会員",
     "åndsverkl", "upphovsr", "ophavsret", "höfundal", "tekijänoik", "autoriõ", "autort", "autorių teis",
     "autorsk",
]  # fmt: skip
"""Each notice holds one of these, in any case."""
NOTICE_WORDS = 60
NOTICE_LETTERS = 400
"""A longer line is no notice."""
MOST_NOTICES = 0.3
"""Share of a text's words from which on notices are what the page is about, as in a policy."""

_ALSO = re.compile(
    r"[\W_]*(?:läs (?:också|även|mer)|les (?:også|óg|òg|mer|meir)|læs (?:også|mere)"
    r"|(?:lestu|lesið) (?:líka|einnig|meira)|les eisini|lue (?:myös|lisää)|lasi(?:et)? arī"
    r"|loe ka)[*_ ]*[:–]",
    re.IGNORECASE,
)
"""What leads to other texts, and says so; its first letter is an l, by which most lines are passed
over."""
_CONTENTS = re.compile(
    r"(?:table of )?contents|on this page|in this article|innehåll|innehållsförteckning|indhold"
    r"|indholdsfortegnelse|innhold|innholdsfortegnelse|innhald|efnisyfirlit|innihald"
    r"|inhaltsverzeichnis|(?:på|i) (?:den här|denne|denna) (?:sidan|siden|sida|artikeln|artikkelen)"
)


@cache
def _notice() -> re.Pattern[str]:
    """What such a sentence matches; compiled on first use, for that takes a tenth of a start."""
    return re.compile("|".join(_NOTICES), re.IGNORECASE)


@cache
def _phrase() -> re.Pattern[str]:
    """What a line of such a phrase matches, without signs."""
    return re.compile(rf"(?:(?:{'|'.join(_WHOLE)})(?: |$))+|{'|'.join(_ONCE)}")


def frame_phrases(lines: PlainLines, numbers: Ints | Sequence[int]) -> list[int]:
    r"""Which of some lines say only what buttons, counters and notices say.

    A heading does only where it announces a table of contents, which is left out, or another text.

    Args:
        lines: of a page, in plain form.
        numbers: of those that are looked at.

    >>> page = ["- Citera Anmäl", "InspirationLæs mere", "## Innehåll", "## Læs mere", "| Svar |"]
    >>> frame_phrases(PlainLines.of([*page, "Svara på frågan i tid."]), range(1, 6))
    [1, 2]
    >>> teasers = ["Les også: Ny bro", "Les også avtalen.", "## Læs mere: Ny bro"]
    >>> frame_phrases(PlainLines.of(teasers), range(3))
    [0, 2]
    """
    looked_at = np.asarray(numbers, np.int64)
    if not looked_at.size:
        return []
    return sorted({*_phrases(lines, looked_at), *_notices(lines, looked_at)})


def _notices(lines: PlainLines, numbers: Ints) -> list[int]:
    """Sentences of a site amid the text; none where they make up much of it."""
    found = [
        (number, count)
        for number in lines_holding(lines.plain, numbers, NOTICE_LETTERS, _IN_NOTICES)
        if (count := len((line := lines[number]).split())) <= NOTICE_WORDS
        and _is_notice(line.strip(" #>*_-|\\[]()·•"))
    ]
    noticed = sum(count for _, count in found)
    if not found or noticed >= MOST_NOTICES * sum(
        len(lines[at].split()) for at in numbers.tolist()
    ):
        return []
    return [number for number, _ in found]


def _is_notice(text: str) -> bool:
    if _notice().fullmatch(text):
        return True
    small = text.lower()
    return any(
        pattern.fullmatch(text)
        for parts, pattern in _AMID_NOTICES
        if any(part in small for part in parts)
    )


def _phrases(lines: PlainLines, numbers: Ints) -> list[int]:
    """Lines of a few words that are nothing but such a phrase."""
    words = said_lines(lines.plain, numbers, MOST_LETTERS, MOST_WORDS).split("\n")
    phrase, headings = _phrase(), lines.headings
    return [
        number
        for number, said in zip(numbers.tolist(), words, strict=True)
        if said
        and (
            (_CONTENTS if number in headings else phrase).fullmatch(said)
            or (said[0] == "l" and _ALSO.match(lines[number]))
        )
    ]
