"""Treebanks by name, folds and snippets, of `skord.models.grammar.treebanks.materials`."""

import gzip

import pytest

from skord.core.failures import ConfigError
from skord.models.grammar.treebanks import materials
from skord.models.grammar.treebanks.materials import (
    FOLDS,
    MATERIALS,
    Material,
    corruption_material,
    find_material,
    menu_items,
    running_words,
    sentence_snippets,
    text_lines,
    treebank_folds,
)

SENTENCES = [f"Kung{n} såg bron{n} ." for n in range(11)]


def conllu(sentence):
    rows = []
    parts = ["NOUN", "VERB", "NOUN", "PUNCT"]
    for number, (word, part) in enumerate(zip(sentence.split(), parts, strict=True), 1):
        head = 0 if number == 2 else 2
        rows.append(f"{number}\t{word}\t{word.lower()}\t{part}\t_\t_\t{head}\tdep\t_\t_")
    return f"# text = {sentence}\n" + "\n".join(rows) + "\n\n"


@pytest.fixture
def folders(tmp_path, monkeypatch):
    for language in ("sv", "en", "nb"):
        (tmp_path / language).mkdir()
        (tmp_path / language / "ud.gz").write_bytes(gzip.compress(b"Some words here\n"))
    bank = tmp_path / "x-ud-dev.conllu"
    bank.write_text("".join(map(conllu, SENTENCES)))
    (tmp_path / "held-ud-dev.conllu").write_text("".join(map(conllu, SENTENCES[:2])))
    (tmp_path / "sv" / "text.gz").write_bytes(gzip.compress("Kung kom.\n\nBron föll .\n".encode()))
    known = {
        "sv": Material(own=["x-ud-dev"], sister="nb"),
        "da": Material(own=["x-ud-dev"], held_out=["held-ud-dev"], relatives=["sv"]),
    }
    monkeypatch.setattr(materials, "MATERIALS", known)
    return [tmp_path]


def test_a_treebank_is_found_by_its_name_and_a_text_in_its_languages_folder(folders):
    assert find_material("x-ud-dev", folders).name == "x-ud-dev.conllu"
    assert find_material("ud", folders, "nb").parent.name == "nb"
    with pytest.raises(ConfigError, match=r"y-ud-dev\.conllu is in none of"):
        find_material("y-ud-dev", folders)


def test_without_held_out_trees_every_sentence_is_tested_once(folders):
    parts = list(treebank_folds("sv", folders))

    assert len(parts) == FOLDS
    assert [s.text for fold in parts for s in fold.test] == SENTENCES
    for fold in parts:
        assert len(fold.own) + len(fold.test) == len(SENTENCES)
        assert not {s.text for s in fold.own} & {s.text for s in fold.test}


def test_what_is_held_out_is_not_learnt_from(folders):
    (fold,) = treebank_folds("da", folders)

    assert [s.text for s in fold.test] == SENTENCES[:2]
    assert [s.text for s in fold.own] == SENTENCES[2:]
    assert len(fold.also) == len(SENTENCES)


def test_snippets_are_consecutive_sentences_of_enough_words():
    lines = [["a", "b", "c", "."], ["a", "b", "!"], ["d", "e", "f"], ["g", "h", "i"]]
    assert sentence_snippets(lines, 6) == [[lines[0], lines[2]]]
    assert sentence_snippets(lines, 3) == [[lines[0]], [lines[2]], [lines[3]]]
    assert sentence_snippets(lines, 10) == []


def test_corruptions_draw_on_the_words_around(folders):
    fold = next(iter(treebank_folds("sv", folders)))
    around = corruption_material("sv", fold, folders)

    assert "." not in around.words
    assert around.lemmas["Kung0"] == "kung0"
    assert len(around.nouns) == 2 * len(fold.test)
    assert around.following["såg"] == [line[2] for line in running_words(fold.own)]
    assert (around.english, around.legacy) == (["Some", "words", "here"], "cp1252")
    assert around.menu == menu_items("sv")


def test_texts_are_read_by_lines_and_treebanks_by_sentences(folders):
    assert text_lines("text", folders, "sv") == [["Kung", "kom", "."], ["Bron", "föll", "."]]
    assert text_lines("x-ud-dev", folders, "sv")[0] == SENTENCES[0].split()


def test_every_language_has_a_menu_and_material():
    assert set(MATERIALS) >= {"lv", "sv", "da", "nb", "nn", "is"}
    assert all(len(menu_items(code)) > 5 for code in MATERIALS)
