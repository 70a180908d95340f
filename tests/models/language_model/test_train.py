from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model import cutoffs, train
from skord.models.language_model.cutoffs import cutoff_csv_of, limits_from_pages, percentile_column
from skord.models.language_model.interface import load_language_models
from skord.models.language_model.perplexity import read_cutoffs
from skord.models.language_model.train import (
    PIECE_LINE_BYTES,
    NgramRecipe,
    Recipe,
    build_binary_command,
    cut_lines,
    kenlm_program,
    lmplz_command,
)
from tests.conftest import run_python
from tests.models.language_model.conftest import published_cutoffs

sentencepiece = pytest.importorskip("sentencepiece", reason="is in the extra `training`")

SMALL = Recipe(vocab_size=4000, held_every=10, ngrams=NgramRecipe(order=3, memory="64M"))
WHO = ("Kommunen", "Regeringen", "Läraren", "Domstolen", "Föreningen", "Styrelsen")
DOES = ("beslutar", "meddelar", "undrar", "frågar", "bestämmer", "ansöker")
WHAT = ("om en ny bro över ån", "när skolan skall börja", "hur skatten betalas", "var sjön ligger")
WHEN = ("i vår", "på hösten", "varje år", "under sommaren", "i dag")


def sentence(generator):
    return f"{' '.join(generator.choice(part) for part in (WHO, DOES, WHAT, WHEN))}."


def made_text(path: Path, documents=120, seed=1):
    generator = random.Random(seed)
    texts = ["\n".join(sentence(generator) for _ in range(4)) for _ in range(documents)]
    path.write_text("\n\n".join(texts), encoding="utf-8")
    return path


@pytest.fixture
def text(tmp_path):
    return made_text(tmp_path / "text.txt")


def test_a_trained_model_tells_its_text_from_shuffled_words(text, tmp_path, lmplz):
    report = train.train_language_model("sv", [text], [], tmp_path / "models", SMALL)
    models = load_language_models(str(tmp_path / "models"))
    clean = sentence(random.Random(99))
    words = clean.split()
    random.Random(1).shuffle(words)
    good, bad = models.score("sv", [clean, " ".join(words)], exact=False)

    assert "sv: 108 documents for training, 12 held out" in report
    assert good.page < 0.5 * bad.page
    assert bad.bucket == "tail"
    assert sorted(path.name for path in (tmp_path / "models").iterdir()) == [
        "cutoff.csv",
        "sv.arpa.bin",
        "sv.sp.model",
    ]


def test_the_same_text_gives_the_same_bytes(text, tmp_path, lmplz):
    made = []
    for name in ("one", "two"):
        train.train_language_model("sv", [text], [], tmp_path / name, SMALL)
        made.append([path.read_bytes() for path in sorted((tmp_path / name).iterdir())])

    assert made[0] == made[1]
    assert str(tmp_path).encode() not in b"".join(made[0])


def test_quantising_makes_a_smaller_model_with_about_the_same_scores(text, tmp_path, lmplz):
    quantised = NgramRecipe(order=3, quantised=True, memory="64M")
    small = Recipe(vocab_size=4000, held_every=10, ngrams=quantised)
    train.train_language_model("sv", [text], [], tmp_path / "whole", SMALL)
    train.train_language_model("sv", [text], [], tmp_path / "small", small)
    pages = [sentence(random.Random(7))]
    whole, less = (
        load_language_models(str(tmp_path / name)).score("sv", pages, exact=False)[0].page
        for name in ("whole", "small")
    )
    sizes = [(tmp_path / name / "sv.arpa.bin").stat().st_size for name in ("whole", "small")]

    assert sizes[1] < 0.7 * sizes[0]
    assert less == pytest.approx(whole, rel=0.1)


def test_limits_come_from_pages_and_other_columns_stay(text, tmp_path, lmplz):
    out = tmp_path / "models"
    out.mkdir()
    (out / "cutoff.csv").write_text(published_cutoffs(de=lambda n: n * 3), encoding="utf-8")
    pages = made_text(tmp_path / "pages.txt", 40, seed=5)
    report = train.train_language_model("sv", [text], [pages], out, SMALL)
    columns = read_cutoffs((out / "cutoff.csv").read_text(encoding="utf-8"))
    scores = [
        actual.page
        for actual in load_language_models(str(out)).score(
            "sv", pages.read_text(encoding="utf-8").split("\n\n"), exact=False
        )
    ]

    assert columns["de"] == [3.0 * number for number in range(100)]
    assert columns["sv"] == percentile_column(scores)
    assert f"limits {columns['sv'][30]} and {columns['sv'][60]}, from 40 pages" in report


@pytest.mark.parametrize(("held_every", "known"), [(10, False), (11, True)])
def test_held_out_documents_are_in_no_model(tmp_path, lmplz, held_every, known):
    path = made_text(tmp_path / "text.txt", 19)
    texts = path.read_text(encoding="utf-8").split("\n\n")
    texts.insert(9, "Zebra zoo " * 20)
    path.write_text("\n\n".join(texts), encoding="utf-8")
    recipe = Recipe(vocab_size=4000, held_every=held_every, ngrams=SMALL.ngrams)
    train.train_language_model("sv", [path], [], tmp_path / "models", recipe)
    pieces = sentencepiece.SentencePieceProcessor(
        model_file=str(tmp_path / "models" / "sv.sp.model")
    )

    assert any("z" in pieces.id_to_piece(n) for n in range(len(pieces))) is known


def test_every_so_manieth_document_is_held_out(tmp_path):
    report = train._write_lines(
        [f"Text {n}.\n\nMer." for n in range(1, 8)], tmp_path, Recipe(held_every=3)
    )
    assert report == "5 documents for training, 2 held out"
    assert (tmp_path / "held.txt").read_text() == "Text 3.\nMer.\n\nText 6.\nMer.\n\n"
    assert len((tmp_path / "lines.txt").read_text().splitlines()) == 10
    with pytest.raises(ConfigError, match="has 2 documents, and every 3th is held out"):
        train._write_lines(["a", "b"], tmp_path, Recipe(held_every=3))


def test_too_little_text_is_refused_and_leaves_nothing_behind(tmp_path, lmplz):
    path = tmp_path / "text.txt"
    path.write_text("En rad.\n", encoding="utf-8")

    with pytest.raises(ConfigError, match="every 10th is held out"):
        train.train_language_model("sv", [path], [], tmp_path / "models", SMALL)
    assert list((tmp_path / "models").iterdir()) == []


def test_text_without_enough_characters_for_any_pieces_is_refused(tmp_path):
    (tmp_path / "lines.txt").write_text("", encoding="utf-8")

    with pytest.raises(ConfigError, match="no pieces can be learned"):
        train.train_pieces(tmp_path / "lines.txt", tmp_path / "pieces.model", SMALL)


def test_the_vocabulary_shrinks_to_what_the_text_has(text, tmp_path):
    train.train_pieces(text, tmp_path / "pieces.model", SMALL)

    assert (tmp_path / "pieces.model").stat().st_size > 10_000


def test_long_lines_are_cut_at_spaces_and_nothing_is_lost():
    line = " ".join(f"ärende{n}" for n in range(3000))
    parts = list(cut_lines([line + "\n", "kort\n"]))

    assert " ".join(parts[:-1]) == line
    assert parts[-1] == "kort"
    assert max(len(part.encode()) for part in parts) <= PIECE_LINE_BYTES
    assert list(cut_lines(["å" * 5000])) == ["å" * 5000]


def test_the_commands_of_a_pruned_quantised_model():
    recipe = NgramRecipe(order=4, prune=(0, 0, 1, 1), quantised=True, memory="1G")

    assert " ".join(lmplz_command("lmplz", recipe, Path("work"))) == (
        "lmplz -o 4 -S 1G -T work --discount_fallback --skip_symbols --prune 0 0 1 1"
    )
    assert " ".join(build_binary_command("build_binary", recipe, Path("in"), Path("out"))) == (
        "build_binary -q 8 -b 8 -a 22 trie in out"
    )
    assert build_binary_command("build_binary", NgramRecipe(), Path("in"), Path("out")) == [
        *("build_binary", "in", "out")
    ]


def test_programs_are_found_on_path_and_where_the_script_puts_them(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(ConfigError, match="`make lmplz` builds it"):
        kenlm_program("lmplz")
    for folder in (tmp_path / "cache/skord/kenlm", tmp_path / "bin"):
        folder.mkdir(parents=True)
        (folder / "lmplz").touch(mode=0o755)
        assert kenlm_program("lmplz") == str(folder / "lmplz")


def test_a_program_that_fails_is_named_with_what_it_said(text, tmp_path, lmplz):
    recipe = Recipe(vocab_size=4000, held_every=10, ngrams=NgramRecipe(order=99, memory="64M"))

    with pytest.raises(ConfigError, match=r"build_binary failed with 1: [\s\S]*order 99"):
        train.train_language_model("sv", [text], [], tmp_path / "models", recipe)


def test_percentiles_and_the_form_of_the_file():
    column = percentile_column([float(number) for number in range(100)])

    assert len(column) == 100
    assert read_cutoffs(cutoff_csv_of({"sv": column})) == {"sv": column}


def test_limits_of_a_folder_are_set_again_from_pages(folder, tmp_path):
    pages = tmp_path / "pages.txt"
    pages.write_text("Dette er en side.\n\nOg dette er en annen side.\n", encoding="utf-8")
    done = run_python(
        "-m",
        "skord.models.language_model.cutoffs",
        "no",
        "--models",
        str(folder),
        "--pages",
        str(pages),
    )

    assert done.stdout.startswith("no: limits ")
    assert done.stdout.endswith("from 2 pages\n")
    (scores,) = load_language_models(str(folder)).score("no", ["zx qv wq xz"], exact=False)
    assert scores.bucket == "tail"


def test_limits_that_cannot_be_set_are_refused(folder, tmp_path):
    pages = tmp_path / "pages.txt"
    pages.write_text("\n\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no model of sv: it has no"):
        limits_from_pages("sv", folder, [pages])
    with pytest.raises(ConfigError, match="no page to set limits by"):
        limits_from_pages("no", folder, [pages])
    for other in ("a;b\n", ",da\n0,1\n"):
        (folder / "cutoff.csv").write_text(other, encoding="utf-8")
        with pytest.raises(ConfigError, match=r"cutoff\.csv cannot be used"):
            cutoffs.set_limits(folder / "cutoff.csv", "no", [1.0, 2.0])
        assert (folder / "cutoff.csv").read_text(encoding="utf-8") == other


def test_the_command_says_what_is_missing_in_one_line(tmp_path):
    done = run_python(
        "-m", "skord.models.language_model.train", "sv", "--text", "x.txt", "--out", str(tmp_path),
        env={"PATH": "", "XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip

    assert done.returncode == 1
    assert done.stderr == "training needs KenLM's program lmplz: `make lmplz` builds it\n"


def test_the_script_says_which_packages_it_lacks(tmp_path):
    script = Path(train.__file__).with_name("build_kenlm.sh")
    done = subprocess.run(
        ["/bin/sh", str(script), str(tmp_path / "kenlm")],
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "c++ is missing" in done.stderr
    assert "libboost-program-options-dev" in done.stderr
