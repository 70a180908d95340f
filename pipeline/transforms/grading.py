"""How much of a text is sentences: the longest sub-sentences that a chunk grammar recognises.

After Dzerins and Dzonsons, "Harvesting National Language Text Corpora from the Web": in every
sentence the longest sub-sentences of at most five words with a valid parse are selected; the
words in them are recognised. Keyword lists, menus and chat have short ones, law and novels long.

The selection: chunks of five words first, then of four, three and two, among equally long ones
from left to right; a chunk is taken if none of its words is in one already, one of its words is
known and means something by itself, and no more of them are guessed names than such words. Every
known content word that is left over is a chunk of one. Reading is linear in the length of the
text: no more than five steps from each word.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from itertools import chain

from pipeline.transforms.chunk_automaton import ChunkAutomaton
from pipeline.transforms.chunk_grammar import LONGEST_CHUNK, ChunkGrammar
from pipeline.transforms.word_classes import BREAK, GUESSED_WEIGHT, WordClasses, tokens

MAX_CACHED = 400_000
"""Word forms and automaton states kept; then both are begun anew, which costs a few seconds."""

_TAKEN = [b"\1" * length for length in range(LONGEST_CHUNK + 1)]
_PAD = (BREAK,) * LONGEST_CHUNK


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
        return 100 * _share(self.recognized_words, self.words)

    @property
    def avg_chunk_size(self) -> float:
        """Words in a chunk on average: R / C."""
        return _share(self.recognized_words, self.chunks)

    @property
    def avg_size(self) -> float:
        """The published table's "Avg. size": R² / (W · C), so unrecognised words count against it.

        The paper calls it words per chunk; all 42 rows it prints are this instead.

        >>> Sizes(words=8, recognized_words=6, chunks=2).avg_size
        2.25
        """
        return self.avg_chunk_size * _share(self.recognized_words, self.words)


@dataclass(frozen=True)
class Grade:
    """Counts of one text.

    Attributes:
        words: written in letters or digits.
        known: words that a lexicon or dictionary lists.
        function_words: known ones that mean nothing by themselves.
        by_length: chunks of one, two, … five words, at these places; place 0 stays 0.
    """

    words: int
    known: int
    function_words: int
    by_length: tuple[int, ...]

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
        grammar: of the language.
        forms: its word forms.

    >>> from pipeline.transforms.chunk_grammar import TOY
    >>> grader = Grader(TOY, {"stor", "hund", "stad"})
    >>> grader.grade("En stor hund ser en xq. Hund")
    Grade(words=7, known=6, function_words=2, by_length=(0, 2, 0, 1, 0, 0))
    >>> grader.chunks("En stor hund ser en xq. Hund")
    [('En', 'stor', 'hund'), ('ser',), ('Hund',)]
    """

    def __init__(self, grammar: ChunkGrammar, forms: Container[str]) -> None:
        self._grammar = grammar
        self._forms = forms
        self._begin()

    def _begin(self) -> None:
        self._classes = WordClasses(self._grammar, self._forms)
        self._automaton = ChunkAutomaton(self._grammar, self._classes.tags)
        self._pieces = _Pieces(self._classes)

    def grade(self, text: str) -> Grade:
        """What the text amounts to."""
        classes = self._read(text)
        by_length, _ = self._select(classes, keep=False)
        known, content = self._classes.known, self._classes.content
        known_words = sum(map(known.__getitem__, classes))
        content_words = sum(map(content.__getitem__, classes))
        words = len(classes) - classes.count(BREAK)
        return Grade(words, known_words, known_words - content_words, by_length)

    def chunks(self, text: str) -> list[tuple[str, ...]]:
        """The chunks themselves, in the order of the text."""
        words = tokens(text)
        _, spans = self._select(self._read(text), keep=True)
        return [tuple(words[at : at + length]) for at, length in sorted(spans)]

    def _read(self, text: str) -> list[int]:
        """The classes of all tokens.

        No token has a blank in it, so what stands between blanks is looked up as a whole.
        """
        if len(self._pieces) > MAX_CACHED or self._automaton.size > MAX_CACHED:
            self._begin()
        pieces = text.replace("\n", " \n ").split(" ")
        return list(chain.from_iterable(map(self._pieces.__getitem__, pieces)))

    def _select(
        self, classes: list[int], *, keep: bool
    ) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
        """How many chunks of each length are taken and, if wanted, where they begin."""
        candidates = self._candidates(classes)
        weights = self._classes.weights
        taken = bytearray(len(classes) + LONGEST_CHUNK)
        by_length = [0] * (LONGEST_CHUNK + 1)
        spans: list[tuple[int, int]] = []
        for length in range(LONGEST_CHUNK, 1, -1):
            before = len(spans)
            last = length - 1
            for at in candidates[length]:
                # A span taken before is no shorter, so it would cover one of the ends.
                if taken[at] or taken[at + last]:
                    continue
                if _says_something(sum([weights[number] for number in classes[at : at + length]])):
                    taken[at : at + length] = _TAKEN[length]
                    spans.append((at, length))
            by_length[length] = len(spans) - before
        alone = [
            at
            for at, content in enumerate(map(self._classes.content.__getitem__, classes))
            if content and not taken[at]
        ]
        by_length[1] = len(alone)
        return tuple(by_length), [*spans, *((at, 1) for at in alone)] if keep else []

    def _candidates(self, classes: list[int]) -> list[list[int]]:
        """For each length from 2 on, where chunks of it begin.

        The hot loop of the whole grader: unrolled, for a loop inside takes half as long again.
        A break has no tags, so no state leads across one.
        """
        twos: list[int] = []
        threes: list[int] = []
        fours: list[int] = []
        fives: list[int] = []
        first = self._automaton.start
        following = ([*classes[shift:], *_PAD] for shift in range(1, LONGEST_CHUNK))
        for at, one, two, three, four, five in zip(
            range(len(classes)), classes, *following, strict=False
        ):
            if (state := first[one]) is None or (state := state[two]) is None:
                continue
            if state.accepts:
                twos.append(at)
            if (state := state[three]) is None:
                continue
            if state.accepts:
                threes.append(at)
            if (state := state[four]) is None:
                continue
            if state.accepts:
                fours.append(at)
            if (state := state[five]) is not None and state.accepts:
                fives.append(at)
        return [[], [], twos, threes, fours, fives]


class _Pieces(dict[str, tuple[int, ...]]):
    """From what stands between two blanks to the classes of its tokens."""

    def __init__(self, classes: WordClasses) -> None:
        super().__init__()
        self._class_of: dict[str, int] = {}
        self._classes = classes

    def __missing__(self, piece: str) -> tuple[int, ...]:
        found = []
        for token in tokens(piece):
            number = self._class_of.get(token)
            if number is None:
                number = self._class_of[token] = self._classes.classify(token)
            found.append(number)
        known = self[piece] = tuple(found)
        return known


def _says_something(weights: int) -> bool:
    """Whether there is a content word, and no more guessed names than content words.

    Args:
        weights: of the words, added up.
    """
    content, guessed = weights % GUESSED_WEIGHT, weights // GUESSED_WEIGHT
    return content > 0 and guessed <= content


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
