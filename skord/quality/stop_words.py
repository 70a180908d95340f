"""Function words by language: what any text of some length has, and lists of names have not.

English has the eight of Gopher (Rae et al. 2021, arXiv 2112.11446, appendix A1). Every other
list holds the ten most frequent words of closed classes (universal tags ADP, AUX, CCONJ, DET,
PART, PRON and SCONJ) that were counted in treebanks of Universal Dependencies: Talbanken and
LinES (sv), DDT (da), Bokmaal (nb), Nynorsk (nn), Modern and GC (is), FarPaHC (fo), LVTB (lv), TDT
(fi) and GSD (ja). Estonian has the most frequent such words of 668 sentences of the Wortschatz
collection. Left out were words of one capital use, forms of a verb's stem that Japanese treebanks
cut off, and old spellings of the Faroese gospels. For Latvian two more prepositions were taken,
as it has no article.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

STOP_WORDS: dict[str, tuple[str, ...]] = {
    "en": ("the", "be", "to", "of", "and", "that", "have", "with"),
    "sv": ("och", "att", "i", "som", "en", "det", "på", "av", "med", "den"),
    "da": ("og", "i", "at", "det", "en", "til", "er", "de", "på", "af"),
    "nb": ("og", "i", "det", "er", "på", "å", "som", "en", "for", "til"),
    "nn": ("i", "det", "og", "er", "som", "å", "til", "ein", "på", "at"),
    "is": ("að", "í", "og", "á", "það", "sem", "er", "við", "um", "til"),
    "fo": ("og", "hann", "at", "sum", "við", "í", "til", "av", "er", "á"),
    "lv": ("un", "ir", "ar", "ka", "par", "no", "uz", "arī", "bet", "kas", "kā", "vai"),
    "fi": ("ja", "on", "että", "ei", "se", "oli", "tai", "kun", "hän", "mutta"),
    "et": ("ja", "on", "ei", "et", "kui", "ka", "see", "aga", "oli", "ning"),
    "ja": ("の", "に", "は", "を", "て", "が", "で", "と", "も", "から"),
}
"""Language code to its words."""

LIST_OF_LABEL = {"no": "nb"}
"""lid.176's Norwegian label is Bokmål."""


def stop_words_of(
    label: str, own: Mapping[str, tuple[str, ...]] = MappingProxyType({})
) -> tuple[str, ...]:
    """Function words of the language with this label; none when there is no list.

    Args:
        label: lid.176's.
        own: code to words, in place of the shipped lists.

    >>> stop_words_of("no")[:2], stop_words_of("sw")
    (('og', 'i'), ())
    """
    code = LIST_OF_LABEL.get(label, label)
    return own.get(code, own.get(label, STOP_WORDS.get(code, ())))
