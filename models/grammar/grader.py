"""How much of a text is sentences: the longest sub-sentences that a chunk grammar recognises.

After Dzerins and Dzonsons, "Harvesting National Language Text Corpora from the Web": in every
sentence the longest sub-sentences of at most five words with a valid parse are selected; the
words in them are recognised. Keyword lists, menus and chat have short ones, law and novels long.

The selection: chunks of five words first, then of four, three and two, among equally long ones
from left to right; a chunk is taken if none of its words is in one already, one of its words is
known and means something by itself, and no more of them are guessed names than such words. Every
known content word that is left over is a chunk of one (`native.count_chunks`). Reading is linear
in the length of the text: no more than five steps of an automaton from each word.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Container, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from skord.models.grammar.grammar import LONGEST_CHUNK, ChunkGrammar
from skord.models.grammar.word_classes import WordClasses, word_tokens
from skord.native import add_word_class, chunk_reader, count_chunks, list_chunks

MAX_REMEMBERED = 250_000
"""Word forms with their signs, and steps of the automaton; then they are found out anew, which
costs a second of CPU time."""


@dataclass(frozen=True)
class Sizes:
    """The figures of the paper's table for one text.

    Attributes:
        words: written in letters or digits: W.
        recognized_words: those in chunks: R.
        chunks: how many there are: C.
    """

    words: int
    recognized_words: int
    chunks: int

    @property
    def recognized(self) -> float:
        """Percentage of the words that are in chunks; 0 for a text without words."""
        return 100 * _share_of(self.recognized_words, self.words)

    @property
    def avg_chunk_size(self) -> float:
        """Words in a chunk on average: R / C."""
        return _share_of(self.recognized_words, self.chunks)

    @property
    def avg_size(self) -> float:
        """The published table's "Avg. size": R² / (W · C), so unrecognised words count against it.

        The paper calls it words per chunk; all 42 rows it prints are this instead.

        >>> Sizes(words=8, recognized_words=6, chunks=2).avg_size
        2.25
        """
        return self.avg_chunk_size * _share_of(self.recognized_words, self.words)


@dataclass(frozen=True)
class Grade:
    """Counts of one text.

    Attributes:
        words: written in letters or digits.
        known: words that a lexicon or dictionary lists.
        function_words: known ones that mean nothing by themselves.
        by_length: chunks of one, two, … five words, at these places; place 0 stays 0.
        numbers: words in digits.
    """

    words: int
    known: int
    function_words: int
    by_length: tuple[int, ...]
    numbers: int = 0

    @property
    def sizes(self) -> Sizes:
        """What the table shows of it.

        >>> Grade(8, 8, 4, (0, 1, 0, 0, 0, 1)).sizes
        Sizes(words=8, recognized_words=6, chunks=2)
        """
        recognized_words = sum(length * n for length, n in enumerate(self.by_length))
        return Sizes(self.words, recognized_words, sum(self.by_length))


class Grader:
    """Grades texts of one language; gets faster as it sees more of them.

    Args:
        max_remembered: what is remembered of word forms and of the grammar, in entries.

    >>> from skord.models.grammar.grammar import TOY
    >>> grader = Grader(TOY, {"stor", "hund", "stad"})
    >>> grader.grade("En stor hund ser en xq. Hund")
    Grade(words=7, known=6, function_words=2, by_length=(0, 2, 0, 1, 0, 0), numbers=0)
    >>> grader.chunks("En stor hund ser en xq. Hund")
    [('En', 'stor', 'hund'), ('ser',), ('Hund',)]
    """

    def __init__(
        self, grammar: ChunkGrammar, forms: Container[str], max_remembered: int = MAX_REMEMBERED
    ) -> None:
        self._classes = WordClasses(grammar, forms)
        self._num_added = 0
        self._reader = chunk_reader(_chunk_rows(grammar.chunks), max_remembered)
        self._add_classes()
        self._class_of = lru_cache(max_remembered // 8)(self._classes.classify)

    def grade(self, text: str) -> Grade:
        """What the text amounts to."""
        return Grade(*count_chunks(self._reader, _encoded_text(text), self._classes_of))

    def chunks(self, text: str) -> list[tuple[str, ...]]:
        """The chunks themselves, in the order of the text."""
        words = word_tokens(text)
        spans = list_chunks(self._reader, _encoded_text(text), self._classes_of)
        return [tuple(words[at : at + length]) for at, length in sorted(spans)]

    def _classes_of(self, piece: str) -> array[int]:
        """The classes of the tokens of what stands between two blanks."""
        numbers = array("i", map(self._class_of, word_tokens(piece)))
        if self._num_added < len(self._classes.listed):
            self._add_classes()
        return numbers

    def _add_classes(self) -> None:
        """Hand the reader the classes that have turned up since the last time."""
        for classes in self._classes.listed[self._num_added :]:
            tags = array("i", classes.tags).tobytes()
            add_word_class(self._reader, tags, classes.known, classes.content, classes.guessed)
            self._num_added += 1


def _chunk_rows(chunks: Iterable[tuple[int, ...]]) -> bytes:
    """The tags of each chunk in `LONGEST_CHUNK` numbers, -1 where it has no more."""
    padding = (-1,) * LONGEST_CHUNK
    rows = ((*chunk, *padding[len(chunk) :]) for chunk in chunks)
    return array("i", chain.from_iterable(rows)).tobytes()


def _encoded_text(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _share_of(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


_IMAGE = re.compile(r"!\[[^\[\]\n]*\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_LINK = re.compile(r"\[([^\[\]\n]*)\]\([^()\n]*(?:\([^()\n]*\)[^()\n]*)*\)")
_WEB_ADDRESS = re.compile(r"<?\b(?:https?://|www\.)[^\s<>]+>?")
_RUN = re.compile(r"\S+")
_DOMAIN_END = re.compile(r"\.\w+")
_EMPHASIS = re.compile(r"(?<!\\)(?:\*{1,3}|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|~~)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def readable_text(markdown: str) -> str:
    r"""The text as a reader would read it out.

    >>> readable_text("# *Ny* bro\n![Bro](b.jpg) Se [kartan](https://a.se/k_(1)) på www.a.se.")
    '# Ny bro\n Se kartan på \x00'
    >>> readable_text("snake_case och \\*stjärna\\*")
    'snake_case och *stjärna*'
    """
    text = markdown
    if "](" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "@" in text:
        text = _RUN.sub(_without_addresses, text)
    elif "www." in text or "://" in text:
        text = _WEB_ADDRESS.sub("\0", text)
    if "*" in text or "_" in text or "~" in text:
        text = _EMPHASIS.sub("", text)
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


def _without_addresses(found: re.Match[str]) -> str:
    r"""A run of signs without a blank, NUL in place of its addresses, in one pass.

    A mail address is as long as it can be: all up to the last dot that a letter or digit follows,
    if there is an at sign before with something on both sides. So one look at the first at sign
    and at the last such dot shows whether there is one.

    >>> [_RUN.sub(_without_addresses, run) for run in ("a@b@c.se,", "www.a.se@", "@b.se")]
    ['\x00,', '\x00', '@b.se']
    """
    run: str = found[0]
    if "@" not in run:
        return _WEB_ADDRESS.sub("\0", run)
    ends = [(one.start(), one.end()) for one in _DOMAIN_END.finditer(run)]
    dot, end = ends[-1] if ends else (-1, -1)
    pieces: list[str] = []
    at = 0
    while at < len(run):
        web = _WEB_ADDRESS.match(run, at)
        sign = run.find("@", at + 1)
        if not web and 0 <= sign <= dot - 2:
            pieces.append("\0")
            at = end
        elif web := web or _WEB_ADDRESS.search(run, at):
            pieces += [run[at : web.start()], "\0"]
            at = web.end()
        else:
            break
    return "".join([*pieces, run[at:]])
