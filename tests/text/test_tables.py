"""What each character is, and is written as, by tables that compiled code reads."""

import unicodedata

import pytest

from skord.text import unicode_tables
from skord.text.char_tables import _block_entries
from skord.text.unicode_tables import (
    ALNUM,
    ALPHA,
    ASCII_PUNCTUATION,
    BEGINS_WITH_MARK,
    DECLINED,
    ENDS_WITH_MARK,
    HAN,
    HIRAGANA,
    KATAKANA,
    LOWER,
    PLANES_END,
    PUNCTUATION,
    SPACE,
    text_tables,
)


@pytest.mark.parametrize(
    ("sign", "classes"),
    [
        ("a", ALNUM | ALPHA | LOWER),
        ("Å", ALNUM | ALPHA | ENDS_WITH_MARK),
        ("7", ALNUM),
        (" ", SPACE),
        ("\u00a0", SPACE),
        (",", ASCII_PUNCTUATION | PUNCTUATION),
        ("—", PUNCTUATION),
        ("ぁ", ALNUM | ALPHA | HIRAGANA),
        ("ァ", ALNUM | ALPHA | KATAKANA),
        ("ｦ", ALNUM | ALPHA | KATAKANA),
        ("漢", ALNUM | ALPHA | HAN),
        ("々", ALNUM | ALPHA | HAN),
        ("\u0301", BEGINS_WITH_MARK | ENDS_WITH_MARK),
        ("Σ", ALNUM | ALPHA | DECLINED),
        ("\ue000", 0),
    ],
)
def test_classes_of_a_character(sign, classes):
    assert int(text_tables().classes[ord(sign)]) == classes


def test_a_words_number_is_the_polynomial_of_its_decomposed_lower_case():
    tables, factor = text_tables(), unicode_tables.FACTOR

    def number(word):
        value = 0
        for sign in word:
            code = ord(sign)
            value = (value * int(tables.factors[code]) + int(tables.terms[code])) % 2**64
        return value

    for word in ("Ångström", "BLÅBÄR", "hej"):
        plain = unicodedata.normalize("NFD", word.lower())
        expected = 0
        for sign in plain:
            expected = (expected * factor + ord(sign) + 1) % 2**64
        assert number(word) == expected
    assert tables.classes.shape == (PLANES_END,)


def test_surrogates_are_left_out_and_nothing_else_beside_them():
    def refuse(char):
        return char.encode().decode() + "x"

    built = [block for block in range(0xD0, 0xE8) if _block_entries(refuse, refuse, block)]
    assert built == [*range(0xD0, 0xD8), *range(0xE0, 0xE8)]
