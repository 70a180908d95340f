"""From a page's Markdown and a verdict on each line to the page's text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import NamedTuple
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from skord.markdown.mojibake import repair_mojibake
from skord.markdown.plain_lines import plain_page, utf8_of
from skord.native import best_cut as compiled_cut
from skord.native import chances_of, text_and_images
from skord.native import joined_lines as compiled_joined
from skord.native import line_verdicts as compiled_verdicts

Floats = NDArray[np.float32]
Mask = NDArray[np.bool_]

LEAST_EXPECTED_F1 = 0.1
"""A page whose best choice of lines is expected to agree less than this with its main text has
none: its lines are kept by chance."""
LONGEST_HEADING_MARK = 80

# What documentation and wikis hang on a heading: its own address, and a button. A "#" stays behind
# one letter, as in C#.
_HEADING_MARK = re.compile(
    r"(?:\s*(?:\\?\[\s*(?:edit(?: source)?|redig[eé]ra?|endre|breyta|rætta|bearbeiten)"
    r"(?:\s*\|[^\[\]]*)?\s*\\?\]"
    r"|¶|🔗|(?<=\w{3})\\?#|(?<= )\\?#))+\s*$",
    re.IGNORECASE,
)


class NothingKept(StrEnum):
    """Why a page that was classified has no text.

    Attributes:
        no_line: it has no line with a visible character.
        no_main_text: no line is likely enough.
        pictures_only: what was kept holds no words.
        error_page: what was kept says that there is nothing: no page of that address, no result.
    """

    no_line = "no_line"
    no_main_text = "no_main_text"
    pictures_only = "pictures_only"
    error_page = "error_page"


class TextSource(StrEnum):
    """Where a page's text is from.

    Attributes:
        page: the lines of the page that were kept.
        scripts: JSON in its scripts, since the page as served has next to no text
            (`skord.html.script_content`).
    """

    page = "page"
    scripts = "scripts"


THIN_WORDS = 100
SCRIPT_FACTOR = 2
"""A text of fewer words is thin beside content of scripts that has so many times its words."""

MOST_ERROR_WORDS = 60
"""A longer text is no error page."""
_NOTHING_THERE = (
    r"(?:(?:fel|feil|fejl|error|http|virhe|klaida|kļūda|viga|błąd|chyba)[ :#]*)?(?:404|410|403|500|503)"
    r"(?:[ :,.–-]+(?:error|fel|feil|fejl|not found|page not found|forbidden|gone|sid[ae]n? .{0,50}"
    r"|ikke funnet.{0,40}|hittades inte.{0,40}))?"
    r"|(?:oops|ojd[åa]|hoppsan|uups)\b.{0,80}"
    r"|(?:(?:the |this )?page (?:was )?(?:not found|does not exist|cannot be found)|nothing found"
    r"|no (?:results?|products?|posts?|items?|matches)(?: (?:were )?found)?)\b.{0,80}"
    r"|(?:sid[ae]n|siden|síðan|artikel[ln]?|artikkelen)\b.{0,30}\b(?:hittades inte|finns inte|saknas"
    r"|kunde inte hittas|blev ikke fundet|findes ikke|ble ikke funnet|finnes ikke|finst ikkje"
    r"|vart ikkje funnen|fannst ekki|er ekki til)\b.{0,80}"
    r"|(?:ingen?|inga|inget|engar|0|noll) (?:sök)?(?:träff(?:ar)?|treff|resultat(?:er)?|resultater"
    r"|niðurstöður|produkter|artiklar|artikler|innlegg|indlæg|inlägg|hits|results)\b.{0,80}"
    r"|(?:sivua|hakutuloksia|tuloksia)\b.{0,20}\b(?:ei )?(?:löytynyt|löydy)\b.{0,60}"
    r"|ei (?:haku)?tuloksia.{0,60}"
    r"|lehte ei leitud.{0,60}|(?:otsingu)?tulemusi ei leitud.{0,60}|lapa nav atrasta.{0,60}"
    r"|nav (?:atrasts nekas|rezultātu).{0,60}|puslapis (?:nerastas|neegzistuoja).{0,60}|nieko nerasta.{0,60}"
    r"|(?:nie znaleziono|brak wyników|strona nie istnieje)\b.{0,60}|stránka nenalezena.{0,60}"
    r"|(?:žádné výsledky|nic nenalezeno).{0,60}|(?:ページ|記事)が(?:見つかりません|存在しません).{0,40}"
    r"|(?:検索結果はありません|該当する.{0,12}ありません).{0,40}"
)


@cache
def _nothing_there() -> re.Pattern[str]:
    """What such a page begins with; compiled on first use."""
    return re.compile(_NOTHING_THERE, re.IGNORECASE)


def is_error_page(text: str) -> bool:
    r"""Whether a short text begins by saying that there is nothing at its address.

    >>> is_error_page("# Ingen treff\n\nSøk en gang til."), is_error_page("# Ingen treff " + "ord " * 60)
    (True, False)
    >>> is_error_page("# 404 meter över havet\n\nBerget är högt."), is_error_page("404")
    (False, True)
    """
    words = text.split(None, MOST_ERROR_WORDS)
    if not words or len(words) > MOST_ERROR_WORDS:
        return False
    first = text.lstrip().split("\n", 1)[0].strip("#*_ .!\\")
    return bool(_nothing_there().fullmatch(first))


def split_lines(markdown: str) -> list[str]:
    r"""The lines that a line classifier judges, each without its "\n".

    "\n" alone ends a line; text after the last one is not judged.

    >>> split_lines("# Rubrik\n\nText\u2028mer\n")
    ['# Rubrik', '', 'Text\u2028mer']
    """
    return markdown.split("\n")[:-1]


def probabilities(logits: Floats) -> Floats:
    """Logits as probabilities of being main text.

    >>> probabilities(np.array([-200, 0, 200], np.float32)).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.frombuffer(chances_of(np.ascontiguousarray(logits, np.float32)), np.float32)


def as_bytes(line_probabilities: Floats) -> bytes:
    """One byte for each line: probability × 255, rounded.

    >>> list(as_bytes(np.array([0, 0.5, 1], np.float32)))
    [0, 128, 255]
    """
    return np.rint(line_probabilities * 255).astype(np.uint8).tobytes()


def from_bytes(line_probabilities: bytes) -> Floats:
    """The probabilities that `as_bytes` wrote, to within 1/510."""
    shares: Floats = np.divide(
        np.frombuffer(line_probabilities, np.uint8), np.float32(255), dtype=np.float32
    )
    return shares


def page_threshold(plain: bytes, line_probabilities: Floats) -> float:
    r"""The threshold by which a page's kept words agree best with its main text, as expected.

    With probabilities p and words n of its lines, keeping some gives an expected F1 of about
    2 Σ p n / (Σ n + Σ p n), the first two sums over the lines kept, the last over all; the lines
    above some threshold are the best choice (Lipton et al. 2014, arXiv 1402.1892).

    Args:
        plain: the page in plain form.
        line_probabilities: one for each line.

    Returns:
        a probability of one of the lines; more than 1, so that none is kept, where even the best
        choice promises less than LEAST_EXPECTED_F1.

    >>> page_threshold(b"Hem\nEtt ord till\nFem\n", np.array([0.1, 0.9, 0.5], np.float32))
    0.5
    """
    best = best_cut(plain, line_probabilities)
    return best.threshold if best.expected_f1 >= LEAST_EXPECTED_F1 else 2.0


class Cut(NamedTuple):
    """A threshold, and the F1 of words that a page is expected to have with it."""

    threshold: float
    expected_f1: float


def best_cut(plain: bytes, line_probabilities: Floats) -> Cut:
    r"""The best choice of `page_threshold`, however little it promises.

    >>> best_cut(b"Hem\nNej\n", np.zeros(2, np.float32))
    Cut(threshold=2.0, expected_f1=0.0)
    """
    return Cut(*compiled_cut(plain, np.ascontiguousarray(line_probabilities, np.float32)))


def line_verdicts(plain: bytes, line_probabilities: Floats, threshold: float) -> Mask:
    r"""Which lines are kept: those at or above the threshold, without what stood there before.

    Shops and front pages hold a text once for each size of screen. A line of four words or more,
    pictures aside, is kept once; a heading again where new text stands under it. Rows of tables,
    code and the lines of a verse may stand twice, but not in a quotation
    of what is kept before it, as in answers of a forum: if four fifths of its runs of four words
    stand there it goes, with the line that says who said so. Of a heading and the end of a trail
    above it, which says the same, the heading is kept. A thematic break that the text would begin
    or end with is left out, since it parts nothing, and so are one or two headings that a text of four
    lines or more would end with: what they head is not in it. A text that begins without a heading of the
    first two levels is given the nearest of the six visible lines above that is one, unless hardly
    anything speaks for it: a probability of .05, which is more than rules leave a line.

    Args:
        plain: the page in plain form.
        line_probabilities: one for each line.
        threshold: from 0 to 1; above 1 nothing is kept.

    >>> def kept(page):
    ...     return line_verdicts(page.encode(), np.ones(page.count("\n")), 0.5).tolist()
    >>> kept("Nu är det vår.\nHej\nNu är det vår.\nHej\n")
    [True, True, False, True]
    >>> kept("- Ny bro över ån\n\n# Ny bro över ån\n")
    [False, True, True]
    >>> kept("## Så gör du i dag\nEtt\n## Så gör du i dag\nKoka det i ett kvarts dygn\n")
    [True, True, True, True]
    >>> kept("Ett\n\n---\n\nTvå\n\n---\n")
    [True, True, True, True, True, True, False]
    >>> kept("# Ny bro\n\nEtt\n\nTvå\n\n## Läs mer om\n")
    [True, True, True, True, True, True, False]
    >>> kept("Vad kostar en ny bro?\n\nEva skrev:\n> Vad kostar en ny bro?\n")
    [True, True, False, False]
    >>> page, likely = b"# Ny bro\nDela\nBron invigs.\n", np.array([0.3, 0, 1], np.float32)
    >>> line_verdicts(page, likely, 0.5).tolist()
    [True, False, True]
    """
    likely = np.ascontiguousarray(line_probabilities, np.float32)
    return np.frombuffer(compiled_verdicts(plain, likely, threshold), np.bool_)


def joined_lines(plain: bytes, kept: Mask, *, escaped: bool = False) -> bytes:
    r"""The kept lines, with a blank one where what was left out between two kept them apart.

    Headings go without what leads to themselves, and lines that are no code without backslashes
    before signs that a reader of the rendered text sees without them, too (CommonMark 0.31.2 and
    GitHub's tables and strike-out). So `17\. mai` and `\- Vi` are `17. mai` and `- Vi`: a bullet or a
    number is shown whether it begins an item or not. Stars, lines and backticks that have a
    partner, number signs of a heading, ">" and a tag's "<", brackets of an address, and bars in a
    table keep theirs.

    Args:
        plain: the page in plain form.
        kept: whether each line is.
        escaped: keep all backslashes, as a Markdown source needs them.

    >>> page = "Kör så här:\n```\nmake\n```\n17\\. mai är det klart\\*, 3 \\* 4.\n"
    >>> print(joined_lines(page.encode(), np.array([1, 0, 0, 0, 1], bool)).decode())
    Kör så här:
    <BLANKLINE>
    17. mai är det klart*, 3 * 4.
    <BLANKLINE>
    """
    return compiled_joined(plain, np.ascontiguousarray(kept), without_heading_marks, escaped)


def without_heading_marks(line: str) -> str:
    r"""A heading without the signs that lead to itself, and without its button to edit.

    >>> without_heading_marks("## Installation¶"), without_heading_marks(r"## Arv \[redigera\]")
    ('## Installation', '## Arv')
    >>> without_heading_marks("## Levevis [redigér]"), without_heading_marks("## Lär dig C#")
    ('## Levevis', '## Lär dig C#')
    """
    # Only the end is searched: a long run of blanks would cost the pattern the square of it.
    end = max(len(line) - LONGEST_HEADING_MARK, 0)
    left = line[:end] + _HEADING_MARK.sub("", line[end:])
    return left if left.strip("# ") else line


def kept_text(markdown: str, line_probabilities: Floats, threshold: float | None) -> str:
    r"""The text of the lines that are kept, images included.

    Args:
        markdown: in plain form; ends in "\n", as the converter's does.
        line_probabilities: one for each "\n".
        threshold: least probability of a line that is kept; None: as `page_threshold` has it.

    >>> kept_text("# Titel\n\nMeny\nText\n", np.array([1, 0.9, 0.1, 0.5], np.float32), 0.5)
    '# Titel\n\nText\n'
    """
    plain = utf8_of(markdown)
    _must_be_judged(plain, line_probabilities)
    chosen = page_threshold(plain, line_probabilities) if threshold is None else threshold
    kept = joined_lines(plain, line_verdicts(plain, line_probabilities, chosen))
    return kept.decode("utf-8", "surrogatepass")


def _must_be_judged(plain: bytes, line_probabilities: Floats) -> None:
    """Sees to it that each line of a page has a probability.

    Raises:
        ValueError: there is not one for each line, or text after the last.
    """
    if plain and not plain.endswith(b"\n"):
        raise ValueError("the Markdown does not end in a line break, so its end has no verdict")
    lines = plain.count(b"\n")
    if lines != len(line_probabilities):
        raise ValueError(f"{len(line_probabilities)} probabilities for {lines} lines")


def extracted(
    markdown: str,
    logits: Floats,
    threshold: float | None = None,
    page_url: str | None = None,
    types: Mapping[str, float] | None = None,
    plain: bytes | None = None,
    script_content: str | None = None,
) -> dict[str, object]:
    """The columns of ProcessMarkdown for one page.

    The verdict is taken on the probabilities as stored, so that what is decided later from
    the column agrees.

    Args:
        markdown: ends in "\n".
        logits: one for each "\n".
        threshold: least probability of a line that is kept; None: as `page_threshold` has it.
        page_url: by which addresses of images become absolute; None leaves them.
        types: the share of each type that the page may have, if they are known.
        plain: `plain_page` of the page, if somebody has asked for it already.
        script_content: Markdown of what the page says in its scripts alone; it is the text where
            the page's own is thin.
    """
    plain = plain_page(markdown) if plain is None else plain
    _must_be_judged(plain, logits)
    stored = as_bytes(probabilities(logits))
    likely = from_bytes(stored)
    chosen = page_threshold(plain, likely) if threshold is None else threshold
    kept = compiled_verdicts(plain, likely, chosen)
    joined = compiled_joined(plain, kept, without_heading_marks, False)
    text, images = text_of_lines(joined, page_url)
    why_nothing = None if text else _why_nothing(plain, kept)
    if is_error_page(text):
        text, images, why_nothing = "", [], NothingKept.error_page
    source = TextSource.page if text else None
    if script_content and is_thin(text, script_content):
        text, images = text_of_lines(script_content.encode("utf-8", "surrogatepass"), page_url)
        source, why_nothing = TextSource.scripts, None
    page_type = max(types, key=types.__getitem__) if types else None
    return {
        "text": text,
        "images": images,
        "kept_lines": kept.count(1),
        "line_probabilities": stored,
        "line_verdicts": kept,
        "threshold": chosen if chosen <= 1 else None,
        "page_type": page_type,
        "page_type_share": round(types[page_type], 4) if types and page_type else None,
        "nothing_kept": why_nothing,
        "text_source": source,
    }


def is_thin(text: str, script_content: str) -> bool:
    """Whether a page's own text is so short beside what its scripts say that this is its content.

    >>> is_thin("Logga in", "ord " * 60), is_thin("ord " * 100, "ord " * 500)
    (True, False)
    """
    words = len(text.split())
    return has_few_words(text) and len(script_content.split()) >= SCRIPT_FACTOR * words


def has_few_words(text: str) -> bool:
    """Whether a page's own text is so short that its scripts may say more.

    >>> has_few_words("Logga in"), has_few_words("ord " * 100)
    (True, False)
    """
    return len(text.split(None, THIN_WORDS - 1)) < THIN_WORDS


def _why_nothing(plain: bytes, kept: bytes) -> NothingKept:
    if not plain.decode("utf-8", "surrogatepass").strip():
        return NothingKept.no_line
    return NothingKept.pictures_only if any(kept) else NothingKept.no_main_text


def text_of_lines(kept: bytes, page_url: str | None = None) -> tuple[str, list[dict[str, object]]]:
    r"""The text that kept lines make, and its images: position in the text, and URL.

    Mojibake in the lines is repaired (ftfy) and images are set aside, in this order, as in the
    published pipeline. Where lines or images went, one blank line stays. What is left of blocks
    that says nothing goes with them: tables without a word, lines of characters that nobody sees,
    headings that repeat the heading before them, on whatever level, and blanks at the ends of lines.

    Args:
        kept: as `joined_lines` gives them.
        page_url: by which addresses of images become absolute; None leaves them.

    >>> lines = "# VÃ¤dret\n\n![sol](s.png)\n\nSol.\n\n| |\n|---|\n| ![](m.png) |\n"
    >>> text, images = text_of_lines(lines.encode(), "http://a.example/b/")
    >>> text, images[0]
    ('# Vädret\n\nSol.', {'position': 8, 'url': 'http://a.example/b/s.png'})
    """
    text, images = text_and_images(kept, repair_mojibake)
    return text, [{"position": at, "url": absolute(url, page_url)} for at, url in images]


def absolute(address: str, page_url: str | None) -> str:
    """An address as seen from a page (RFC 3986, section 5); as it is where that fails.

    >>> absolute("//b.example/c.png", "https://a.example/d/e"), absolute("/c.png", None)
    ('https://b.example/c.png', '/c.png')
    """
    try:
        return urljoin(page_url, address) if page_url else address
    except ValueError:  # brackets that are no IPv6 address
        return address
