"""Treebanks in CoNLL-U, packed or not (https://universaldependencies.org/format.html)."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError

Kept = Mapping[str, Sequence[str]]

MEDIUM: Kept = {
    "NOUN": ("Case", "Number", "Definite"),
    "PROPN": ("Case",),
    "ADJ": ("Case", "Number", "Definite"),
    "DET": ("Case", "Number"),
    "PRON": ("Case", "Number", "PronType"),
    "VERB": ("VerbForm", "Mood", "Person", "Case"),
    "AUX": ("VerbForm", "Mood"),
}

SHARED: Kept = {
    "NOUN": ("Case", "Number", "Definite"),
    "PROPN": ("Case",),
    "ADJ": ("Number", "Definite"),
    "DET": ("Number",),
    "PRON": ("Case", "PronType"),
    "VERB": ("VerbForm",),
    "AUX": ("VerbForm",),
}

TAG_MAPS = {"medium": MEDIUM, "shared": SHARED}

PUNCT = "PUNCT"


def tag_of(token: Token, kept: Kept) -> str:
    """Part of speech and the values of the features kept, in their order.

    >>> tag_of(Token("hunds", "NOUN", "Case=Gen|Gender=Com|Number=Sing", 0, "root"), MEDIUM)
    'NOUN|Gen|Sing'
    """
    wanted = kept.get(token.part)
    if not wanted or token.features == "_":
        return token.part
    features = dict(pair.split("=", 1) for pair in token.features.split("|") if "=" in pair)
    return "|".join([token.part, *(features[name] for name in wanted if name in features)])


COLUMNS = 10


@dataclass(frozen=True)
class Token:
    """One word of a tree.

    Attributes:
        form: as written.
        part: of speech.
        features: `Name=Value|…`, or `_`.
        head: place of the head in the sentence, from 0; -1 for the root.
        relation: without its subtype; relations of version 1 stay as they are.
        lemma: `_` where the treebank has none.
    """

    form: str
    part: str
    features: str
    head: int
    relation: str
    lemma: str = "_"


@dataclass(frozen=True)
class Sentence:
    """The words of a tree, its text, and the document it is from, if the file tells."""

    tokens: tuple[Token, ...]
    text: str
    document: str


def read_treebank(path: Path) -> list[Sentence]:
    """The sentences of a file, `.conllu`, `.conllu.gz` or `.conllu.xz`.

    Raises:
        ConfigError: there is no such file, or it is not CoNLL-U.
    """
    unpack = {".gz": gzip.decompress, ".xz": lzma.decompress}.get(path.suffix, bytes)
    try:
        return list(parse_sentences(unpack(path.read_bytes()).decode().split("\n")))
    except (OSError, ValueError, EOFError, lzma.LZMAError) as error:
        raise ConfigError(f"{path} cannot be read as CoNLL-U: {error}") from error


def parse_sentences(lines: Iterable[str]) -> Iterator[Sentence]:
    r"""Sentences out of lines; ranges ("1-2") and empty nodes ("1.1") are left out.

    >>> lines = ["# text = Hon ser.\n", "1\tHon\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n",
    ...          "2\tser\t_\tVERB\t_\t_\t0\troot\t_\t_\n", "\n"]
    >>> [sentence] = parse_sentences(lines)
    >>> sentence.text, [token.head for token in sentence.tokens]
    ('Hon ser.', [1, -1])
    """
    tokens: list[Token] = []
    text = document = ""
    for line in [*lines, "\n"]:
        if line.startswith("#"):
            name, _, value = line[1:].strip().partition(" = ")
            text = value if name == "text" else text
            document = value if name == "newdoc id" else document
        elif line.strip():
            if token := _conllu_token(line.rstrip("\n").split("\t")):
                tokens.append(token)
        elif tokens:
            yield Sentence(tuple(tokens), text or plain_text(tokens), document)
            tokens, text = [], ""


def plain_text(tokens: Iterable[Token]) -> str:
    """The sentence as running text, where the file does not have it: signs after their word."""
    words = "".join(
        token.form if token.part == "PUNCT" and token.form not in "(–«" else f" {token.form}"
        for token in tokens
    )
    return words.replace("( ", "(").strip()


def _conllu_token(cells: list[str]) -> Token | None:
    if len(cells) != COLUMNS:
        raise ValueError(f"a line has {len(cells)} columns, not {COLUMNS}")
    number, form, lemma, part, _, features, head, relation, _, _ = cells
    if not number.isdigit():
        return None
    part, relation = _PARTS.get(part, part), relation.partition(":")[0]
    return Token(form, part, features, int(head) - 1, relation, lemma)


_PARTS = {"CONJ": "CCONJ"}
"""Parts of speech as version 1 had them."""
