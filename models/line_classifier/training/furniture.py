"""What stands around main text on pages of today and hardly in pages with gold text.

Scripts put consent dialogs and offers into pages, so archived copies with gold seldom hold them,
and a network that never met one takes its sentences for main text. So some training pages are
given one: words of our own, under names that consent managers and publishers give such boxes.
Labels come from the gold as ever; what is put in is not in it.
"""

from __future__ import annotations

import html as html_entities
import random
import re
import tomllib
from functools import cache
from pathlib import Path

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
    chance: random.Random, is_offer: bool, lang: str, said: tuple[str, list[str], list[str]]
) -> str:
    """A box of nested divisions, with switches, as component libraries build them."""
    heading, sentences, buttons = said
    habit = chance.randrange(4)

    def held(text: str, tag: str = "div") -> str:
        return f'<{tag} class="{_made_up(chance, habit)}">{text}</{tag}>'

    parts = [held(chance.choice((_heading, _strong, _division))(heading))]
    parts += [
        held(held(html_entities.escape(text), chance.choice(("span", "p")))) for text in sentences
    ]
    if not is_offer and chance.random() < 0.6:
        kinds = _texts()["switches"]
        words = chance.choice(kinds.get(lang, kinds["en"]))
        labels = "".join(f'<label><input type="checkbox">{text}</label>' for text in words)
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
