"""Texts with known near-duplicates: real sentences shuffled into documents, and edited copies.

Of the texts, 6 % are in exact families, 24 % in families whose members have 1 to 30 % of their
words replaced, taken out or doubled, 4 % are longer or shorter copies, 2 % are links of chains
of 20 that drift, 8 % are pages of templates that share 50 to 95 %, nine are tiny; the others
are alone. Sentences come from a folder of text files (one sentence or paragraph a line).
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

LANGUAGES = ("sv", "da", "nb", "nn", "is")
EDITS = (0.01, 0.02, 0.05, 0.10, 0.20, 0.30)
TEMPLATES = (0.5, 0.7, 0.85, 0.95)


@dataclass(frozen=True)
class Corpus:
    """The texts in shuffled order.

    Args:
        texts: the texts.
        family: shape (texts,), equal for those that stem from one; -1 for a text alone.
        kind: of each text: exact, edit, chain, template, mirror, tiny or alone.
    """

    texts: Sequence[str]
    family: np.ndarray
    kind: Sequence[str]

    def table(self) -> pa.Table:
        """Columns `id` and `text`."""
        ids = [f"urn:uuid:{n:032x}" for n in range(len(self.texts))]
        return pa.table({"id": ids, "text": pa.array(self.texts, pa.string())})


def sentences_of(folder: Path) -> list[str]:
    """The distinct lines of 25 to 400 characters of the folder's texts, sorted."""
    lines = {
        line.strip()
        for language in LANGUAGES
        for path in sorted(folder.glob(f"{language}/*.txt.gz"))
        for line in gzip.decompress(path.read_bytes()).decode().splitlines()
    }
    return sorted(line for line in lines if 25 <= len(line) <= 400)


class Writer:
    """Makes texts out of sentences.

    Args:
        sentences: to draw from.
        seed: of the generator.
    """

    def __init__(self, sentences: Sequence[str], seed: int) -> None:
        self._sentences = sentences
        self._words = [word for sentence in sentences[::7] for word in sentence.split()]
        self._random = np.random.default_rng(seed)

    def text(self, chars: int = 0) -> str:
        """A text of about so many characters; by default of a page's length."""
        wanted = chars or int(np.clip(self._random.lognormal(7.75, 0.6), 250, 20_000))
        parts, size = [], 0
        while size < wanted:
            parts.append(self._sentences[self._random.integers(len(self._sentences))])
            parts.append("\n\n" if self._random.random() < 0.25 else " ")
            size += len(parts[-2]) + 1
        return "".join(parts).strip()

    def edited(self, text: str, share: float) -> str:
        """The text with this share of its words replaced, taken out or doubled by another."""
        words = text.split(" ")
        drawn = self._random.random(len(words))
        for at in np.flatnonzero(drawn < share):
            other = self._words[self._random.integers(len(self._words))]
            how = drawn[at] / share
            words[at] = other if how < 0.5 else "" if how < 0.75 else f"{words[at]} {other}"
        return " ".join(words)

    def exact(self) -> Iterator[str]:
        """One text two to fifty times."""
        text = self.text()
        yield from [text] * int(min(50, 1 + self._random.zipf(1.8) + 1))

    def edits(self, share: float) -> Iterator[str]:
        """A text and one to four edits of it."""
        text = self.text()
        yield text
        for _ in range(self._random.integers(1, 5)):
            yield self.edited(text, share)

    def chain(self) -> Iterator[str]:
        """Twenty texts, each an edit of the one before."""
        text = self.text()
        for _ in range(20):
            yield text
            text = self.edited(text, 0.03)

    def template(self, share: float) -> Iterator[str]:
        """A hundred pages of one site, this share of each the same."""
        frame = self.text(int(2400 * share))
        middle = len(frame) // 2
        for _ in range(100):
            own = self.text(int(2400 * (1 - share)))
            yield f"{frame[:middle]}\n\n{own}\n\n{frame[middle:]}"

    def mirrors(self) -> Iterator[str]:
        """A text and one to three that are up to 30 % longer or shorter."""
        text = self.text()
        yield text
        for _ in range(self._random.integers(1, 4)):
            part = float(self._random.choice([0.05, 0.1, 0.2, 0.3]))
            cut = text[: int(len(text) * (1 - part))]
            longer = self._random.random() < 0.5
            yield f"{text}\n\n{self.text(int(len(text) * part))}" if longer else cut


def make_corpus(size: int, sentences: Sequence[str], seed: int = 1) -> Corpus:
    """So many texts, shuffled."""
    writer = Writer(sentences, seed)
    texts, family, kind = [], [], []

    def families(name: str, share: float, make: Callable[[], Iterator[str]]) -> None:
        end = len(texts) + share * size
        while len(texts) < end:
            made = list(make())
            family.extend([family[-1] + 1 if family else 0] * len(made))
            texts.extend(made)
            kind.extend([name] * len(made))

    families("exact", 0.06, writer.exact)
    for share in EDITS:
        families("edit", 0.04, lambda share=share: writer.edits(share))
    families("mirror", 0.04, writer.mirrors)
    families("chain", 0.02, writer.chain)
    for share in TEMPLATES:
        families("template", 0.02, lambda share=share: writer.template(share))
    for text in ("", "kort", "En liten text."):
        families("tiny", 1 / size, lambda text=text: iter([text] * 3))
    alone = max(size - len(texts), 0)
    texts += [writer.text() for _ in range(alone)]
    order = np.random.default_rng(seed + 1).permutation(len(texts))[:size]
    numbers = np.array([*family, *[-1] * alone])
    kinds = [*kind, *["alone"] * alone]
    return Corpus([texts[n] for n in order], numbers[order], [kinds[n] for n in order])
