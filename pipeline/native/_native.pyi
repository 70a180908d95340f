from mmap import mmap
from typing import Any

from numpy.typing import NDArray

Buffer = bytes | mmap | NDArray[Any]

# Opaque handles, capsules at run time: nothing to import.
class CharTable: ...
class CharacterTables: ...
class Pieces: ...
class LanguageModel: ...
class WordScores: ...

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

def character_tables(groups: Buffer, small: Buffer, kinds: Buffer) -> CharacterTables:
    """What each code point counts as; the last entry stands for all above.

    Args:
        groups: uint8, group of each code point.
        small: uint32, lower case of each code point.
        kinds: uint8, for each group 0 for a mark, 1 for what words are runs of, 2 for a word by
            itself, 3 for a blank.

    Raises:
        ValueError: they do not fit one another.
    """

def line_arrays(tables: CharacterTables, codes: Buffer) -> tuple[bytes, ...]:
    r"""The lines of a page that have a visible character, and their words.

    Args:
        tables: from `character_tables`.
        codes: uint32, code points; "\n" alone ends a line, and what follows the last is in none.

    Returns:
        group of each character (uint8); of each such line its number, start, end, first and last
        visible character (int64 each), and how many characters of each group it has (int64, shape
        (lines, groups)); of each word its start, the number of its line among these (int64 each)
        and a hash of its lower case (uint64), of which 64 characters count.
    """

def ways_up(parents: Buffer, used: Buffer) -> tuple[bytes, bytes, bytes]:
    """The nodes from each used one up to its root.

    Args:
        parents: int32, of each node, -1 for a root; before their children.
        used: int64, nodes.

    Returns:
        int64: nodes, one way after another; the steps up to each; where each way starts, and the
        end of the last.

    Raises:
        ValueError: a number is no node, or a parent stands after its child.
    """

def sums_of_rows(
    rows: Buffer, width: int, numbers: Buffer, starts: Buffer, shares: Buffer
) -> bytes:
    """Float32, shape (stretches, width): sums of rows of a table, from left to right.

    Args:
        rows: float32, shape (rows, width).
        width: numbers of a row.
        numbers: int64, rows to add up, one stretch after another.
        starts: int64, where each stretch starts, and the end of the last.
        shares: float32, by which each of them is multiplied; empty: by 1.

    Raises:
        ValueError: these do not fit one another.
    """

def multiplied(left: Buffer, right: Buffer, count: int, inner: int) -> bytes:
    """Each of several matrices times its fellow, on this thread alone.

    Sums differ in the last bits between processors.

    Args:
        left: float32, shape (count, rows, inner).
        right: float32, shape (count, inner, columns); columns are a multiple of 16.
        count: of matrices.
        inner: at least 1.

    Returns:
        float32, shape (count, rows, columns).

    Raises:
        ValueError: these do not fit one another.
    """

def convolved(vectors: Buffer, weights: Buffer, biases: Buffer, dilation: int) -> bytes:
    """Vectors of a page's lines, each with what a convolution finds added where it is positive.

    Sums differ in the last bits between processors.

    Args:
        vectors: float32, shape (networks, lines, 48).
        weights: float32, shape (networks, 3, 48, 48), for the line `dilation` before, for the line
            itself, and for the one after it; zeros stand beyond the page.
        biases: float32, shape (networks, 48).
        dilation: at least 1.

    Returns:
        float32, of the shape of `vectors`.

    Raises:
        ValueError: these do not fit one another.
    """
