"""Texts for the benchmarks of readers: real sentences, put together anew."""

from __future__ import annotations

import random
from functools import lru_cache

from skord.models.language_model.perplexity import normalize_for_language_model
from skord.sample_crawl.page_source import bundled_pages

CHARS = 1000


@lru_cache(maxsize=1)
def sentences() -> list[str]:
    """Lines of the bundled pages with some words in them."""
    lines = {line for page in bundled_pages() for line in page.text.split("\n")}
    return sorted(line for line in lines if len(line) >= 40)


def made_texts(chance: random.Random, count: int) -> list[str]:
    """Texts of some CHARS characters, no two alike."""
    return ["\n".join(made_lines(chance)) for _ in range(count)]


def made_lines(chance: random.Random) -> list[str]:
    """The lines of one text."""
    lines: list[str] = []
    while sum(map(len, lines)) < CHARS:
        lines.append(chance.choice(sentences()))
    return lines


def normalised_lines(chance: random.Random, texts: int) -> list[str]:
    """Lines of some texts as language models take them."""
    return [normalize_for_language_model(line) for _ in range(texts) for line in made_lines(chance)]
