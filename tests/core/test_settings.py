import configparser

import pytest
from luigi.task_register import Register

from pipeline.core.failures import ConfigError
from pipeline.core.graph_modules import load_graph, task_classes
from pipeline.core.settings import LUIGI_SECTIONS, check_settings
from tests.conftest import ROOT


def shipped():
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(ROOT / "luigi.cfg")
    return {name: dict(parser[name]) for name in parser.sections() if name not in LUIGI_SECTIONS}


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


def test_a_section_that_nothing_reads_is_an_error(settings):
    settings("[executors]\nworkers = 3\n")

    with pytest.raises(ConfigError, match=r"section \[executors\] .* did you mean executor\?"):
        check_settings()


def test_tasks_are_listed_in_the_order_of_the_graph(settings):
    assert [name for name, task in task_classes().items() if not task.on_request] == [
        "DownloadWET", "HashParagraphs", "CCNet", "CCIndex", "WARCIndex", "FetchHTMLDocuments",
        "ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments", "Deduplicate",
    ]  # fmt: skip
