"""Known pages: each kind of wrong ending is seen in the task where it happens."""

from dataclasses import replace

import pytest

from skord.core.config import open_storage
from skord.core.driver import run
from skord.core.dumps import CANARIES, Source, SourceKind, keep_source
from skord.core.failures import ConfigError
from skord.core.preflight import tasks_to_make
from skord.core.registry import task_class
from skord.core.settings import settings_in_force
from skord.extras.canaries.check import EXPECTED, check_canaries, faults
from skord.extras.canaries.pages import canaries_of, write_canaries

KNOWN = canaries_of(["sv", "nb"])
TEXT, NEAR, FAR, OLD, REFUSING, BOKMAL = KNOWN


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Tasks that the pages went through, by name."""
    folder = tmp_path_factory.mktemp("canaries")
    write_canaries(KNOWN, folder / "pages")
    settings = [
        ("pipeline", "data_dir", str(folder / "data")),
        ("executor", "workers", "0"),
        ("executor", "log_dir", str(folder / "logs")),
        ("DownloadWET", "num_shards_wanted", "2"),
        ("DetectReservations", "crawled_robots", "false"),
    ]
    with settings_in_force(settings):
        keep_source(CANARIES, Source(SourceKind.WARC, str(folder / "pages")), open_storage())
        tasks = {name: task_class(name)(dump=CANARIES) for name in EXPECTED}
        for task in tasks_to_make(tasks.values()):
            run(task)
        yield tasks


def test_pages_end_as_they_should(made):
    assert {name: list(faults(task, KNOWN)) for name, task in made.items()} == {
        name: [] for name in EXPECTED
    }
    assert made["CCNet"].store.manifest("CCNet")["num_shards"] == 2


def page_of(canary, **changed):
    return replace(canary, page=replace(canary.page, **changed))


WRONGS = {
    "a page that is not there": ("CCNet", page_of(TEXT, url="https://nowhere.se/"),
     "it is not selected"),
    "another charset": ("ConvertToMarkdown", page_of(OLD, charset="iso-8859-2"),
     "it was read as windows-1252, and is iso-8859-2"),
    "a row of the table": ("ConvertToMarkdown", replace(OLD, lines=("Falun 1289",)),
     "'Falun 1289' is not in its Markdown"),
    "a line of code": ("ConvertToMarkdown", replace(OLD, lines=("print(city)",)),
     "'print(city)' is not in its Markdown"),
    "the first paragraph": ("ConvertToMarkdown", page_of(TEXT, text="Det var en gång."),
     "'Det var en gång.' is not in"),
    "a longer text": ("ProcessMarkdown", page_of(TEXT, text=3 * TEXT.page.text),
     "its main text has"),
    "an owner who says nothing": ("DetectReservations", replace(REFUSING, is_reserved=False),
     "its owner says nothing, and "),
    "an owner who says no": ("DetectReservations", replace(TEXT, is_reserved=True),
     "its owner says no, and that was not"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONGS)
def test_what_is_not_as_expected_is_said(made, wrong):
    family, canary, sentence = WRONGS[wrong]

    (found,) = faults(made[family], [canary])

    assert found.startswith(canary.name)
    assert sentence in found


def test_of_near_duplicates_one_is_kept_within_a_shard_and_across(made):
    deduplicate = made["Deduplicate"]
    alone = [replace(one, is_copy=False) for one in (TEXT, NEAR, FAR)]

    assert len(list(faults(deduplicate, alone))) == 2
    assert list(faults(deduplicate, [replace(BOKMAL, is_copy=True), TEXT, NEAR, FAR])) != []


def test_they_are_never_published(made):
    assert made
    with pytest.raises(ConfigError, match="known pages that are never published"):
        task_class("ExportCorpus")(dump=CANARIES).requires()


def test_languages_without_text_are_said(tmp_path):
    settings = [("pipeline", "data_dir", str(tmp_path)), ("canaries", "enabled", "true")]
    with settings_in_force([*settings, ("CCNet", "languages", "fi")]):
        task = task_class("CCNet")(dump="2024-10")

        with pytest.raises(ConfigError, match="none of those is wanted"):
            check_canaries(task)
