"""A page's lines, their keys and their keeping, against the same in Python, one rule at a time."""

from __future__ import annotations

import hashlib
import random

import numpy as np
import pytest

from models.language_model.perplexity import normalize_for_language_model, step_by_step
from pipeline.ccnet.paragraph_keys import body_keys, paragraph_key
from pipeline.ccnet.text_pages import TextBody
from pipeline.native import keep_lines, sha1_key, split_page

ALPHABETS = (
    "ab \n\r\t",
    "a\n \x85\xa0\u1680\u2000\u2003\u2028\u2029\u202f\u205f\u3000\u200b\x1c\x1f\x0b\x0c\0",
    "aΣσ9٣①½ÅÄÖß–„…Ａ１\u0301\ufb01İ한국어\U0001d7d8\U00010400\n",
    "".join(map(chr, range(0x2F0))),
)
LINES = ("WARC/1.0", " WARC/1.0 ", "WARC/1.0 b", "", " ", "\u3000a\u2003", "Ett stycke.")


def texts(number=3000, seed=1):
    """Random texts: characters that matter, whole lines that matter, any character at all."""
    chance = random.Random(seed)
    for _ in range(number):
        kind = chance.randrange(3)
        if kind == 0:
            yield "".join(chance.choices(chance.choice(ALPHABETS), k=chance.randrange(40)))
        elif kind == 1:
            yield "\n".join(chance.choices(LINES, k=chance.randrange(7)))
        else:
            points = (chance.randrange(0x10F800) for _ in range(chance.randrange(60)))
            yield "".join(chr(p if p < 0xD800 else p + 0x800) for p in points)


def split_as_python_does(text, exact):
    """The rule of `text_pages`, restated."""
    if not exact:
        title, _, rest = text.rstrip("\n").partition("\n")
        return title.strip(), [line.strip() for line in rest.split("\n")] if rest else []
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = [*(line.strip() for line in text.split("\n")), ""]
    if "WARC/1.0" in lines:
        del lines[lines.index("WARC/1.0") :]
    if lines[-2:] == ["", ""]:
        del lines[max(len(lines) - 2, 1) :]
    return (lines[0], lines[1:]) if lines else ("", [])


@pytest.mark.parametrize("exact", [False, True])
def test_pages_are_split_as_python_splits_them(exact):
    for text in texts():
        title, lines = split_as_python_does(text, exact)
        joined = "\n".join(lines)

        assert split_page(text.encode(), exact) == (
            title,
            joined.encode(),
            len(lines),
            len(joined),
        ), repr(text)


def test_every_white_space_of_python_is_stripped_and_nothing_else():
    points = [chr(p) for p in range(0x110000) if not 0xD800 <= p < 0xE000 and chr(p) != "\n"]
    text = "\n".join(f"{char}a{char}" for char in points)

    _, joined, _, _ = split_page(f"T\n{text}".encode(), False)
    assert joined.decode().split("\n") == [f"{char}a{char}".strip() for char in points]


def test_a_title_that_is_no_utf8_is_an_error():
    with pytest.raises(UnicodeDecodeError):
        split_page(b"\xff\nrad\n", False)


@pytest.mark.parametrize("normalisation", ["published", "paper"])
def test_bodies_have_the_keys_of_their_lines(normalisation):
    bodies = [TextBody.of(text.split("\n")) for text in texts(1000)]
    found = body_keys([body.joined for body in bodies], normalisation)

    lines = [line for body in bodies for line in body.lines]
    # a body's lines are stripped when it is read; here they are not, so neither is the rule
    expected = [paragraph_key(f"|{line}|", normalisation) for line in lines]
    fenced = [TextBody.of([f"|{line}|" for line in body.lines]).joined for body in bodies]
    assert body_keys(fenced, normalisation).tolist() == expected
    assert len(found) == len(lines)


@pytest.mark.parametrize("plainly", [False, True])
def test_keys_are_the_start_of_sha1_for_every_length(plainly):
    data = random.Random(2).randbytes(400)
    for size in range(400):
        digest = hashlib.sha1(data[:size], usedforsecurity=False).digest()
        assert sha1_key(data[:size], plainly) == int.from_bytes(digest[:8], "little")


def test_normalising_for_language_models_equals_the_rule_step_by_step():
    for text in texts(seed=3):
        assert normalize_for_language_model(text) == step_by_step(text.strip())


def test_kept_lines_are_numbered_and_joined():
    chance = random.Random(4)
    for text in texts(500, seed=5):
        lines = text.split("\n")
        mask = np.array(chance.choices([False, True], k=len(lines) + 3))
        ids = np.flatnonzero(mask[2 : 2 + len(lines)]).tolist()

        assert keep_lines(text.encode(), mask, 2, len(lines)) == (
            ids,
            "\n".join(lines[i] for i in ids),
        )


def test_masks_and_counts_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="mask is shorter"):
        keep_lines(b"a\nb", np.ones(2, np.bool_), 1, 2)
    with pytest.raises(ValueError, match="mask is shorter"):
        keep_lines(b"a\nb", np.ones(2, np.bool_), -1, 2)
    with pytest.raises(ValueError, match="fewer lines"):
        keep_lines(b"a", np.ones(3, np.bool_), 0, 3)
    assert keep_lines(b"", np.ones(1, np.bool_), 0, 0) == ([], "")
