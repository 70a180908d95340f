"""`skord study language`: what there is, what text and trees give, and a folder that the graph uses."""

import gzip
import random

import pytest

from skord.cli.main import main
from skord.extras.evaluation.counted_language import MOST_KNOWN_WORDS, count_language
from skord.extras.evaluation.language import language_report
from skord.models.grammar.interface import graded_languages, load_calibration, load_grader
from skord.models.grammar.treebanks.conllu import Sentence, Token
from skord.models.language_model.interface import load_language_models
from skord.text.own_languages import read_languages
from tests.models.language_model.conftest import lmplz  # noqa: F401 - a fixture

NOUNS = ("silta", "kirja", "joki", "talo", "kylä", "mökki", "järvi", "metsä")
VERBS = ("seisoo", "nukkuu", "palaa", "kasvaa", "muuttuu")


def sentence(chance):
    noun, verb, other = chance.choice(NOUNS), chance.choice(VERBS), chance.choice(NOUNS)
    return [
        (noun, "NOUN", "Case=Nom", 2, "nsubj"), (verb, "VERB", "VerbForm=Fin", 0, "root"),
        ("ja", "CCONJ", "_", 4, "cc"), (other, "NOUN", "Case=Nom", 2, "conj"),
        ("on", "AUX", "_", 6, "cop"), ("vanha", "ADJ", "Case=Nom", 4, "acl"),
        ("।", "PUNCT", "_", 2, "punct"),
    ]  # fmt: skip


@pytest.fixture
def material(tmp_path):
    """A treebank of 600 sentences, and its text."""
    chance = random.Random(1)
    trees = [sentence(chance) for _ in range(600)]
    text = [" ".join(word for word, *_ in tree) for tree in trees]
    blocks = [
        "\n".join(
            f"{n}\t{word}\t{word}\t{part}\t_\t{features}\t{head}\t{relation}\t_\t_"
            for n, (word, part, features, head, relation) in enumerate(tree, 1)
        )
        for tree in trees
    ]
    named = zip(text, blocks, strict=True)
    conllu = "\n\n".join(f"# text = {said}\n{block}" for said, block in named)
    (tmp_path / "trees.conllu.gz").write_bytes(gzip.compress(f"{conllu}\n\n".encode()))
    (tmp_path / "text.txt").write_text("\n".join(text))
    return tmp_path


def test_one_command_makes_what_the_graph_uses(material, capsys, lmplz):  # noqa: F811
    pytest.importorskip("sentencepiece")
    out = material / "own"
    given = ["--text", str(material / "text.txt"), "--treebank", str(material / "trees.conllu.gz")]

    assert main(["language", "fi", *given, "--out", str(out)]) == 0

    output = capsys.readouterr().out
    assert "perplexity and buckets: fi: 54 documents for training, 6 held out" in output
    assert "good text separated from spoilt on held-out trees: AUC" in output
    assert f"[languages]\nfolder = {out}" in output
    read_languages.cache_clear()
    own = read_languages(str(out))
    assert own.stop_words == {"fi": ("ja", "on")}
    assert own.sentence_ends == {"fi": "।"}
    models = load_language_models(f"{out}:embedded")
    assert {"fi", "sv"} <= set(models.languages)
    good, bad = models.score("fi", ["silta seisoo ja joki on vanha ।", "zzz qq www"], exact=False)
    assert good.page < bad.page
    assert models.limits_of("fi")
    assert {"fi", "sv"} <= set(graded_languages(f"{out}:embedded"))
    grade = load_grader("fi", f"{out}:embedded").grade("silta seisoo ja joki on vanha ।")
    assert grade.sizes.recognized == 100
    assert load_calibration("fi", f"{out}:embedded")


def test_what_cannot_be_made_is_told_and_the_rest_is_made(material, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(material / "nothing"))

    assert (
        main(
            ["language", "fi", "--text", str(material / "text.txt"), "--out", str(material / "own")]
        )
        == 0
    )

    output = capsys.readouterr().out
    assert "perplexity and buckets: not made: training needs" in output
    assert "grammar: not made, for there is no --treebank" in output
    assert (material / "own" / "fi.toml").exists()


def test_a_folder_in_a_folder_that_is_not_there_yet_is_made(material, capsys):
    out = material / "mine" / "own"

    assert main(["language", "fi", "--text", str(material / "text.txt"), "--out", str(out)]) == 0

    assert (out / "fi.toml").exists()


def test_a_file_that_somebody_has_edited_stays(material, capsys):
    out = material / "own"
    out.mkdir()
    (out / "fi.toml").write_text('stop_words = ["minun"]\n')
    main(["language", "fi", "--text", str(material / "text.txt"), "--out", str(out)])
    assert "is there already" in capsys.readouterr().out
    assert (out / "fi.toml").read_text() == 'stop_words = ["minun"]\n'


def test_what_is_missing_is_told_with_what_happens_without(settings, tmp_path, capsys):
    settings()
    main(["language", "sw"])
    output = capsys.readouterr().out
    assert "num_stop_words and stop_word_share are null" in output
    assert "skord study language sw --text FILE --treebank FILE --out FOLDER" in output
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sw.toml").write_text('stop_words = ["na"]\n')
    settings(f"[languages]\nfolder = {tmp_path / 'own'}\n")
    main(["language", "sw"])
    assert "num_stop_words and stop_word_share are null" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["xx"], "has no label 'xx'"),
        (["fi", "--text", "none.txt"], "none.txt cannot be read as text"),
        (["fi", "--treebank", "none.conllu"], "none.conllu cannot be read as CoNLL-U"),
        (["fi", "--treebank", "empty.conllu"], "empty.conllu has no sentence"),
        (["fi", "--out", "x"], "--out makes files out of text"),
        (["fi", "--pages", "x"], "give --out FOLDER, too"),
    ],
)
def test_bad_input_gets_one_sentence(tmp_path, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty.conllu").write_text("# nothing\n\n")
    assert main(["language", *arguments]) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_words_that_tell_a_language_are_few_and_not_those_of_another():
    words = [
        first + rest
        for first in "bdgklmnprstv"
        for rest in ["oqi", "eqe", "uqu", "yqa", "iqo", "aqa"]
    ]
    actual = count_language("xx", [*words, *(["och"] * 9)])
    assert len(words) == 72
    assert len(actual.known_words) == MOST_KNOWN_WORDS == 60
    assert "och" not in actual.known_words


def test_signs_that_end_sentences_are_those_of_the_trees():
    tokens = [Token(form, "X", "_", -1, "root") for form in ("kana", "؟", "।")]
    tree = Sentence(tuple(tokens), "kana ؟ ।", "")
    assert count_language("xx", ["kana؟"] * 9, [tree]).sentence_ends == "।"


def test_letters_of_another_script_are_quotations():
    actual = count_language("fi", ["Hän näki sanan море."] * 5)
    assert set(actual.per_mille) == {"ä"}
    assert count_language("sw", ["Habari ya leo."]).charsets == ()


@pytest.mark.parametrize(
    ("code", "there"),
    [("sv", "telling stop notices perplexity grammar letters"), ("fi", "stop perplexity letters"),
     ("de", "letters"), ("lv", "stop notices perplexity grammar letters"), ("et", "stop letters")],
)  # fmt: skip
def test_each_part_is_there_or_not(settings, code, there):
    settings()
    lines = list(language_report(code))

    parts = {line.split()[0]: line.split()[-1] for line in lines[:-1] if line[0] != " "}
    found = {"selection", "sentence", *there.split()}
    assert {part for part, is_there in parts.items() if is_there == "yes"} - {"dictionary"} == found
    assert set(parts.values()) <= {"yes", "no"}
    assert f"    with: skord run … --languages {code}" in lines
    assert sum("without it:" in line for line in lines) == list(parts.values()).count("no")


def test_an_end_of_a_sentence_of_ones_own_is_told(settings, tmp_path):
    (tmp_path / "sw.toml").write_text('sentence_ends = "।"\n')
    settings(f"[languages]\nfolder = {tmp_path}\n")
    assert any(line.endswith("their wide forms, and ।") for line in language_report("sw"))


@pytest.mark.parametrize(("code", "is_published"), [("et", True), ("cy", False)])
def test_a_published_language_model_is_named_where_none_is_shipped(settings, code, is_published):
    lines = list(language_report(code))

    place = next(n for n, line in enumerate(lines) if line.startswith("perplexity and buckets"))
    assert (f"skord study models {code} --fetch" in lines[place + 2]) is is_published
