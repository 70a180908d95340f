"""The treebanks of each language, what is held out of them, and snippets to measure with.

Files are looked up by name in the folders given, at any depth; `.conllu`, or packed with gzip.
Where there is a treebank to spare it is held out whole; Danish, Bokmål and Nynorsk are measured
by five-fold cross-validation, each fold a stretch of running text.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from itertools import pairwise
from pathlib import Path

from skord.core.failures import ConfigError
from skord.models.grammar.evaluation.corruptions import Surroundings, is_word
from skord.models.grammar.treebanks.conllu import PUNCT, Sentence, read_treebank
from skord.models.grammar.word_classes import word_tokens

FOLDS = 5
_FIELD = re.compile(r"(?:- )?[a-z_]+:(?:\s|$)")
Snippet = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Material:
    """What a language's grammar is made of and measured on.

    Attributes:
        held_out: treebanks to measure on; empty for cross-validation over `own`.
        relatives: languages whose trees lend chunks.
        tag_map: of `tags`.
        sister: the language of `sister` words in corruptions.
        elsewhere: text of other kinds than the treebanks', or treebanks, to measure on.
    """

    own: Sequence[str]
    held_out: Sequence[str] = ()
    relatives: Sequence[str] = ()
    tag_map: str = "medium"
    sister: str = ""
    elsewhere: Sequence[str] = ()


MATERIALS: Mapping[str, Material] = {
    "lv": Material(
        own=["fullstack_ud_open"],
        held_out=["lv_lvtb-ud-dev"],
        sister="lt",
    ),
    "sv": Material(
        own=["sv_talbanken-ud-train-7c4a838e"],
        held_out=["sv_talbanken-ud-dev"],
        sister="nb",
        elsewhere=["sv_lines-ud-dev", "sfs_statutes"],
    ),
    "da": Material(
        own=["da_ddt-ud-dev"],
        relatives=["nb", "nn"],
        tag_map="shared",
        sister="nb",
        elsewhere=["dat2cph", "adl_literature"],
    ),
    "nb": Material(
        own=["no_bokmaal-ud-dev"],
        relatives=["da", "nn"],
        tag_map="shared",
        sister="nn",
        elsewhere=["kodeklubben", "norec_fine_dev_NC"],
    ),
    "nn": Material(
        own=["no_nynorsk-ud-dev"],
        relatives=["da", "nb"],
        tag_map="shared",
        sister="nb",
        elsewhere=["no_nynorsklia-ud-dev", "kodeklubben"],
    ),
    "is": Material(
        own=[
            "is_modern-ud-train-e2dd0dc0",
            "1888.grimur.nar-fic",
            "1888.vordraumur.nar-fic",
            "1907.leysing.nar-fic",
            "1908.ofurefli.nar-fic",
            "2008.ofsi.nar-sag",
        ],
        held_out=["is_modern-ud-dev"],
        sister="fo",
        elsewhere=["is_gc-ud-dev", "ruv_rmh2018", "althingi_rmh2018", "lagasafn_statutes"],
    ),
}

ALSO_SHIPPED = {"is": ["is_gc-ud-dev", "is_modern-ud-dev"], "lv": ["lv_lvtb-ud-dev"]}
"""Held out for the figures, but in the shipped grammar. (Swedish: the old treebank and the new
one differ in features, and the new one stays held out.)"""


@dataclass(frozen=True)
class Fold:
    """Trees to learn from, trees of relatives, and trees to measure on."""

    own: Sequence[Sentence]
    also: Sequence[Sentence]
    test: Sequence[Sentence]


def find_material(name: str, folders: Sequence[Path], language: str = "") -> Path:
    """The file of that name, whatever its ending; of texts, that in the language's folder.

    Raises:
        ConfigError: no folder has it.
    """
    for folder in folders:
        for path in sorted(folder.rglob(f"{name}.*")):
            if path.suffix in (".gz", ".conllu") and (not language or path.parent.name == language):
                return path
    raise ConfigError(f"{name}.conllu is in none of {', '.join(map(str, folders))}")


def read_treebanks(names: Sequence[str], folders: Sequence[Path]) -> list[Sentence]:
    """The sentences of several treebanks."""
    return [sentence for name in names for sentence in read_treebank(find_material(name, folders))]


def treebank_folds(language: str, folders: Sequence[Path]) -> Iterator[Fold]:
    """What to learn from and what to measure on; no sentence is in both."""
    material = MATERIALS[language]
    own = read_treebanks(material.own, folders)
    also = read_treebanks([n for code in material.relatives for n in MATERIALS[code].own], folders)
    if material.held_out:
        test = read_treebanks(material.held_out, folders)
        texts = {sentence.text for sentence in test}
        yield Fold([s for s in own if s.text not in texts], also, test)
        return
    size = len(own) // FOLDS
    for number in range(FOLDS):
        start, end = number * size, (number + 1) * size if number < FOLDS - 1 else len(own)
        yield Fold([*own[:start], *own[end:]], also, own[start:end])


def running_words(sentences: Sequence[Sentence]) -> list[list[str]]:
    """The words and signs of each sentence."""
    return [[token.form for token in sentence.tokens] for sentence in sentences]


def text_lines(name: str, folders: Sequence[Path], language: str) -> list[list[str]]:
    """Words and signs of each line of a text, or of each sentence of a treebank.

    Fields of a front matter are no text: number, date and address of each Swedish statute.
    """
    path = find_material(name, folders, "" if "-ud-" in name else language)
    if "-ud-" in name:
        return running_words(read_treebank(path))
    with gzip.open(path, "rt", encoding="utf-8") as file:
        text = [line.strip() for line in file if not _FIELD.match(line)]
    return [words for line in text if (words := word_tokens(line))]


def sentence_snippets(lines: Sequence[Sequence[str]], words: int) -> list[Snippet]:
    """Consecutive sentences until there are so many words; ones under three words go."""
    snippets_so_far: list[Snippet] = []
    current: list[Sequence[str]] = []
    length = 0
    for line in lines:
        own = sum(map(is_word, line))
        if own < 3:
            continue
        current.append(line)
        length += own
        if length >= words:
            snippets_so_far.append(current)
            current, length = [], 0
    return snippets_so_far


def corruption_material(language: str, fold: Fold, folders: Sequence[Path]) -> Surroundings:
    """What the corruptions of a fold's snippets draw on."""
    return replace(
        surroundings_of(fold.own, fold.test),
        menu=menu_items(language),
        english=_words_in("en", folders),
        sister=_words_in(MATERIALS[language].sister, folders),
        legacy="cp1257" if language == "lv" else "cp1252",
    )


def surroundings_of(own: Sequence[Sentence], test: Sequence[Sentence]) -> Surroundings:
    """What can be drawn from the sentences themselves: no menus and no other languages."""
    tokens_of = (token for sentence in test for token in sentence.tokens)
    words = [token for token in tokens_of if token.part != PUNCT and is_word(token.form)]
    following: defaultdict[str, list[str]] = defaultdict(list)
    for line in running_words(own):
        for word, after in pairwise(line):
            following[word].append(after)
    return Surroundings(
        words=[token.form for token in words],
        following=following,
        lemmas={token.form: token.lemma for token in words if token.lemma not in ("", "_")},
        nouns=[token.form for token in words if token.part == "NOUN"] or [words[0].form],
        menu=(),
        english=(),
        sister=(),
    )


def menu_items(language: str) -> list[str]:
    """What the menus of a language's sites say; our own list."""
    text = (
        resources.files("skord.models.grammar").joinpath("menus.json").read_text(encoding="utf-8")
    )
    items: dict[str, str] = json.loads(text)
    return items[language].split("|")


def _words_in(language: str, folders: Sequence[Path]) -> list[str]:
    return [w for line in text_lines("ud", folders, language) for w in line if is_word(w)]
