"""Make a chunk grammar of a language out of treebanks.

    python -m skord.models.grammar.induce lv treebank.conllu.gz … --out lv.grammar.xz

Recipe: a tag is a part of speech with the features of a tag map; a chunk is the tag sequence of
any constituent of two to five words (`constituent_spans`) that occurs at least twice as often as among the
same tags shuffled within their sentences (a hapax that chance never makes stays); the lexicon has
every form with the tags of at least 3 % of its occurrences; the suffix table has endings of up to
five letters of the rarer words of open classes. `--also` names treebanks of close relatives, of
which only the chunks are taken.
"""

from __future__ import annotations

import argparse
import lzma
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from skord.models.grammar.grammar import (
    LONGEST_CHUNK,
    LONGEST_SUFFIX,
    ChunkGrammar,
    dump_grammar,
)
from skord.models.grammar.treebanks.conllu import (
    PUNCT,
    TAG_MAPS,
    Kept,
    Sentence,
    Token,
    read_treebank,
    tag_of,
)

CLINGING = frozenset(
    {"case", "det", "aux", "cop", "mark", "cc", "fixed", "flat", "compound"}
    | {"auxpass", "neg", "name", "mwe"}
)
"""Relations of words that must come along: without them what is left is no constituent.

The last four are those of version 1 of Universal Dependencies.
"""


def constituent_spans(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Start and end of every constituent of two to five words without punctuation.

    One word of the span hangs on something outside (or is the root), all others inside; and no
    word outside clings to one inside.

    >>> tree = [Token(*cells) for cells in (("på", "ADP", "_", 2, "case"), ("ett", "DET", "_", 2,
    ...         "det"), ("tak", "NOUN", "_", 3, "obl"), ("sitter", "VERB", "_", -1, "root"))]
    >>> sorted(constituent_spans(tree))
    [(0, 3), (0, 4)]
    """
    reach = _subtree_reach(tokens)
    for start in range(len(tokens)):
        for end in range(start + 1, min(len(tokens), start + LONGEST_CHUNK) + 1):
            if tokens[end - 1].part == PUNCT:
                break
            if end - start > 1 and _hangs_together(tokens, reach, start, end):
                yield start, end


def _hangs_together(
    tokens: Sequence[Token], reach: Sequence[tuple[int, int]], start: int, end: int
) -> bool:
    outside = sum(not start <= tokens[at].head < end for at in range(start, end))
    return outside == 1 and all(
        start <= reach[at][0] and reach[at][1] < end for at in range(start, end)
    )


def _subtree_reach(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """For each word, the leftmost and rightmost of it and what clings to it."""
    reach = [(at, at) for at in range(len(tokens))]
    for at, token in enumerate(tokens):
        if token.head >= 0 and token.relation in CLINGING:
            low, high = reach[token.head]
            reach[token.head] = (min(low, at), max(high, at))
    return reach


MAX_BYTES = 250_000
"""A shipped grammar may be this large."""

OPEN = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
WITHOUT_COMPOUNDS = frozenset({"lv", "lt", "en", "fr", "es", "it", "pl", "ru"})
"""Languages that do not write words together freely."""

Tags = Sequence[str | None]
"""Tags of a sentence, None for punctuation."""


@dataclass(frozen=True)
class Recipe:
    """What decides a grammar, besides the treebanks.

    Attributes:
        tag_map: name of a map of `tags`.
        least_lift: of a chunk over the same tags shuffled; 0 keeps all.
        least_share: of a form's occurrences, for a tag of the lexicon.
        rare: a form seen at most so often lends its endings to the suffix table.
        least_endings: occurrences of an ending at least.
        least_ending_share: of an ending's occurrences, for a tag of it.
    """

    tag_map: str = "medium"
    least_lift: float = 2.0
    least_share: float = 0.03
    rare: int = 20
    least_endings: int = 5
    least_ending_share: float = 0.08
    most_ending_tags: int = 12
    seed: int = 3


def induce_grammar(
    language: str,
    sentences: Sequence[Sentence],
    also: Sequence[Sentence] = (),
    recipe: Recipe | None = None,
    sources: Mapping[str, str] | None = None,
) -> ChunkGrammar:
    """The grammar of a language.

    Args:
        sentences: trees in it; lexicon, suffixes and chunks are theirs.
        also: trees in close relatives, for further chunks.
        recipe: the shipped one when left out.
        sources: name of each treebank and where it is from, kept in the head.
    """
    recipe = recipe or Recipe()
    kept = TAG_MAPS[recipe.tag_map]
    counts = _chunk_counts(sentences, kept)
    lexicon = {form: _frequent_tags(tags, recipe.least_share) for form, tags in counts.items()}
    suffixes = _tag_suffixes(counts, recipe)
    chunks = list(attested_chunks([*sentences, *also], kept, recipe))
    names = sorted({tag for tags in counts.values() for tag in tags if tag.startswith("PROPN")})
    digits = [counts[form] for form in counts if form[0].isdigit()]
    numbers = sorted({tag for tags in digits for tag in tags if tag.startswith("NUM")}) or ["NUM"]
    head = {
        "recipe": vars(recipe),
        "sources": dict(sources or {}),
        "sentences": len(sentences),
        "tokens": sum(len(sentence.tokens) for sentence in sentences),
        "sentences_of_relatives": len(also),
    }
    return _numbered_grammar(
        language, counts, lexicon, suffixes, chunks, (names or ["PROPN"], numbers), head
    )


def attested_chunks(
    sentences: Iterable[Sentence], kept: Kept, recipe: Recipe
) -> Iterator[tuple[str, ...]]:
    """Tag sequences of constituents that are more than chance, sorted."""
    chunks: Counter[tuple[str, ...]] = Counter()
    by_chance: Counter[tuple[str, ...]] = Counter()
    shuffler = random.Random(recipe.seed)
    for sentence in sentences:
        tags = [None if t.part == PUNCT else tag_of(t, kept) for t in sentence.tokens]
        spans = constituent_spans(sentence.tokens)
        chunks.update(tuple(str(tag) for tag in tags[start:end]) for start, end in spans)
        by_chance.update(_tag_windows(_shuffled_tags(tags, shuffler)))
    for chunk, count in sorted(chunks.items()):
        if count / (by_chance[chunk] + 0.5) >= recipe.least_lift:
            yield chunk


def _tag_windows(tags: Tags) -> Iterator[tuple[str, ...]]:
    """Every span of two to five words without punctuation."""
    for start in range(len(tags)):
        window: tuple[str, ...] = ()
        for tag in tags[start : start + LONGEST_CHUNK]:
            if tag is None:
                break
            window = (*window, tag)
            if len(window) > 1:
                yield window


def _shuffled_tags(tags: Tags, shuffler: random.Random) -> Tags:
    """The words' tags in another order; punctuation stays where it is."""
    words = [tag for tag in tags if tag is not None]
    shuffler.shuffle(words)
    following = iter(words)
    return [None if tag is None else next(following) for tag in tags]


def _chunk_counts(sentences: Iterable[Sentence], kept: Kept) -> dict[str, Counter[str]]:
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for sentence in sentences:
        for token in sentence.tokens:
            if token.part != PUNCT and " " not in token.form:
                counts[token.form.lower()][tag_of(token, kept)] += 1
    return dict(counts)


def _frequent_tags(tags: Counter[str], least_share: float) -> list[str]:
    total = tags.total()
    return [tag for tag, count in tags.most_common() if count / total >= least_share]


def _tag_suffixes(counts: Mapping[str, Counter[str]], recipe: Recipe) -> dict[str, list[str]]:
    endings: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for form, tags in counts.items():
        if tags.total() <= recipe.rare and form.isalpha():
            of_open = Counter({t: 1 for t in sorted(tags) if t.partition("|")[0] in OPEN})
            for length in range(min(LONGEST_SUFFIX, len(form) - 1) + 1):
                endings[form[len(form) - length :]].update(of_open)
    kept = {
        ending: _frequent_tags(tags, recipe.least_ending_share)[: recipe.most_ending_tags]
        for ending, tags in sorted(endings.items())
        if tags.total() >= recipe.least_endings
    }
    return {
        ending: tags
        for ending, tags in kept.items()
        if not ending or sorted(tags) != sorted(kept.get(ending[1:], []))
    }


def _numbered_grammar(
    language: str,
    counts: Mapping[str, Counter[str]],
    lexicon: Mapping[str, Sequence[str]],
    suffixes: Mapping[str, Sequence[str]],
    chunks: Sequence[tuple[str, ...]],
    special: tuple[Sequence[str], Sequence[str]],
    head: Mapping[str, object],
) -> ChunkGrammar:
    """Numbers in place of tags and classes; words by the magnitude of their frequency."""
    lists = [*lexicon.values(), *suffixes.values(), *special]
    tags = sorted({tag for listed in (*lists, *chunks) for tag in listed})
    number = {tag: at for at, tag in enumerate(tags)}
    classes = sorted({tuple(sorted(number[tag] for tag in listed)) for listed in lists})
    place = {numbers: at for at, numbers in enumerate(classes)}

    def class_of(listed: Sequence[str]) -> int:
        return place[tuple(sorted(number[tag] for tag in listed))]

    by_frequency = sorted(lexicon, key=lambda form: (-counts[form].total().bit_length(), form))
    return ChunkGrammar(
        language=language,
        tags=tags,
        classes=classes,
        lexicon={form: class_of(lexicon[form]) for form in by_frequency},
        suffixes={ending: class_of(listed) for ending, listed in suffixes.items()},
        chunks=sorted(tuple(number[tag] for tag in chunk) for chunk in chunks),
        names=class_of(special[0]),
        numbers=class_of(special[1]),
        compounds=language not in WITHOUT_COMPOUNDS,
        head=head,
    )


def write_grammar(grammar: ChunkGrammar, path: Path) -> int:
    """Write the grammar, packed; returns its size in bytes. Equal grammars give equal files."""
    packed = lzma.compress(dump_grammar(grammar).encode(), preset=9 | lzma.PRESET_EXTREME)
    path.write_bytes(packed)
    return len(packed)


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(
        prog="python -m skord.models.grammar.induce", description=__doc__
    )
    parser.add_argument("language", help="code, such as lv")
    parser.add_argument("treebank", type=Path, nargs="+", help="CoNLL-U files, .gz or not")
    parser.add_argument("--also", type=Path, nargs="*", default=[], help="of close relatives")
    parser.add_argument("--tag-map", choices=sorted(TAG_MAPS), default="medium")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    sentences = [s for path in options.treebank for s in read_treebank(path)]
    also = [s for path in options.also for s in read_treebank(path)]
    sources = {path.name: "" for path in (*options.treebank, *options.also)}
    recipe = Recipe(tag_map=options.tag_map)
    grammar = induce_grammar(options.language, sentences, also, recipe, sources)
    size = write_grammar(grammar, options.out)
    print(
        f"{options.out}: {size:,} bytes, {len(grammar.tags)} tags, {len(grammar.chunks):,} chunks, "
        f"{len(grammar.lexicon):,} words, {len(grammar.suffixes):,} endings"
    )
    if size > MAX_BYTES:
        print(f"larger than the {MAX_BYTES:,} bytes of a shipped grammar", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
