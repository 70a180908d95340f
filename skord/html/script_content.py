"""Content that a page holds in its scripts alone: JSON-LD, and the state that a program renders.

Some pages come as next to no text: a script draws the article, the products or the questions
from JSON that lies beside it. That JSON is read here, as Markdown, and only where the page's own
text is thin:

* `application/ld+json` by its types (schema.org): articles, products, recipes, questions with
  answers, events, jobs and lists of these;
* the state of a program (`__NEXT_DATA__`, `__NUXT_DATA__`, Apollo's and others' that are JSON):
  running text under names of content, never what stands under names of settings, menus or
  translations.

Reading is bounded: MAX_SCRIPT characters a script, MAX_CONTENT in all.
"""

from __future__ import annotations

import html as html_entities
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

THIN_WORDS = 150
"""A page with so many words in lines of LONG_LINE words or more has a text of its own."""
LONG_LINE = 8
LEAST_WORDS = 40
"""Less than this in scripts is no text."""
MAX_SCRIPT = 2_000_000
MAX_CONTENT = 200_000
MAX_DEPTH = 60
KNOWN_SHARE = 0.5
"""Of its runs of four words, from which on a block stands on the page already."""
PROSE_WORDS = 8

_SCRIPT = re.compile(r"<script\b([^>]{0,2000})>", re.IGNORECASE)
_END = re.compile(r"</script", re.IGNORECASE)
_LD_JSON = re.compile(r"type\s*=\s*[\"']?application/ld\+json", re.IGNORECASE)
_JSON = re.compile(
    r"type\s*=\s*[\"']?(?:application|text)/json|id\s*=\s*[\"']?__N(?:EXT|UXT)_DATA__",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(
    r"\s*(?:window\s*\.|self\s*\.|var\s+|window\[[\"'])?\s*"
    r"_{0,2}(?:APOLLO_STATE|INITIAL_STATE|INITIAL_DATA|PRELOADED_STATE|NUXT|DATA|STATE)_{0,2}"
    r"(?:[\"']\])?\s*=\s*(?=[{\[])",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[a-zA-Z/!][^<>]{0,2000}>")
_BLOCK_END = re.compile(r"(?i)</(?:p|div|li|h[1-6]|tr|ul|ol)\s*>|<br\s*/?>")
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[^\W\d_][.!?…:;,)\"'»”](?:\s|$)|[。！？]")
_LANGUAGE_CODE = re.compile(r"[a-z]{2}(?:[-_][A-Za-z]{2,4})?")

_NO_CONTENT = re.compile(
    r"(?i)i18n|translation|locale|messages?$|dictionary|labels?$|config|settings?|feature_?flags?"
    r"|experiment|navigation|navbar|menu|footer|header|sidebar|breadcrumb|cookie|consent|privacy|legal"
    r"|seo|meta|schema|analytic|tracking|gtm|advert|banner|modal|popup|newsletter|toast|tooltip"
    r"|query|graphql|runtime|build|chunks?|scripts?|styles?|css|theme|fonts?|icons?|svg|env$"
    r"|error|a11y|aria|placeholder|related|recommend|upsell|disclaimer"
)
"""Names under which there are settings, frames and translations."""

_PROSE_NAMES = frozenset(
    ["abstract", "articlebody", "answer", "bio", "blurb", "body", "bodyhtml", "caption", "content",
     "contents", "copy", "deck", "description", "descriptionhtml", "details", "excerpt", "html",
     "ingress", "intro", "introduction", "lead", "longdescription", "markdown", "paragraph",
     "plaintext", "preamble", "question", "richtext", "snippet", "standfirst", "story", "subtitle",
     "summary", "teaser", "text", "transcript", "value"]
)  # fmt: skip
"""Names under which there is running text."""

_TITLE_NAMES = ("headline", "title", "name", "heading", "question", "label")


def script_content(html: str | bytes, markdown: str) -> str | None:
    """Markdown of what a page says in its scripts and nowhere else; None where it says enough.

    Args:
        html: the page, decoded or in UTF-8.
        markdown: of it, as the converter makes it.

    >>> page = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Ny bro",'
    >>> page += '"articleBody": "' + "I går öppnades bron mellan torget och hamnen. " * 6 + '"}'
    >>> script_content(page + "</script><div id=app></div>", "")[:50]
    '# Ny bro\\n\\nI går öppnades bron mellan torget och ha'
    >>> script_content("<p>Text.", "Text.\\n") is None
    True
    """
    if _has_text(markdown):
        return None
    html = html if isinstance(html, str) else html.decode("utf-8", "replace")
    known = _runs(markdown)
    seen: set[str] = set()
    blocks: list[str] = []
    size = 0
    for block in _blocks(html):
        if size > MAX_CONTENT:
            break
        words = _WORD.findall(block.lower())
        if not words or block in seen:
            continue
        seen.add(block)
        runs = _runs_of(words)
        if known and runs and len(runs & known) >= KNOWN_SHARE * len(runs):
            continue
        blocks.append(block)
        size += len(block)
    text = "\n\n".join(blocks)
    return text + "\n" if len(_WORD.findall(text)) >= LEAST_WORDS else None


def _has_text(markdown: str) -> bool:
    words = 0
    for line in markdown.split("\n"):
        if len(line) > 2 * LONG_LINE - 2 and (count := len(line.split())) >= LONG_LINE:
            words += count
        if words >= THIN_WORDS:
            return True
    return False


def _runs(text: str) -> set[tuple[str, ...]]:
    return _runs_of(_WORD.findall(text.lower()))


def _runs_of(words: list[str]) -> set[tuple[str, ...]]:
    size = min(4, len(words))
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)} if size else set()


def _blocks(html: str) -> Iterator[str]:
    """Blocks of JSON-LD; of other state only where that holds none."""
    states: list[str] = []
    linked: list[str] = []
    for attributes, body in _scripts(html):
        if _LD_JSON.search(attributes):
            linked += _linked_data(_parsed(body))
        elif _JSON.search(attributes):
            states.append(body)
        elif assigned := _ASSIGNED.match(body):
            states.append(body[assigned.end() :])
    yield from linked
    if not linked:
        for body in states:
            yield from _state(_parsed(body), "", 0)


def _scripts(html: str) -> Iterator[tuple[str, str]]:
    at = 0
    while opened := _SCRIPT.search(html, at):
        closed = _END.search(html, opened.end())
        end = closed.start() if closed else len(html)
        if end - opened.end() <= MAX_SCRIPT:
            yield opened[1], html[opened.end() : end]
        at = end


def _parsed(body: str) -> Any:
    """The JSON that a script begins with; None where it is none."""
    try:
        return json.JSONDecoder(strict=False).raw_decode(body.strip().removeprefix("<!--").strip())[
            0
        ]
    except (ValueError, RecursionError):
        return None


# -- schema.org ---------------------------------------------------------------------------


def _linked_data(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _linked_data(one, depth + 1)
        return
    if not isinstance(value, Mapping):
        return
    yield from _linked_data(value.get("@graph"), depth + 1)
    kinds = value.get("@type")
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        name = str(kind)
        if name.endswith(("Article", "BlogPosting", "Posting", "Report")) or name in _NAMED:
            yield from _described(value)
        elif name in ("FAQPage", "QAPage", "Question"):
            yield from _questions(value)
        elif name in ("ItemList", "CollectionPage", "OfferCatalog"):
            yield from _items(value)
        elif name in ("WebPage", "ItemPage"):
            yield from _linked_data(value.get("mainEntity"), depth + 1)
        else:
            continue
        return


_NAMED = frozenset(
    ["Product", "ProductGroup", "Recipe", "Event", "JobPosting", "Movie", "Book", "Course",
     "HowTo", "SoftwareApplication", "MusicEvent", "TVSeries", "Place", "Restaurant"]
)  # fmt: skip
"""Types with a name and a description, besides articles."""


def _described(value: Mapping[str, Any]) -> Iterator[str]:
    title = _text(value.get("headline") or value.get("name") or value.get("title"))
    if title:
        yield f"# {title}"
    if price := _price(value):
        yield price
    if when := " – ".join(filter(None, map(_text, map(value.get, ("startDate", "endDate"))))):
        yield when
    for name in ("description", "articleBody", "text", "responsibilities", "qualifications"):
        yield from _paragraphs(value.get(name))
    ingredients = value.get("recipeIngredient")
    if isinstance(ingredients, list) and (items := list(filter(None, map(_text, ingredients)))):
        yield "\n".join(f"- {item}" for item in items)
    steps = value.get("recipeInstructions") or value.get("step")
    if texts := list(_steps(steps)):
        yield "\n".join(f"{number}. {text}" for number, text in enumerate(texts, 1))


def _steps(value: Any, depth: int = 0) -> Iterator[str]:
    if depth > MAX_DEPTH:
        return
    if isinstance(value, str):
        yield from filter(None, map(_text, _BLOCK_END.sub("\n", value).split("\n")))
    elif isinstance(value, list):
        for one in value:
            yield from _steps(one, depth + 1)
    elif isinstance(value, Mapping):
        inner = value.get("itemListElement")
        yield from _steps(inner if inner else value.get("text") or value.get("name"), depth + 1)


def _questions(value: Mapping[str, Any]) -> Iterator[str]:
    entities = value.get("mainEntity", value if value.get("@type") == "Question" else None)
    for question in entities if isinstance(entities, list) else [entities]:
        if isinstance(question, Mapping) and (asked := _text(question.get("name"))):
            yield f"## {asked}"
            yield from _paragraphs(question.get("text"))
            for name in ("acceptedAnswer", "suggestedAnswer"):
                answers = question.get(name)
                for answer in answers if isinstance(answers, list) else [answers]:
                    yield from _paragraphs(
                        answer.get("text") if isinstance(answer, Mapping) else None
                    )


def _items(value: Mapping[str, Any]) -> Iterator[str]:
    elements = value.get("itemListElement")
    if not isinstance(elements, list):
        elements = (
            (value.get("mainEntity") or {}).get("itemListElement")
            if isinstance(value.get("mainEntity"), Mapping)
            else None
        )
    lines = []
    for element in elements if isinstance(elements, list) else ():
        item = element.get("item", element) if isinstance(element, Mapping) else None
        if isinstance(item, Mapping) and (name := _text(item.get("name"))):
            parts = (name, _price(item), _text(item.get("description")))
            lines.append("- " + ", ".join(filter(None, parts)))
    if title := _text(value.get("name")):
        yield f"# {title}"
    if lines:
        yield "\n".join(lines)


def _price(value: Mapping[str, Any]) -> str:
    offers = value.get("offers")
    offer = offers[0] if isinstance(offers, list) and offers else offers
    if not isinstance(offer, Mapping):
        return ""
    amount = offer.get("price") or offer.get("lowPrice")
    return (
        " ".join(filter(None, (_text(amount), _text(offer.get("priceCurrency"))))) if amount else ""
    )


# -- the state of a program ---------------------------------------------------------------


def _state(value: Any, name: str, depth: int) -> Iterator[str]:
    """Running text under names of content, with the title of what it belongs to, in order."""
    if depth > MAX_DEPTH or (name and _NO_CONTENT.search(name)):
        return
    if isinstance(value, list):
        for one in value:
            yield from _state(one, name, depth + 1)
    elif isinstance(value, Mapping):
        if all(_LANGUAGE_CODE.fullmatch(str(key)) for key in value) and len(value) > 1:
            return  # the same in several languages
        title = next((t for key in _TITLE_NAMES if (t := _text(value.get(key)))), "")
        inner = [block for key, one in value.items() for block in _state(one, str(key), depth + 1)]
        own = any(
            isinstance(one, str) and _is_prose(one)
            for key, one in value.items()
            if _plain_name(str(key)) in _PROSE_NAMES
        )
        if own and title and not _is_prose(title) and len(title) < 200:
            yield f"## {title}"
        yield from inner
    elif isinstance(value, str) and _plain_name(name) in _PROSE_NAMES and _is_prose(value):
        yield from _paragraphs(value)


def _plain_name(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()


def _is_prose(value: str) -> bool:
    """Whether a string is running text, and no address, code or data."""
    start = value[:4000]
    if start.lstrip()[:1] in ("{", "[") or "://" in start[:12]:
        return False
    text = html_entities.unescape(_TAG.sub(" ", start))
    words = text.split()
    if len(words) < PROSE_WORDS:
        return sum("\u3040" <= char <= "\u9fff" for char in text) >= 3 * PROSE_WORDS
    letters = sum(map(str.isalpha, text))
    return letters >= 0.6 * len("".join(words)) and bool(_SENTENCE.search(text))


# -- strings ------------------------------------------------------------------------------


def _paragraphs(value: Any) -> Iterator[str]:
    """The paragraphs of a text that may hold tags."""
    if isinstance(value, list):
        for one in value:
            yield from _paragraphs(one)
    elif isinstance(value, str):
        marked = _BLOCK_END.sub("\n", value[:MAX_CONTENT])
        yield from filter(None, map(_text, re.split(r"\n+", marked)))


def _text(value: Any) -> str:
    """A string or number as one line, without tags and entities; "" for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    once = html_entities.unescape(str(value)[:MAX_CONTENT])
    return " ".join(html_entities.unescape(_TAG.sub(" ", once)).split())
