"""Scores of lines against those of the packages sentencepiece and kenlm: equal to the last bit."""

from __future__ import annotations

import functools
import gzip
import random
import struct
from importlib.util import find_spec
from pathlib import Path
from subprocess import run

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.files import FOLDER, LanguageFiles, find_languages
from skord.models.language_model.perplexity import normalize_for_language_model
from skord.models.language_model.scorer import MAX_UNPACKED, CompiledScores, PackagedScores, Scorer
from skord.models.language_model.train import (
    NgramRecipe,
    build_binary_command,
    kenlm_program,
    lmplz_command,
)
from skord.native import load_language_model, load_pieces, score_lines
from skord.sample_crawl.page_source import bundled_pages

EMBEDDED = find_languages(FOLDER)
beside_packages = pytest.mark.skipif(
    not (find_spec("kenlm") and find_spec("sentencepiece")),
    reason="compares with sentencepiece and kenlm, which does not compile on Python 3.13 and later",
)
ODD = [
    "",
    "   ",
    "\0a b",
    "a\0b c",
    "a\tb\nc\rd\ve\ff",
    "<s> </s> <unk> ▁ ▁▁a",
    "?" * 3000,
    "x" * 150_000,  # its path's score passes the threshold at which sums start again
    "\u200b\ufeff",
    "e\u0301 o\u0308 \u1100\u1161 ﬁ Å",
]
POOLS = (
    range(0x20, 0x7F),
    range(0x250),
    range(0x300, 0x370),
    range(0xD800),
    range(0xE000, 0x110000),
)


def random_lines(number, seed=1):
    chance = random.Random(seed)
    for _ in range(number):
        pools = POOLS[: chance.randint(1, len(POOLS))]
        yield "".join(
            chr(chance.choice(chance.choice(pools))) for _ in range(chance.choice([1, 5, 40, 200]))
        )


@functools.cache
def page_lines():
    """Lines of the bundled pages, as they are and normalised, and whole pages as one line."""
    lines = []
    for page in bundled_pages():
        lines.append(normalize_for_language_model(page.text))
        for line in page.text.split("\n"):
            lines += [line, normalize_for_language_model(line)]
    return lines


@beside_packages
@pytest.mark.parametrize("language", sorted(EMBEDDED))
def test_lines_score_as_the_packages_score_them(language):
    files = EMBEDDED[language]
    lines = [*ODD, *random_lines(300), *page_lines()[::3]]

    assert list(CompiledScores(files)(lines)) == list(PackagedScores(files)(lines))
    assert len(lines) > 1000


@beside_packages
@pytest.mark.shared
@pytest.mark.parametrize("language", sorted(EMBEDDED))
def test_thousands_of_lines_score_as_the_packages_score_them(language, shared):
    chance = random.Random(language)
    text = [
        line
        for path in sorted((shared / "data" / "text" / language).glob("*.txt.gz"))
        for line in gzip.decompress(path.read_bytes()).decode().split("\n")[:20_000]
    ]
    assert len(text) > 500
    chosen = chance.sample(text, min(3000, len(text)))  # of Finnish there is less
    lines = [normalize_for_language_model(line) for line in chosen]

    files = EMBEDDED[language]
    assert list(CompiledScores(files)(lines)) == list(PackagedScores(files)(lines))


def test_a_lone_surrogate_becomes_a_question_mark():
    scores = CompiledScores(EMBEDDED["sv"])

    assert list(scores(["hej \udc80 du", "a"])) == list(scores(["hej ? du", "a"]))


# -- every form in which build_binary writes a model --------------------------------------------

FORMS = {
    "probing": ["probing"],
    "probing-sparse": ["-p", "3.0", "probing"],
    "trie": ["trie"],
    "quantised": ["-q", "5", "-b", "7", "trie"],
    "array": ["-a", "22", "trie"],
    "quantised-array": ["-q", "8", "-b", "8", "-a", "6", "trie"],
}


@pytest.fixture(scope="module")
def arpas(tmp_path_factory):
    """Small models of orders 2, 3 and 5 as text, made from the bundled pages by lmplz."""
    try:
        kenlm_program("lmplz")
        kenlm_program("build_binary")
    except ConfigError as error:
        pytest.skip(str(error))
    sentencepiece = pytest.importorskip("sentencepiece", reason="is in the extra `training`")
    folder = tmp_path_factory.mktemp("arpa")
    pieces = sentencepiece.SentencePieceProcessor(model_file=str(EMBEDDED["sv"].pieces))
    lines = [normalize_for_language_model(line) for line in page_lines()]
    text = "\n".join(" ".join(p) for p in pieces.encode(lines, out_type=str)).encode()
    made = {}
    for order in (2, 3, 5):
        command = lmplz_command(
            kenlm_program("lmplz"), NgramRecipe(order=order, memory="100M"), folder
        )
        done = run(command, input=text, capture_output=True, check=True)
        made[order] = folder / f"{order}.arpa"
        made[order].write_bytes(done.stdout)
    return made


@beside_packages
@pytest.mark.parametrize(
    ("order", "form"),
    [*((3, form) for form in FORMS), *((o, form) for o in (2, 5) for form in ("probing", "array"))],
)
def test_every_form_of_file_gives_the_scores_of_kenlm(arpas, order, form, tmp_path):
    binary = tmp_path / "sv.arpa.bin"
    recipe = build_binary_command(
        kenlm_program("build_binary"), NgramRecipe(), arpas[order], binary
    )
    run([recipe[0], *FORMS[form], *recipe[-2:]], capture_output=True, check=True)
    files = LanguageFiles(EMBEDDED["sv"].pieces, binary)
    lines = [*ODD[:8], *random_lines(50), *page_lines()[:200]]

    assert list(CompiledScores(files)(lines)) == list(PackagedScores(files)(lines))


def test_text_and_large_tries_are_left_to_the_packages(arpas, tmp_path):
    files = LanguageFiles(EMBEDDED["sv"].pieces, arpas[3])
    with pytest.raises(NotImplementedError, match="no KenLM binary"):
        CompiledScores(files)
    pieces = load_pieces(EMBEDDED["sv"].pieces.read_bytes())
    with pytest.raises(NotImplementedError, match="too large to unpack"):
        load_language_model(pieces, EMBEDDED["sv"].ngrams.read_bytes(), 1000)

    pytest.importorskip("kenlm", reason="does not compile on Python 3.13")
    assert Scorer(files).perplexities(["hej"])[0] is not None


# -- files that are damaged ---------------------------------------------------------------------


def damaged(content: bytes, number: int, seed: int, *, head: int):
    """Cut short at every scale, and with bytes changed, most of them near the beginning."""
    chance = random.Random(seed)
    for _ in range(number):
        if chance.random() < 0.3:
            yield content[: int(len(content) ** chance.random())]
            continue
        changed = bytearray(content)
        for _ in range(chance.choice([1, 1, 3, 30])):
            end = head if chance.random() < 0.6 else len(changed)
            changed[chance.randrange(end)] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
        yield bytes(changed)


def test_a_damaged_file_of_pieces_is_an_error_or_a_model():
    content = EMBEDDED["nn"].pieces.read_bytes()
    ngrams = EMBEDDED["nn"].ngrams.read_bytes()
    outcomes = {True: 0, False: 0}
    for changed in damaged(content, 120, 1, head=2000):
        try:
            load_pieces(changed)
        except (ValueError, NotImplementedError):
            outcomes[False] += 1
            continue
        outcomes[True] += 1
    assert min(outcomes.values()) > 5
    with pytest.raises(ValueError, match=r"no SentencePiece model|too early"):
        load_pieces(b"text, and no model")
    with pytest.raises(ValueError, match="no piece"):
        load_pieces(b"")
    assert load_language_model(load_pieces(content), ngrams, MAX_UNPACKED)


def test_damaged_rules_of_normalisation_never_lead_outside(tmp_path):
    content = EMBEDDED["nn"].pieces.read_bytes()
    lines = [*ODD[:7], *random_lines(40)]
    path = tmp_path / "nn.sp.model"
    chance = random.Random(5)
    rules = content.rindex(b"nmt_nfkc")
    for _ in range(30):
        changed = bytearray(content)
        for _ in range(2000):
            changed[chance.randrange(rules + 20, len(changed))] = chance.randrange(256)
        path.write_bytes(changed)
        try:
            scores = CompiledScores(LanguageFiles(path, EMBEDDED["nn"].ngrams))
            scores(lines)
        except (ConfigError, NotImplementedError):
            continue


def test_a_damaged_file_of_ngrams_is_an_error_or_a_model(tmp_path):
    path = tmp_path / "nn.arpa.bin"
    outcomes = {True: 0, False: 0}
    for changed in damaged(EMBEDDED["nn"].ngrams.read_bytes(), 60, 2, head=20_000):
        path.write_bytes(changed)
        try:
            list(CompiledScores(LanguageFiles(EMBEDDED["nn"].pieces, path))(["dette er ei line"]))
        except (ConfigError, NotImplementedError):
            outcomes[False] += 1
            continue
        outcomes[True] += 1
    assert min(outcomes.values()) > 5


def test_a_damaged_probing_file_is_an_error_or_a_model(arpas, tmp_path):

    whole = tmp_path / "whole.bin"
    run(
        [kenlm_program("build_binary"), "probing", arpas[3], whole], capture_output=True, check=True
    )
    path = tmp_path / "sv.arpa.bin"
    for changed in damaged(whole.read_bytes(), 60, 3, head=200):
        path.write_bytes(changed)
        try:
            scores = CompiledScores(LanguageFiles(EMBEDDED["sv"].pieces, path))
            list(scores(["detta är en rad"] * 3))
        except (ConfigError, NotImplementedError):
            continue


def test_a_header_that_claims_more_than_the_file_holds_is_refused():
    content = bytearray(EMBEDDED["sv"].ngrams.read_bytes())
    pieces = load_pieces(EMBEDDED["sv"].pieces.read_bytes())
    for count in (1 << 31, 1 << 40, (1 << 64) - 1):
        struct.pack_into("<Q", content, 108, count)
        with pytest.raises((ValueError, NotImplementedError)):
            load_language_model(pieces, bytes(content), MAX_UNPACKED)


@beside_packages
def test_the_model_holds_its_file_and_its_pieces():
    """Neither may go while the model is used."""
    files = EMBEDDED["sv"]
    model = load_language_model(
        load_pieces(files.pieces.read_bytes()), Path(files.ngrams).read_bytes(), MAX_UNPACKED
    )
    assert score_lines(model, ["hej"]) == list(PackagedScores(files)(["hej"]))
