"""SWEb's measures of one text, as plain Python: the meaning of what the kernels compute fast.

The measures and their limits are those of SWEb (Norlund et al. 2024, arXiv 2410.04456).
Values equal those of its published code, with these differences:

* a page of headings alone measures infinity, not zero, and fails;
* in languages without blanks, words are runs of one script, or not known (WITHOUT_BLANKS,
  UNSEGMENTED): whole sentences as words would fail every page;
* `#hashtag` is text; a heading needs a space after its number signs, as in CommonMark.

`skord.native.measure_texts` counts the same over Arrow buffers, and leaves to this module the
few texts whose letters must be seen in context: those with a capital sigma, whose lower case
depends on its place, several combining marks on one letter, whose order has to be made canonical,
or characters beyond the second plane of Unicode.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from skord.native import measure_texts, word_numbers
from skord.quality.policy_phrases import notice_finder
from skord.quality.stop_words import stop_words_of
from skord.text.own_languages import OwnLanguages
from skord.text.unicode_tables import tables_with_ends, text_tables
from skord.text.words import string_buffers

_HEADING = re.compile(r"^#{1,6}(?:[ \t].*)?$", re.MULTILINE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def words_of(text: str) -> list[str]:
    """Words of a text, without ASCII punctuation, lower case, decomposed (NFD).

    >>> words_of("Hej, *Åsa*!") == ["hej", "a\\u030asa"]
    True
    """
    return unicodedata.normalize("NFD", _without_punctuation(text).lower()).split()


def ratio_headings_per_non_heading_word(text: str) -> float:
    """Markdown headings (ATX) for each word outside of headings.

    Infinity when there are headings and no other word; 0 when there is neither.

    >>> ratio_headings_per_non_heading_word("# Rubrik\\n\\nfyra ord till den")
    0.25
    >>> ratio_headings_per_non_heading_word("#hashtag är text")
    0.0
    >>> ratio_headings_per_non_heading_word("# Meny\\n## Kontakt")
    inf
    """
    headings = _HEADING.findall(text)
    heading_words = sum(len(_without_punctuation(line).split()) for line in headings)
    return headings_per_word(len(headings), len(words_of(text)) - heading_words)


def headings_per_word(num_headings: int, num_other_words: int) -> float:
    """The ratio, infinity for headings alone."""
    if not num_headings:
        return 0.0
    return num_headings / num_other_words if num_other_words else math.inf


def unigram_entropy(words: Sequence[str]) -> float:
    """Entropy of the distribution of words, in nats: low when the same words recur.

    >>> unigram_entropy(["köp", "köp"])
    0.0
    >>> round(unigram_entropy(["ett", "två"]), 3)
    0.693
    """
    total = len(words)
    times = Counter(Counter(words).values())  # how many words occur once, twice, …
    return sum(num * n / total * math.log(total / n) for n, num in times.items())


def _without_punctuation(text: str) -> str:
    return text.translate(_PUNCTUATION)


I64 = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = dict[str, pa.Array]

WITHOUT_BLANKS = frozenset({"ja", "zh", "wuu", "yue"})
"""Labels of languages that put no blanks between words, whose words are runs of one script."""
UNSEGMENTED = frozenset({"bo", "dz", "km", "lo", "my", "th"})
"""Labels of languages without blanks between words and in one script: words are not known."""
SHORT_CHARS = 30
SHORT_WIDE_CHARS = 10
TOP_GRAMS = (2, 3, 4)
DUPLICATE_GRAMS = (5, 6, 7, 8, 9, 10)
COMPRESSED_BYTES = 1 << 20
LIST_PROSE = 0.4
LIST_STOP_WORDS = 0.11
"""A text with less of both is a list (`docs/how-to/filter.md` has the figures)."""

COUNTS = (
    "CHARS", "ALNUM", "HIRAGANA", "DECLINED",
    "SWEB_WORDS", "HEADINGS", "HEADING_WORDS", "HEADING_SIGNS",
    "RUNS", "ALPHABETIC", "NUMBER_SIGNS", "ELLIPSES",
    "WORDS", "WORD_CHARS", "STOP_WORDS", "STOP_WORD_TYPES", "LISTED_WORDS", "LISTED_WORD_TYPES",
    "LINES", "LINE_CHARS", "BULLET_LINES", "ELLIPSIS_LINES", "PUNCTUATED_LINES", "SHORT_LINES",
    "DUPLICATE_LINES", "DUPLICATE_LINE_CHARS", "PARAGRAPHS", "DUPLICATE_PARAGRAPHS",
    "DUPLICATE_PARAGRAPH_CHARS", "ADJACENT_CHARS", "PROSE_SENTENCES", "PROSE_CHARS",
    *(f"TOP_{n}" for n in TOP_GRAMS), *(f"DUPLICATE_{n}" for n in DUPLICATE_GRAMS),
)  # fmt: skip
"""Columns of what is counted of each text, in the order of native/quality/text_counts.hpp."""


class TextCounts:
    """What is counted of some texts.

    Attributes:
        by_script: texts in languages without blanks, whose words end where the script changes.
        has_words: texts that are not in one of UNSEGMENTED.
        entropies: of SWEb's words, or of those by script, in nats; shape (texts,).
        has_stop_words: texts in a language with a list of them.
    """

    def __init__(
        self,
        texts: pa.Array,
        languages: Sequence[str],
        listed_words: Collection[str],
        own: OwnLanguages | None = None,
    ) -> None:
        """Count.

        Args:
            languages: of each text, as lid.176 labels it.
            listed_words: words on the lists of the settings.
            own: languages that the user has added.
        """
        own = own or OwnLanguages()
        words_of_label = {
            label: frozenset(stop_words_of(label, own.stop_words)) for label in set(languages)
        }
        stop_words = sorted(set(words_of_label.values()), key=sorted)
        places = {words: place if words else -1 for place, words in enumerate(stop_words)}
        list_of = np.array([places[words_of_label[label]] for label in languages], np.int32)
        listed = (frozenset(listed_words),) if listed_words else ()
        of_all = np.full(len(texts), 0 if listed else -1, np.int32)
        self.has_stop_words = list_of >= 0
        self.by_script = is_without_blanks(languages)
        self.has_words = np.array([label not in UNSEGMENTED for label in languages], np.bool_)
        self.entropies = np.zeros(len(texts))
        self._counts = np.zeros((len(texts), len(COUNTS)), np.int64)
        finder = notice_finder(own.notices)
        for ends, rows in _by_sentence_ends(languages, own):
            starts, data = string_buffers(texts if len(rows) == len(texts) else texts.take(rows))
            tables = tables_with_ends(ends) if ends else text_tables()
            counts, entropies = self._counts[rows], self.entropies[rows]
            measure_texts(
                starts, data, (tables.classes, tables.factors, tables.terms), tuple(finder),
                self.by_script[rows], (SHORT_CHARS, SHORT_WIDE_CHARS),
                _with_slots(word_tables(tuple(stop_words)), list_of[rows]),
                _with_slots(word_tables(listed), of_all[rows]), counts, entropies,
            )  # fmt: skip
            self._counts[rows], self.entropies[rows] = counts, entropies

    def __getitem__(self, name: str) -> I64:
        """One of COUNTS, of each text."""
        return self._counts[:, COUNTS.index(name)]


def _by_sentence_ends(languages: Sequence[str], own: OwnLanguages) -> Iterator[tuple[str, I64]]:
    """Signs that end a sentence besides the usual ones, and which texts are in such languages."""
    ends = np.array([own.sentence_ends.get(label, "") for label in languages], np.str_)
    for signs in np.unique(ends) if len(ends) else [""]:
        yield str(signs), np.flatnonzero(ends == signs)


def text_columns(
    texts: pa.Array,
    languages: Sequence[str],
    listed_words: Collection[str],
    own: OwnLanguages | None = None,
) -> Columns:
    """A column for each measure of a text."""
    counts = TextCounts(texts, languages, listed_words, own)
    return {
        **sweb_columns(counts, texts),
        **_gopher_columns(counts),
        **_repetition_columns(counts),
        **_line_columns(counts),
        **_whole_text_columns(counts, texts, languages),
        **_list_columns(counts),
        "num_listed_words": pa.array(counts["LISTED_WORDS"]),
        "num_listed_word_types": pa.array(counts["LISTED_WORD_TYPES"]),
    }


def sweb_columns(counts: TextCounts, texts: pa.Array) -> Columns:
    """SWEb's measures; texts that compiled code declines are measured by `unigram_entropy`."""
    alnum, entropies, headings = counts["ALNUM"].copy(), counts.entropies, counts["HEADINGS"]
    ratios = _per_total(headings, counts["SWEB_WORDS"] - counts["HEADING_WORDS"], np.inf)
    ratios[headings == 0] = 0.0
    for place in np.flatnonzero(counts["DECLINED"]):
        text = texts[int(place)].as_py()
        alnum[place] = sum(map(str.isalnum, text))
        if not counts.by_script[place]:
            entropies[place] = unigram_entropy(words_of(text))
            ratios[place] = ratio_headings_per_non_heading_word(text)
    return {
        "content_length": pa.array(counts["CHARS"]),
        "ratio_alphanumeric_chars": pa.array(alnum / np.maximum(counts["CHARS"], 1)),
        "ratio_headings_per_non_heading_word": _null_where_unknown(ratios, counts.has_words),
        "unigram_entropy": _null_where_unknown(entropies, counts.has_words),
    }


def _gopher_columns(counts: TextCounts) -> Columns:
    """Gopher's measures of quality but for those of lines."""
    words, runs = counts["WORDS"], counts["RUNS"]
    with_means = (words > 0) & ~counts.by_script & counts.has_words
    signs = counts["NUMBER_SIGNS"] - counts["HEADING_SIGNS"]
    return {
        "num_words": pa.array(words, mask=~counts.has_words),
        "mean_word_length": _null_where_unknown(
            _per_total(counts["WORD_CHARS"], words, 0.0), with_means
        ),
        "number_sign_word_ratio": pa.array(_count_ratio(signs, words)),
        "ellipsis_word_ratio": pa.array(_count_ratio(counts["ELLIPSES"], words)),
        "alphabetic_word_ratio": _null_where_unknown(
            _count_ratio(counts["ALPHABETIC"], runs), runs > 0
        ),
        "num_stop_words": pa.array(counts["STOP_WORD_TYPES"], mask=~counts.has_stop_words),
    }


def _repetition_columns(counts: TextCounts) -> Columns:
    """Gopher's measures of runs of words that recur."""
    top = {f"top_{n}_gram_char_ratio": counts[f"TOP_{n}"] for n in TOP_GRAMS}
    duplicate = {
        f"duplicate_{n}_gram_char_ratio": counts[f"DUPLICATE_{n}"] for n in DUPLICATE_GRAMS
    }
    measures = (top | duplicate).items()
    return {name: pa.array(_count_ratio(chars, counts["CHARS"])) for name, chars in measures}


def _line_columns(counts: TextCounts) -> Columns:
    """Measures of lines and paragraphs: of Gopher, C4, FineWeb and Uzushio."""
    lines, words = counts["LINES"], counts["WORDS"]
    per_line = {
        "bullet_line_ratio": "BULLET_LINES",
        "ellipsis_line_ratio": "ELLIPSIS_LINES",
        "duplicate_line_ratio": "DUPLICATE_LINES",
        "short_line_ratio": "SHORT_LINES",
    }
    per_char = {
        "duplicate_line_char_ratio": "DUPLICATE_LINE_CHARS",
        "duplicate_paragraph_char_ratio": "DUPLICATE_PARAGRAPH_CHARS",
        "adjacent_duplicate_char_ratio": "ADJACENT_CHARS",
    }
    return {
        **{name: pa.array(_count_ratio(counts[kind], lines)) for name, kind in per_line.items()},
        **{
            name: pa.array(_count_ratio(counts[kind], counts["CHARS"]))
            for name, kind in per_char.items()
        },
        "duplicate_paragraph_ratio": pa.array(
            _count_ratio(counts["DUPLICATE_PARAGRAPHS"], counts["PARAGRAPHS"])
        ),
        "repeated_line_char_ratio": pa.array(
            _count_ratio(counts["DUPLICATE_LINE_CHARS"], counts["LINE_CHARS"])
        ),
        "punctuated_line_ratio": _null_where_unknown(
            _count_ratio(counts["PUNCTUATED_LINES"], lines), lines > 0
        ),
        "lines_per_word": _null_where_unknown(
            _count_ratio(lines, words), (words > 0) & ~counts.by_script & counts.has_words
        ),
        "num_prose_sentences": pa.array(counts["PROSE_SENTENCES"]),
    }


def _list_columns(counts: TextCounts) -> Columns:
    """What distinguishes lists, tables, counts and pages of links from running text."""
    prose = _count_ratio(counts["PROSE_CHARS"], counts["LINE_CHARS"])
    stop_words = _count_ratio(counts["STOP_WORDS"], counts["WORDS"])
    is_known = counts.has_stop_words & (counts["WORDS"] > 0)
    return {
        "prose_char_ratio": pa.array(prose),
        "stop_word_ratio": _null_where_unknown(stop_words, is_known),
        "is_list": _null_where_unknown(
            (prose < LIST_PROSE) & (stop_words < LIST_STOP_WORDS), is_known
        ),
    }


def _whole_text_columns(counts: TextCounts, texts: pa.Array, languages: Sequence[str]) -> Columns:
    """What is asked of whole texts: C4's signs of filler and code, compression, hiragana."""
    japanese = np.array([language == "ja" for language in languages], np.bool_)
    chars = counts["CHARS"]
    return {
        "has_lorem_ipsum": pc.match_substring(texts, "lorem ipsum", ignore_case=True),
        "has_curly_bracket": pc.match_substring(texts, "{"),
        "compression_ratio": pa.array([compression_ratio(text) for text in texts], pa.float64()),
        "hiragana_ratio": _null_where_unknown(
            _count_ratio(counts["HIRAGANA"], chars), japanese & (chars > 0)
        ),
    }


def compression_ratio(text: pa.StringScalar) -> float | None:
    """Bytes after LZ4 for each before, of the first MiB; None for an empty text.

    >>> compression_ratio(pa.scalar("hej " * 1000)) < 0.01
    True
    """
    whole = text.as_buffer()
    if not whole.size:
        return None
    data = whole.slice(0, min(whole.size, COMPRESSED_BYTES))
    return float(_lz4().compress(data).size / data.size)


@cache
def _lz4() -> pa.Codec:
    return pa.Codec("lz4_raw")


def is_without_blanks(languages: Sequence[str]) -> NDArray[np.bool_]:
    """Which of the languages put no blanks between words."""
    return np.array([language in WITHOUT_BLANKS for language in languages], np.bool_)


@lru_cache(maxsize=64)
def word_tables(lists: tuple[frozenset[str], ...]) -> NDArray[np.uint64]:
    """Open hash tables of lists of words, shape (lists, slots); 0 where nothing is.

    Raises:
        ValueError: an entry is no single word, so that it could never be found.
    """
    longest = max((len(words) for words in lists), default=0)
    slots = 1 << max(4, (4 * longest).bit_length())
    tables = np.zeros((len(lists), slots), np.uint64)
    for row, words in zip(tables, lists, strict=True):
        for number in _word_hashes(sorted(words)).tolist():
            place = number % slots
            while row[place] not in (0, number):
                place = (place + 1) % slots
            row[place] = number
    return tables


def _word_hashes(words: Sequence[str]) -> NDArray[np.uint64]:
    tables = text_tables()
    hashes = np.zeros(len(words), np.uint64)
    for place, word in enumerate(words):
        numbers = word_numbers(word, (tables.classes, tables.factors, tables.terms))
        if len(numbers) != hashes.itemsize:
            raise ValueError(f"{word!r} is not one word")
        hashes[place] = np.frombuffer(numbers, np.uint64)[0]
    return hashes


def _with_slots(
    tables: NDArray[np.uint64], list_of: NDArray[np.int32]
) -> tuple[NDArray[np.uint64], int, NDArray[np.int32]]:
    return tables, tables.shape[1], list_of


def _count_ratio(counts: I64, totals: I64) -> Floats:
    return _per_total(counts, totals, 0.0)


def _per_total(counts: I64, totals: I64, without: float) -> Floats:
    """Counts divided by totals; `without` where a total is zero."""
    return np.where(totals > 0, counts / np.maximum(totals, 1), without)


def _null_where_unknown(values: NDArray[Any], is_known: NDArray[np.bool_]) -> pa.Array:
    return pa.array(values, mask=~is_known)
