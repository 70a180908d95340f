"""Lines that say nothing but what a site's buttons, counters and notices say.

On most pages such a line is known by where it stands. On pages that builds of components make it
may stand anywhere, and the network takes it for text.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

from skord.markdown.plain_lines import PlainLines
from skord.native import said_lines

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
    r"(?:please wait|(?:loading|laddar|laster|lastar|indlæser|henter|hleð|hleður|sæki|wird geladen)"
    r"(?: (?:more|content|comments|mer|mere|meir|meira|fler|flere|fleire|fleiri|innehåll|innhold"
    r"|innhald|indhold|efni|kommentarer))?)",
    # to jump to
    r"(?:skip|jump|hoppa|hopp|gå|fara|beint|leyp|zum)(?: (?:to|till|til|over|direkte|beint|í))*"
    r"(?: (?:the|main|sidans|sidens|sidas))*"
    r" (?:content|navigation|innehåll|innehållet|huvudinnehåll|huvudinnehållet|indhold|indholdet"
    r"|hovedindhold|innhold|innholdet|hovedinnhold|hovedinnholdet|innhaldet|hovudinnhaldet"
    r"|innihaldið|efni(?: (?:síðunnar|í síðunni))?|inhalt)",
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
    r"|visa fler|vis flere|sjá meira|mehr lesen|weiterlesen)",
)
_ONCE = (
    # what telephones sign with
    r"(?:sent from my|skickat från min|sendt? fra min|sent úr|von meinem) (?:\w+ )?"
    r"(?:i?phone|ipad|android|galaxy|telefon|mobil|síma)\w*(?: \w+){0,4}",
    # to turn pages by
    r"(?:\d{1,4} )*(?:previous|next|prev|föregående|nästa|forrige|førre|næste|neste|fyrri|næsta)"
    r"(?: \d{1,4}| previous| next| nästa| næste| neste| næsta)*",
    # what is asked of readers
    r"(?:was|did|is|var|fick|fik|hjälpte|hittade|fandt|fant|fann|fannstu|hade|kunne|hjalp|haben) "
    r".{0,40}\b(?:helpful|useful|hjälp|hjälpte dig|hjælp|hjelp|hjálp|nytta av.{0,20}|informationen "
    r"dig|leita etter|sökte|søgte|leitaðir að|oplysningerne|geholfen)"
    r"(?: (?:suggest an edit|dela sidan|del siden|del sida|deila síðunni|foreslå en \w+))?",
)
_PHRASES = re.compile(rf"(?:(?:{'|'.join(_WHOLE)})(?: |$))+|{'|'.join(_ONCE)}")
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


def frame_phrases(lines: PlainLines, numbers: Sequence[int]) -> list[int]:
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
    if not numbers:
        return []
    words = said_lines(lines.plain, array("q", numbers), MOST_LETTERS, MOST_WORDS).split("\n")
    headings = set(lines.beginning_with("#"))
    return [
        number
        for number, said in zip(numbers, words, strict=True)
        if said
        and (
            (_CONTENTS if number in headings else _PHRASES).fullmatch(said)
            or (said.startswith("l") and _ALSO.match(lines[number]))
        )
    ]
