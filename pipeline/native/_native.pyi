from array import array
from collections.abc import Callable
from mmap import mmap
from typing import Any

from numpy.typing import NDArray

Buffer = bytes | mmap | array[int] | NDArray[Any]

# Opaque handles, capsules at run time: nothing to import.
class CharTable: ...
class Pieces: ...
class LanguageModel: ...
class WordScores: ...
class ChunkReader: ...

def split_page(block: bytes, exact: bool) -> tuple[str, bytes, int, int]:
    r"""Title, lines joined by "\n" as UTF-8, number of lines, characters of the lines so joined.

    Raises:
        UnicodeDecodeError: the title is not UTF-8; the lines are not looked at.
    """

def wet_record(data: bytes) -> tuple[str, str, str, str, str, str, str, bytes] | None:
    """A WET record that is in no way unusual; None for any other.

    Returns:
        WARC-Type, WARC-Target-URI, WARC-Record-ID and WARC-Refers-To (canonical), WARC-Date,
        WARC-Identified-Content-Language, WARC-Block-Digest, each "" where it is absent or
        empty, and the block, which is UTF-8 and as long as Content-Length says.
    """

def char_table(blocks: Buffer, entries: Buffer) -> CharTable:
    """A table that says what each code point is written as.

    Args:
        blocks: int32, shape (4352,): for each 256 code points the number of their block of
            entries, or -1 where all stay what they are.
        entries: uint64, shape (256 * blocks,): number of bytes in the top byte, at most 7, the
            bytes in the others; all ones for what only its context decides.
    """

def written(table: CharTable, text: str) -> str | None:
    """What `text` is written as; None where a character needs its context."""

def line_keys(table: CharTable, bodies: list[bytes]) -> tuple[bytes, list[int]]:
    r"""The keys of all lines of all bodies, uint64 each, and which of them are not told.

    A body is lines joined by "\n"; an empty one is one empty line.
    """

def sha1_key(data: bytes, plainly: bool) -> int:
    """The key of one line, by the processor's own instructions if it has them and not `plainly`."""

def keep_lines(body: bytes, kept: Buffer, first: int, num_lines: int) -> tuple[list[int], str]:
    r"""Numbers of the lines to keep, and those lines, joined by "\n".

    Args:
        body: as `split_page` gives it.
        kept: one byte for each line of many bodies, 0 for what goes.
        first: where those of this body begin.
        num_lines: how many lines it has.
    """

def load_pieces(file: bytes) -> Pieces:
    """The SentencePiece model that a `.sp.model` holds.

    Raises:
        NotImplementedError: it is of a kind that is not read here.
        ValueError: it contradicts itself.
    """

def load_language_model(pieces: Pieces, ngrams: Buffer, max_unpacked: int) -> LanguageModel:
    """Pieces and a KenLM binary, which stays where it is.

    Args:
        pieces: from `load_pieces`.
        ngrams: the content of a `.arpa.bin`, such as a memory map.
        max_unpacked: tries of more n-grams are not unpacked; each takes some 24 bytes.

    Raises:
        NotImplementedError: it is of a kind that is not read here.
        ValueError: it contradicts itself.
    """

def score_lines(model: LanguageModel, lines: list[str]) -> list[tuple[int, float]]:
    """Of each line how many pieces it has, and log10 of its probability; 0.0 without a piece.

    Raises:
        UnicodeEncodeError: a line holds a lone surrogate.
    """

def word_scores(
    shortest: int,
    longest: int,
    width: int,
    words: list[bytes],
    row_of_bucket: Buffer,
    vectors: Buffer,
    node_vectors: Buffer,
    lefts: Buffer,
    rights: Buffer,
    max_words: int,
) -> WordScores:
    """A classifier of `transforms.fasttext_model.FastTextModel`; remembers up to `max_words` words.

    Args:
        shortest: characters of the shortest n-gram.
        longest: of the longest.
        width: numbers of a vector.
        words: those known, in the order of their vectors.
        row_of_bucket: int32, shape (buckets,).
        vectors: float32, shape (rows, width).
        node_vectors: float32, shape (labels, width).
        lefts: int32, shape (labels - 1,): of each inner node the left child; nodes below
            `labels` are labels, and a child stands before its parent.
        rights: the right child.
        max_words: each takes 160 bytes.

    Raises:
        ValueError: shapes or numbers do not fit one another.
    """

def score_words(scores: WordScores, texts: list[str], least: float) -> bytes:
    """Float64, shape (texts, labels): probabilities; those below `least` may be 0.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate.
    """

def chunk_reader(chunks: Buffer, max_remembered: int) -> ChunkReader:
    """What finds the chunks of texts, as `transforms.chunk_selection` defines them.

    Args:
        chunks: int32, shape (chunks, 5): the tags of each, ascending from 0, -1 after the last.
        max_remembered: pieces of text, and steps of the automaton, before either are forgotten.

    Raises:
        ValueError: `chunks` is of another shape.
    """

def add_word_class(
    reader: ChunkReader, tags: Buffer, known: bool, content: bool, guessed: bool
) -> None:
    """Tell of the next class of words, from 0 on; the first is that of breaks.

    Args:
        reader: to be told.
        tags: int32, ascending: those that a word of the class may take.
        known: whether its words are known.
        content: whether a word of it may stand alone.
        guessed: whether its words are names only by their capital.
    """

def count_chunks(
    reader: ChunkReader, text: bytes, classify: Callable[[str], Buffer]
) -> tuple[int, int, int, tuple[int, int, int, int, int, int], int]:
    """Words, known ones, known function words; the chunks of each length, from 0; numbers.

    Numbers are the words that take tags, but are neither known nor guessed.

    Args:
        reader: with its classes.
        text: UTF-8, lone surrogates written like other characters.
        classify: int32, the classes of the tokens of a piece of the text without blanks or ends
            of lines. What it said of a piece is remembered; new classes it tells the reader first.

    Raises:
        ValueError: there is no such class.
    """

def list_chunks(
    reader: ChunkReader, text: bytes, classify: Callable[[str], Buffer]
) -> list[tuple[int, int]]:
    """First token and number of tokens of each chunk: the longest first, then from the left."""
