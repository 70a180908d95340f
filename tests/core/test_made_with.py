"""What a data folder was made with, of `skord.core.made_with`."""

import json

import pytest
from luigi.configuration import get_config

from pipeline.cc_net import CCNet
from skord.cli.main import main
from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.core.made_with import MADE_WITH, note_settings, noted_settings
from skord.core.settings import settings_in_force

ET = [("CCNet", "languages", "et,nb")]


@pytest.fixture
def storage(settings):
    """A data folder in which CCNet has data of Estonian and Bokmål."""
    settings()
    storage = open_storage()
    with settings_in_force(
        [*ET, ("executor", "progress", "false"), ("CCNet", "num_partitions", "8")]
    ):
        note_settings(storage, replace=False)
    storage.write("CCNet/mine/_manifest.json", b"{}")
    return storage


def noted_in(storage):
    """What is noted, without the tasks that have nothing but defaults."""
    return {name: made for name, made in json.loads(storage.read(MADE_WITH)).items() if made}


def test_what_decides_bytes_is_noted_and_nothing_else(storage):
    assert noted_in(storage) == {"CCNet": {"languages": "et,nb"}}


def test_later_commands_work_under_it(storage):
    assert noted_settings(storage) == ET
    with settings_in_force(noted_settings(storage)):
        assert CCNet(dump="mine").languages == ("et", "no")


def test_what_luigi_cfg_says_is_not_said_again(storage):
    with settings_in_force([("CCNet", "languages", "sv")]):
        assert noted_settings(storage) == []


def test_another_value_is_refused_and_named(storage):
    with (
        settings_in_force([("CCNet", "languages", "sv")]),
        pytest.raises(
            ConfigError, match=r"was made with \[CCNet\] languages = et,nb, not sv: leave"
        ),
    ):
        note_settings(storage, replace=False)
    assert noted_settings(storage) == ET


def test_a_default_that_data_was_made_with_is_a_value_like_another(storage):
    with (
        settings_in_force([("CCNet", "rule", "top")]),
        pytest.raises(ConfigError, match=r"\[CCNet\] rule = any, not top"),
    ):
        note_settings(storage, replace=False)


def test_of_a_folder_without_a_note_nothing_is_noted_that_data_may_belie(storage):
    storage.delete(MADE_WITH)
    with settings_in_force([("CCNet", "rule", "top"), ("HashParagraphs", "min_chars", "9")]):
        note_settings(storage, replace=False)
    assert noted_in(storage) == {"HashParagraphs": {"min_chars": "9"}}
    with settings_in_force([("CCNet", "rule", "any"), ("CCNet", "min_score", "0.3")]):
        note_settings(storage, replace=False)


def test_another_spelling_is_no_other_value(storage):
    with settings_in_force([("CCNet", "languages", '["et", "no"]')]):
        note_settings(storage, replace=False)


def test_what_may_be_replaced_is_noted_anew(storage):
    with settings_in_force([("CCNet", "languages", "sv")]):
        note_settings(storage, replace=True)
    assert noted_settings(storage) == [("CCNet", "languages", "sv")]


def test_a_task_without_data_takes_any_value_and_no_noted_one(storage):
    for value in ("0.5", "0.6"):
        with settings_in_force(
            [("FilterDocuments", "limits", f'{{"content_length": [{value}, 9]}}')]
        ):
            note_settings(storage, replace=False)
    assert noted_settings(storage) == ET


def test_a_damaged_note_is_told(storage):
    storage.write(MADE_WITH, b"{")
    with pytest.raises(ConfigError, match=r"made_with\.json is damaged"):
        noted_settings(storage)


def test_bokmaal_has_one_fingerprint(settings):
    settings()
    tasks = [CCNet(dump="2024-10", languages=codes) for codes in (("sv", "nb"), ("sv", "no"))]
    assert tasks[0].fingerprint == tasks[1].fingerprint


def test_an_export_keeps_the_languages_that_the_pages_were_selected_by(settings, tmp_path, capsys):
    settings("[HashParagraphs]\nmin_chars = 50\n")
    page = tmp_path / "page.html"
    text = "Eile avati sild Põhjaväljaku ja sadama vahel pärast kaheaastast tööd."
    page.write_text(f"<main><h1>Sild on avatud</h1><p>{text}<p>See on laiem kui vana.</main>")
    run = ["run", "FilterDocuments", "--input", "mine", "--source", str(page), "--languages", "et"]
    assert main(run) == 0
    assert not get_config().has_option("CCNet", "languages")
    assert main(["export", "--dumps", "mine", "--replace"]) == 0
    printed = capsys.readouterr()
    assert "made with [CCNet] languages = et" in printed.err
    assert "made again with other settings" not in printed.err
    assert main(["run", "FilterDocuments", "--dump", "mine", "--languages", "sv"]) == 1
    assert "was made with [CCNet] languages = et, not sv" in capsys.readouterr().err


def test_it_holds_for_a_task_that_is_gone_and_will_be_made_again(storage):
    storage.write("_complete/CCNet/mine", b"complete\n")
    storage.delete("CCNet/mine/_manifest.json")

    assert noted_settings(storage) == ET
