"""What is left of a page once its paragraphs are chosen, measured."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import pyarrow as pa

from skord.paragraphs.format import Paragraph, path_steps

COMPRESSED_BYTES = 1 << 20
"""Of a page at most, that are packed to see how well they pack; Uzushio's figure."""

SCRIPTS = {
    "LATIN": "af an ast az bar br bs ca ceb co cs cy da de en eo es et eu fi fo fr frr fy ga gd "
    "gl gn gsw hr ht hu ia id ie ilo io is it jbo jv la lb li lmo lt lv mg min ms mt mwl nap nds "
    "nl nn no nb nov nso oc pam pl pms pt qu rm ro sc scn sk sl so sq su sv sw tk tl tr uz vec "
    "vep vi vls vo wa war yo",
    "CYRILLIC": "av ba be bg bxr ce cv kk kv krc ky mhr mk mn mrj myv os ru rue sah tg tt tyv uk",
    "GREEK": "el",
    "ARMENIAN": "hy",
    "GEORGIAN": "ka xmf",
    "HEBREW": "he yi",
    "ARABIC": "ar arz azb ckb fa lrc mzn pnb ps sd ug ur",
    "DEVANAGARI": "bh dty gom hi mai mr ne new sa",
    "BENGALI": "as bn bpy",
    "GUJARATI": "gu",
    "GURMUKHI": "pa",
    "KANNADA": "kn",
    "MALAYALAM": "ml",
    "ORIYA": "or",
    "SINHALA": "si",
    "TAMIL": "ta",
    "TELUGU": "te",
    "THAI": "th",
    "LAO": "lo",
    "KHMER": "km",
    "MYANMAR": "my",
    "TIBETAN": "bo",
    "ETHIOPIC": "am",
    "HANGUL": "ko",
    "CJK": "ja ko wuu yue zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
}
"""Scripts, as Unicode's names of letters begin, to the languages of lid.176 written in them.
Languages written in several (Serbian, Kurdish, Tatar's Latin) are left out or under the usual."""

_HEADING = re.compile(r"h([1-6])")
_LIST = frozenset({"ul", "ol", "menu", "dir"})
_END = re.compile(r"[.!?…。！？»”\"')\]]\s*$")
_WORD = re.compile(r"\w+")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


@dataclass(frozen=True)
class PageMeasures:
    """What is left of a page, measured; None where a measure does not apply.

    Attributes:
        chars: characters, line feeds between paragraphs among them.
        compression_ratio: packed by LZ4 against bytes.
        script_ratio: share of letters in a script of the page's language.
        hiragana_ratio: of all characters of a Japanese text.
        ended_ratio: share of paragraphs, headings and lists apart, that end a sentence.
        num_listed_words: words of the list, each as often as it stands there.
        copies: how often its paragraphs occur in the dump, nearly: the mean by length.
        perplexity: by the language's model.
        copies_drawn: whether it is among the copies that are kept.
    """

    chars: int
    compression_ratio: float | None
    script_ratio: float | None
    hiragana_ratio: float | None
    ended_ratio: float | None
    num_listed_words: int
    copies: float | None
    perplexity: float | None = None
    copies_drawn: bool | None = None


def paragraph_page_measures(
    paragraphs: Sequence[Paragraph],
    near: Sequence[int],
    language: str | None,
    words: Collection[str] = (),
) -> PageMeasures:
    """Measure the kept paragraphs of a page; its perplexity and the draw are for the caller.

    `near` is how many of the dump are nearly like each; `words` is a list in lower case.
    """
    text = "\n".join(one.plain for one in paragraphs)
    data = text.encode("utf-8", "replace")[:COMPRESSED_BYTES]
    packed = pa.compress(data, codec="lz4_raw", asbytes=True) if data else b""
    prose = [one for one in paragraphs if not is_heading_or_list(last_tag(one))]
    ended = sum(bool(_END.search(one.plain)) for one in prose)
    return PageMeasures(
        chars=len(text),
        compression_ratio=len(packed) / len(data) if data else None,
        script_ratio=script_ratio(text, language),
        hiragana_ratio=len(_HIRAGANA.findall(text)) / len(text) if _is_japanese(text) else None,
        ended_ratio=ended / len(prose) if prose else None,
        num_listed_words=sum(word in words for word in _WORD.findall(text.lower())) if words else 0,
        copies=_mean_by_length(paragraphs, near),
    )


def _is_japanese(text: str) -> bool:
    """Whether nearly a third of it is kana or Han; Chinese has no hiragana, and is refused so."""
    return len(_WIDE.findall(text)) > 0.3 * max(len("".join(text.split())), 1)


def _mean_by_length(paragraphs: Sequence[Paragraph], near: Sequence[int]) -> float | None:
    lengths = [len(one.plain) for one in paragraphs]
    if not sum(lengths):
        return None
    return sum(n * length for n, length in zip(near, lengths, strict=True)) / sum(lengths)


def script_ratio(text: str, language: str | None) -> float | None:
    """Share of letters that are in a script of the language; None where that is not known.

    >>> script_ratio("Hej på dig, мы", "sv"), script_ratio("日本の", "ja"), script_ratio("1", "sv")
    (0.8, 1.0, None)
    """
    scripts = _scripts_of(language or "")
    letters = Counter(char for char in text if char.isalpha())
    if not (scripts and letters):
        return None
    within = sum(number for char, number in letters.items() if _script_of(char) in scripts)
    return within / letters.total()


@cache
def _scripts_of(language: str) -> frozenset[str]:
    return frozenset(script for script, codes in SCRIPTS.items() if language in codes.split())


@lru_cache(maxsize=1 << 16)
def _script_of(char: str) -> str:
    return unicodedata.name(char, "").partition(" ")[0]


def is_drawn(page_id: str, copies: float | None, expected: float) -> bool | None:
    """Whether a page is among the `expected` ones of its `copies`; None if nothing is drawn.

    The draw is by a digest of the id: the same page, the same answer.

    >>> sum(is_drawn(f"urn:uuid:{n}", 10.0, 2.0) for n in range(1000))
    189
    """
    if not (expected and copies):
        return None
    digest = hashlib.blake2b(page_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64 < expected / copies


def last_tag(paragraph: Paragraph) -> str:
    """The element that a paragraph stands in; "" without a path."""
    steps = path_steps(paragraph.path)
    return steps[-1].tag if steps else ""


def heading_level(tag: str) -> int:
    """1 to 6; 0 for what is no heading."""
    heading = _HEADING.fullmatch(tag)
    return int(heading[1]) if heading else 0


def is_list(tag: str) -> bool:
    """Whether its lines are items."""
    return tag in _LIST


def is_heading_or_list(tag: str) -> bool:
    """Whether it is a heading or a list, which need not end a sentence."""
    return bool(heading_level(tag)) or is_list(tag)
