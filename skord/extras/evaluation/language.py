"""What there is for a language, what happens without the rest, and the command that makes it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from skord.core.failures import ConfigError
from skord.extras.evaluation.counted_language import Counted, count_language, read_text
from skord.extras.evaluation.new_language import make_language
from skord.models.grammar.forms import BUNDLED, dictionary_path
from skord.models.grammar.interface import EMBEDDED as GRAMMARS
from skord.models.grammar.interface import graded_languages
from skord.models.grammar.treebanks.conllu import Sentence, read_treebank
from skord.models.language_id.lid176 import load_language_model
from skord.models.language_model.interface import EMBEDDED, load_language_models
from skord.quality.policy_phrases import POLICY_PHRASES
from skord.quality.stop_words import stop_words_of
from skord.records.conversion import rules_with
from skord.text.languages import LABEL_OF_CODE, SCANDINAVIAN, check_languages
from skord.text.own_languages import own_languages, with_own_folder

MOST_WORDS = 30


def run(options: argparse.Namespace) -> None:
    """Print what there is; count what is given, and make what is asked for."""
    code = options.code
    try:
        check_languages([code], load_language_model("").labels)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    if options.pages and not options.out:
        raise ConfigError("--pages set the limits of a model that is made: say --out FOLDER, too")
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
    one_command = f"skord language {code} --text FILE --treebank FILE --out FOLDER"
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
         "perplexity is null, every page's bucket is all", f"{one_command}, after `make lmplz`"),
        ("grammar", not {label, code}.isdisjoint(grammars), "GradeDocuments says no_grammar",
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
    yield "main text needs nothing: the line classifier reads any language, best those taught"


def lines_of(counts: Counted) -> Iterator[str]:
    """What was counted, for a terminal."""
    frequent = [word for word, _ in counts.words.most_common(MOST_WORDS)]
    yield f"most frequent words: {' '.join(frequent) or 'none'}"
    yield f"stop words: {' '.join(counts.stop_words) or 'none'}"
    yield f"ends of sentences besides the usual: {counts.sentence_ends or 'none'}"
    letters = [f"{letter} {share}" for letter, share in counts.per_mille.items()]
    yield f"letters beyond a to z, of a thousand of them: {', '.join(letters) or 'none'}"
