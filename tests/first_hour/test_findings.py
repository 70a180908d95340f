"""What the first strangers tripped over, each with the test that shows it gone.

`FINDINGS` is the table: what was found, in a few words, and where it is looked for since. A row
names a test as pytest does, without its parameters; the tests below read that it is there, and
look themselves for what has no other place. Pictures: `test_looking.py` and
`test_annotation_tool.py` save screenshots of what they look at.
"""

import ast
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT, run_python

HERE = "tests/first_hour/test_findings.py"
WRONG = "tests/first_hour/test_wrong_commands.py::test_a_wrong_command_is_one_sentence"
BROKEN = "tests/cli/test_wrong_commands.py::test_a_broken_file_of_settings_is_one_sentence"
FIGURES = "tests/graph/looking/test_report_figures.py::"
PAGE = "tests/graph/looking/test_report_page.py::"

FINDINGS = [
    ("no LICENSE, none in pyproject.toml", f"{HERE}::test_it_says_under_what_licence_it_stands"),
    ("no CHANGELOG", f"{HERE}::test_it_has_what_a_project_has"),
    ("no CONTRIBUTING", f"{HERE}::test_it_has_what_a_project_has"),
    ("README silent about pages of no licence", f"{HERE}::test_readme_tells_of_what_was_taught"),
    ("a damaged shard is not made again by running again",
     "tests/core/test_faults.py::test_a_lost_shard_of_a_complete_task_is_made_again_and_only_it"),
    ("a missing shard likewise",
     "tests/core/test_faults.py::test_a_lost_shard_of_a_complete_task_is_made_again_and_only_it"),
    ("funnel gives advice that does not work",
     "tests/core/storage/test_column_store.py::test_an_unreadable_parquet_file_is_not_taken_for_a_shard"),
    ("a reader renames what is damaged",
     "tests/core/test_faults.py::test_a_damaged_page_stays_where_it_is_for_a_reader"),
    ("a wheel waits for a scheduler, without luigi.cfg",
     "tests/cli/test_wheel.py::test_the_sample_runs_in_any_folder_and_its_next_commands_work"),
    ("no command of the project's name",
     "tests/cli/test_wheel.py::test_a_page_is_extracted_in_any_folder"),
    ("after the sample the next commands show nothing",
     "tests/graph/test_commands.py::test_a_rehearsal_over_ones_own_pages"),
    ("LUIGI_CONFIG_PATH must be set by hand",
     "tests/graph/test_commands.py::test_the_settings_beside_a_data_folder_are_used"),
    ("language as a set rejects every Finnish page",
     "tests/shards/test_filter_documents.py::"
     "test_a_measure_that_knows_nothing_of_a_language_stops_none_of_its_pages"),
    ("an import of one's own export doubles the pages",
     "tests/annotation/test_sources.py::test_an_import_of_an_export_changes_nothing"),
    ("agreement undefined after an import",
     "tests/annotation/test_annotations.py::test_a_team_has_progress_and_agreement_of_each_two"),
    ("a misspelt annotator exports an empty file over another",
     "tests/annotation/test_sources.py::"
     "test_a_misspelt_annotator_is_refused_and_no_file_written_over"),
    ("limits of perplexity are observed values",
     f"{FIGURES}test_the_lines_between_buckets_are_those_of_the_cutoffs"),
    ("the report opens with a squeezed funnel",
     f"{PAGE}test_the_report_opens_in_a_browser_and_fetches_nothing"),
    ("the report has no totals", f"{FIGURES}test_the_headline_is_what_duckdb_counts"),
    ("fifty measures in one wall",
     f"{PAGE}test_measures_that_decide_come_first_and_the_others_are_folded"),
    ("the report has no dark mode", f"{PAGE}test_the_report_fits_every_width_in_light_and_dark"),
    ("the report overflows a narrow window",
     f"{PAGE}test_the_report_fits_every_width_in_light_and_dark"),
    ("the card says pandoc beside converter = fast",
     "tests/publishing/card/test_dataset_card.py::test_another_setting_changes_the_words"),
    ("the card says lid.176 where another decided",
     "tests/publishing/card/test_dataset_card.py::test_another_setting_changes_the_words"),
    ("two seconds before --help",
     "tests/cli/test_wrong_commands.py::test_help_and_one_page_need_neither_luigi_nor_the_graph"),
    ("matplotlib is loaded by every command", f"{HERE}::test_no_command_loads_what_draws"),
    ("two minutes of compiling without a word", f"{HERE}::test_nothing_is_compiled_when_it_runs"),
    ("no command for one page", "tests/cli/test_wheel.py::test_a_page_is_extracted_in_any_folder"),
    ("sample run has no --languages", f"{HERE}::test_the_sample_takes_languages"),
    ("short pages vanish without naming the setting", f"{HERE}::test_too_short_names_its_setting"),
    ("README of 627 lines", "tests/docs/test_site.py::test_readme_is_a_first_page"),
    ("benchmarks before finding one's way", f"{HERE}::test_readme_leads_on"),
    ("nothing on adding a language", f"{HERE}::test_readme_leads_on"),
    ("a test that must end in 20 s of wall time", f"{HERE}::test_no_test_asks_for_a_quick_machine"),
    ("luigi.cfg not in UTF-8: a traceback", BROKEN),
    ("luigi.cfg without a section: a traceback", BROKEN),
    ("the same when a task is run",
     "tests/cli/test_wrong_commands.py::"
     "test_a_broken_file_of_settings_is_one_sentence_of_a_run_too"),
    ("a used port: a traceback", "tests/cli/test_wrong_commands.py::test_a_port_in_use"),
    ("Ctrl-C: a traceback",
     "tests/graph/faults/test_kill_and_rerun.py::"
     "test_interrupting_stops_everything_and_the_next_run_goes_on"),
    ("malformed JSON in a setting: a traceback", BROKEN),
    ("a full disk advises to raise mem_gb",
     "tests/cli/test_wrong_commands.py::test_a_full_disk_does_not_advise_more_memory"),
    ("a WARC file with one page cannot be served",
     "tests/sample_crawl/test_builder.py::test_a_crawl_of_one_page_has_no_file_without_bytes"),
    ("wrong words of every kind", WRONG),
]  # fmt: skip


def test_every_finding_has_its_test():
    assert len(FINDINGS) >= 40
    for what, node in FINDINGS:
        path, _, name = node.partition("::")
        defined = [
            one.name
            for one in ast.walk(ast.parse((ROOT / path).read_text("utf-8")))
            if isinstance(one, ast.FunctionDef)
        ]
        assert name in defined, what


def test_it_says_under_what_licence_it_stands():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert "Apache-2.0" in project["license"]
    assert "Apache License" in (ROOT / "LICENSE").read_text("utf-8")
    assert {"LICENSE", "NOTICE"} == set(project["license-files"])


@pytest.mark.parametrize("name", ["CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "NOTICE"])
def test_it_has_what_a_project_has(name):
    assert len((ROOT / name).read_text("utf-8").splitlines()) > 5


def test_readme_tells_of_what_was_taught():
    readme = (ROOT / "README.md").read_text("utf-8")

    assert "state no licence" in readme.partition("## Licence")[2]


def test_readme_leads_on():
    readme = (ROOT / "README.md").read_text("utf-8")

    assert "(docs/how-to/language.md)" in readme
    assert (ROOT / "docs/how-to/language.md").exists()
    assert readme.index("skord.extract") < readme.index("## How good, how fast")


def test_no_command_loads_what_draws():
    code = (
        "import sys; from skord.cli.look import status, funnel, why, what_if, features;"
        "print([m for m in ('matplotlib', 'torch', 'numba') if m in sys.modules])"
    )

    assert run_python("-c", code).stdout == "[]\n"


def test_nothing_is_compiled_when_it_runs():
    sources = [*(ROOT / "skord").rglob("*.py"), *(ROOT / "models").rglob("*.py")]

    assert len(sources) > 200
    assert [
        one for one in sources if re.search(r"^\s*(import|from) numba", one.read_text(), re.M)
    ] == []


def test_the_sample_takes_languages():
    assert "--languages" in run_python("-m", "skord", "sample", "run", "--help").stdout


def test_too_short_names_its_setting():
    from skord.cli.look.funnel import Stage, funnel_tables  # noqa: PLC0415

    stage = Stage("CCNet")
    stage.documents_in["all"], stage.lost["too_short"] = 2, 2

    assert "[HashParagraphs] min_chars" in funnel_tables([stage])


def test_no_test_asks_for_a_quick_machine():
    """A time that passed may guard against a hang, of minutes, and nothing else."""
    asked = re.compile(r"(?:perf_counter|monotonic|time)\(\) - \w+ < (\d+)")
    for path in (ROOT / "tests").rglob("*.py"):
        for seconds in asked.findall(path.read_text("utf-8")):
            assert int(seconds) >= 60, path


@pytest.mark.slow
def test_an_empty_machine_reads_a_page_at_once(tmp_path):
    """From a file of one's own to its text: one command, nothing set, nothing left behind."""
    (tmp_path / "sida.html").write_text(
        "<title>Bron</title><nav><a href='/'>Start</a></nav><main><h1>Bron är öppen</h1><p>I går "
        "öppnades bron mellan torget och hamnen, efter två års arbete.</p></main>"
    )
    started = time.monotonic()

    done = subprocess.run(
        [sys.executable, "-m", "skord", "extract", "sida.html"],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Bron är öppen\n\nI går")
    assert done.stderr == ""
    assert [one.name for one in Path(tmp_path).iterdir()] == ["sida.html"]
    assert time.monotonic() - started < 300
