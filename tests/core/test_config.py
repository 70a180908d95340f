"""Settings: `skord.core.config`, the shipped file, and the defaults in `pipeline.cc_net`,
`pipeline.warc_processing`, `pipeline.markdown_processing`, `pipeline.quality_filtering`,
`pipeline.dedup`, `skord.extras.passages.removal`, `pipeline.export`, `skord.extras.ccnet_files.task`,
`skord.extras.paragraphs.extraction`, `skord.extras.grading.task`, `pipeline.reservations` and
`skord.crawl.config` (`skord.crawl.http.settings`).
"""

import configparser

import luigi.interface  # noqa: F401 - declares options that the parser reads
import pytest
from luigi.cmdline_parser import CmdlineParser
from luigi.task_register import Register

from pipeline.cc_net import DownloadWET
from skord.cli.init import commented_settings
from skord.core.config import open_storage
from skord.core.dumps import check_dump
from skord.core.failures import ConfigError
from skord.core.preflight import LUIGI_SECTIONS, check_graph, check_settings
from skord.core.registry import load_graph, task_classes
from skord.core.settings import default_settings
from tests.conftest import ROOT


def shipped():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(default_settings())
    return {name: dict(parser[name]) for name in parser.sections() if name not in LUIGI_SECTIONS}


def test_the_settings_beside_the_code_are_those_that_init_writes():
    assert (ROOT / "luigi.cfg").read_text(encoding="utf-8") == commented_settings()


def test_the_shipped_settings_are_those_of_the_code(settings):
    load_graph()
    for section, values in shipped().items():
        parameters = dict(Register.get_task_cls(section).get_params())
        for name, text in values.items():
            parameter = parameters[name]
            default = parameter.normalize(parameter._default)
            assert parameter.serialize(parameter.parse(text)) == parameter.serialize(default), (
                f"[{section}] {name}"
            )


def test_every_setting_of_a_task_is_in_the_shipped_file_or_common_to_all(settings):
    common = {"dump", "languages", "replace", "mem_gb", "max_failure_share"}
    for name, cls in task_classes().items():
        own = {parameter for parameter, _ in cls.get_params()} - common
        assert own <= set(shipped().get(name, {})), name


def test_the_shipped_settings_pass_their_own_check(settings, monkeypatch):
    settings(
        "".join(
            f"[{section}]\n" + "".join(f"{k} = {v}\n" for k, v in values.items())
            for section, values in shipped().items()
            if section not in ("pipeline", "executor")
        )
    )

    check_settings()


def test_a_key_that_nothing_reads_is_an_error(settings):
    settings("[CCNet]\nlanguage = []\n")

    with pytest.raises(ConfigError, match=r"\[CCNet\] language .* did you mean languages\?"):
        check_settings()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[CCNet]\nmin_score = 0,2\n", r"\[CCNet\] min_score = 0,2 cannot.*min_score = 0.2"),
        ("[CCNet]\nrule = all\n", r"\[CCNet\] rule = all .*: write it as in rule = any"),
        ("[FilterDocuments]\nlimits = num_words 3\n", r"limits = num_words 3 cannot be read"),
        ("[CCNet]\nlanguages = [da\n", r'write lv,sv or \["lv", "sv"\]'),
        ("[crawl]\nattempts = many\n", r"\[crawl\] attempts = many"),
    ],
)
def test_a_value_that_cannot_be_read_is_an_error(settings, text, sentence):
    settings(text)

    with pytest.raises(ConfigError, match=sentence):
        check_settings()


def test_a_value_that_cannot_be_read_is_an_error_on_the_command_line_too(settings):
    words = ["Deduplicate", "--dump", "2024-10", "--FilterDocuments-limits", "num_words=3"]

    with (
        CmdlineParser.global_instance(words),
        pytest.raises(ConfigError, match=r"\[FilterDocuments\] limits = num_words=3"),
    ):
        check_settings()


def test_a_task_for_no_dump_says_so(settings):
    with pytest.raises(ConfigError, match="no dump is named: add one, such as --dump 2024-10"):
        check_dump("", open_storage())


def test_a_wrong_setting_is_said_before_that_it_differs_from_what_is_complete(settings):
    settings("[crawl]\nbase_url = http://127.0.0.1:9\n")
    task = DownloadWET(dump="2024-10", num_shards_wanted=0)
    task.store.write_manifest("DownloadWET", {"stamp": "another"})

    with pytest.raises(ConfigError, match="num_shards_wanted must be 1 or more"):
        check_graph(task)


def test_a_section_that_nothing_reads_is_an_error(settings):
    settings("[executors]\nworkers = 3\n")

    with pytest.raises(ConfigError, match=r"section \[executors\] .* did you mean executor\?"):
        check_settings()


def test_tasks_are_listed_in_the_order_of_the_graph(settings):
    assert [name for name, task in task_classes().items() if not task.on_request] == [
        "DownloadWET", "HashParagraphs", "CCNet", "CCIndex", "WARCIndex", "FetchHTMLDocuments",
        "ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments", "ComputeSignatures",
        "Deduplicate",
    ]  # fmt: skip
