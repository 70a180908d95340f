"""What of a log is said to a person, of `skord.core.console.log`."""

import logging
from pathlib import Path

import pytest
from luigi.configuration import LuigiConfigParser

from skord.core.console import log
from skord.core.console.log import (
    LUIGIS_SUMMARY,
    Console,
    is_luigis_command,
    luigi_options,
    report_uncaught,
    supply_defaults,
)
from skord.core.failures import ConfigError


@pytest.fixture
def said(settings, capsys):
    """Writes settings of [pipeline]; what a console says of some records, a list of lines."""

    def write(**values):
        path = settings()
        text = path.read_text().replace(
            "[pipeline]\n", "[pipeline]\n" + "".join(f"{k} = {v}\n" for k, v in values.items())
        )
        path.write_text(text)
        LuigiConfigParser.reload()

        def emitted(console, *records):
            for record in records:
                console.emit(record)
            lines = capsys.readouterr().err.splitlines()
            return [line for line in lines if not line.startswith("INFO: Loaded")]

        return emitted

    return write


def record(text, level=logging.INFO, error=None, path="/x/pipeline/a.py"):
    info = (type(error), error, None) if error else None
    return logging.LogRecord("luigi-interface", level, path, 1, text, (), info)


LUIGIS = "/site-packages/luigi/worker.py"


def test_lines_of_tasks_are_said_and_luigis_are_not(said):
    assert said()(
        Console(), record("of a task"), record("detail", logging.DEBUG),
        record("of Luigi", path=LUIGIS), record("warning", logging.WARNING),
    ) == ["of a task", "warning"]  # fmt: skip


def test_those_who_ask_get_all_of_it_once(said):
    assert said(verbose="true")(
        Console(), record("of a task"), record("of Luigi", path=LUIGIS),
    ) == ["INFO: of a task", "INFO: of Luigi"]  # fmt: skip


def test_an_error_is_one_sentence_and_said_once(said):
    console, error = Console(), ConfigError("set [pipeline] data_dir")
    emitted = said()

    first = emitted(console, record("x", error=error), record("y", error=error))
    assert len(first) == 1
    assert "set [pipeline] data_dir" in first[0]
    assert console.run.errors == first
    other = emitted(console, record("z", error=ConfigError("else")))
    assert len(other) == 1
    assert len(console.run.errors) == 2


def test_at_the_end_the_first_error_is_said_unless_it_was_the_last_line(said):
    console, emitted = Console(), said()
    summary = record(f"\n{LUIGIS_SUMMARY}\n", path=LUIGIS)
    (sentence,) = emitted(console, record("x", error=ConfigError("first")))
    assert emitted(console, summary) == []
    assert console.run.errors == []
    emitted(console, record("x", error=ConfigError("first")), record("then"))
    assert emitted(console, summary) == [sentence]


def test_debugging_shows_where_an_error_came_from(said):
    lines = said(debug="True")(Console(), record("x", error=ConfigError("first")))
    assert "Traceback" not in lines[-1]
    assert len(lines) > 1
    assert "ConfigError: first" in "\n".join(lines[:-1])


def test_what_there_is_to_see_is_said_unless_the_settings_say_not(said):
    summary = record(LUIGIS_SUMMARY, path=LUIGIS)
    console = Console()
    console.run.done.append(("CCNet", "2024-10"))
    assert said()(console, summary)
    console.run.done.append(("CCNet", "2024-10"))
    assert said(summary="false")(console, summary) == []


def test_an_error_that_nothing_caught_is_a_sentence(said, capsys):
    said()
    report_uncaught(ConfigError, ConfigError("first"), None)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "first" in lines[0]
    said(debug="true")
    report_uncaught(ConfigError, ConfigError("first"), None)
    assert len(capsys.readouterr().err.splitlines()) > 1


def test_words_for_every_worker():
    assert luigi_options(None, verbose=False, debug=False) == []
    assert luigi_options("d", verbose=False, debug=True) == [
        "--pipeline-data-dir", "d", "--pipeline-debug",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "is_it"),
    [(["/v/bin/luigi"], True), (["/s/luigi/__main__.py"], True), (["/bin/skord"], False), ([], 0)],
)  # fmt: skip
def test_luigis_command_is_known_by_its_name(monkeypatch, words, is_it):
    monkeypatch.setattr("sys.argv", words)
    assert is_luigis_command() == is_it


def test_a_process_speaks_through_one_console():
    logger = logging.getLogger(log.LOGGER)
    before, level = list(logger.handlers), logger.level
    try:
        log.log_sentences()
        log.log_sentences()
        assert sum(isinstance(one, Console) for one in logger.handlers) == 1
        assert logger.level == logging.INFO
    finally:
        logger.handlers[:] = before
        logger.setLevel(level)


def test_the_packages_settings_are_read_before_all_others(settings):
    settings()
    before = list(LuigiConfigParser._config_paths)
    supply_defaults()
    supply_defaults()
    assert LuigiConfigParser._config_paths[1:] == before
    assert Path(LuigiConfigParser._config_paths[0]).is_file()
