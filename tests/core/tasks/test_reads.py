"""What a task reads of another is there; what every task of the graph reads, too."""

import ast
from typing import ClassVar

import pytest

from pipeline.warc_processing import ConvertToMarkdown, WARCIndex
from skord.core.failures import ConfigError
from skord.core.preflight import check_graph
from skord.core.registry import GRAPH_MODULES, task_classes
from skord.core.tasks.document_task import DocumentTask
from tests.conftest import ROOT

BESIDE = {"id", "failure"}
"""Columns of every table; `id` is named without a task."""


@pytest.fixture(autouse=True)
def own_settings(settings):
    settings("[crawl]\ncontact = a@example.org\n")


class Misspelt(ConvertToMarkdown):
    reads: ClassVar = {WARCIndex: ["warc_flie"]}


class MadeUp(ConvertToMarkdown):
    reads: ClassVar = {WARCIndex: ["x"]}


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (Misspelt, r"Misspelt reads WARCIndex.warc_flie, .* did you mean warc_file\?"),
        (MadeUp, r"MadeUp reads WARCIndex.x, which is not one of \['warc_file', .*'mime'\]"),
    ],
)
def test_a_column_that_is_not_there_is_told_before_anything_starts(task, message):
    with pytest.raises(ConfigError, match=message):
        check_graph(task(dump="2024-10"))


@pytest.mark.parametrize(
    "name", [n for n, c in task_classes().items() if issubclass(c, DocumentTask)]
)
def test_every_task_reads_columns_that_are_there(name):
    task_classes()[name](dump="2024-10").check_reads()


def test_columns_that_the_graph_names_in_words_are_there():
    classes = {name: cls for name, cls in task_classes().items() if hasattr(cls, "schema")}
    known = {name: {*cls(dump="2024-10").schema.names} for name, cls in classes.items()}
    named = {
        node.value
        for module in GRAPH_MODULES
        for node in ast.walk(ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if node.value.partition(".")[0] in known and node.value.partition(".")[2].isidentifier()
    }

    assert "ProcessMarkdown.text" in named
    assert {
        n for n in named if n.partition(".")[2] not in known[n.partition(".")[0]] | BESIDE
    } == set()
