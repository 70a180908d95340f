"""Make the shipped grammars: chunks, lexicon, endings, and the weights of `grammaticality`.

    python -m skord.models.grammar.train --data FOLDER [FOLDER …] [--only lv sv] [--out FOLDER]

The folders hold the treebanks that `materials` names; CARD.md says where each is from. Weights
are fitted to grades of held-out text by grammars that have not seen it; the grammar itself is
then made of everything. Half a minute of CPU for each language; equal input, equal bytes.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Sequence
from pathlib import Path

from skord.models.grammar.evaluation.measure import calibrated_on, grade_folds
from skord.models.grammar.grammar import ChunkGrammar
from skord.models.grammar.induce import MAX_BYTES, Recipe, induce_grammar, write_grammar
from skord.models.grammar.interface import ENDING, SHIPPED
from skord.models.grammar.treebanks.materials import (
    ALSO_SHIPPED,
    MATERIALS,
    find_material,
    read_treebanks,
)


def shipped_grammar(language: str, folders: Sequence[Path]) -> ChunkGrammar:
    """The grammar of a language out of all its treebanks, with weights in its head."""
    material = MATERIALS[language]
    names = [*material.own, *ALSO_SHIPPED.get(language, [])]
    relatives = [name for code in material.relatives for name in MATERIALS[code].own]
    grammar = induce_grammar(
        language,
        read_treebanks(names, folders),
        read_treebanks(relatives, folders),
        Recipe(tag_map=material.tag_map),
        {name: find_material(name, folders).parent.name for name in (*names, *relatives)},
    )
    weights = dataclasses.asdict(calibrated_on(grade_folds(language, folders)))
    return dataclasses.replace(grammar, head={**grammar.head, "calibration": weights})


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m skord.models.grammar.train", description=__doc__
    )
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--only", nargs="+", choices=sorted(MATERIALS), default=list(MATERIALS))
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    too_large = []
    for language in options.only:
        grammar = shipped_grammar(language, options.data)
        size = write_grammar(grammar, options.out / f"{language}{ENDING}")
        print(
            f"{language}: {size:,} bytes, {len(grammar.tags)} tags, {len(grammar.chunks):,} "
            f"chunks, {len(grammar.lexicon):,} words, {len(grammar.suffixes):,} endings",
            flush=True,
        )
        too_large += [language] if size > MAX_BYTES else []
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
