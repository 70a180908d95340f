"""What a run prints, of `skord.cli.console` and `skord.cli.session`."""

import argparse
import logging

import luigi
import pytest
from luigi.configuration import get_config

from skord.cli.console import (
    LOGGER,
    Console,
    RunReport,
    closing_lines,
    complete_line,
    documents_by_reason,
    log_to_console,
    next_commands,
    own_command,
    run_tasks,
    task_line,
)
from skord.cli.session import run_command
from skord.core.failures import ConfigError, ShardError
from skord.core.preflight import check_settings
from skord.core.registry import task_class
from skord.core.settings import given_settings, settings_in_force

LUIGIS = f"{luigi.__path__[0]}/worker.py"


@pytest.fixture
def said(settings, capsys):
    """What a console says of some records, under settings of [pipeline]: a list of lines."""

    def emitted(*records, **values):
        with settings_in_force([("pipeline", name, value) for name, value in values.items()]):
            for record in records:
                Console().emit(record)
        return capsys.readouterr().err.splitlines()

    return emitted


def record(text, level=logging.INFO, path="/x/pipeline/a.py"):
    return logging.LogRecord(LOGGER, level, path, 1, text, (), None)


def test_lines_of_tasks_are_printed_and_luigis_are_not(said):
    assert said(
        record("of a\n task"), record("detail", logging.DEBUG), record("of Luigi", path=LUIGIS),
        record("warning", logging.WARNING),
    ) == ["of a task", "warning"]  # fmt: skip


def test_those_who_ask_get_all_of_it_once(said):
    assert said(
        record("of a task"), record("of Luigi", path=LUIGIS), verbose="true"
    ) == ["INFO: of a task", "INFO: of Luigi"]  # fmt: skip


@pytest.fixture
def logger():
    logger = logging.getLogger(LOGGER)
    before, level = list(logger.handlers), logger.level
    yield logger
    logger.handlers[:] = before
    logger.setLevel(level)


def test_a_process_prints_through_one_console(settings, logger):
    log_to_console()
    log_to_console()

    assert sum(isinstance(one, Console) for one in logger.handlers) == 1
    assert logger.level == logging.INFO


class Made(luigi.Task):
    """Complete once it has run; fails with what it is told to."""

    error = luigi.Parameter(default="")
    later = luigi.Parameter(default="")
    made = False

    def complete(self):
        return self.made

    def requires(self):
        return [Made(error=self.later)] if self.later else []

    def run(self):
        if self.error:
            raise ShardError(self.error)
        self.made = True


def lines_of(capsys):
    return [line for line in capsys.readouterr().err.splitlines() if "Loaded" not in line]


def test_an_error_is_one_sentence_and_printed_once(settings, logger, capsys):
    log_to_console()

    assert not run_tasks([Made(error="first"), Made(error="first", later="x")])
    assert lines_of(capsys) == ["first", "x", "first"]
    assert not run_tasks([Made(error="alone")])
    assert lines_of(capsys) == ["alone"]


def test_with_two_workers_the_last_line_is_the_error_of_a_task_in_its_process(settings, capfd):
    with settings_in_force([("core", "workers", "2")]):
        assert not run_tasks([Made(error="first"), Made()])

    lines = [line for line in capfd.readouterr().err.splitlines() if "Loaded" not in line]
    assert set(lines) == {"first"}


def test_at_the_end_the_first_error_is_printed_unless_it_was_the_last_line(settings, capsys):
    report = RunReport()
    report.print_error(Made(), ConfigError("first"))
    report.print_end([], ended_well=False)
    assert lines_of(capsys) == ["first"]
    report.emit(record("of Luigi", path=LUIGIS))
    report.print_end([], ended_well=False)
    assert lines_of(capsys) == []
    report.emit(record("of a task"))
    report.print_end([], ended_well=False)
    assert lines_of(capsys) == ["first"]


def test_debugging_shows_where_an_error_came_from(settings, capsys):
    with settings_in_force([("pipeline", "debug", "true")]):
        RunReport().print_error(Made(), ConfigError("first"))

    lines = lines_of(capsys)
    assert lines[-1] == "first"
    assert "ConfigError: first" in "\n".join(lines[:-1])


def test_an_error_that_was_printed_elsewhere_is_not_taken_for_success(settings, capsys):
    RunReport().print_end([], ended_well=False)

    assert lines_of(capsys) == ["it could not be completed: see above"]


@pytest.fixture
def complete(settings):
    """A task with a manifest of two shards, though without them."""

    def make(family, dump="2024-10"):
        task = task_class(family)(dump=dump)
        manifest = {"stamp": task.fingerprint, "num_shards": 2, "rows": 3, "counts": {}}
        task.store.write_manifest(family, manifest)
        return task

    return make


def test_a_complete_task_says_since_when_where_and_what_is_next(complete, tmp_path):
    line = complete_line(complete("CCNet"))

    assert line.startswith("nothing to do: CCNet 2024-10 is complete since 20")
    assert f" UTC, 2 shards in {tmp_path}/data/CCNet/2024-10; next: " in line
    assert f"skord publish export --dumps 2024-10 --data-dir {tmp_path}/data" in line


def test_a_complete_export_names_the_folder_of_its_files(complete, tmp_path):
    complete("Deduplicate")
    line = complete_line(complete("ExportCorpus"))

    assert f"in {tmp_path}/data/ExportCorpus/2024-10/files; next: " in line
    assert " export --dumps" not in line
    assert "report --dumps 2024-10" in line


def test_a_task_that_names_others_sums_them_up(complete, tmp_path):
    class Both(luigi.WrapperTask):
        def requires(self):
            return [complete("CCNet"), complete("CCNet", "2024-18")]

    line = complete_line(Both())

    assert "nothing to do: Both 2 dumps is complete" in line
    assert f"4 shards in {tmp_path}/data/CCNet; next: " in line
    assert "export --dumps 2024-10,2024-18" in line


def test_the_last_lines_name_the_folder_and_the_export(complete, tmp_path):
    assert len(list(closing_lines([complete("CCNet")], "s3://a/b", 1.0))) == 3  # nothing to report
    complete("Deduplicate")
    lines = list(closing_lines([complete("CCNet")], "s3://a/b/?key=secret", 1.0))
    published = list(closing_lines([complete("CCNet"), complete("ExportCorpus")], "data", 90.0))

    assert lines[0] == "done in 1 s: s3://a/b/CCNet/2024-10"
    assert lines[1].endswith("export --dumps 2024-10")
    assert [line[:6] for line in lines[1:]] == ["next: ", " " * 6, " " * 6]
    assert not any("--data-dir" in line for line in lines)
    assert published[0] == "done in 1 min 30 s: data/ExportCorpus/2024-10"
    assert published[1] == f"published files: {tmp_path}/data/ExportCorpus/2024-10/files"
    assert not any(" export " in line for line in published)
    assert next(next_commands("my data", [], "2024-10")).endswith("2024-10 --data-dir 'my data'")


def test_a_run_prints_its_last_lines_unless_the_settings_say_not(complete, capsys):
    task = complete("CCNet")

    RunReport().print_end([task], ended_well=True)
    assert lines_of(capsys)[0].startswith("done in 0 s")
    with settings_in_force([("pipeline", "summary", "false")]):
        RunReport().print_end([task], ended_well=True)
    assert lines_of(capsys) == []


def test_a_task_that_is_done_gets_its_line(complete, capsys):
    report = RunReport()
    report.print_success(complete("CCNet"))

    assert lines_of(capsys)[0].startswith("CCNet 2024-10: 3 rows in 2 shards, 0 s")
    assert [task.task_family for task in report.done] == ["CCNet"]


def test_a_tasks_line_tells_what_was_lost_the_most_frequent_first():
    counts = {"failure.a": 1, "refused.c": 3, "refused.b": 3, "failure.none": 0, "removed": 9}

    assert documents_by_reason(counts) == [("near_duplicate", 9), ("b", 3), ("c", 3), ("a", 1)]
    assert documents_by_reason({}) == []
    assert task_line("T", "d", {"rows": 1000, "num_shards": 1}, 2.0) == (
        "T d: 1,000 rows in 1 shard, 2 s (500.0/s)"
    )
    assert "in 0 shards" in task_line("T", "d", {}, 0.0)


@pytest.mark.parametrize(
    ("typed", "said"),
    [("bin/skord", "skord"), ("skord", "skord"), ("else where/skord", "'{}/else where/skord'")],
)
def test_the_command_is_named_as_it_was_typed(monkeypatch, tmp_path, typed, said):
    on_path = tmp_path / "bin" / "skord"
    on_path.parent.mkdir()
    on_path.write_text("#!/bin/sh\n")
    on_path.chmod(0o755)
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setattr("sys.argv", [str(tmp_path / typed) if "/" in typed else typed])

    assert own_command() == said.format(tmp_path)


# -- the session --------------------------------------------------------------------------


def settings_seen(options):
    """A command: what is in force while it runs."""
    check_settings()
    config = get_config()
    print(config.get("pipeline", "data_dir"), config.get("pipeline", "debug", "unset"))
    print(given_settings())
    return 3


def test_a_command_works_under_what_its_line_sets(settings, tmp_path, capsys, logger):
    command = argparse.Namespace(module=__name__, function="settings_seen")
    options = argparse.Namespace(does=command, data_dir="other", verbose=False, debug=True)

    assert run_command(options) == 3

    assert capsys.readouterr().out.splitlines() == [
        "other true", "(('pipeline', 'data_dir', 'other'), ('pipeline', 'debug', 'true'))"
    ]  # fmt: skip
    assert get_config().get("pipeline", "data_dir") == f"{tmp_path}/data"
    assert not get_config().has_option("pipeline", "debug")
    assert given_settings() == ()
