"""What there is for a language, what happens without the rest, and how each is added."""

from __future__ import annotations

import argparse
import gzip
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from models.grammar.interface import EMBEDDED as GRAMMARS
from models.grammar.interface import graded_languages
from models.language_id.languages import LABEL_OF_CODE, SCANDINAVIAN, check_languages
from models.language_id.lid176 import load_language_model
from models.language_model.interface import EMBEDDED, load_language_models
from pipeline.core.failures import ConfigError
from pipeline.html.charset.letter_rules import RULES
from pipeline.quality.stop_words import stop_words_of

MOST_WORDS = 30
_WORD = re.compile(r"[^\W\d_]+")
_ENDS = re.compile(r"([^\w\s]+)\s*$", re.MULTILINE)


def run(options: argparse.Namespace) -> None:
    """Print it, and what text in the language tells."""
    code = options.code
    try:
        check_languages([code], load_language_model("").labels)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    print("\n".join(told(code)))
    if options.text:
        print("\n".join(counted(options.text)))


def told(code: str) -> Iterator[str]:
    """A line for each part, with what happens without it."""
    label = LABEL_OF_CODE.get(code, code)
    models = load_language_models(EMBEDDED).languages
    lettered = {rule.language for rule in RULES}
    parts = [
        ("selection", True, "", f"skord run … --languages {code}"),
        (
            "telling close languages apart",
            label in SCANDINAVIAN,
            "the scores are lid.176's own, and scandinavian_score is null",
            "python -m models.scandinavian.train, for Scandinavian languages alone",
        ),
        ("stop words", bool(stop_words_of(label)), "num_stop_words is null and decides nothing",
         "skord language CODE --text FILE lists candidates for pipeline/quality/stop_words.py"),
        ("perplexity and buckets", label in models or code in models,
         "perplexity is null, every page's bucket is all",
         f"python -m models.language_model.train {code} --text FILE --out FOLDER, then "
         "[CCNet] language_models = FOLDER"),
        ("grammar", code in graded_languages(GRAMMARS) or label in graded_languages(GRAMMARS),
         "GradeDocuments says no_grammar",
         "python -m models.grammar.induce, of a treebank; then [GradeDocuments] grammars"),
        ("letters of pages without a charset", not {code, label}.isdisjoint(lettered),
         "chardet guesses", "pipeline/html/charset/letter_rules.py"),
    ]  # fmt: skip
    for name, is_there, without, how in parts:
        yield f"{name:<36}{'yes' if is_there else 'no'}"
        if not is_there:
            yield f"    without it: {without}"
            yield f"    to add it:  {how}"
        elif not without:
            yield f"    with: {how}"
    yield "main text needs nothing: the line classifier reads any language, best those taught"


def counted(files: Sequence[Path]) -> Iterator[str]:
    """The most frequent words, ends of lines, and letters beyond a to z, of some text.

    Raises:
        ConfigError: a file is not there, or is no text.
    """
    words: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    for path in files:
        try:
            opened = gzip.open if path.suffix == ".gz" else open
            with opened(path, "rt", encoding="utf-8") as lines:
                text = lines.read().lower()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"{path} cannot be read as text ({error})") from error
        words.update(_WORD.findall(text))
        ends.update(_ENDS.findall(text))
        letters.update(filter(lambda one: one.isalpha() and one > "z", text))
    yield f"most frequent words: {_listed(words, MOST_WORDS)}"
    yield f"ends of lines: {_listed(ends, 8)}"
    yield f"letters beyond a to z: {_listed(letters, MOST_WORDS)}"


def _listed(counts: Counter[str], most: int) -> str:
    return " ".join(word for word, _ in counts.most_common(most)) or "none"
