"""What a measure of a document is: its column, its limits, and where both come from."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from skord.extras import declared

NO_LIMIT = (-math.inf, math.inf)
"""Limits of a measure that decides nothing until the settings say so."""


@dataclass(frozen=True)
class Feature:
    """One measure of a document.

    Attributes:
        name: its column, and the name of its limits in the settings.
        low: lowest accepted value, inclusive, unless the settings say otherwise.
        high: highest accepted value, inclusive.
        unit: what the number counts.
        source: where measure and limits come from.
        set: the feature set that it belongs to.
        description: what is measured, and when it is null, in a sentence or two.
        type: Arrow's name for the type of the column.
    """

    name: str
    low: float
    high: float
    unit: str
    source: str
    set: str
    description: str
    type: str = "float64"

    @property
    def field(self) -> pa.Field:
        """The column, with what a reader of the file wants to know as metadata."""
        about = {
            "doc": self.description,
            "unit": self.unit,
            "source": self.source,
            "set": self.set,
        }
        return pa.field(self.name, pa.type_for_alias(self.type), metadata=about)


_INF = math.inf
_SWEB = "SWEb (arXiv 2410.04456), published code"
_GOPHER = "Gopher (arXiv 2112.11446), appendix A1"
_C4 = "C4 (arXiv 1910.10683), section 2.2, and its published code"
_FINEWEB = "FineWeb (arXiv 2406.17557)"
_UZUSHIO = "Uzushio (github.com/WorksApplications/uzushio)"
_OWN = "here"

SWEB = (
    Feature("content_length", 100, _INF, "characters", _SWEB, "sweb",
            "Characters (code points) of the text.", "int64"),
    Feature("ratio_alphanumeric_chars", 0.4, _INF, "share of characters", _SWEB, "sweb",
            "Share of letters and digits, of any script, among all characters."),
    Feature("ratio_headings_per_non_heading_word", 0.0, 0.05, "headings per word", _SWEB, "sweb",
            "Markdown headings (ATX) for each word outside of headings; infinity without one; null "
            "in languages whose words are not known, such as Thai."),
    Feature("unigram_entropy", 3.0, _INF, "nats", _SWEB, "sweb",
            "Entropy of the distribution of words: low when the same words recur. In Japanese and "
            "Chinese, words are runs of one script; null where they are not known, as in Thai."),
    Feature("is_domain_blacklisted", False, False, "truth value", _SWEB, "sweb",
            "Whether the host of the address is a listed domain or lies under one.", "bool"),
)  # fmt: skip

GOPHER = (
    Feature("num_words", 50, 100_000, "words", _GOPHER, "gopher",
            "Words: runs without white space that hold more than punctuation; in Japanese, runs "
            "of one script; null where they are not known, as in Thai.", "int64"),
    Feature("mean_word_length", 3, 10, "characters", _GOPHER, "gopher",
            "Mean length of words without their punctuation; null without a word and in "
            "Japanese."),
    Feature("number_sign_word_ratio", 0, 0.1, "signs per word", _GOPHER, "gopher",
            "Number signs for each word; those that mark a heading are not counted."),
    Feature("ellipsis_word_ratio", 0, 0.1, "ellipses per word", _GOPHER, "gopher",
            "Ellipses, as one character or three full stops, for each word."),
    Feature("bullet_line_ratio", 0, 0.9, "share of lines", _GOPHER, "gopher",
            "Share of lines that begin with a bullet, as a character or in Markdown."),
    Feature("ellipsis_line_ratio", 0, 0.3, "share of lines", _GOPHER, "gopher",
            "Share of lines that end in an ellipsis."),
    Feature("alphabetic_word_ratio", 0.8, 1, "share of words", _GOPHER, "gopher",
            "Share of runs without white space that hold a letter; null without one."),
    Feature("num_stop_words", 2, _INF, "different words", f"{_GOPHER}; lists of other languages: "
            "skord.quality.stop_words", "gopher",
            "How many of the language's most frequent function words occur; null for a language "
            "without a list.", "int64"),
)  # fmt: skip

_TOP_GRAMS = {2: 0.20, 3: 0.18, 4: 0.16}
_DUPLICATE_GRAMS = {5: 0.15, 6: 0.14, 7: 0.13, 8: 0.12, 9: 0.11, 10: 0.10}

REPETITION = (
    Feature("duplicate_line_ratio", 0, 0.3, "share of lines", _GOPHER, "gopher_repetition",
            "Share of lines that repeat an earlier one."),
    Feature("duplicate_paragraph_ratio", 0, 0.3, "share of paragraphs", _GOPHER,
            "gopher_repetition", "Share of paragraphs that repeat an earlier one."),
    Feature("duplicate_line_char_ratio", 0, 0.2, "share of characters", _GOPHER,
            "gopher_repetition", "Share of the text's characters in repeated lines."),
    Feature("duplicate_paragraph_char_ratio", 0, 0.2, "share of characters", _GOPHER,
            "gopher_repetition", "Share of the text's characters in repeated paragraphs."),
    *(
        Feature(f"top_{n}_gram_char_ratio", 0, high, "share of characters", _GOPHER,
                "gopher_repetition",
                f"Share of the text's characters in the most frequent run of {n} words; 0 when "
                "none recurs.")
        for n, high in _TOP_GRAMS.items()
    ),
    *(
        Feature(f"duplicate_{n}_gram_char_ratio", 0, high, "share of characters", _GOPHER,
                "gopher_repetition",
                f"Share of the text's characters in repeated runs of {n} words, each character "
                "counted once.")
        for n, high in _DUPLICATE_GRAMS.items()
    ),
)  # fmt: skip

C4 = (
    Feature("num_prose_sentences", 3, _INF, "sentences", f"{_C4}; phrases of other languages: "
            "here", "c4",
            "Sentences in lines of five or more words that end in a sentence's punctuation "
            "and speak neither of JavaScript nor, as notices do, of cookies, privacy or terms of "
            "use (skord.quality.policy_phrases).", "int64"),
    Feature("has_lorem_ipsum", False, False, "truth value", _C4, "c4",
            "Whether the filler text “lorem ipsum” occurs.", "bool"),
    Feature("has_curly_bracket", False, False, "truth value", _C4, "c4",
            "Whether an opening curly bracket, so probably program code, occurs.", "bool"),
)  # fmt: skip

FINEWEB = (
    Feature("punctuated_line_ratio", 0.12, 1, "share of lines", _FINEWEB, "fineweb",
            "Share of lines that end in the language's terminal punctuation; null without a "
            "line."),
    Feature("short_line_ratio", 0, 0.67, "share of lines", _FINEWEB, "fineweb",
            "Share of lines of at most 30 characters; 10 in Japanese."),
    Feature("repeated_line_char_ratio", 0, 0.1, "share of characters", _FINEWEB, "fineweb",
            "Share of the characters of all lines, breaks left out, in repeated ones."),
    Feature("lines_per_word", 0, 0.3, "lines per word", "FineWeb, published code", "fineweb",
            "Lines, blank ones left out, for each word; null without a word and in Japanese."),
)  # fmt: skip

UZUSHIO = (
    Feature("compression_ratio", 0.35, 1.1, "share of bytes",
            f"{_UZUSHIO}, CompressionRate; limits for Latin script: {_OWN}", "uzushio",
            "Bytes of the first MiB of the text after LZ4 for each byte before; null when "
            "empty."),
    Feature("link_char_ratio", 0, 0.8, "share of characters", f"{_UZUSHIO}, LinkCharRatio",
            "uzushio",
            "Share of the text's characters that links show; null where the links' places are not "
            "known."),
    Feature("adjacent_duplicate_char_ratio", 0, 0.3, "share of characters",
            f"{_UZUSHIO}, AdjacentDuplicateParagraphs; limit: {_OWN}", "uzushio",
            "Share of the text's characters in lines that repeat the one before."),
    Feature("frequent_run_char_ratio", 0, 0.5, "share of characters",
            f"{_UZUSHIO}, LargeFreqParagraphs; as a share, with this limit: {_OWN}", "uzushio",
            "Share of the text's characters in runs of paragraphs that are frequent over the "
            "whole dump; null unless the settings have them counted."),
    Feature("hiragana_ratio", 0.1, 1, "share of characters", f"{_UZUSHIO}, HiraganaRatio",
            "uzushio", "Share of hiragana among all characters; null unless in Japanese."),
)  # fmt: skip

LISTS = (
    Feature("prose_char_ratio", *NO_LIMIT, "share of characters", _OWN, "lists",
            "Share of the characters of all lines in those of five words or more, no rows of tables, that "
            "end in a sentence's punctuation."),
    Feature("stop_word_ratio", *NO_LIMIT, "share of words", f"{_OWN}; lists: skord.quality.stop_words",
            "lists", "Share of words that are among the language's most frequent function words; null for "
            "a language without a list."),
    Feature("is_list", False, False, "truth value", _OWN, "lists",
            "Whether hardly anything is running text, as in lists, tables of names, counts and pages of "
            "links: less than .4 of prose_char_ratio and .11 of stop_word_ratio; null for a language "
            "without a list of stop words.", "bool"),
)  # fmt: skip

WORDS = (
    Feature("num_listed_words", 0, 2, "words", f"{_UZUSHIO}, WordInstances", "words",
            "How often words of the lists in the settings occur.", "int64"),
    Feature("num_listed_word_types", 0, 2, "different words", f"{_UZUSHIO}, WordTypes", "words",
            "How many different words of the lists in the settings occur.", "int64"),
)  # fmt: skip

URL = (
    Feature("is_url_blacklisted", False, False, "truth value", _OWN, "url",
            "Whether the address is a listed one; scheme, `www.`, fragment and final slash do "
            "not count.", "bool"),
)  # fmt: skip

LANGUAGE = (
    Feature("language_score", *NO_LIMIT, "probability", "fastText's language model", "language",
            "Score of the best label; null without a word.", "float32"),
    Feature("scandinavian_score", 0.2, 2, "probability", "SWEb's threshold for a page, on its "
            "text", "language",
            "Sum of the scores of sv, da, no (or nb), nn, is and fo; null without a word, and "
            "for a page that was selected for another language.",
            "float32"),
)  # fmt: skip

PERPLEXITY = (
    Feature("perplexity", *NO_LIMIT, "perplexity", "CCNet (arXiv 1911.00359)", "perplexity",
            "What CCNet's language model makes of the page's plain text; null without a model."),
    Feature("is_bucket_unwanted", False, False, "truth value", "CCNet (arXiv 1911.00359)",
            "perplexity",
            "Whether the settings name buckets (head, middle, tail, all) and the page's is none "
            "of them.", "bool"),
)  # fmt: skip

REFERENCE = (
    Feature("reference_score", *NO_LIMIT, "probability", "skord.models.reference_classifier",
            "reference",
            "How like a page that Wikipedia cites; null without weights.", "float32"),
)  # fmt: skip

FEATURES: tuple[Feature, ...] = (
    *SWEB, *GOPHER, *REPETITION, *C4, *FINEWEB, *UZUSHIO, *LISTS, *WORDS, *URL, *LANGUAGE, *PERPLEXITY,
    *REFERENCE,
)  # fmt: skip
"""Every measure, in the order of the columns and of `failed_filters`."""

SETS = tuple(dict.fromkeys(feature.set for feature in FEATURES))
"""Names of the feature sets."""


@dataclass(frozen=True)
class Label:
    """What a task on request calls a text; can be published, and has no limits.

    Attributes:
        description: what it measures, when it is null, and which task writes it.
        is_list: whether a text can have several.
        is_counted: whether the report counts the texts that have each.
    """

    name: str
    description: str
    is_list: bool = False
    is_counted: bool = False

    @property
    def field(self) -> pa.Field:
        """The column."""
        return pa.field(self.name, pa.list_(pa.string()) if self.is_list else pa.string())


@dataclass(frozen=True)
class TextModel:
    """A measure of FilterDocuments that an extra takes, where a setting names a model for it.

    Attributes:
        feature: name of the measure, which is null without a model.
        load: path of the model to the model; it has a `name` and `scores(texts)`.
    """

    feature: str
    load: Callable[[str], Any]


def features_of_extras() -> tuple[Feature, ...]:
    """Measures of tasks on request; `[ExportCorpus] limits` and `what-if` decide by them.

    Their own limits are what the cards suggest, and decide nothing.
    """
    return declared(Feature)


def limitable_features() -> tuple[Feature, ...]:
    """Every measure that limits can name."""
    return (*FEATURES, *features_of_extras())


def publishable() -> tuple[Feature | Label, ...]:
    """What can be a column of the corpus besides those that every row has, in their order there."""
    return (*limitable_features(), *declared(Label))


def tasks_on_request() -> tuple[str, ...]:
    """Names of the tasks on request whose measures and labels the export can use."""
    described = (one.description for one in (*features_of_extras(), *declared(Label)))
    return tuple(dict.fromkeys(text.rpartition("By ")[2].rstrip(".") for text in described))


def feature_schema() -> pa.Schema:
    """A column for each feature."""
    return pa.schema([feature.field for feature in FEATURES])


def features_on_request(task: str) -> tuple[Feature, ...]:
    """The measures that a task on request takes."""
    return tuple(one for one in features_of_extras() if _is_by(one, task))


def published_on_request(task: str) -> list[str]:
    """Names of all that a task on request measures of a text and the export can publish."""
    return [one.name for one in publishable() if _is_by(one, task)]


def _is_by(one: Feature | Label, task: str) -> bool:
    return one.description.endswith(f"By {task}.")
