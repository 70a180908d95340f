from array import array
from collections.abc import Callable
from mmap import mmap
from typing import Any, TypedDict

from numpy.typing import NDArray

class LinkSpan(TypedDict):
    start: int
    end: int

Buffer = bytes | mmap | array[int] | NDArray[Any]

# Opaque handles, capsules at run time: nothing to import.
class CharTable: ...
class ElementReader: ...
class Pieces: ...
class LanguageModel: ...
class LineNetwork: ...
class PageReader: ...
class PageWords: ...
class WordScores: ...
class KeyScatter: ...
class ChunkReader: ...

def split_page(block: bytes, exact: bool) -> tuple[str, bytes, int, int]:
    r"""Title, lines joined by "\n" as UTF-8, number of lines, characters of the lines so joined.

    Raises:
        UnicodeDecodeError: the title is not UTF-8; the lines are not looked at.
    """

def doubtful_lines(text: bytes) -> list[int]:
    r"""Numbers of the lines, as "\n" parts them, that may hold mojibake.

    Args:
        text: UTF-8, lone surrogates written like other characters.
    """

def dialect_markdown(cleaned: str) -> tuple[str, list[LinkSpan], str]:
    """A cleaned page as pandoc 2.9.2.1 writes it: `html.pandoc_dialect`.

    Returns:
        The Markdown; the ranges of its characters, `start` and `end`, that were the text of links;
        why it is left to pandoc, if so: then the others are empty.

    Raises:
        UnicodeEncodeError: it holds a lone surrogate.
    """

def plain_page(markdown: bytes) -> bytes:
    """The plain form of each line of a page, as many as it has: `markdown.plain_lines`.

    Args:
        markdown: UTF-8, lone surrogates written like other characters.
    """

def said_lines(markdown: bytes, numbers: Buffer, most_letters: int, most_words: int) -> str:
    r"""Of some lines their words in small letters: `skord.models.line_classifier.features.phrases`.

    Args:
        markdown: UTF-8, lone surrogates written like other characters; "\n" parts lines.
        numbers: int64, of the lines.
        most_letters: of a line whose words are wanted, at most 2**20.
        most_words: of such a line.

    Returns:
        As many lines as numbers, each of words with one blank between.

    Raises:
        ValueError: there is no such line.
    """

def lines_holding(
    markdown: bytes, numbers: Buffer, most_letters: int, parts: list[str]
) -> list[int]:
    """Which of some lines hold one of some strings, in any case.

    Args:
        markdown: as of `said_lines`.
        numbers: int64, of the lines.
        most_letters: of a line that is looked at, at most 2**20.
        parts: fewer than 255, in small letters, each of four bytes in UTF-8 or more.

    Raises:
        ValueError: there is no such line, or no such part.
    """

def best_cut(markdown: bytes, chances: Buffer) -> tuple[float, float]:
    """The fields of `skord.markdown.extraction.best_cut`.

    Args:
        markdown: as of `said_lines`.
        chances: float32, the probability of each line; lines after them count as empty.

    Raises:
        ValueError: there are fewer lines.
    """

def marked_lines(markdown: bytes) -> tuple[list[tuple[int, str]], list[int]]:
    """Number and text of each line that begins with "#", and numbers of those that do with "|".

    Args:
        markdown: as of `said_lines`; text after the last line feed is no line.
    """

def fenced_blocks(markdown: bytes) -> list[tuple[int, int]]:
    """`markdown.fences.fenced_blocks`; the argument is as of `said_lines`."""

def line_verdicts(markdown: bytes, chances: Buffer, threshold: float) -> bytes:
    """For each line with a chance 1 if it is kept, else 0: `markdown.extraction.line_verdicts`.

    Args:
        markdown: as of `said_lines`.
        chances: float32.
        threshold: compared as float32.

    Raises:
        ValueError: there are fewer lines.
    """

def choose_lines(
    markdown: bytes, logits: Buffer, threshold: float | None, least_f1: float
) -> tuple[bytes, bytes, float]:
    """Which lines `markdown.extraction.extracted` keeps.

    Args:
        markdown: as of `said_lines`.
        logits: float32.
        threshold: None: that of the best cut; more than 1 where this promises less than `least_f1`.

    Returns:
        For each logit its probability × 255, rounded, and 1 where the line is kept, else 0, a byte
        each; the threshold.

    Raises:
        ValueError: there are fewer lines.
    """

def joined_lines(
    markdown: bytes, kept: Buffer, heading: Callable[[str], str], escaped: bool = False
) -> bytes:
    """The lines that are kept, each with its line feed: `markdown.extraction.joined_lines`.

    Args:
        markdown: as of `said_lines`.
        kept: for each of the first lines a byte, not 0 where it is kept.
        heading: makes of a heading one without what leads to itself; asked where its end may be.
        escaped: keep backslashes before signs that would be shown without them.

    Raises:
        ValueError: there are fewer lines.
    """

def text_and_images(
    kept: bytes, repair: Callable[[str, list[int]], str]
) -> tuple[str, list[tuple[int, str]]]:
    """The text that kept lines make, and its images: `markdown.extraction.text_of_lines`.

    Args:
        kept: UTF-8, lone surrogates written like other characters.
        repair: given the lines and the numbers of those that may hold mojibake, returns them
            repaired; called only where there are such lines.
    """

def wet_record(data: bytes) -> tuple[str, str, str, str, str, str, str, bytes] | None:
    """A WET record that is in no way unusual; None for any other.

    Returns:
        WARC-Type, WARC-Target-URI, WARC-Record-ID and WARC-Refers-To (canonical), WARC-Date,
        WARC-Identified-Content-Language, WARC-Block-Digest, each "" where it is absent or
        empty, and the block, which is UTF-8 and as long as Content-Length says.
    """

def wet_pages(
    members: list[bytes], exact: bool
) -> tuple[bytes, tuple[tuple[bytes, bytes], ...], bytes]:
    r"""What `wet_record` and `split_page` say of members of WET files, column by column.

    Args:
        members: unpacked.
        exact: see `split_page`.

    Returns:
        A byte for each member, 0 for one that `wet_record` does not read, and for a record of
        another type or without an address; of the others, each as where its texts begin (int64,
        one more than there are) and their UTF-8: WARC-Refers-To (canonical), WARC-Target-URI
        without angle brackets, WARC-Date, the title, the lines joined by "\n",
        WARC-Block-Digest; and of each how many lines, their characters so joined, and bytes of
        the block: int64, shape (pages, 3).
    """

def char_table(entries_of: Callable[[int], bytes]) -> CharTable:
    """A table that says what each code point is written as.

    Args:
        entries_of: of the number of a block of 256 code points, asked when a text holds one:
            nothing where all stay what they are, else uint64, shape (256,): number of bytes in
            the top byte, at most 7, the bytes in the others; all ones for what only its context
            decides. The first block has entries.

    Raises:
        ValueError: it gives none; so do the functions that take the table.
    """

def written(table: CharTable, text: str) -> str | None:
    """What `text` is written as; None where a character needs its context."""

def line_keys(table: CharTable, bodies: list[bytes]) -> tuple[bytes, list[int]]:
    r"""The keys of all lines of all bodies, uint64 each, and which of them are not told.

    A body is lines joined by "\n"; an empty one is one empty line.
    """

def member_keys(
    table: CharTable, members: list[bytes], exact: bool, min_chars: int
) -> tuple[bytes, bytes]:
    """The keys of all lines of the pages of WET files that have `min_chars` characters, uint64.

    Args:
        table: what each character is compared as.
        members: of the files, unpacked.
        exact: see `split_page`.
        min_chars: of the lines, title left out.

    Returns:
        The keys, and of each member how many lines its page has, int64: -2 for a page too short,
        -1 for what is left to Python, no single page or one with a line that is not told.
    """

def keep_lines(
    starts: Buffer, bodies: Buffer, lengths: Buffer, kept: Buffer
) -> tuple[tuple[bytes, bytes], bytes]:
    r"""Of each page the lines to keep, joined by "\n", and how many characters they are, int64.

    Args:
        starts: where the body of each page begins, and where the last ends; int64.
        bodies: lines as `split_page` joins them.
        lengths: int64, shape (pages,): how many lines each has.
        kept: shape (lines,): one byte for each line of all bodies, 0 for what goes.

    Raises:
        ValueError: a body has fewer lines than stated, or `kept` fewer bytes.
    """

def take_texts(starts: Buffer, data: Buffer, rows: Buffer) -> tuple[bytes, bytes]:
    """Some texts one after another, as Arrow has them: int32 starts, and the bytes.

    Args:
        starts: where each begins, and where the last ends; int64.
        data: of all texts.
        rows: int64, the numbers of those that are wanted.

    Raises:
        ValueError: there is no such text, or they have 2 GiB or more.
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
    """A classifier of `skord.models.language_id.fasttext_file`; remembers up to `max_words` words.

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

def best_labels(
    scores: WordScores,
    texts: list[str | bytes],
    names: list[str],
    least: float,
    minimum: float,
    max_chars: int,
) -> list[dict[str, float] | None]:
    """What `skord.models.language_id.batches` says of texts, but of those that are left to fastText.

    Args:
        scores: of `word_scores`.
        texts: UTF-8, if bytes.
        names: of the labels, in the order of `word_scores`.
        least: what is less probable is not looked at.
        minimum: the least probability, rounded to six decimals, that is listed.
        max_chars: longer texts are left to fastText.

    Returns:
        Labels with their probabilities, best first, equal ones by name. None for a text that is
        empty, white space alone, longer, or holds "</s>"; and where a probability is so near to
        half a percent that the error of fastText's own sums could decide how it is rounded.

    Raises:
        UnicodeEncodeError: a text holds a lone surrogate.
    """

def label_columns(
    scores: WordScores,
    starts: Buffer,
    texts: Buffer,
    wanted: Buffer,
    glued: bool,
    names: list[str],
    least: float,
    minimum: float,
    max_chars: int,
) -> tuple[bytes, bytes, bytes, bytes]:
    """What `best_labels` says of many texts, column by column.

    Args:
        scores: of `word_scores`.
        starts: where each text begins, and where the last ends; int64.
        texts: UTF-8.
        wanted: a byte for each text, 0 for one that is not asked about.
        glued: leave out line feeds.
        names: as for `best_labels`, and so below.
        least: see there.
        minimum: see there.
        max_chars: see there.

    Returns:
        How many labels each text has, int64: none where it is white space alone; the numbers of
        all, int32, and their probabilities, float64; and which texts are left to fastText, int64:
        those that have labels all the same are so for the rounding.
    """

def key_scatter(num_bands: int, num_parts: int) -> KeyScatter:
    """Nothing yet of what `scatter_keys` deals into partitions.

    Args:
        num_bands: keys of a text.
        num_parts: partitions: ranges of equal width, by the high halves of the mixed keys.
    """

def scatter_keys(
    scatter: KeyScatter,
    band: int,
    words: Buffer,
    width: int,
    first: int,
    count: int,
    taken: Buffer,
    ranks: Buffer,
    no_rank: int,
) -> None:
    """Deal the mixed keys of some texts.

    Args:
        scatter: changed.
        band: which of theirs the first key of a text is; the others come after it.
        words: uint64, shape (texts, width); only those of texts that are `taken` count.
        width: see there.
        first: the word of a row that is its first key.
        count: keys of a row.
        taken: bool, shape (texts,); or empty: all are.
        ranks: uint32, shape (texts,); `no_rank`: does not compete.
        no_rank: see there.
    """

def take_keys(scatter: KeyScatter, place: int) -> tuple[bytes, bytes]:
    """Keys (uint64) and ranks (uint32) of one partition and band, which are then forgotten.

    Args:
        scatter: changed.
        place: num_bands * partition + band.
    """

def shared_keys(
    scatter: KeyScatter,
    place: int,
    earlier: list[tuple[Buffer, Buffer, int]],
    range_bits: int,
    num_ranges: int,
    first_bucket: int,
) -> tuple[bytes, bytes, bytes, int, bytes, bytes]:
    """Rows whose key another row has too, or a text of an earlier dump; takes the rows away.

    Args:
        scatter: changed.
        place: as of `take_keys`.
        earlier: mixed keys (uint64) of the same band and partition, the ranks (uint32) of their
            texts, and the number of their dump.
        range_bits: rows are put in order of the range of 2**range_bits ranks they are in.
        num_ranges: how many there are.
        first_bucket: buckets are numbered from here on.

    Returns:
        Ranks and buckets of the shared rows (uint32), where each range begins (int64, shape
        (num_ranges + 1,)), how many buckets there are, those of them that earlier dumps hold
        (uint32), and dump * 2**32 + rank of the first text that holds each (int64).
    """

def gather_signatures(
    bands: Buffer, signed: Buffer, ranks: Buffer, place_of: Buffer, first_rank: int, out: Buffer
) -> None:
    """Write the signatures of the wanted texts to their places.

    Args:
        bands: uint64, shape (texts, bands).
        signed: bool, shape (texts,); the others are left alone.
        ranks: uint32, shape (texts,).
        place_of: int32, of each rank from `first_rank` on the row of `out`, negative where it is
            not wanted; ranks outside of it are not wanted either.
        first_rank: see there.
        out: uint64, shape (places, bands), written.
    """

def find_lines(sorted: Buffer, keys: Buffer, pages: Buffer, places: Buffer, first: Buffer) -> None:
    """Which lines repeat others, by their keys.

    Args:
        sorted: uint64, ascending: what is looked up.
        keys: uint64, shape (lines,): SHA-1 or another even hash, or it takes long.
        pages: int64, shape (lines,): equal for the lines of one page, which stand together.
        places: int64, shape (lines,), written: where each key stands in `sorted`, or -1.
        first: bool, shape (lines,), written: whether no earlier line of the page has the key.
    """

def count_keys(keys: Buffer, lengths: Buffer, places: Buffer) -> tuple[bytes, bytes]:
    """The keys that differ, in the order in which they first come, and the pages that hold each.

    Args:
        keys: uint64, shape (lines,): SHA-1 or another even hash, or it takes long; one page's
            after another's.
        lengths: int64, shape (pages,): how many of them each page has.
        places: int32, shape (lines,), written: which of the keys that differ each is.

    Returns:
        Keys (uint64) and pages (int64), a number for each key that differs.
    """

def count_rows(ranks: Buffer, rows_of: Buffer) -> None:
    """Count the rows of each rank (uint32) into `rows_of`, uint8, shape (texts,)."""

def fill_rows(
    ranks: Buffer,
    buckets: Buffer,
    num_near: int,
    near: int,
    exact: int,
    low: int,
    at: Buffer,
    out: Buffer,
) -> None:
    """Write the buckets of each rank to its place in `out`, numbered through.

    Args:
        ranks: uint32, shape (rows,).
        buckets: uint32, shape (rows,), in their own partition.
        num_near: the first so many of the partition's buckets are of bands.
        near: their number among all, of the first.
        exact: the same of the first that is of equal texts.
        low: the first rank of the range.
        at: int64, of each rank in the range the next place in `out`; changed.
        out: uint32, written.
    """

def decide_greedily(
    first: int,
    starts: Buffer,
    buckets: Buffer,
    owner: Buffer,
    first_exact: int,
    signatures: Buffer,
    slots: Buffer,
    least_equal: int,
    keeper: Buffer,
    equal: Buffer,
) -> None:
    """Decide documents `first`, `first` + 1, … in this order; the state is `owner`.

    Args:
        first: the first document.
        starts: int64, shape (documents + 1,): where the buckets of each begin.
        buckets: uint32.
        owner: int32, of each bucket the first kept document, or -1; changed.
        first_exact: buckets from here on hold equal texts.
        signatures: uint64, shape (slots, 14).
        slots: int32, shape (all documents,): the row of `signatures` of each that may be asked
            for: those to be decided, and those kept before.
        least_equal: bytes of 112 that must agree with the kept document.
        keeper: int32, shape (all documents,), written: the most similar kept one, or -1 if it
            is kept.
        equal: uint8, of the same shape, written: bytes that agree with its keeper.
    """

def join_components(
    first: int,
    starts: Buffer,
    buckets: Buffer,
    owner: Buffer,
    first_exact: int,
    signatures: Buffer,
    slots: Buffer,
    least_equal: int,
    keeper: Buffer,
    equal: Buffer,
) -> None:
    """As `decide_greedily`, but a document joins every one it resembles, kept or not.

    `keeper` becomes a forest: -1, or a document of lower rank in the same component. An
    owner is the first document of its bucket; `equal` is left to `settle_components`.
    """

def settle_components(signatures: Buffer, keeper: Buffer, equal: Buffer) -> None:
    """Point every document at the root of its component; bytes that agree with it."""

def sketches(
    starts: Buffer,
    data: Buffer,
    table: Buffer,
    shingle_chars: int,
    bins: int,
    out: Buffer,
    valid: Buffer,
) -> None:
    """Write the one-permutation sketch of each text into its row of `out`.

    Args:
        starts: uint64, shape (texts + 1,), where each text begins in `data`; the last is the end.
        data: UTF-8.
        table: uint32, shape (0x110000,), what stands for each code point.
        shingle_chars: code points in a shingle.
        bins: bytes of a sketch.
        out: uint8, shape (texts, bins), written.
        valid: bool, shape (texts,), written: whether the text has a shingle at all.
    """

def digests(starts: Buffer, data: Buffer, out: Buffer) -> None:
    """Write XXH64, seed 0, of each text's bytes into `out`, uint64, shape (texts,)."""

def published_keys(
    starts: Buffer,
    data: Buffer,
    table: Buffer,
    a: Buffer,
    b: Buffer,
    c: Buffer,
    z: int,
    bands: int,
    out: Buffer,
    made: Buffer,
    odd: Buffer,
) -> None:
    """Write the published band keys of each text.

    Args:
        starts: uint64, shape (texts + 1,), where each text begins in `data`; the last is the end.
        data: UTF-8.
        table: uint32, shape (0x110000,), the normalised code points, or 2**32 - 1 for one whose
            lower case is not one and the same code point.
        a: uint64, shape (rows,): of the published code, as are
        b:
        c:
        z: base of the polynomial hash.
        bands: keys of a text.
        out: uint64, shape (texts, bands), written.
        made: bool, shape (texts,), written: whether the text has 16 characters.
        odd: bool, shape (texts,), written: the text holds a code point that has 2**32 - 1; its
            keys are not made.
    """

def chunk_reader(chunks: Buffer, max_remembered: int) -> ChunkReader:
    """What finds the chunks of texts, as `skord.models.grammar.reference_selection` defines them.

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

def page_reader(
    groups: Buffer, small: Buffer, num_groups: int, buckets: int, most_words: int
) -> PageReader:
    """What a page's lines are read by; the last entry of a table stands for all code points above.

    Args:
        groups: uint8, group of each code point, as `features.characters` numbers them.
        small: uint32, lower case of each code point.
        num_groups: how many there are, at least 15.
        buckets: of words.
        most_words: of a line that are looked up.

    Raises:
        ValueError: they do not fit one another.
    """

def read_page(reader: PageReader, markdown: bytes) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    r"""The lines of a page that have a visible character: `skord.models.line_classifier.features.lines`.

    Args:
        reader: from `page_reader`.
        markdown: as of `said_lines`; what follows the last "\n" is in no line.

    Returns:
        Of each such line its number among all (int64) and its features (float32); buckets of the
        words that are looked up, one line after another, where each line's start, and the end of
        the last; how many words each line has (int64 each).
    """

def element_reader(tags: list[str], families: list[str], buckets: int) -> ElementReader:
    r"""What is looked for in what elements are called; at most 63 tags and families.

    Args:
        tags: a flag each.
        families: a flag each: patterns with "|" between, of the signs a-z, "-", "_" and "!";
            before them perhaps "\b", behind them perhaps "\b" or "[-_]", which mean what they
            mean in `re`.
        buckets: of tokens.

    Raises:
        ValueError: there are too many, a family is written otherwise, or there are no buckets.
    """

def read_elements(
    reader: ElementReader, elements: list[str]
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
    """What elements are called, as numbers: `skord.models.line_classifier.features.dom.read_plainly`.

    Returns:
        int64: flags of each element; buckets of its tokens, ascending, one element after another;
        where each element's start, and the end of the last; for each element the number of the
        first that is the same; the numbers of those first ones that are not ASCII, of which, as
        of the same ones after them, nothing else is read. Uint8: of each the sum of 1 for a figure,
        2 for a caption, 4 for the name of a note, 8 for its role.
    """

def tree_features(
    elements: tuple[Buffer, Buffer, Buffer, Buffer, Buffer],
    lines: tuple[Buffer, Buffer, Buffer, Buffer],
    settings: tuple[int, int, int, tuple[int, int, int, int], int, float, Buffer],
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
    """What the elements around a page's lines say: `skord.models.line_classifier.features.context`.

    Args:
        elements: parent of each (int32), -1 for an outermost one, and before its children; flags;
            number of the first that is called alike; where each one's tokens start, and the end of
            the last (int64 each); kinds, as `read_elements` gives them (uint8).
        lines: numbers of the visible ones and words of each (int64); of all lines the innermost
            element (int32), or -1, and the share of words in links, times 255 (uint8).
        settings: flags of an element, at most 63; elements on the way up whose sizes, and those
            whose flags are features; flags of frames and of menus, elements upwards that are asked
            for the latter, and share of words in links, times 255, that a line then has; words,
            and share of links, of running text; shares of it of which the innermost element is
            sought (float32).

    Returns:
        Features by leaf and by line (float32); path, steps, path_starts, leaves and kin (int64);
        framed (bool); for each line the kinds of the elements around it (uint8).

    Raises:
        ValueError: shapes or numbers do not fit one another, or a parent stands after its child.
    """

def line_network(
    arrays: list[Buffer],
    sizes: tuple[int, int, int, int, int],
    dilations: Buffer,
    nearer: float,
    limit: float,
) -> LineNetwork:
    """The networks whose logits are averaged, computed together on this thread alone.

    Args:
        arrays: float32, in the order of `skord.models.line_classifier.network.ARRAYS`.
        sizes: width of lines' vectors, a multiple of 16, of words' and of elements'; attention
            heads; types of pages.
        dilations: int64, of each convolution along the lines.
        nearer: an element counts so much less than the one that it holds.
        limit: by which a feature is cut to both sides, in deviations.

    Raises:
        ValueError: these do not fit one another.
    """

def judge_lines(
    network: LineNetwork,
    lines: tuple[Buffer, Buffer, Buffer],
    context: tuple[Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, int] | None,
) -> tuple[bytes, bytes]:
    """What the networks make of a page of at least one visible line.

    Sums differ in the last bits between processors with and without fused multiplication.

    Args:
        network: made by `line_network`.
        lines: dense (float32), buckets and word_starts (int64) of `PageFeatures`.
        context: by_leaf and by_line (float32), tokens, token_starts, path, steps, path_starts and
            leaves (int64) and page_element of `ContextFeatures`, for a network that has arrays
            for it; else None.

    Returns:
        float32: mean logit of each line, before any temperature; mean share of each type.

    Raises:
        ValueError: these do not fit one another.
    """

def framing_rows(
    markdown: bytes,
    lines: tuple[Buffer, Buffer, Buffer, Buffer, Buffer],
    leads_away: bool,
    limits: tuple[int, float, float, int, float, float, int, float],
) -> bytes:
    """For each visible line 1 if it is a row of the frame: `…line_classifier.features.rows`.

    Args:
        markdown: as of `said_lines`.
        lines: numbers of the visible lines and their words, int64; shares of these in links, and in
            controls, float32; whether each is framed anyway, a byte.
        leads_away: whether lines of links are of the frame, too.
        limits: LONGEST_CONTROLS, LEAST_CONTROLLED, LEAST_LINKED, LEAST_SIGNS, LEAST_TRAIL,
            LEAST_OPTIONS, WORDS_A_SENTENCE, LEAST_LEADING_AWAY.

    Raises:
        ValueError: these do not fit one another.
    """

def drawn_to_headings(
    markdown: bytes,
    lines: Buffer,
    logits: Buffer,
    links: Buffer,
    limits: tuple[float, float, float, float, float],
) -> bytes:
    """Float32: logits drawn up to those of headings: `skord.models.line_classifier.smoothing`.

    Args:
        markdown: as of `said_lines`.
        lines: numbers of the visible lines, int64.
        logits, links: of these, float32.
        limits: the share by which a line is drawn, LEAST_DRAWN, FARTHEST_DRAWN, MOST_LINKED,
            LOGIT_STEP.

    Raises:
        ValueError: these do not fit one another.
    """

def chances_of(logits: Buffer) -> bytes:
    """Float32: 1 / (1 + exp(-logit)) of each logit, which are float32."""

def smoothed_logits(
    logits: Buffer,
    words: Buffer,
    groups: Buffer,
    shares: Buffer,
    rest: float,
    surest: float,
    step: float,
) -> bytes:
    """Logits in part replaced by means over groups: `skord.models.line_classifier.smoothing`.

    Args:
        logits: float32, of n lines.
        words: int64, how many each has, by whose square root it counts.
        groups: int64, below n, shape (shares, n).
        shares: float64, of each kind of group.
        rest: share of the line itself.
        surest: logits beyond it, to both sides, count as it.
        step: to the next multiple of which results are rounded.

    Raises:
        ValueError: these do not fit one another.
    """

def with_blank_lines(lines: Buffer, logits: Buffer, line_count: int, blank: float) -> bytes:
    """Float32, of all lines of a page from those of the visible ones: `embedded`.

    A blank line gets the greatest logit of the block before it.

    Args:
        lines: int64, numbers of the visible lines, ascending.
        logits: float32, theirs.
        line_count: of the page.
        blank: logit of lines before the first block.

    Raises:
        ValueError: these do not fit one another.
    """

def vector_width() -> str:
    """Which vector instructions are used: "none", "avx2" or "avx512".

    The widest that the processor has and the environment variable SKORD_SIMD allows.
    """

def measure_texts(
    starts: Buffer,
    data: Buffer,
    tables: tuple[Buffer, Buffer, Buffer],
    notices: tuple[Buffer, ...],
    by_script: Buffer,
    short_chars: tuple[int, int],
    stop_words: tuple[Buffer, int, Buffer],
    listed_words: tuple[Buffer, int, Buffer],
    counts: Buffer,
    entropies: Buffer,
) -> None:
    """Count what the measures of quality are made of: characters, words, lines, repetitions.

    Args:
        starts: int64, where each text begins in `data`, and the end.
        data: the texts in UTF-8.
        tables: classes (uint32), factors and terms (uint64) of `skord.text.unicode_tables`.
        notices: letters (uint8) and moves (int32) of a `policy_phrases.PhraseFinder`.
        by_script: bool, shape (texts,): whose plain words also end where the script changes.
        short_chars: up to how many characters a line is short; the same of texts `by_script`.
        stop_words: open hash tables (uint64, shape (lists, slots)), slots, and which list each
            text is held against (int32; -1: none).
        listed_words: the same for the words of the settings.
        counts: int64, shape (texts, `text_measures.COUNTS`), to be filled, as is
        entropies: float64, shape (texts,), of SWEb's words, in nats.

    Raises:
        ValueError: shapes or numbers do not fit one another.
    """

def word_numbers(text: str, tables: tuple[Buffer, Buffer, Buffer]) -> bytes:
    """The plain words of a text, by number (uint64); `tables` as for `measure_texts`."""

def count_linked(
    starts: Buffer,
    data: Buffer,
    kept: Buffer,
    first_lines: Buffer,
    first_links: Buffer,
    link_starts: Buffer,
    link_ends: Buffer,
    linked: Buffer,
) -> None:
    """Characters of text that links show on the lines of pages that are kept.

    Tags and images, backslashes, and blanks beyond one are no text; an entity is one character.

    Args:
        starts: int64, where each page begins in `data`, and the end.
        data: the pages' Markdown in UTF-8.
        kept: uint8, of every line of every page: not 0 where it is kept.
        first_lines: int64, where each page's lines begin in `kept`, and the end.
        first_links: int64, the same of its links.
        link_starts: int32, first character of each link, counted within its page; ascending.
        link_ends: int32, behind its last character.
        linked: int64, shape (pages,), to be filled.

    Raises:
        ValueError: shapes or numbers do not fit one another.
    """

def write_letters(
    starts: Buffer, data: Buffer, table: Buffer, most: int, letters: Buffer, letter_starts: Buffer
) -> int:
    """Texts in UTF-8 as letters of a small alphabet, runs of anything else as one blank.

    Args:
        starts: int64, where each text begins in `data`, and the end.
        data: the texts in UTF-8.
        table: uint8, the letter of each code point below its length, 0 for none and 1 for a
            blank; the last stands for all above.
        most: letters of a text that are written.
        letters: uint8, with room for a byte for each of the data and two a text, to be filled; a
            text begins and ends with a blank.
        letter_starts: int64, to be filled: where each text's begin, and the end.

    Returns:
        How many letters were written.
    """

def sum_letter_grams(
    letters: Buffer, starts: Buffer, longest: int, weights: Buffer, sums: Buffer, counts: Buffer
) -> None:
    """Sums of the weights of each text's n-grams of letters, and how many n-grams it has.

    Args:
        letters: uint8, of all texts.
        starts: int64, where each text's begin, and the end.
        longest: letters of the longest n-gram.
        weights: int8, shape (buckets, 8), a power of two of buckets.
        sums: int32, shape (texts, 8), to be filled, as is
        counts: int64, shape (texts,).
    """

def train_letter_grams(
    letters: Buffer,
    starts: Buffer,
    order: Buffer,
    answers: Buffer,
    longest: int,
    labels: int,
    rate: float,
    next_rate: float,
    weights: Buffer,
) -> float:
    """One pass of stochastic gradient descent on the softmax; returns the mean loss.

    Args:
        letters: uint8, of all texts.
        starts: int64, where each text's begin, and the end.
        order: int64, the texts as they are shown.
        answers: int64, label of each text.
        longest: letters of the longest n-gram.
        labels: how many there are.
        rate: step at the beginning of the pass, and
        next_rate: at its end.
        weights: float32, shape (buckets, labels), a power of two of buckets; changed.
    """

def html_tokens(
    html: str, content: int, name: str, in_foreign: bool
) -> list[tuple[str, str, list[tuple[str, str]], bool]]:
    """List the tokens of a source (WHATWG HTML 13.2.5), for the public test suite.

    Args:
        content: what the source begins in: 0 markup, 1 RCDATA, 2 RAWTEXT, 3 a script, 4 plain text.
        name: of the element around that content, whose end tag ends it.
        in_foreign: whether CDATA sections are read.

    Returns:
        Of each token its kind ("text", "start", "end", "comment", "instruction", "doctype"), text
        or name, the attributes of a start tag, and whether a start tag closes itself or a doctype
        asks for quirks mode.

    Raises:
        ValueError: `content` is no such number.
    """

def html_nodes(html: str) -> list[tuple[int, str, str, list[tuple[str, str]]]]:
    """List the nodes of a page's tree in order (WHATWG HTML 13.2.6), for the public test suite.

    Returns:
        Of each node its depth, kind ("html", "svg" or "math" for an element of that namespace,
        "text", "comment", "instruction", "doctype"), name or text, and attributes.

    Raises:
        UnicodeEncodeError: a lone surrogate.
        ValueError: thousands of tags stand open at once.
    """

def is_clean_utf8(page: Buffer) -> bool:
    """Whether bytes are UTF-8 as it stands in a page: whole, without a byte-order mark, and without
    controls other than tab, line feed, form feed and carriage return.
    """

def read_html(
    html: Buffer, max_html_chars: int, max_cleaned_chars: int, mark_links: bool
) -> tuple[str, str | None, str | None, PageWords] | tuple[str, str]:
    """What one parse of a page yields; `skord.html.cleaning` says what each part is.

    Args:
        html: of the whole page, in UTF-8.
        max_html_chars, max_cleaned_chars: longer pages, and longer results, are refused.
        mark_links: put the marks of `link_spans` around links that hold nothing but text.

    Returns:
        Cleaned markup, title, declared language, words; of a page that is refused, the name of a
        `ConversionFailure` and a sentence.

    Raises:
        ValueError: it is not in UTF-8.
    """

def convert_html(
    html: Buffer, max_html_chars: int, max_cleaned_chars: int, alone: bool = False
) -> tuple[str, str | None, str | None, PageWords, str, list[LinkSpan], str] | tuple[str, str]:
    """What `read_html` gives, links marked, and behind it what `dialect_markdown` makes of it.

    Where Markdown alone is wanted, the cleaned page is "" and there are no links, but of pages that
    are declined.
    """

def read_head(html: Buffer) -> tuple[str | None, str | None]:
    """Title and declared language of a page, for the price of its head.

    Raises:
        ValueError: it is not in UTF-8.
    """

def line_context(
    words: PageWords, markdown: bytes
) -> tuple[list[str], list[int], list[int], bytes, bytes, str, str]:
    """The columns of `skord.html.line_context.LineContext`, and what `page_facts` reads:
    names of what the page says of itself, with blanks between, and its own address, "" for none.

    Args:
        words: of a page read.
        markdown: made of it, by any converter, in plain form; as of `said_lines`.
    """

def signal_tags(page: bytes, words: list[str]) -> list[bytes]:
    """The source of the tags of a page that can say what it may be used for, in order.

    Args:
        page: its body, in any charset that has ASCII in its place.
        words: ASCII in lower case; a `<meta>`, `<link>` or `<script>` whose tag holds none of
            them, in any case, is left out. A script comes with its content.
    """

def passage_anchors(starts: Any, data: Any, length: int) -> tuple[bytes, bytes, bytes]:
    """Halves of passages by which equal passages find one another (native/dedup/passages.hpp).

    Args:
        starts: int64, where each text begins, and the end; `data`: UTF-8 of all texts.
        length: tokens of a passage.

    Returns:
        uint64 key, uint32 text and uint32 token of each, ascending by text and token.
    """

def passage_prints(
    starts: Any, data: Any, length: int, texts: Any, places: Any
) -> tuple[bytes, bytes, bytes, bytes]:
    """128 bits of each passage around some anchors: two of uint64, uint32 text, uint32 token.

    Args:
        starts, data, length: as for `passage_anchors`.
        texts, places: of anchors, as that gave them.
    """

def word_grams(starts: Any, data: Any, length: int) -> tuple[bytes, bytes]:
    """Hashes (uint64, never 0) of the runs of words of each text, and how many (uint32) it has."""

def item_frequencies(
    starts: Any, data: Any, index: tuple[Any, ...], num_words: int, num_grams: int
) -> tuple[bytes, bytes]:
    """In how many of the texts each word and each run of an index is; both uint32.

    Args:
        starts, data: of the texts.
        index: words of a run; hashes (uint64) and numbers (uint32) of a table of words, and of one
            of runs: each a power of two of slots, that of a hash is `hash >> 1`, or the next that
            is free (linear probing); hash 0 where none is.
        num_words, num_grams: how many of either there are.
    """

def item_matches(
    starts: Any,
    data: Any,
    index: tuple[Any, ...],
    items: tuple[Any, ...],
    least: tuple[float, float, float, float],
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes]:
    """What texts hold of items: uint32 text, item, bytes from, to; float32 score and evidence.

    Args:
        starts, data: of the texts.
        index: as above.
        items: as in `dedup/item_matches.hpp`, uint32 and float32.
        least: evidence in one stretch of a text, evidence for a whole item, more of it for what is
            missing, score.
    """
