"""SWEb's measures of one text, as plain Python: the meaning of what the kernels compute fast.

The measures and their limits are those of SWEb (Norlund et al. 2024, arXiv 2410.04456).
Values equal those of its published code, with these differences:

* a page of headings alone measures infinity, not zero, and fails;
* `#hashtag` is text; a heading needs a space after its number signs, as in CommonMark.

`text_words` computes the same over Arrow buffers, and leaves the few texts to this module
whose letters must be seen in context: those with a capital sigma, whose lower case depends on
its place, several combining marks on one letter, whose order has to be made canonical, or
characters beyond the second plane of Unicode.
"""

from __future__ import annotations

import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from pipeline.quality.stop_words import stop_words_of
from pipeline.text.words import Texts, Words, read_texts

_HEADING = re.compile(r"^#{1,6}(?:[ \t].*)?$", re.MULTILINE)
_PUNCTUATION = str.maketrans("", "", string.punctuation)


def words_of(text: str) -> list[str]:
    """Words of a text, without ASCII punctuation, lower case, decomposed (NFD).

    >>> words_of("Hej, *Åsa*!") == ["hej", "a\\u030asa"]
    True
    """
    return unicodedata.normalize("NFD", _without_punctuation(text).lower()).split()


def ratio_alphanumeric_chars(text: str) -> float:
    """Share of letters and digits, of any script, among all characters; 0 when empty.

    >>> ratio_alphanumeric_chars("ab--")
    0.5
    """
    return sum(map(str.isalnum, text)) / max(len(text), 1)


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
"""Labels of languages that put no blanks between words."""
SHORT_CHARS = 30
SHORT_WIDE_CHARS = 10
LONGEST_GRAM = 10
TOP_GRAMS = (2, 3, 4)
COMPRESSED_BYTES = 1 << 20


def sweb_columns(texts: Texts, plain: pa.Array) -> Columns:
    """SWEb's measures; those that a kernel declines are asked of `unigram_entropy`."""
    words = texts.sweb_words
    entropies = np.zeros(len(texts))
    _kernels().entropies(words.numbers, words.starts, entropies)
    headings = texts.headings
    alnum = texts.alnum_and_hiragana[0].copy()
    ratios = _per(headings.all, np.diff(words.starts) - headings.words, np.inf)
    ratios[headings.all == 0] = 0.0
    for place in np.flatnonzero(texts.declined):
        text = plain[int(place)].as_py()
        entropies[place] = unigram_entropy(words_of(text))
        ratios[place] = ratio_headings_per_non_heading_word(text)
        alnum[place] = sum(map(str.isalnum, text))
    return {
        "content_length": pa.array(texts.chars),
        "ratio_alphanumeric_chars": pa.array(alnum / np.maximum(texts.chars, 1)),
        "ratio_headings_per_non_heading_word": pa.array(ratios),
        "unigram_entropy": pa.array(entropies),
    }


def gopher_columns(texts: Texts, languages: Sequence[str]) -> Columns:
    """Gopher's measures of quality but for those of lines."""
    words, runs = texts.plain_words, texts.runs
    num_words = np.diff(words.starts)
    lengths = np.concatenate(([0], np.cumsum(words.chars)))
    with_means = (num_words > 0) & ~texts.by_script
    stop_words, no_list = _stop_words(words, languages)
    return {
        "num_words": pa.array(num_words),
        "mean_word_length": _masked(
            _per(np.diff(lengths[words.starts]), num_words, 0.0), with_means
        ),
        "number_sign_word_ratio": pa.array(
            _ratio(runs.number_signs - texts.headings.signs, num_words)
        ),
        "ellipsis_word_ratio": pa.array(_ratio(runs.ellipses, num_words)),
        "alphabetic_word_ratio": _masked(_ratio(runs.alphabetic, runs.all), runs.all > 0),
        "num_stop_words": pa.array(stop_words, mask=no_list),
    }


def repetition_columns(texts: Texts) -> Columns:
    """Gopher's measures of runs of words that recur."""
    words = texts.plain_words
    top = np.zeros((len(texts), LONGEST_GRAM + 1), np.int64)
    duplicate = np.zeros_like(top)
    _kernels().recurring_grams(
        words.numbers, words.chars, words.starts, LONGEST_GRAM, top, duplicate
    )
    shares = {
        (f"top_{n}" if n in TOP_GRAMS else f"duplicate_{n}"): (top if n in TOP_GRAMS else duplicate)
        for n in range(2, LONGEST_GRAM + 1)
    }
    return {
        f"{name}_gram_char_ratio": pa.array(
            _ratio(counts[:, int(name.rpartition("_")[2])], texts.chars)
        )
        for name, counts in shares.items()
    }


def line_columns(texts: Texts) -> Columns:
    """Measures of lines and paragraphs: of Gopher, C4, FineWeb and Uzushio."""
    lines = _lines(texts)
    num, chars = lines["LINES"], texts.chars
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
    num_words = np.diff(texts.plain_words.starts)
    return {
        **{name: pa.array(_ratio(lines[kind], num)) for name, kind in per_line.items()},
        **{name: pa.array(_ratio(lines[kind], chars)) for name, kind in per_char.items()},
        "duplicate_paragraph_ratio": pa.array(
            _ratio(lines["DUPLICATE_PARAGRAPHS"], lines["PARAGRAPHS"])
        ),
        "repeated_line_char_ratio": pa.array(
            _ratio(lines["DUPLICATE_LINE_CHARS"], lines["LINE_CHARS"])
        ),
        "punctuated_line_ratio": _masked(_ratio(lines["PUNCTUATED_LINES"], num), num > 0),
        "lines_per_word": _masked(_ratio(num, num_words), (num_words > 0) & ~texts.by_script),
        "num_prose_sentences": pa.array(lines["PROSE_SENTENCES"]),
    }


def other_columns(texts: Texts, plain: pa.Array, languages: Sequence[str]) -> Columns:
    """What is asked of whole texts: C4's signs of filler and code, compression, hiragana."""
    japanese = np.array([language == "ja" for language in languages], np.bool_)
    return {
        "has_lorem_ipsum": pc.match_substring(plain, "lorem ipsum", ignore_case=True),
        "has_curly_bracket": pc.match_substring(plain, "{"),
        "compression_ratio": pa.array([compression_ratio(text) for text in plain]),
        "hiragana_ratio": _masked(
            _ratio(texts.alnum_and_hiragana[1], texts.chars), japanese & (texts.chars > 0)
        ),
    }


def listed_columns(texts: Texts, listed_words: Collection[str]) -> Columns:
    """How many words are on the lists of the settings."""
    instances, types = np.zeros((2, len(texts)), np.int64)
    if listed_words:
        tables = word_tables((frozenset(listed_words),))
        of_all = np.zeros(len(texts), np.int32)
        words = texts.plain_words
        _kernels().listed(words.numbers, words.starts, tables, of_all, instances, types)
    return {"num_listed_words": pa.array(instances), "num_listed_word_types": pa.array(types)}


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


@lru_cache(maxsize=1)
def _lz4() -> pa.Codec:
    return pa.Codec("lz4_raw")


def is_without_blanks(languages: Sequence[str]) -> NDArray[np.bool_]:
    """Which of the languages put no blanks between words."""
    return np.array([language in WITHOUT_BLANKS for language in languages], np.bool_)


def _lines(texts: Texts) -> dict[str, I64]:
    from pipeline.quality.kernels import lines as line_kernels  # noqa: PLC0415 - takes half a second
    from pipeline.quality.policy_phrases import notice_finder  # noqa: PLC0415
    from pipeline.text.unicode_tables import text_tables  # noqa: PLC0415

    found = np.zeros((len(texts), line_kernels.NUM_COLUMNS), np.int64)
    short = np.where(texts.by_script, SHORT_WIDE_CHARS, SHORT_CHARS)
    line_kernels.count_lines(
        texts.codes, texts.starts, text_tables().classes, *notice_finder(), texts.by_script,
        short, found,
    )  # fmt: skip
    return {name: found[:, place] for place, name in enumerate(line_kernels.COLUMNS)}


def _stop_words(words: Words, languages: Sequence[str]) -> tuple[I64, NDArray[np.bool_]]:
    """How many different stop words each text has, and which texts have no list."""
    lists = tuple(sorted({frozenset(stop_words_of(label)) for label in set(languages)}, key=sorted))
    places = {stop_words: place for place, stop_words in enumerate(lists)}
    list_of = [places[frozenset(stop_words_of(label))] for label in languages]
    no_list = np.array([not lists[place] for place in list_of], np.bool_)
    instances, types = np.zeros((2, len(languages)), np.int64)
    chosen = np.where(no_list, -1, np.array(list_of, np.int32)).astype(np.int32)
    _kernels().listed(words.numbers, words.starts, word_tables(lists), chosen, instances, types)
    return types, no_list


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
        for number in _numbers(sorted(words)).tolist():
            place = number % slots
            while row[place] not in (0, number):
                place = (place + 1) % slots
            row[place] = number
    return tables


def _numbers(words: Sequence[str]) -> NDArray[np.uint64]:
    found = read_texts(pa.array(words, pa.string())).plain_words
    for word, size in zip(words, np.diff(found.starts), strict=True):
        if size != 1:
            raise ValueError(f"{word!r} is not one word")
    return found.numbers


def _ratio(counts: I64, totals: I64) -> Floats:
    return _per(counts, totals, 0.0)


def _per(counts: I64, totals: I64, without: float) -> Floats:
    """Counts divided by totals; `without` where a total is zero."""
    return np.where(totals > 0, counts / np.maximum(totals, 1), without)


def _masked(values: Floats, is_known: NDArray[np.bool_]) -> pa.Array:
    return pa.array(values, mask=~is_known)


def _kernels() -> Any:
    from pipeline.quality.kernels import ngrams as quality_kernels  # noqa: PLC0415 - takes half a second

    return quality_kernels
