"""Training pages beside those with gold text, and what is put into or taken out of these.

* Some pages get a consent dialog or an offer (`furniture.toml`), and some lose their main text:
  archived pages with gold hardly hold the one, for scripts put it there, and none is without the
  other. The words are our own, under names that consent managers and publishers give such boxes.
* Of some a short copy is added: the beginning of the main text, and few lines around it. Pages with
  gold have hundreds of lines, those of small offices and clubs often twenty.
* Some pages lend their sentences to the layouts of forums, shops and lists (`made_pages.toml`,
  written for this): such sites run on a few dozen programs, of most of which the pages with gold
  hold one page or none. What is main text is known by its place in the layout.
* Pages read line by line (`gold/`), where the page is in the data folder.
"""

from __future__ import annotations

import hashlib
import html as html_entities
import random
import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from skord.html.charset.decode import decode
from skord.markdown.extraction import split_lines
from skord.markdown.plain_lines import plain_markdown
from skord.models.line_classifier.gold import LABELS, GoldPage, labels_of, read_gold
from skord.models.line_classifier.training.dataset import (
    MADE,
    Page,
    converted_page,
    html_of,
    read_records,
)
from skord.models.line_classifier.training.examples import READ, line_labels

_LAYOUTS = Path(__file__).with_name("made_pages.toml")
_TOKEN = re.compile(r"\[\[(?P<often>\??\d+(?:-\d+)?)\||(?P<end>\]\])|\{(?P<slot>[+~]?\w+)\}")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_SENTENCE_WORDS = range(4, 61)
LEAST_SENTENCES = 25
_NAMES = (
    "anna73", "Bjorn_K", "mikkel", "Snorri", "old_timer", "K. Larsen", "greenhand", "tove.h",
    "Peter M", "admin", "Jens-Ole", "lurker42", "Sigga", "user11873", "Maja S.", "DrFixit",
)  # fmt: skip
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "Jun", "Aug", "Sep", "Oct", "Nov", "Dec")
_PRICES = ("${}.00", "£{}.99", "{} kr", "{},00 kr.", "{},95 €", "SEK {}")


class MadePage(NamedTuple):
    """A page that never was.

    Attributes:
        gold: its main text, a line for each place.
        page_type: one of `page_types.PAGE_TYPES`.
    """

    html: str
    gold: str
    page_type: str
    url: str


def made_page(
    text: str, lang: str, key: str, layout: dict[str, str] | None = None
) -> MadePage | None:
    """A page with the sentences of a text in it; the same for the same key.

    Args:
        key: decides how the page is laid out.
        layout: one of `page_layouts`; None: the key draws one.

    Returns:
        None where the layouts have no words in the language or the text is too short.
    """
    tables = _tables()
    spoken = "nb" if lang == "nn" else lang
    sentences = list(dict.fromkeys(_sentences(text)))
    if spoken not in tables["languages"] or len(sentences) < LEAST_SENTENCES:
        return None
    chance = random.Random(f"made|{key}")
    layout = layout or chance.choice(page_layouts())
    number = tables["languages"].index(spoken)
    words = {name: texts[number].split("|") for name, texts in tables["words"].items()}
    writer = _Writer(chance, words, sentences)
    body = writer.written(_parse_layout(layout["body"]))
    address = writer.written(_parse_layout(layout["address"]))
    program = layout["program"]
    generator = f'<meta name="generator" content="{program}">' if program else ""
    title = html_entities.escape(writer.title)
    head = f"<head><title>{title} | {writer.one_of('home')}</title>{generator}</head>"
    html = f'<!DOCTYPE html><html lang="{lang}">{head}<body>{body}</body></html>'
    return MadePage(
        html, "\n".join(writer.gold), layout["type"], f"https://www.a.example/{address}"
    )


def page_layouts() -> list[dict[str, str]]:
    """All layouts: type of page, program, address and body, the latter two with slots."""
    known: list[dict[str, str]] = _tables()["layout"]
    return known


def _sentences(text: str) -> list[str]:
    parts = [part.strip() for line in text.split("\n") for part in _SENTENCE_END.split(line)]
    return [part for part in parts if len(part.split()) in _SENTENCE_WORDS]


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(_LAYOUTS.read_text(encoding="utf-8"))


class _Part(NamedTuple):
    """Of a layout: text as it is, a slot, or what is repeated or left out at times.

    Attributes:
        text: "" for the others.
        slot: its name, with its sign.
        often: "?60" or "2-5"; "" for the others.
    """

    text: str = ""
    slot: str = ""
    often: str = ""
    parts: tuple[_Part, ...] = ()


@cache
def _parse_layout(layout: str) -> tuple[_Part, ...]:
    """The parts of a layout.

    >>> [part.slot or part.often or part.text for part in _parse_layout("<p>{+line}</p>[[2-3|{user}]]")]
    ['<p>', '+line', '</p>', '2-3']
    """
    open_parts: list[tuple[str, list[_Part]]] = [("", [])]
    at = 0
    for token in _TOKEN.finditer(layout):
        open_parts[-1][1].append(_Part(text=layout[at : token.start()]))
        at = token.end()
        if token["often"]:
            open_parts.append((token["often"], []))
        elif token["slot"]:
            open_parts[-1][1].append(_Part(slot=token["slot"]))
        else:
            often, inner = open_parts.pop()
            open_parts[-1][1].append(_Part(often=often, parts=tuple(filter(any, inner))))
    open_parts[-1][1].append(_Part(text=layout[at:]))
    ((_, parts),) = open_parts
    return tuple(filter(any, parts))


class _Writer:
    """Fills the slots of one page.

    Attributes:
        title: the heading that names the page.
        gold: what stands in the places of main text, so far.
    """

    def __init__(
        self, chance: random.Random, words: dict[str, list[str]], sentences: list[str]
    ) -> None:
        self._chance = chance
        self._words = words
        first, *self._left = chance.sample(sentences, len(sentences))
        self.title = _cut(first, 9)
        self._are_marks_kept = chance.random() < 0.5
        self.gold: list[str] = []
        self._slots = {
            "title": lambda: self.title,
            "slug": lambda: "-".join(re.findall(r"[a-z]+", self.title.lower())[:6]),
            "line": self._sentence,
            "name": lambda: _cut(self._sentence(), chance.randint(2, 7)),
            "user": lambda: chance.choice(_NAMES),
            "number": lambda: str(int(10 ** chance.uniform(0, 4))),
            "price": lambda: chance.choice(_PRICES).format(chance.randint(5, 2500)),
            "date": self._date,
        }

    def one_of(self, kind: str) -> str:
        """What a layout's words say for something."""
        return self._chance.choice(self._words[kind])

    def written(self, parts: tuple[_Part, ...]) -> str:
        """The HTML of some parts."""
        return "".join(
            part.text or (self._fill_slot(part.slot) if part.slot else self._repeat_part(part))
            for part in parts
        )

    def _repeat_part(self, part: _Part) -> str:
        if part.often.startswith("?"):
            stands = self._chance.random() * 100 < int(part.often[1:])
            return self.written(part.parts) if stands else ""
        least, most = map(int, part.often.split("-"))
        times = self._chance.randint(least, most)
        return "".join(self.written(part.parts) for _ in range(times) if self._left)

    def _fill_slot(self, slot: str) -> str:
        """The HTML of a slot, whose text is remembered where it is main text."""
        sign, name = (slot[0], slot[1:]) if slot[0] in "+~" else ("", slot)
        texts = self._paragraphs() if name in ("text", "breaks") else [self._slot_text(name)]
        if sign == "+" or (sign == "~" and self._are_marks_kept):
            self.gold += texts
        shown = [html_entities.escape(text) for text in texts]
        if name == "text":
            return "".join(f"<p>{text}</p>" for text in shown)
        return ("<br><br>" if self._are_marks_kept else "<br>").join(shown)

    def _slot_text(self, name: str) -> str:
        return self._slots[name]() if name in self._slots else self.one_of(name)

    def _paragraphs(self) -> list[str]:
        counts = [self._chance.randint(1, 3) for _ in range(self._chance.choice((1, 1, 2, 3)))]
        texts = [" ".join(self._sentence() for _ in range(count)) for count in counts]
        return [text for text in map(str.strip, texts) if text]

    def _sentence(self) -> str:
        """One that has not been lent yet; "" where none is left."""
        return self._left.pop() if self._left else ""

    def _date(self) -> str:
        day, month = self._chance.randint(1, 28), self._chance.choice(_MONTHS)
        year, minute = self._chance.randint(2003, 2025), self._chance.randint(10, 59)
        number = day % 9 + 1
        shapes = (
            f"{month} {day}, {year}",
            f"{day} {month} {year}, 1{day % 10}:{minute}",
            f"{number + 1} days ago",
            f"{year}-0{number}-{day:02}",
            f"{day:02}.0{number}.{year} 0{day % 10}:{minute}",
        )
        return self._chance.choice(shapes)


def _cut(sentence: str, most: int) -> str:
    return " ".join(sentence.split()[:most]).rstrip(".,;:!?")


_WORDS = Path(__file__).with_name("furniture.toml")
_BODY = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_END = re.compile(r"</body\s*>", re.IGNORECASE)
_PARAGRAPH_END = re.compile(r"</p\s*>", re.IGNORECASE)
_SHARE_OF_OFFERS = 0.3
_SHARE_IN_OTHER_LANGUAGE = 0.4
"""Of the boxes: in one of NORTHERN, whatever the page's own, since few pages are in these."""
NORTHERN = ("sv", "da", "nb", "nn", "is")
_SHARE_OF_SOUP = 0.5
"""Of the boxes: built of components whose classes a build made up."""
_SHARE_AMID_TEXT = 0.5
"""Of the offers; a dialog never stands there."""

_CONSENT_NAMES = (
    'id="onetrust-banner-sdk" class="otFlat bottom"', 'id="CybotCookiebotDialog" role="dialog"',
    'id="cookie-law-info-bar"', 'class="cookie-notice" id="cookie-notice"', 'class="cc-window"',
    'class="qc-cmp2-container"', 'id="didomi-host"', 'class="consent-banner" role="alertdialog"',
    'class="gdpr-overlay"', 'class="cookies-eu-banner"', 'id="coiOverlay" class="coi-banner"',
    'class="js-cookie-consent modal"', 'id="cookies"', 'class="site-message"', 'class="notice"',
    "", "",
)  # fmt: skip
_OFFER_NAMES = (
    'class="newsletter-signup"', 'class="subscribe-box"', 'class="paywall"', 'class="promo-banner"',
    'class="notification-bar"', 'class="app-banner"', 'id="signup"', 'class="cta-block"', "", "",
)  # fmt: skip
_TAGS = ("div", "div", "div", "section", "dialog", "aside", "form")


def furnished_page(html: str, lang: str, key: str) -> str:
    """The page with a consent dialog or an offer in it; the same for the same key.

    Args:
        html: of the page; without a body it stays as it is.
        lang: of the page; English words where there are none in it.
        key: decides what is put in, and where.

    >>> len(furnished_page("<body><p>Text.</p></body>", "sv", "a")) > 100
    True
    """
    chance = random.Random(f"furniture|{key}")
    body = _BODY.search(html)
    if not body:
        return html
    is_offer = chance.random() < _SHARE_OF_OFFERS
    box = _box(chance, is_offer, lang)
    places = [body.end(), *(match.start() for match in list(_END.finditer(html))[-1:])]
    inner = [match.end() for match in _PARAGRAPH_END.finditer(html, body.end())]
    amid = is_offer and inner and chance.random() < _SHARE_AMID_TEXT
    at = chance.choice(inner if amid else places)
    return f"{html[:at]}\n{box}\n{html[at:]}"


@cache
def _texts() -> dict[str, dict[str, list[list[str]]]]:
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


def _box(chance: random.Random, is_offer: bool, lang: str) -> str:
    texts = _texts()["offers" if is_offer else "consents"]
    lang = chance.choice(NORTHERN) if chance.random() < _SHARE_IN_OTHER_LANGUAGE else lang
    heading, *sentences, buttons = chance.choice(texts.get(lang, texts["en"]))
    if chance.random() < _SHARE_OF_SOUP:
        return _soup(chance, is_offer, lang, (heading, sentences, buttons.split("|")))
    names = chance.choice(_OFFER_NAMES if is_offer else _CONSENT_NAMES)
    tag = chance.choice(_TAGS)
    inner = "".join(map(chance.choice((_paragraph, _division)), sentences))
    shown = chance.choice((_heading, _strong, _paragraph))(heading)
    pressed = chance.choice((_buttons, _links))(buttons.split("|"))
    wrapped = f"{shown}{inner}{pressed}"
    if chance.random() < 0.5:
        wrapped = f"<div><div>{shown}{inner}</div><div>{pressed}</div></div>"
    return f"<{tag} {names}>{wrapped}</{tag}>".replace(" >", ">")


def _soup(
    chance: random.Random, is_offer: bool, lang: str, words: tuple[str, list[str], list[str]]
) -> str:
    """A box of nested divisions, with switches, as component libraries build them."""
    heading, sentences, buttons = words
    habit = chance.randrange(4)

    def held(text: str, tag: str = "div") -> str:
        return f'<{tag} class="{_made_up(chance, habit)}">{text}</{tag}>'

    parts = [held(chance.choice((_heading, _strong, _division))(heading))]
    parts += [
        held(held(html_entities.escape(text), chance.choice(("span", "p")))) for text in sentences
    ]
    if not is_offer and chance.random() < 0.6:
        kinds = _texts()["switches"]
        names = chance.choice(kinds.get(lang, kinds["en"]))
        labels = "".join(f'<label><input type="checkbox">{text}</label>' for text in names)
        parts.append(held(labels))
    parts.append(held(chance.choice((_buttons, _links))(buttons)))
    roles = ("", "", ' role="dialog"', ' role="dialog" aria-modal="true"', ' role="alertdialog"')
    return (
        f'<div class="{_made_up(chance, habit)}"{chance.choice(roles)}>{held("".join(parts))}</div>'
    )


def _made_up(chance: random.Random, habit: int) -> str:
    """A class as a build or a framework of small styles writes it; one habit a box."""
    drawn = f"{chance.getrandbits(32):08x}"
    known = ("fixed", "inset-0", "p-4", "flex", "bg-white", "z-50", "rounded-lg", "text-sm", "mt-2")
    match habit:
        case 0:
            return f"css-{drawn[:6]}"
        case 1:
            return f"sc-{drawn[:6]} {drawn[2:7]}"
        case 2:
            name = chance.choice(("Box", "Banner", "Modal", "Stack", "Panel", "Layer", "Text"))
            return f"{name}_{chance.choice(('root', 'inner', 'wrap', 'body'))}__{drawn[:5]}"
        case _:
            return " ".join(chance.sample(known, 3))


def _paragraph(text: str) -> str:
    return f"<p>{html_entities.escape(text)}</p>"


def _division(text: str) -> str:
    return f"<div>{html_entities.escape(text)}</div>"


def _heading(text: str) -> str:
    return f"<h2>{html_entities.escape(text)}</h2>"


def _strong(text: str) -> str:
    return f"<p><strong>{html_entities.escape(text)}</strong></p>"


def _buttons(texts: list[str]) -> str:
    return " ".join(
        f'<button type="button">{html_entities.escape(text)}</button>' for text in texts
    )


def _links(texts: list[str]) -> str:
    items = "".join(f'<li><a href="#">{html_entities.escape(text)}</a></li>' for text in texts)
    return f"<ul>{items}</ul>"


FURNISHED_PERCENT = 50
EMPTIED_PERCENT = 5
EMPTIED_WEIGHT = 0.3
LEAST_EMPTIED_WORDS = 10
SHORTENED_PERCENT = 50
SHORTENED_WEIGHT = 0.3
SHORT_LINES = (4, 16)
"""Fewest and most lines of main text in a short copy."""
LENDING_PERCENT = 25
LENDING_NORTHERN_PERCENT = 60
"""Of the pages in one of NORTHERN, since few pages are."""
MADE_WEIGHT = 0.3


def changed_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages, some with a box put in; copies without main text, short copies, and made pages."""
    changed = [
        _put_in_furniture(page) if _drawn("put", page) < FURNISHED_PERCENT else page
        for page in pages
    ]
    made = [_made(page) for page in pages if _lends(page)]
    drawn = (page for page in changed if _drawn("empty", page) < EMPTIED_PERCENT)
    emptied = (_take_out_text(page) for page in drawn)
    shortened = [_short_copy(page) for page in changed if _drawn("short", page) < SHORTENED_PERCENT]
    changed += [page for page in emptied if len(page.markdown.split()) >= LEAST_EMPTIED_WORDS]
    return changed + [page for page in (*shortened, *made) if page]


def _drawn(what: str, page: Page) -> int:
    """A number from 0 to 99 that depends on the page alone."""
    return int(hashlib.sha1(f"{what}|{page.id}".encode()).hexdigest(), 16) % 100


def _put_in_furniture(page: Page) -> Page:
    html = furnished_page(page.html, page.lang, page.id)
    return page._replace(html=html, markdown=converted_page(html))


def _lends(page: Page) -> bool:
    percent = LENDING_NORTHERN_PERCENT if page.lang in NORTHERN else LENDING_PERCENT
    return _drawn("made", page) < percent


def _made(page: Page) -> Page | None:
    """A page that never was, with the page's sentences; of its site, so that folds stay apart."""
    made = made_page(page.gold, page.lang, page.id)
    return made and Page(
        f"{MADE}{page.id}",
        READ,
        page.site,
        page.lang,
        "",
        converted_page(made.html),
        made.gold,
        "",
        made.html,
        MADE_WEIGHT,
        made.page_type,
        made.url,
    )


def _take_out_text(page: Page) -> Page:
    """The page without the lines that are, or may be, main text."""
    lines = zip(split_lines(page.markdown), line_labels(page), strict=True)
    left = "".join(f"{line}\n" for line, label in lines if label == 0 or not line.strip())
    return page._replace(markdown=left, gold="", title="", weight=EMPTIED_WEIGHT)


def _short_copy(page: Page) -> Page | None:
    """The page without the rest of its main text and most of what stands around; None if short."""
    chance = random.Random(f"short|{page.id}")
    lines = split_lines(plain_markdown(page.markdown))
    visible = [number for number, line in enumerate(lines) if line.strip()]
    labels = line_labels(page)
    main = [number for number in visible if labels[number] == 1]
    count = chance.randint(*SHORT_LINES)
    if len(main) <= count:
        return None
    before = [number for number in visible if number < main[0]]
    after = [number for number in visible if number > main[-1]]
    stay = {
        *before[: chance.randint(1, 8)], *before[-chance.randint(1, 10) :],
        *range(main[0], main[count - 1] + 1),
        *after[: chance.randint(0, 6)], *after[-chance.randint(1, 6) :],
    }  # fmt: skip
    # A blank line stays with what it stands above.
    short = (
        line
        for number, line in enumerate(split_lines(page.markdown))
        if number in stay or (not lines[number].strip() and number + 1 in stay)
    )
    return page._replace(markdown="".join(f"{line}\n" for line in short), weight=SHORTENED_WEIGHT)


def read_by_people(folder: Path, labels: Path = LABELS, *, for_test: bool = False) -> list[Page]:
    """The pages of `gold/` that the data folder holds, those for training or for the test."""
    given = [gold for gold in read_gold(labels) if not gold.is_ignored]
    labelled = {gold.page: gold for gold in given if gold.is_test == for_test}
    pages: dict[str, Page] = {}
    for record in read_records(folder):
        body = html_of(record)
        gold = labelled.get(hashlib.sha256(body).hexdigest())
        if gold:
            url = "" if record.get("url_is_host_only") else record.get("url") or ""
            pages[gold.page] = _as_read(gold, decode(body, None).text, url)
    return [pages[page] for page in sorted(pages)]


def _as_read(gold: GoldPage, html: str, url: str) -> Page:
    """The page with the lines that were kept as its gold text."""
    markdown = converted_page(html)
    lines = split_lines(markdown)
    labels = labels_of(gold, lines)
    plain = split_lines(plain_markdown(markdown))
    text = "".join(f"{line}\n" for line, label in zip(plain, labels, strict=True) if label)
    return Page(
        f"gold/{gold.page}", READ, gold.site, gold.lang, "", markdown, text, "", html, url=url
    )
