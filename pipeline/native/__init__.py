"""What is compiled: the inner loops over the bytes of a page, in C++ beside this file.

Every function here is pure, and each has a slower twin in Python, its definition, that the
tests compare it with: `text_pages.split_lines`, `paragraph_keys.paragraph_key`,
`perplexity.normalize_for_language_model`, the packages sentencepiece, kenlm, fasttext and numpy.

| files | what |
|---|---|
| module, functions, bindings | what Python sees; values in and out, errors |
| page_functions, line_functions, model_functions | those functions |
| lines, sha1 | a page's title and lines, their normalised form, the key of each |
| line_arrays | lines and words of Markdown as arrays, the elements around them, sums of vectors |
| line_network | products of small matrices, convolutions along a page's lines |
| wet_record | headers and block of a WET record |
| pieces, pieces_file | SentencePiece's unigram models |
| ngrams, ngrams_file, ngrams_trie | KenLM's n-gram models |
| language_model | both together: the score of a line |
| word_scores | fastText's classifiers |
| reading | numbers out of bytes that may be damaged |

`CharTable`, `CharacterTables`, `Pieces`, `LanguageModel` and `WordScores` are capsules, which
Python cannot look into; the names are there for annotations.

Errors: `NotImplementedError` for a file of a kind that is not read here, `ValueError` for one
that contradicts itself, `UnicodeEncodeError` for a text with a lone surrogate.
"""

from typing import TYPE_CHECKING

try:
    from pipeline.native._native import (
        char_table,
        character_tables,
        convolved,
        keep_lines,
        line_arrays,
        line_keys,
        load_language_model,
        load_pieces,
        multiplied,
        score_lines,
        score_words,
        sha1_key,
        split_page,
        sums_of_rows,
        ways_up,
        wet_record,
        word_scores,
        written,
    )
except ImportError as error:
    raise ImportError(
        f"the compiled part is missing, or is one of another version or machine ({error}): "
        "run `pip install -e .` where this package was cloned; it needs a C++ compiler"
    ) from error

if TYPE_CHECKING:
    from pipeline.native._native import (
        CharacterTables,
        CharTable,
        LanguageModel,
        Pieces,
        WordScores,
    )
else:
    CharacterTables = CharTable = LanguageModel = Pieces = WordScores = object

__all__ = [
    "CharTable",
    "CharacterTables",
    "LanguageModel",
    "Pieces",
    "WordScores",
    "char_table",
    "character_tables",
    "convolved",
    "keep_lines",
    "line_arrays",
    "line_keys",
    "load_language_model",
    "load_pieces",
    "multiplied",
    "score_lines",
    "score_words",
    "sha1_key",
    "split_page",
    "sums_of_rows",
    "ways_up",
    "wet_record",
    "word_scores",
    "written",
]
