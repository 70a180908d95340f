"""Make a language's file, perplexity model and grammar in a folder: `skord language LANG --out`."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.core.failures import ConfigError
from skord.extras.evaluation.counted_language import Counted, toml_of
from skord.models.grammar.forms import BUNDLED, dictionary_path, load_forms
from skord.models.grammar.induce import write_grammar
from skord.models.grammar.interface import ENDING as GRAMMAR_ENDING
from skord.models.grammar.own import own_grammar
from skord.models.grammar.treebanks.conllu import Sentence
from skord.models.language_model.kenlm_programs import NgramRecipe
from skord.models.language_model.train import Recipe, train_language_model
from skord.text.own_languages import ENDING, read_languages

SMALL_BYTES = 30_000_000
SMALL = Recipe(
    vocab_size=4000,
    lines_at_most=10,
    held_every=10,
    ngrams=NgramRecipe(prune=(0, 0, 0, 1, 1), quantised=True, memory="2G"),
)
"""Of up to `SMALL_BYTES` characters, as the shipped models; more text bears CCNet's own numbers."""
TREES_AS_TEXT = "treebank.txt"


def make_language(
    code: str, options: argparse.Namespace, counts: Counted, trees: Sequence[Sentence]
) -> Iterator[str]:
    """Write what text and trees give; yields what was made, what is missing and how to use it.

    Raises:
        ConfigError: nothing can be made of what was given.
    """
    options.out.mkdir(parents=True, exist_ok=True)
    yield from _write_words(code, options.out, counts, bool(trees))
    yield from _or_why_not("perplexity and buckets", _language_model(code, options, trees))
    if trees:
        yield from _or_why_not("grammar", _grammar(code, options, trees))
    else:
        yield "grammar: not made, for there is no --treebank: GradeDocuments will say no_grammar"
    yield f"\nuse it: skord run … --languages {code}, with these lines in luigi.cfg"
    yield f"[languages]\nfolder = {options.out}"


def _write_words(code: str, out: Path, counts: Counted, of_trees: bool) -> Iterator[str]:
    path = out / f"{code}{ENDING}"
    if path.exists():
        yield f"{path} is there already, and stays as it is: remove it to have it counted anew"
        return
    path.write_text(toml_of(code, counts), encoding="utf-8")
    read_languages.cache_clear()
    read_languages(str(out))
    source = "words of closed classes" if of_trees else "the most frequent words: look them over"
    yield f"{path}: stop words {' '.join(counts.stop_words)} ({source})"
    yield f"    ends of sentences besides the usual: {counts.sentence_ends or 'none'}"
    if counts.tells_charsets:
        yield (
            f"    letters {' '.join(counts.per_mille)} and {len(counts.known_words)} words for "
            f"pages without a charset, which may be in {', '.join(counts.charsets)}"
        )
    else:
        yield "    no rule for letters: chardet guesses the charset of pages that do not say it"
    yield "    notices: none; phrases of notices on cookies have to be written by a person"


def _or_why_not(part: str, made: Iterator[str]) -> Iterator[str]:
    """What a part tells, or the one sentence why it could not be made."""
    try:
        yield from made
    except ConfigError as error:
        yield f"{part}: not made: {error}"


def _language_model(
    code: str, options: argparse.Namespace, trees: Sequence[Sentence]
) -> Iterator[str]:
    texts = list(options.text)
    lent = options.out / f".{code}.{TREES_AS_TEXT}"
    if not texts:
        lent.write_text("\n".join(tree.text for tree in trees) + "\n", encoding="utf-8")
        texts = [lent]
    size = sum(path.stat().st_size * (4 if path.suffix == ".gz" else 1) for path in texts)
    large = dataclasses.replace(Recipe(), lines_at_most=SMALL.lines_at_most)
    try:
        told = train_language_model(
            code, texts, options.pages, options.out, SMALL if size < SMALL_BYTES else large
        )
    finally:
        lent.unlink(missing_ok=True)
    yield f"perplexity and buckets: {told}"
    if not options.pages:
        yield (
            "    limits of the text itself put most pages of a crawl into the tail: set them by "
            "pages of yours, with --pages or skord.models.language_model.cutoffs"
        )


def _grammar(code: str, options: argparse.Namespace, trees: Sequence[Sentence]) -> Iterator[str]:
    search = f"{options.out}:{BUNDLED}"
    dictionary = dictionary_path(code, search)
    made = own_grammar(code, trees, load_forms(code, search), options.treebank[0].name)
    path = options.out / f"{code}{GRAMMAR_ENDING}"
    size = write_grammar(made.grammar, path)
    yield (
        f"grammar: {path}, {size:,} bytes, {len(made.grammar.chunks):,} chunks, "
        f"{len(made.grammar.lexicon):,} words; "
        + (f"word forms of {dictionary.name}" if dictionary else "no dictionary of word forms")
    )
    if made.areas:
        areas = ", ".join(f"{area:.3f} at {words} words" for words, area in made.areas.items())
        yield f"    good text told from spoilt on held-out trees: AUC {areas}"
    else:
        yield "    too little text for the weights of grammaticality, which is null"
