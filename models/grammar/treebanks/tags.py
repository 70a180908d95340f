"""Tags of a chunk grammar: part of speech and the few features that word order hangs on.

More features make the grammar sharper and the lexicon poorer; these were the best of what was
tried. Danish, Bokmål and Nynorsk share theirs, so that their treebanks can be pooled: a tag
sequence of one is a tag sequence of the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from skord.models.grammar.treebanks.conllu import Token

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
