"""Pages as well-known programs lay them out: what few pages with gold hold, a thousand sites do.

Forums and shops run on a few dozen programs, each with its own names for posts, signatures,
purchase boxes and reviews. Of most the pages with gold hold one or two, of many none. So training
pages lend their sentences to layouts (`made_pages.toml`, written for this): some fill the places of
main text, others those of signatures, reviews and teasers. What is main text is known by its place.
"""

from __future__ import annotations

import html as html_entities
import random
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

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
        html: of the whole page.
        gold: its main text, a line for each place.
        page_type: one of `page_types.PAGE_TYPES`.
        url: made up.
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
        text: that lends them.
        lang: of the text.
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
    words = {name: said[number].split("|") for name, said in tables["words"].items()}
    writer = _Writer(chance, words, sentences)
    body = writer.written(_parsed(layout["body"]))
    address = writer.written(_parsed(layout["address"]))
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
        parts: that are repeated.
    """

    text: str = ""
    slot: str = ""
    often: str = ""
    parts: tuple[_Part, ...] = ()


@cache
def _parsed(layout: str) -> tuple[_Part, ...]:
    """The parts of a layout.

    >>> [part.slot or part.often or part.text for part in _parsed("<p>{+line}</p>[[2-3|{user}]]")]
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
            part.text or (self._filled(part.slot) if part.slot else self._repeated(part))
            for part in parts
        )

    def _repeated(self, part: _Part) -> str:
        if part.often.startswith("?"):
            stands = self._chance.random() * 100 < int(part.often[1:])
            return self.written(part.parts) if stands else ""
        least, most = map(int, part.often.split("-"))
        times = self._chance.randint(least, most)
        return "".join(self.written(part.parts) for _ in range(times) if self._left)

    def _filled(self, slot: str) -> str:
        """The HTML of a slot, whose text is remembered where it is main text."""
        sign, name = (slot[0], slot[1:]) if slot[0] in "+~" else ("", slot)
        texts = self._paragraphs() if name in ("text", "breaks") else [self._said(name)]
        if sign == "+" or (sign == "~" and self._are_marks_kept):
            self.gold += texts
        shown = [html_entities.escape(text) for text in texts]
        if name == "text":
            return "".join(f"<p>{text}</p>" for text in shown)
        return ("<br><br>" if self._are_marks_kept else "<br>").join(shown)

    def _said(self, name: str) -> str:
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
