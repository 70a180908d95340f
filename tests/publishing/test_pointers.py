"""Pointers: small, and enough to make a text again."""

import numpy as np
import pytest

from skord.core.failures import DocumentError
from skord.markdown.extraction import extracted
from skord.publishing.pointers import (
    lines_of,
    packed_cuts,
    packed_digest,
    packed_id,
    packed_lines,
    text_again,
    unpacked_id,
    unpacked_lines,
)
from skord.publishing.pseudonyms import pseudonymise
from skord.publishing.removals.requests import text_digest

MARKDOWN = "# Meny\n\n# VÃ¤dret\n\n![sol](s.png)\n\nMejla a@kommun.se.\n\n\n\nSlut.\n"
VERDICTS = np.array([0, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1], np.float32)


@pytest.mark.parametrize("seed", range(20))
def test_lines_come_through_packing(seed):
    chance = np.random.default_rng(seed)
    kept = chance.random(chance.integers(0, 2000)) < chance.random()

    assert list(unpacked_lines(packed_lines(kept))) == np.flatnonzero(kept).tolist()


def test_runs_of_lines_take_a_byte_or_two():
    kept = np.zeros(1000, np.bool_)
    kept[40:90] = kept[300:900] = True

    assert len(packed_lines(kept)) == 6
    assert packed_lines(np.zeros(5, np.bool_)) == b""


def test_ids_and_digests_come_through_packing():
    for page_id in ("urn:uuid:6b7a1f9c-0e3a-4b7b-9c55-7d2a1e0f3c11", "<annat:id>", ""):
        assert unpacked_id(packed_id(page_id)) == page_id
    digest = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"
    assert len(packed_digest(digest)) == 8
    assert packed_digest(f"sha1:{digest}") == packed_digest(digest)
    assert packed_digest(None) is packed_digest("inte base32!") is None


def pointed():
    """Lines and digest of the text that ProcessMarkdown and the export make of the page."""
    logits = np.where(VERDICTS > 0, 9, -9).astype(np.float32)
    text = pseudonymise(str(extracted(MARKDOWN, logits, 0.5)["text"])).text
    return text, lines_of(VERDICTS.astype(np.uint8).tobytes()), text_digest(text)


def test_a_text_is_made_again_as_it_was():
    text, lines, digest = pointed()

    assert text == "# Vädret\n\nMejla email@example.com.\n\nSlut."
    assert text_again(MARKDOWN, lines, ["emails", "ip_addresses"], digest) == text


def test_a_text_that_passages_were_cut_out_of_is_made_again():
    text = "# Vädret\n\nMejla email@example.com.\n\nSlut."
    whole = "# Vädret\n\nMejla a@kommun.se.\n\nSlut."
    start = whole.index("Slut")
    cuts = packed_cuts([(0, 8), (start, len(whole))])
    _, lines, digest = pointed()
    left = "Mejla email@example.com."

    assert text_again(MARKDOWN, lines, ["emails"], text_digest(left), cuts) == left
    assert text_again(MARKDOWN, lines, ["emails"], digest, b"") == text
    with pytest.raises(DocumentError, match="text_differs"):
        text_again(MARKDOWN, lines, ["emails"], digest, cuts)


@pytest.mark.parametrize(
    ("markdown", "kinds", "code"),
    [
        (MARKDOWN.replace("Slut", "slut"), ["emails"], "text_differs"),
        (MARKDOWN, [], "text_differs"),
        ("# Meny\n\nKort.\n", ["emails"], "no_such_line"),
        ("", ["emails"], "no_such_line"),
    ],
)
def test_another_text_is_told_from_it(markdown, kinds, code):
    _, lines, digest = pointed()

    with pytest.raises(DocumentError, match=code):
        text_again(markdown, lines, kinds, digest)
