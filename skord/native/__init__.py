"""What is compiled: the inner loops over the bytes of a page, in C++ beside this file.

Every function here is pure. Tests compare them with `text_pages.split_lines`,
`paragraph_keys.paragraph_key`, `perplexity.normalize_for_language_model`, the packages
sentencepiece, kenlm, fasttext and numpy, public suites, and what `tests/golden` has on record.

| files | what |
|---|---|
| bindings/ | functions of C++ as functions for Python, by the types of what they take and return; errors |
| bindings/functions/ | those functions, and their names |
| html/ | a page's HTML: tokens, tree, cleaned markup, title, words, and where its lines stood |
| lines, sha1 | a page's title and lines, their normalised form, the key of each |
| pandoc_dialect/ | cleaned pages to Markdown in the dialect of pandoc 2.9.2.1 |
| unicode, utf8 | characters as Python's str sees them; what bytes are as UTF-8 |
| markdown/ | the lines of Markdown in their plain form |
| page_text/ | from verdicts on lines to the text of a page |
| mojibake | which lines may hold mojibake |
| page_lines, page_rows | lines and words of Markdown, and the features of each line |
| element_tree, element_rows | where a page's lines stand among its elements, as features |
| element_names | what elements are called, as flags and buckets |
| line_logits | logits drawn to those of like lines, and those of blank lines |
| line_network, products | the line classifier's network; its products, sums and convolutions |
| wet_record | headers and block of a WET record |
| pieces, pieces_file | SentencePiece's unigram models |
| ngrams, ngrams_file, ngrams_trie | KenLM's n-gram models |
| language_model | both together: the score of a line |
| letter_grams | a classifier by n-grams of letters |
| word_counts, repetition_counts, line_counts | what the measures of quality count of a text |
| signal_tags | tags of a page that say what it may be used for |
| link_counts | how many characters links show |
| word_scores | fastText's classifiers |
| sketches, published_keys | signatures of texts, as Arrow holds them |
| keys, decisions | near-duplicates: shared keys, which text is kept |
| tokens, passages, word_grams | tokens of texts, runs that texts share, runs of words |
| item_matches | items of evaluation sets inside texts |
| chunks, chunk_automaton, chunk_reader | the chunks of a text by a grammar |
| reading | numbers out of bytes that may be damaged |
| simd | which vector instructions are used |

Some have versions for AVX2 and AVX-512 beside a plain one (simd.hpp), and take the widest that the
processor has. The environment variable SKORD_SIMD (none, avx2, avx512), read at import, allows no
wider one. Results are the same in bytes, but for the line classifier's sums of products: AVX2 and
AVX-512 agree to the bit, the plain version differs in the last bits, for it rounds each product.

Names with a capital are of capsules, which Python cannot look into, for annotations.

Errors: `NotImplementedError` for a file of a kind that is not read here, `ValueError` for one
that contradicts itself, `UnicodeEncodeError` for a str with a lone surrogate.
"""

from typing import TYPE_CHECKING

try:
    from skord.native._native import *  # noqa: F403 - what _native.pyi says
except ImportError as error:
    raise ImportError(
        f"the compiled part is missing, or is one of another version or machine ({error}): "
        "run `pip install -e .` where this package was cloned; it needs a C++ compiler"
    ) from error

if not TYPE_CHECKING:  # names of capsules, which only annotations use
    CharTable = ChunkReader = ElementReader = KeyScatter = object
    LanguageModel = LineNetwork = PageReader = PageWords = Pieces = WordScores = object
