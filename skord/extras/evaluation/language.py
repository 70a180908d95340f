"""What there is for a language, what happens without the rest, and the command that makes it."""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.core.failures import ConfigError
from skord.extras.evaluation.counted_language import Counted, count_language, read_text, toml_of
from skord.models.grammar.forms import BUNDLED, dictionary_path, load_forms
from skord.models.grammar.induce import write_grammar
from skord.models.grammar.interface import EMBEDDED as GRAMMARS
from skord.models.grammar.interface import ENDING as GRAMMAR_ENDING
from skord.models.grammar.interface import graded_languages
from skord.models.grammar.own import own_grammar
from skord.models.grammar.treebanks.conllu import Sentence, read_treebank
from skord.models.language_id.lid176 import load_language_model
from skord.models.language_model.interface import EMBEDDED, load_language_models
from skord.models.language_model.train import NgramRecipe, Recipe, train_language_model
from skord.models.published import CCNET_LANGUAGES
from skord.quality.policy_phrases import POLICY_PHRASES
from skord.quality.stop_words import stop_words_of
from skord.records.conversion import rules_with
from skord.text.languages import LABEL_OF_CODE, SCANDINAVIAN, UNLISTED, check_languages
from skord.text.own_languages import ENDING, own_languages, read_languages, with_own_folder

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
    """Write what text and trees give; yields what was made, what is missing and how to use it."""
    options.out.mkdir(parents=True, exist_ok=True)
    yield from _write_words(code, options.out, counts, bool(trees))
    yield from _or_why_not("perplexity and buckets", _language_model(code, options, trees))
    if trees:
        yield from _or_why_not("grammar", _grammar(code, options, trees))
    else:
        yield "grammar: not made, for there is no --treebank: GradeDocuments will give no_grammar"
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
    if counts.knows_charsets:
        yield (
            f"    letters {' '.join(counts.per_mille)} and {len(counts.known_words)} words for "
            f"pages without a charset, which may be in {', '.join(counts.charsets)}"
        )
    else:
        yield "    no rule for letters: chardet guesses the charset of pages that do not say it"
    yield "    notices: none; phrases of notices on cookies have to be written by a person"


def _or_why_not(part: str, made: Iterator[str]) -> Iterator[str]:
    """The lines of a part, or the one sentence why it could not be made."""
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
        sentence = train_language_model(
            code, texts, options.pages, options.out, SMALL if size < SMALL_BYTES else large
        )
    finally:
        lent.unlink(missing_ok=True)
    yield f"perplexity and buckets: {sentence}"
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
        yield f"    good text separated from spoilt on held-out trees: AUC {areas}"
    else:
        yield "    too little text for the weights of grammaticality, which is null"


MOST_WORDS = 30


def run(options: argparse.Namespace) -> None:
    """Print what there is; count what is given, and make what is asked for."""
    code = options.code
    try:
        check_languages([code], [*load_language_model("").labels, *UNLISTED])
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if options.pages and not options.out:
        raise ConfigError("--pages set the limits of a model that is made: give --out FOLDER, too")
    lines, trees = read_text(options.text), _trees(options.treebank)
    if options.out:
        if not (lines or trees):
            raise ConfigError("--out makes files out of text: give --text, --treebank or both")

        for line in make_language(code, options, count_language(code, lines, trees), trees):
            print(line, flush=True)
        return
    print("\n".join(language_report(code)))
    if lines or trees:
        print("\n".join(lines_of(count_language(code, lines, trees))))


def _trees(paths: Sequence[Path]) -> list[Sentence]:
    trees = [sentence for path in paths for sentence in read_treebank(path)]
    if paths and not trees:
        raise ConfigError(f"{paths[0]} has no sentence")
    return trees


def language_report(code: str) -> Iterator[str]:
    """A line for each part, with what happens without it."""
    label = LABEL_OF_CODE.get(code, code)
    own = own_languages()
    models = load_language_models(with_own_folder(EMBEDDED)).languages
    grammars = graded_languages(with_own_folder(GRAMMARS))
    lettered = {rule.language for rule in rules_with(own.letters)}
    one_command = f"skord study language {code} --text FILE --treebank FILE --out FOLDER"
    published = f"skord study models {code} --fetch, or " if code in CCNET_LANGUAGES else ""
    parts = [
        ("selection", True, "", f"skord run … --languages {code}"),
        (
            "telling close languages apart",
            label in SCANDINAVIAN,
            "the scores are lid.176's own, and scandinavian_score is null",
            "python -m skord.models.scandinavian.train, for Scandinavian languages alone",
        ),
        ("stop words", bool(stop_words_of(label, own.stop_words)),
         "num_stop_words and stop_word_share are null and decide nothing", one_command),
        ("sentence ends", True, "", "as in most scripts, . ! ? … and their wide forms"
         + (f", and {own.sentence_ends[code]}" if code in own.sentence_ends else "")),
        ("notices on cookies and use", code in POLICY_PHRASES or bool(own.notices),
         "a line is known as a notice only in the languages that have phrases",
         f"notices in FOLDER/{code}.toml, which a person has to write"),
        ("perplexity and buckets", not {label, code}.isdisjoint(models),
         "perplexity is null, every page's bucket is all", f"{published}{one_command}, after `make lmplz`"),
        ("grammar", not {label, code}.isdisjoint(grammars), "GradeDocuments gives no_grammar",
         one_command),
        ("dictionary", dictionary_path(code, with_own_folder(BUNDLED)) is not None,
         "a grammar knows the words of its treebank alone",
         f"{code}.aff and {code}.dic of hunspell in FOLDER"),
        ("letters of pages without a charset", not {code, label}.isdisjoint(lettered),
         "chardet guesses", one_command),
    ]  # fmt: skip
    for name, is_there, without, how in parts:
        yield f"{name:<36}{'yes' if is_there else 'no'}"
        if not is_there:
            yield f"    without it: {without}"
            yield f"    to add it:  {how}"
        elif not without:
            yield f"    with: {how}"
    yield "main text needs nothing: the line classifier reads any language, best those it was trained on"


def lines_of(counts: Counted) -> Iterator[str]:
    """What was counted, for a terminal."""
    frequent = [word for word, _ in counts.words.most_common(MOST_WORDS)]
    yield f"most frequent words: {' '.join(frequent) or 'none'}"
    yield f"stop words: {' '.join(counts.stop_words) or 'none'}"
    yield f"ends of sentences besides the usual: {counts.sentence_ends or 'none'}"
    letters = [f"{letter} {share}" for letter, share in counts.per_mille.items()]
    yield f"letters beyond a to z, of a thousand of them: {', '.join(letters) or 'none'}"
