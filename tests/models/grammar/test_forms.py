"""Word forms out of hunspell dictionaries, and grammars out of treebanks."""

import gzip

import pytest

from skord.core.failures import ConfigError
from skord.models.grammar import forms
from skord.models.grammar.forms import expand_entries, forms_of, read_affixes
from skord.models.grammar.induce import MAX_BYTES, Recipe, induce_grammar, write_grammar
from skord.models.grammar.interface import (
    graded_languages,
    grammar_path,
    load_calibration,
    load_grammar,
)
from skord.models.grammar.treebanks.conllu import parse_sentences, read_treebank

TREES = """\
# text = Hunden ser en katt.
1\tHunden\thund\tNOUN\t_\tDefinite=Def|Number=Sing\t2\tnsubj\t_\t_
2\tser\tse\tVERB\t_\tMood=Ind|VerbForm=Fin\t0\troot\t_\t_
3\ten\ten\tDET\t_\tNumber=Sing\t4\tdet\t_\t_
4\tkatt\tkatt\tNOUN\t_\tDefinite=Ind|Number=Sing\t2\tobj\t_\t_
5\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


def listed(affixes, *entries):
    return set(expand_entries(read_affixes(b"SET UTF-8\n" + affixes.encode()), entries))


def test_endings_of_two_levels_and_prefixes_are_put_on():
    affixes = "SFX A Y 1\nSFX A 0 en/B .\nSFX B Y 1\nSFX B 0 s .\nPFX P Y 1\nPFX P 0 o .\n"

    assert listed(affixes, "hund/A") == {"hund", "hunden", "hundens"}
    assert listed(affixes, "vän/AP") == {"vän", "vänen", "vänens", "ovän", "ovänen", "ovänens"}


def test_a_condition_and_what_is_stripped_look_at_the_end_of_the_word():
    affixes = "SFX A Y 2\nSFX A el lar [^k]el\nSFX A kel klar kel\n"

    assert listed(affixes, "medel/A") == {"medel", "medlar"}
    assert listed(affixes, "cykel/A") == {"cykel", "cyklar"}


def test_entries_that_are_no_words_by_themselves_are_left_out():
    affixes = "NEEDAFFIX N\nFORBIDDENWORD F\nONLYINCOMPOUND O\nSFX A Y 1\nSFX A 0 a .\n"

    assert listed(affixes, "gat/NA", "fel/F", "gatu/O", "ja") == {"gata", "ja"}


def test_numeric_flags_aliases_and_forms_spelled_out_are_read():
    assert listed("FLAG num\nSFX 12 Y 1\nSFX 12 0 s .\n", "bil/12,3") == {"bil", "bils"}
    assert listed("AF 1\nAF A\nSFX A Y 1\nSFX A 0 s .\n", "bil/1") == {"bil", "bils"}
    assert listed("", "gå al:går al:gik") == {"gå", "går", "gik"}


def test_a_list_is_made_once_in_a_folder_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "xx.aff").write_text("SET UTF-8\nSFX A Y 1\nSFX A 0 en .\n")
    (tmp_path / "xx.dic").write_text("2\nhund/A\nmås\n")

    words = forms.load_forms("xx", str(tmp_path))

    assert "hunden" in words
    assert "måsen" not in words
    (made,) = (tmp_path / "cache/skord/forms").glob("*.marisa")
    before = made.stat().st_mtime_ns
    forms.load_forms.cache_clear()
    assert "mås" in forms.load_forms("xx", str(tmp_path))
    assert made.stat().st_mtime_ns == before


def test_another_dictionary_makes_another_list(tmp_path):
    for words in ("hund", "katt"):
        folder = tmp_path / words
        folder.mkdir()
        (folder / "xx.aff").write_text("SET UTF-8\n")
        (folder / "xx.dic").write_text(f"1\n{words}\n")

    assert forms.forms_path("xx", str(tmp_path / "hund")) != forms.forms_path(
        "xx", str(tmp_path / "katt")
    )


def test_a_dictionary_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ConfigError, match=r"no hunspell dictionary of 'lv'.*lv_LV\.aff"):
        forms.dictionary_path("lv", str(tmp_path))


def test_every_language_has_a_dictionary_in_the_package():
    for language in graded_languages():
        path = forms.dictionary_path(language)
        assert next(iter(forms_of(path)))


def test_shipped_grammars_are_small_and_calibrated():
    assert graded_languages() == ["da", "is", "lv", "nb", "nn", "sv"]
    for language in graded_languages():
        assert grammar_path(language).stat().st_size <= MAX_BYTES
        assert load_grammar(language).head["sources"]
        calibration = load_calibration(language)
        assert calibration.words == [15, 40, 200]


def test_a_grammar_is_induced_from_trees(tmp_path):
    sentences = list(parse_sentences(TREES.split("\n")))
    made = induce_grammar("sv", sentences, recipe=Recipe(least_lift=0))
    chunks = {" ".join(made.tags[tag] for tag in chunk) for chunk in made.chunks}

    assert "DET|Sing NOUN|Sing|Ind" in chunks
    assert "NOUN|Sing|Def VERB|Fin|Ind" in chunks
    assert "VERB|Fin|Ind DET|Sing" not in chunks
    assert made.classes[made.lexicon["katt"]] == (made.tags.index("NOUN|Sing|Ind"),)


def test_numbers_in_digits_have_the_class_of_those_in_the_trees():
    line = "1\t7\t7\tNUM\t_\tNumType=Card\t0\troot\t_\t_\n"
    word = "1\ttre\ttre\tNUM\t_\tNumType=Card|Number=Plur\t0\troot\t_\t_\n"
    made = induce_grammar("sv", list(parse_sentences(f"{line}\n{word}\n{TREES}".split("\n"))))

    assert made.classes[made.numbers] == made.classes[made.lexicon["7"]]


def test_a_sequence_that_chance_makes_as_often_is_no_chunk():
    names = "".join(f"{n}\tord\tord\tNOUN\t_\t_\t{n - 1}\tnmod\t_\t_\n" for n in range(1, 5))
    sentences = [*parse_sentences(TREES.split("\n")), *parse_sentences(names.split("\n"))] * 20

    every = induce_grammar("sv", sentences, recipe=Recipe(least_lift=0))
    kept = induce_grammar("sv", sentences, recipe=Recipe(least_lift=2))

    noun = every.tags.index("NOUN")
    assert (noun, noun) in every.chunks
    assert (noun, noun) not in kept.chunks
    assert kept.chunks


def test_the_same_trees_give_the_same_bytes(tmp_path):
    packed = tmp_path / "trees.conllu.gz"
    packed.write_bytes(gzip.compress(TREES.encode()))
    for name in ("one", "two"):
        write_grammar(induce_grammar("sv", read_treebank(packed)), tmp_path / name)

    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_file_that_is_no_treebank_is_told(tmp_path):
    path = tmp_path / "trees.conllu"
    path.write_text("1\tHunden\n")

    with pytest.raises(ConfigError, match="2 columns, not 10"):
        read_treebank(path)


def test_a_list_that_cannot_be_made_is_told_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "xy.aff").write_text("SET NOSUCH-8\n")
    (tmp_path / "xy.dic").write_text("1\nhund\n")

    with pytest.raises(ConfigError, match=r"models\.grammar\.forms xy .* failed: (.|\n)*NOSUCH"):
        forms.load_forms("xy", str(tmp_path))
