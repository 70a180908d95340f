from __future__ import annotations

import random
import re
import unicodedata

import pytest

from skord.models.language_model.perplexity import (
    MAPPED_PUNCTUATION,
    Bucket,
    breaks_as_spaces,
    limits_of,
    line_perplexity,
    normalize_for_language_model,
    normalize_lines,
    perplexity_bucket,
    read_cutoffs,
)
from tests.characters import telling_points

CONTROLS = {chr(point) for point in (*range(0x20), *range(0x7F, 0xA0))}


def step_by_step(text):
    """The rule applied one step after the other, sharing no code but the list of marks."""
    lowered = text.strip().lower()
    parts = unicodedata.normalize("NFD", lowered)
    bare = "".join(char for char in parts if unicodedata.category(char) != "Mn")
    zeros = re.sub(r"\d", "0", bare)
    mapped = "".join(MAPPED_PUNCTUATION.get(char, char) for char in zeros)
    return "".join(char for char in mapped if char not in CONTROLS)


@pytest.mark.parametrize(
    ("text", "normalized"),
    [
        ("", ""),
        ("\n \t", ""),
        ("Smörgåsbord på Öland", "smorgasbord pa oland"),
        ("Ærø, Þór og ßtraße", "ærø, þor og ßtraße"),
        ("den 24. 12. kl. ０５:３０ og ٣", "den 00. 00. kl. 00:00 og 0"),
        ("„a” “b” «c» »d« 「e」《f》", '"a" "b" "c" "d" "e""f"'),
        ("it´s ’n ‘x‘", "it's 'n ‘x‘"),
        ("a—b–c━d►e", "a - b-c-d-e"),
        ("a．b…c∶d：e", "a. b...c:d:e"),
        ("（a），；b。、？！～〈c〉【d】％", "(a),;b.,?!~<c>[d]%"),
        ("１", "0"),
        ("Hem\nNyheter\tOm oss\r\n", "hemnyheterom oss"),
        ("a\x00b\x7fc\x85d\x9fe", "abcde"),
        ("  —Ja", " - ja"),
        ("한국", unicodedata.normalize("NFD", "한국")),
        ("İstanbul", "istanbul"),
        ("ΣΑΣ ΟΔΟΣ.", "σας οδος."),
        ("ΣΣ", "σς"),
        ("a\u0301\u0323", "a"),
        ("naïve\u00a0café\u2028x", "naive\u00a0cafe\u2028x"),
        ("\U0001f600 \U0001d7d9", "\U0001f600 0"),
    ],
)
def test_normalized_form(text, normalized):
    assert normalize_for_language_model(text) == normalized
    assert step_by_step(text) == normalized


def test_every_character_alone_becomes_what_the_steps_make_of_it():
    wrong = [
        hex(point)
        for point in telling_points(range(0x20000), range(0x2F800, 0x2FA20))
        if normalize_for_language_model(f"é{chr(point)}b") != step_by_step(f"é{chr(point)}b")
    ]

    assert wrong == []


def test_no_plane_has_characters_that_the_table_forgets():
    for first in range(0x20000, 0x110000, 0x4000):
        text = "å".join(map(chr, telling_points(range(first, first + 0x4000))))
        assert normalize_for_language_model(text) == step_by_step(text), hex(first)


def test_characters_that_change_each_other():
    generator = random.Random(5)
    pool = [
        chr(point)
        for point in range(0x20000)
        if unicodedata.combining(chr(point)) or unicodedata.decomposition(chr(point))
    ]
    for _ in range(3000):
        text = "".join(
            generator.choice(pool)
            if generator.random() < 0.5
            else generator.choice("aΣÅ…．—\n\t .")
            for _ in range(12)
        )
        assert normalize_for_language_model(text) == step_by_step(text), ascii(text)
        assert normalize_lines(text) == [step_by_step(line) for line in text.split("\n")]


def test_lone_surrogates_pass():
    assert normalize_for_language_model("Å\ud800") == "a\ud800"


def test_there_is_a_normalised_line_for_each_line_feed():
    text = " Hem\t\n\nÅr 1999\n\x85\r\n"

    assert normalize_lines(text) == ["hem", "", "ar 0000", "", ""]
    assert normalize_lines("Hem\nOm") == ["hem", "om"]
    assert normalize_lines("") == [""]


def test_every_break_becomes_one_space():
    text = "a\nb\tc\rd\ve\ff\x1cg\x1dh\x1ei\x1fj\x85k"

    assert breaks_as_spaces(text) == "a b c d e f g h i j k"
    assert breaks_as_spaces("a\nb\tc", keep_line_feeds=True) == "a\nb c"


@pytest.mark.parametrize(
    ("score", "pieces", "expected"), [(-3.0, 2, 10.0), (-3.0, 0, 1000.0), (0.0, 5, 1.0)]
)
def test_the_end_of_a_line_counts_as_a_piece(score, pieces, expected):
    assert line_perplexity(score, pieces) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("value", "limits", "expected"),
    [
        (99.9, (100.0, 200.0), Bucket.HEAD),
        (100.0, (100.0, 200.0), Bucket.MIDDLE),
        (199.9, (100.0, 200.0), Bucket.MIDDLE),
        (200.0, (100.0, 200.0), Bucket.TAIL),
        (50.0, None, Bucket.ALL),
        (None, (100.0, 200.0), Bucket.ALL),
    ],
)
def test_a_perplexity_that_equals_a_limit_is_above_it(value, limits, expected):
    assert perplexity_bucket(value, limits) == expected


def published_form(**columns):
    rows = [",".join([str(n), *(str(of(n)) for of in columns.values())]) for n in range(100)]
    return "\n".join([",".join(["", *columns]), *rows]) + "\n"


def test_limits_are_the_rows_of_two_percentiles():
    cutoffs = read_cutoffs(published_form(da=lambda n: n * 10, no=lambda n: n + 0.5))

    assert limits_of(cutoffs) == {"da": (300.0, 600.0), "no": (30.5, 60.5)}
    assert limits_of(cutoffs, 33, 66)["da"] == (330.0, 660.0)


def test_a_percentile_that_is_no_row_is_refused():
    cutoffs = read_cutoffs(published_form(da=float))

    for head, tail in ((30, 100), (-1, 60), (60, 30)):
        with pytest.raises(ValueError, match="are not percentiles"):
            limits_of(cutoffs, head, tail)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "da,no\n1,2\n",
        ",da\n1,10\n2,20\n",
        ",da,no\n0,10\n1,20\n",
        ",da\n0,high\n",
        published_form(da=float).replace("\n50,", "\n51,"),
    ],
)
def test_a_file_of_another_form_is_refused(text):
    with pytest.raises(ValueError, match=r".+"):
        read_cutoffs(text)
