"""Texts gone bad in nineteen ways, made out of good ones, to see whether a grade shows it.

Each takes a snippet (sentences, each a list of words and signs), a generator of chance and a
`Surroundings`, and returns text. None of them reads anything.
"""

from __future__ import annotations

import random
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Sentences = Sequence[Sequence[str]]
Corruption = Callable[[Sentences, random.Random, "Surroundings"], str]


@dataclass(frozen=True)
class Surroundings:
    """What a corruption may draw on besides the snippet.

    Attributes:
        words: running words of other text of the language.
        following: for a word or sign, those seen after it in training text.
        lemmas: word to lemma.
        nouns: of other text, for keyword lists.
        menu: what menus of the language's sites say.
        english: running words of English text.
        sister: running words of the most closely related language.
        legacy: the language's 8-bit charset.
    """

    words: Sequence[str]
    following: Mapping[str, Sequence[str]]
    lemmas: Mapping[str, str]
    nouns: Sequence[str]
    menu: Sequence[str]
    english: Sequence[str]
    sister: Sequence[str]
    legacy: str = "cp1252"


def is_word(token: str) -> bool:
    """Whether it has letters or digits at its front."""
    return token[0].isalnum()


def joined_sentences(sentences: Sentences) -> str:
    """Running text, good as it is."""
    return " ".join(" ".join(sentence) for sentence in sentences)


def _word_by_word(
    change: Callable[[str, random.Random, Surroundings], str],
) -> Corruption:
    def corrupt(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
        return joined_sentences(
            [[change(t, chance, around) if is_word(t) else t for t in s] for s in sentences]
        )

    return corrupt


def _in_other_order(order: Callable[[list[str], random.Random], list[str]]) -> Corruption:
    def corrupt(sentences: Sentences, chance: random.Random, _: Surroundings) -> str:
        mixed = []
        for sentence in sentences:
            following = iter(order([t for t in sentence if is_word(t)], chance))
            mixed.append([next(following) if is_word(t) else t for t in sentence])
        return joined_sentences(mixed)

    return corrupt


def _swapped_neighbours(words: list[str], chance: random.Random) -> list[str]:
    """A fifth of the neighbours change places."""
    swapped, at = list(words), 0
    while at + 1 < len(swapped):
        if chance.random() < 0.2:
            swapped[at], swapped[at + 1] = swapped[at + 1], swapped[at]
            at += 1
        at += 1
    return swapped


def _markov_text(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
    """A walk from word to word, and sign to sign, as training text has them."""
    word = chance.choice(around.words)
    walk, words = [word], 1
    while words < _length_in_words(sentences):
        word = chance.choice(around.following.get(word) or around.words)
        walk.append(word)
        words += is_word(word)
    return " ".join(walk)


def _keyword_corruption(separator: str) -> Corruption:
    def corrupt(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
        return separator.join(chance.choices(around.nouns, k=_length_in_words(sentences)))

    return corrupt


def _menu_corruption(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
    """Items of a navigation in one line, drawn until there are enough words."""
    wanted = _length_in_words(sentences)
    items: list[str] = []
    while sum(len(item.split()) for item in items) < wanted:
        items.append(chance.choice(around.menu))
    return " ".join(items)


def _price_list(sentences: Sentences, chance: random.Random, around: Surroundings) -> str:
    rows = [
        f"{chance.choice(around.nouns)} {chance.randint(10, 9999)},{chance.randint(0, 99):02d} "
        f"{chance.choice(('kr', 'EUR', '%', 'st'))} {chance.randint(1, 50)}"
        for _ in range(_length_in_words(sentences) // 4 + 1)
    ]
    return " ".join(rows)


def _mixed_with(name: str) -> Corruption:
    def change(word: str, chance: random.Random, around: Surroundings) -> str:
        return chance.choice(getattr(around, name)) if chance.random() < 0.3 else word

    return _word_by_word(change)


def without_accents(text: str) -> str:
    """Letters without their marks; letters of their own that have none become the usual pairs.

    >>> without_accents("Šķūņi på ön, þá")
    'Skuni pa on, tha'
    """
    bare = "".join(_BARE.get(letter, letter) for letter in text)
    return "".join(c for c in unicodedata.normalize("NFD", bare) if not unicodedata.combining(c))


_BARE = dict(
    zip("øØæÆðÐþÞ", ("o", "O", "ae", "Ae", "d", "D", "th", "Th"), strict=True),
)

_WRITTEN_BALTIC = ["aa", "ch", "ee", "gj", "ii", "kj", "lj", "nj", "sh", "uu", "zh"]
_WRITTEN_NORDIC = ["aa", "ae", "oe", "ae", "oe", "ee", "aa", "ii", "oo", "uu", "yy", "dh", "th"]

TRANSLITERATED = {
    **dict(zip("āčēģīķļņšūž", _WRITTEN_BALTIC, strict=True)),
    **dict(zip("åäöæøéáíóúýðþ", _WRITTEN_NORDIC, strict=True)),
}
"""What people wrote whose keyboard had no accents."""


def transliterated_accents(text: str) -> str:
    """Accented letters as pairs of plain ones, as in chat.

    >>> transliterated_accents("Šodien ēdām pīrāgus på ön")
    'Shodien eedaam piiraagus paa oen'
    """
    return re.sub(
        r"[^\W\d_a-zA-Z]",
        lambda match: (
            TRANSLITERATED.get(match[0].lower(), match[0])
            if match[0].islower()
            else TRANSLITERATED.get(match[0].lower(), match[0]).capitalize()
        ),
        text,
    )


def _misread_charset(sentences: Sentences, written: str, read: str) -> str:
    return joined_sentences(sentences).encode(written, "replace").decode(read, "replace")


def _random_letters(word: str, chance: random.Random, around: Surroundings) -> str:
    """Another word as long, in the letters of the language."""
    letters = around.words[chance.randrange(len(around.words))] + "eainrst"
    return "".join(chance.choice(letters) for _ in word)


def _split_word(word: str, chance: random.Random, _: Surroundings) -> str:
    """Half of the longer words with a blank somewhere inside."""
    if len(word) < 4 or chance.random() < 0.5:
        return word
    at = chance.randrange(1, len(word))
    return f"{word[:at]} {word[at:]}"


def _run_together(sentences: Sentences, chance: random.Random, _: Surroundings) -> str:
    """Half of the blanks between words gone."""
    parts: list[str] = []
    for sentence in sentences:
        for token in sentence:
            if parts and is_word(token) and is_word(parts[-1]) and chance.random() < 0.5:
                parts[-1] += token.lower()
            else:
                parts.append(token)
    return " ".join(parts)


def _length_in_words(sentences: Sentences) -> int:
    return sum(1 for sentence in sentences for token in sentence if is_word(token))


CORRUPTIONS: Mapping[str, Corruption] = {
    "shuffled": _in_other_order(lambda words, chance: chance.sample(words, len(words))),
    "reversed": _in_other_order(lambda words, _: words[::-1]),
    "unigram salad": _word_by_word(lambda _, chance, around: chance.choice(around.words)),
    "bigram salad": _markov_text,
    "lemmas": _word_by_word(lambda word, _, around: around.lemmas.get(word, word)),
    "20 % swapped": _in_other_order(_swapped_neighbours),
    "keywords": _keyword_corruption(" "),
    "keywords, commas": _keyword_corruption(", "),
    "menu": _menu_corruption,
    "prices": _price_list,
    "30 % English": _mixed_with("english"),
    "30 % sister": _mixed_with("sister"),
    "no accents": lambda sentences, _, __: without_accents(joined_sentences(sentences)),
    "transliterated": lambda sentences, _, __: transliterated_accents(joined_sentences(sentences)),
    "UTF-8 misread": lambda sentences, _, __: _misread_charset(sentences, "utf-8", "cp1252"),
    "legacy misread": lambda sentences, _, around: _misread_charset(
        sentences, around.legacy, "cp437" if around.legacy == "cp1252" else "cp1252"
    ),
    "random letters": _word_by_word(_random_letters),
    "words split": _word_by_word(_split_word),
    "words joined": _run_together,
}
"""Every corruption, by its name in the tables."""
