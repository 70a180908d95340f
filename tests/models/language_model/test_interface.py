from __future__ import annotations

import os
import random
import shutil
from importlib import import_module
from importlib.util import find_spec

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.files import FOLDER, HASHED_WHOLE_BYTES, model_digest
from skord.models.language_model.interface import Perplexity, load_language_models
from skord.models.language_model.perplexity import normalize_for_language_model
from tests.conftest import run_python
from tests.models.language_model.conftest import published_cutoffs

SENTENCES = {
    "sv": "Kommunen bygger en ny bro över ån, och arbetet börjar redan i vår.",
    "da": "Kommunen bygger en ny bro over åen, og arbejdet begynder allerede til foråret.",
    "nb": "Kommunen bygger en ny bro over elva, og arbeidet begynner allerede til våren.",
    "nn": "Kommunen byggjer ei ny bru over elva, og arbeidet tek til alt i vår.",
    "is": "Sveitarfélagið byggir nýja brú yfir ána og vinnan hefst strax í vor.",
}
TEXTS = {
    "sv": "Den som har ett arbete skall betala skatt på sin inkomst.\n"
    "Regeringen får meddela närmare föreskrifter om hur ansökan skall göras.",
    "da": "Han gik ned ad gaden og tænkte på det, hun havde sagt til ham.\n"
    "Regeringen vil gøre det lettere for de unge at finde en bolig.",
    "nb": "Regjeringen mener at flere bør få tilbud om arbeid i kommunen.\n"
    "Han sier at det er viktig å lære barna å lese og skrive.",
    "nn": "Regjeringa meiner at fleire bør få tilbod om arbeid i kommunen.\n"
    "Han seier at det er viktig å læra barna å lesa og skriva.",
    "is": "Ríkisstjórnin segir að nauðsynlegt sé að breyta lögunum.\n"
    "Hann sagði að þetta hefði verið erfitt ár fyrir alla landsmenn.",
}


@pytest.fixture(scope="module")
def embedded():
    return load_language_models("")


def test_shipped_languages(embedded):
    assert embedded.languages == ("da", "fi", "is", "lv", "nb", "nn", "no", "sv")


def test_models_are_read_once_and_named_after_their_files(embedded):
    assert load_language_models("") is load_language_models("")
    assert load_language_models("embedded").name == embedded.name
    assert embedded.name.startswith("language-models-")


@pytest.mark.parametrize("language", TEXTS)
def test_shuffled_words_read_worse_than_a_text(embedded, language):
    lines = TEXTS[language].split("\n")
    shuffled = []
    for line in lines:
        words = line.rstrip(".").split()
        random.Random(3).shuffle(words)
        shuffled.append(" ".join(words))
    clean, mixed = embedded.score(
        language, [TEXTS[language], "\n".join(shuffled)], exact=False, paragraphs=True
    )

    assert clean.page < 0.6 * mixed.page
    assert all(a < b for a, b in zip(clean.paragraphs, mixed.paragraphs, strict=True))


@pytest.mark.parametrize("language", TEXTS)
def test_a_model_finds_its_own_language_the_least_strange(embedded, language):
    actual = {
        other: embedded.score(language, [f"{TEXTS[other]}\n{SENTENCES[other]}"], exact=False)[0]
        for other in TEXTS
    }

    assert min(actual, key=lambda other: actual[other].page) == language


beside_kenlm = pytest.mark.skipif(
    not (find_spec("kenlm") and find_spec("sentencepiece")),
    reason="compares with kenlm, which does not compile on Python 3.13 and later",
)


@beside_kenlm
def test_page_and_bucket_as_kenlm_and_sentencepiece_give_them(folder):
    kenlm, sentencepiece = import_module("kenlm"), import_module("sentencepiece")
    """The published code's own steps: pieces of the glued page, joined, with one end."""
    (folder / "cutoff.csv").write_text(published_cutoffs(da=lambda n: n, no=lambda n: n * 8))
    text = f"  {TEXTS['nb']}\n\n\U0001f600 ☃ Ωmega\n"
    pieces = sentencepiece.SentencePieceProcessor(
        model_file=str(folder / "no.sp.model")
    ).encode_as_pieces(normalize_for_language_model(text))
    score = kenlm.Model(str(folder / "no.arpa.bin")).score(" ".join(pieces))
    expected = round(10.0 ** (-score / (len(pieces) + 1)), 1)
    (scores,) = load_language_models(str(folder)).score("no", [text], exact=True)

    assert "☃" in "".join(pieces)
    assert scores == Perplexity(expected, (), "head" if expected < 240 else "middle")


def test_published_limits_sort_pages(folder):
    pages = [TEXTS["nb"], SENTENCES["nb"], "zx qv wq xz jq"]
    (folder / "cutoff.csv").write_text(published_cutoffs(no=float))
    load = load_language_models
    values = sorted(s.page for s in load(str(folder)).score("no", pages, exact=False))
    (folder / "cutoff.csv").write_text(
        published_cutoffs(no=lambda n: values[1] if n < 60 else values[2])
    )
    load.cache_clear()
    by_bucket = {s.bucket: s.page for s in load(str(folder)).score("no", pages, exact=False)}

    assert by_bucket == dict(zip(("head", "middle", "tail"), values, strict=True))
    (strict,) = load(str(folder), 60, 99).score("no", [pages[0]], exact=False)
    assert strict.bucket == "head"


def test_line_feeds_glue_words_when_exact_and_part_them_otherwise(embedded):
    lines = TEXTS["sv"].replace(" ", "\n")
    spaces = lines.replace("\n", " ")
    (glued,) = embedded.score("sv", [lines], exact=True)
    (parted,) = embedded.score("sv", [lines], exact=False)

    assert glued == embedded.score("sv", [lines.replace("\n", "")], exact=True)[0]
    assert parted == embedded.score("sv", [spaces], exact=True)[0]
    assert parted.page < glued.page


def test_each_line_has_its_own_perplexity(embedded):
    page = f"{SENTENCES['sv']}\n\n\t\n{SENTENCES['sv']} Ja."
    (scores,) = embedded.score("sv", [page], exact=False, paragraphs=True)
    (alone,) = embedded.score("sv", [SENTENCES["sv"]], exact=False)

    assert [value is None for value in scores.paragraphs] == [False, True, True, False]
    assert scores.paragraphs[0] == alone.page
    assert scores.paragraphs[3] != alone.page
    assert embedded.score("sv", [page], exact=False)[0].paragraphs == ()


def test_tabs_inside_lines_part_words_too(embedded):
    tabs, spaces = SENTENCES["sv"].replace(" ", "\t"), SENTENCES["sv"]
    one, other = embedded.score("sv", [tabs, spaces], exact=False, paragraphs=True)

    assert one == other
    assert one.paragraphs == (one.page,)


def test_a_page_does_not_change_with_its_neighbours(embedded):
    pages = [SENTENCES["sv"], "", *[f"{TEXTS['sv']} {n}" for n in range(300)]]
    together = embedded.score("sv", pages, exact=False, paragraphs=True)
    apart = [embedded.score("sv", [page], exact=False, paragraphs=True)[0] for page in pages]

    assert together == apart


@pytest.mark.parametrize("page", ["", "\n\n", " \t", "\u200b"])
def test_a_page_without_a_piece_has_no_perplexity(embedded, page):
    (scores,) = embedded.score("sv", [page], exact=False)

    assert (scores.page, scores.bucket) == (None, "all")


def test_lone_surrogates_and_control_characters_are_scored(embedded):
    scores = embedded.score("sv", ["\ud800 å\x00", "\ud800" * 50], exact=False, paragraphs=True)

    assert all(one.page and one.page > 1 for one in scores)


def test_a_language_without_a_model_has_the_bucket_all(embedded):
    scores = embedded.score("fo", ["Hetta er ein tekstur.", ""], exact=False, paragraphs=True)

    assert scores == [Perplexity(None, (), "all")] * 2


def test_no_is_scored_by_the_model_of_bokmal_and_nn_by_its_own(embedded):
    pages = [SENTENCES["nb"]]

    assert embedded.score("no", pages, exact=True) == embedded.score("nb", pages, exact=True)
    assert embedded.score("no", pages, exact=True) != embedded.score("nn", pages, exact=True)


def test_bokmal_finds_a_published_model_called_no(folder):
    (folder / "cutoff.csv").write_text(published_cutoffs(no=lambda n: 10**6 + n))
    models = load_language_models(str(folder))

    assert models.languages == ("nb", "no")
    assert models.score("nb", [SENTENCES["nb"]], exact=True)[0].bucket == "head"


def test_without_limits_every_page_is_in_the_bucket_all(folder):
    models = load_language_models(str(folder))
    (scores,) = models.score("no", [SENTENCES["nb"]], exact=True)

    assert scores.page > 1
    assert scores.bucket == "all"


def test_every_file_and_both_percentiles_make_the_name(folder):
    def name(*percentiles):
        load_language_models.cache_clear()
        return load_language_models(str(folder), *percentiles).name

    names = [name()]
    (folder / "cutoff.csv").write_text(published_cutoffs(no=float))
    names += [name(), name(33, 66)]
    with (folder / "no.sp.model").open("ab") as file:
        file.write(b"\n")
    names.append(name())

    assert len(set(names)) == 4
    assert name() == names[-1]


def test_a_great_file_is_named_by_its_size_and_both_ends(tmp_path):
    path = tmp_path / "sv.arpa.bin"
    with path.open("wb") as file:
        file.truncate(HASHED_WHOLE_BYTES)

    def changed(offset):
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(b"x")
        fingerprint = model_digest([path], "")
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(b"\0")
        return fingerprint

    before = model_digest([path], "")
    assert changed(100) != before
    assert changed(HASHED_WHOLE_BYTES - 1) != before
    assert changed(HASHED_WHOLE_BYTES // 2) == before
    os.truncate(path, HASHED_WHOLE_BYTES + 1)
    assert model_digest([path], "") != before


def test_a_model_is_read_when_a_text_of_its_language_comes(folder):
    (folder / "xx.sp.model").write_text("no model")
    (folder / "xx.arpa.bin").write_text("no model")
    models = load_language_models(str(folder))

    assert models.score("no", [SENTENCES["nb"]], exact=True)[0].page
    with pytest.raises(ConfigError, match=r"xx\.sp\.model"):
        models.score("xx", ["text"], exact=True)


@pytest.mark.parametrize("content", [b"", b"no model", None], ids=["empty", "text", "cut"])
@pytest.mark.parametrize("name", ["no.sp.model", "no.arpa.bin"])
def test_a_file_that_is_no_model_is_named_with_what_to_do(folder, name, content):
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[: len(whole) // 2] if content is None else content)
    models = load_language_models(str(folder))

    with pytest.raises(ConfigError, match=rf"{name}: fetch or train it again"):
        models.score("no", ["text"], exact=True)


def test_a_model_whose_numbers_are_none_is_refused(folder):
    path = folder / "no.arpa.bin"
    rotten = bytearray(path.read_bytes())
    rotten[40_000:100_000] = b"\xff" * 60_000
    path.write_bytes(rotten)

    with pytest.raises(ConfigError, match=r"no\.arpa\.bin: .*its n-grams do not follow"):
        load_language_models(str(folder)).score("no", ["text"], exact=True)


def test_folders_that_cannot_work_are_refused_before_anything_is_scored(folder, tmp_path):
    with pytest.raises(ConfigError, match="there is no folder"):
        load_language_models(str(tmp_path / "absent"))
    (tmp_path / "bare").mkdir()
    with pytest.raises(ConfigError, match="has no language model"):
        load_language_models(str(tmp_path / "bare"))
    (folder / "cutoff.csv").write_text("percentile;no\n0;1\n")
    with pytest.raises(ConfigError, match=r"cutoff\.csv cannot be used"):
        load_language_models(str(folder))
    (folder / "cutoff.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="cannot read"):
        load_language_models(str(folder))
    (folder / "no.arpa.bin").unlink()
    with pytest.raises(ConfigError, match=r"no\.arpa\.bin is missing"):
        load_language_models(str(folder))


def test_percentiles_that_the_limits_lack_are_refused(folder):
    (folder / "cutoff.csv").write_text(published_cutoffs(no=float))

    with pytest.raises(ConfigError, match="30 and 100 are not percentiles"):
        load_language_models(str(folder), 30, 100)


def test_a_copy_of_the_shipped_models_has_their_name(tmp_path, embedded):
    shutil.copytree(FOLDER, tmp_path / "copy")

    assert load_language_models(str(tmp_path / "copy")).name == embedded.name


def test_the_shipped_models_need_no_package():
    code = (
        "import sys; sys.modules['kenlm'] = sys.modules['sentencepiece'] = None\n"
        "from skord.models.language_model.interface import load_language_models\n"
        "models = load_language_models('')\n"
        "print(models.score('sv', ['Hej på dig, det är en fin dag.\\n'], exact=False)[0].page)"
    )
    done = run_python("-c", code)

    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 1


@pytest.mark.parametrize("package", ["kenlm", "sentencepiece"])
def test_where_a_library_is_needed_the_message_says_how_to_install_it(package):
    if package == "kenlm":
        pytest.importorskip("sentencepiece", reason="is asked for before kenlm")
    code = (
        f"import sys; sys.modules['{package}'] = None\n"
        "from skord.models.language_model.files import FOLDER, find_languages\n"
        "from skord.models.language_model.scorer import PackagedScores\n"
        "PackagedScores(find_languages(FOLDER)['sv'])"
    )
    done = run_python("-c", code)

    assert f"needs {package}: pip install 'skord[kenlm]'" in done.stderr.splitlines()[-1]


@beside_kenlm
def test_a_large_trie_is_scored_alike_with_kenlm_and_without():
    """With it by the package, since the limit is 0 here; without it by compiled code."""
    scores = []
    for hidden in ("", "sys.modules['kenlm'] = None\n"):
        code = (
            f"import sys\n{hidden}"
            "from skord.models.language_model import scorer\n"
            "from skord.models.language_model.files import FOLDER, find_languages\n"
            "scorer.MAX_UNPACKED = 0\n"
            "made = scorer.Scorer(find_languages(FOLDER)['sv'])\n"
            "print(type(made._lines).__name__, made.perplexities(['Hej på dig, det är en dag.']))"
        )
        done = run_python("-c", code)
        assert done.returncode == 0, done.stderr
        scores.append(done.stdout.split(" ", 1))

    assert [kind for kind, _ in scores] == ["PackagedScores", "CompiledScores"]
    assert scores[0][1] == scores[1][1]
