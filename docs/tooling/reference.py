"""Pages of reference, written by the code that they are about.

Tasks and columns come from the schemas, settings from Luigi's parameters and the comments of
luigi.cfg, failure codes from their enums, measures from `FEATURES`, commands from the parser.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Any

import luigi

import skord
from docs.tooling.columns import meaning_of
from docs.tooling.tables import (
    arguments,
    attributes,
    code,
    comments,
    docstring,
    in_brackets,
    meaning,
    members,
    table,
)
from skord.ccnet.judging import Refusal
from skord.cli.commands import command_line
from skord.core import config
from skord.core.dumps import source
from skord.core.failures import FailureCode
from skord.core.registry import task_classes
from skord.core.settings import default_settings, default_text
from skord.core.tasks.document_task import DocumentTask
from skord.core.tasks.sharded_task import ShardedTask
from skord.corpus import Corpus
from skord.crawl.config import crawl
from skord.crawl.http.settings import CrawlSettings
from skord.html.charset.decode import CharsetSource
from skord.models.line_classifier import interface as line_classifier
from skord.paragraphs.format import read_paragraphs
from skord.quality.features import limitable_features
from skord.slurm.settings import SlurmSettings

ROOT = Path(__file__).parents[2]
EVERYWHERE = ("data_dir", "verbose", "debug")
"""Options of every command, described once."""

SHARED = ("dump", "languages", "replace", "mem_gb", "max_failure_share")
"""Parameters of every task, described once."""


def tasks() -> str:
    """Every task: what it does, what it reads, its columns with their types."""
    parts = [
        "# Tasks and columns\n\n"
        "`{data_dir}/{Task}/{dump}/{shard:05d}.parquet`, zstd; row *i* of row group *g* of shard "
        "*k* is the same document in all tables of the document index. Generated from the "
        "schemas.\n"
    ]
    for name, cls in task_classes().items():
        parts.append(f"## {name}\n\n`{cls.__module__}`, version {cls.version}{_beside(cls)}\n")
        parts.append(docstring(cls) + "\n")
        reads = getattr(cls, "reads", None) or {}
        if reads:
            parts.append(
                "*Reads* " + "; ".join(_read(task, names) for task, names in reads.items()) + "\n"
            )
        schema = getattr(cls(dump=""), "schema", None)
        if schema is not None:
            parts.append(table(["column", "type", ""], _columns(cls, schema)))
    return "\n".join(parts)


def _beside(cls: type[ShardedTask]) -> str:
    network = (
        ", needs the internet unless the input is own files" if cls(dump="").needs_network else ""
    )
    return (", on request" if cls.on_request else "") + network


def _read(task: type[ShardedTask], names: Any) -> str:
    family = task.get_task_family()
    return f"[{family}](#{family.lower()}): {', '.join(map(code, names))}"


def _columns(cls: type[ShardedTask], schema: Any) -> Iterator[tuple[str, str, str]]:
    said = in_brackets(cls.__doc__ or "")
    names = set(schema.names)
    if issubclass(cls, DocumentTask) and "id" not in names:
        yield code("id"), code("string"), "WARC-Record-ID of the page's response"
    num_measures = 0
    for field in schema:
        if b"set" in (field.metadata or {}):
            num_measures += 1
        else:
            about = "null, or a [code](failures.md)" if field.name == "failure" else ""
            about = said.get(field.name) or about or meaning_of(cls.get_task_family(), field.name)
            yield code(field.name), code(field.type), about
    if num_measures:
        yield f"{num_measures} [measures](measures.md)", "", "one column for each"
    if issubclass(cls, DocumentTask) and "failure" not in names:
        yield code("failure"), code("string"), "null, or a [code](failures.md)"


def settings() -> str:
    """Every setting of luigi.cfg with its default and meaning."""
    said = comments(default_settings())
    parts = [
        "# Settings\n\n"
        "Sections of `luigi.cfg`; `--Section-key value` on the command line says the same, with "
        "dashes for `_`. Generated from the code's parameters and the comments of the shipped "
        "`luigi.cfg`.\n"
    ]
    sections: list[tuple[str, Any, Mapping[str, str]]] = [
        ("pipeline", config.pipeline, {}),
        ("source", source, {}),
        ("sites", config.sites, {}),
        ("crawl", crawl, attributes(CrawlSettings)),
        ("executor", config.executor, {}),
    ]
    for name, cls, described in sections:
        parts.append(_section(name, cls, said, described))
    slurm = arguments(SlurmSettings)
    rows = [
        (code(f.name), code(_shown(f.default)), meaning(f.name, slurm))
        for f in fields(SlurmSettings)
    ]
    parts.append("## [slurm]\n\n`[slurm]` holds for every task, `[slurm.TaskName]` for one.\n")
    parts.append(table(["key", "default", "meaning"], rows))
    parts.append("## Every task\n")
    shared = {name: p for name, p in ShardedTask.get_params() if name in SHARED}
    rows = [
        (code(name), _default(p), meaning(name, {name: p.description or ""}))
        for name, p in shared.items()
    ]
    parts.append(table(["key", "default", "meaning"], rows))
    for name, cls in task_classes().items():
        if any(True for _ in _own(cls)):
            parts.append(_section(name, cls, said, {}))
    return "\n".join(parts)


def _own(cls: Any) -> Iterator[tuple[str, luigi.Parameter]]:
    """A section's own parameters; of the shared ones, those with a default of their own."""
    shared = dict(ShardedTask.get_params())
    for name, parameter in cls.get_params():
        if not issubclass(cls, ShardedTask) or shared.get(name) is not parameter:
            yield name, parameter


def _section(
    name: str, cls: Any, said: Mapping[tuple[str, str], str], described: Mapping[str, str]
) -> str:
    rows = []
    for key, parameter in _own(cls):
        above = {key: said.get((name, key), "")}
        own = {key: parameter.description or ""}
        rows.append((code(key), _default(parameter), meaning(key, described, above, own)))
    return f"## [{name}]\n\n" + table(["key", "default", "meaning"], rows)


def _default(parameter: luigi.Parameter) -> str:
    default = parameter._default
    if not parameter.has_task_value("", "") and type(default).__name__ == "_NoValueType":
        return ""
    return code(_shown(default_text(parameter)))


def _shown(value: object) -> str:
    return str(value) if value != "" else "(empty)"


def failures() -> str:
    """Every failure code by the module that declares it, and the words of other columns."""
    parts = [
        "# Failure codes\n\nA row that a task cannot handle keeps its place, with nulls and one of "
        "these words in `failure`; manifests, `status` and `funnel` count them. Generated from the "
        "enums.\n"
    ]
    for enum in sorted(_codes(), key=lambda cls: cls.__module__):
        parts.append(_words(enum))
    parts.append("# Other words in columns\n")
    parts += map(_words, (Refusal, CharsetSource))
    return "\n".join(parts)


def _codes() -> set[type[FailureCode]]:
    """Every enum of codes there is; modules that declare one are imported."""
    for folder in ("skord", "skord/models", "skord/annotation_tool", "pipeline"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "(FailureCode):" in path.read_text(encoding="utf-8"):
                importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    subclasses: list[type[FailureCode]] = FailureCode.__subclasses__()
    return {cls for cls in subclasses if cls.__module__.split(".")[0] != "tests"}


def _words(enum: type[StrEnum]) -> str:
    title = re.sub(r"(?<!^)(?=[A-Z])", " ", enum.__name__)
    rows = [(code(value), what) for value, what in members(enum)]
    return f"## {title}\n\n`{enum.__module__}`. {docstring(enum)}\n\n" + table(
        ["code", "meaning"], rows
    )


def measures() -> str:
    """Every measure with limits, unit and source."""
    parts = [
        "# Measures of a text\n\nFilterDocuments measures every text in each of these ways; a "
        "column holds each value. Which sets decide is `[FilterDocuments] feature_sets`; `limits` "
        "changes one. A value that is null does not decide. Limits are inclusive. Those of what "
        "tasks on request measure are suggestions: `[ExportCorpus] limits` decides. Generated from "
        "`skord.quality.features`.\n"
    ]
    for name in dict.fromkeys(feature.set for feature in limitable_features()):
        rows = [
            (code(f.name), _limit(f.low), _limit(f.high), f.unit, f.description, f.source)
            for f in limitable_features()
            if f.set == name
        ]
        parts.append(
            f"## {name}\n\n" + table(["measure", "from", "to", "unit", "what", "source"], rows)
        )
    return "\n".join(parts)


def _limit(value: float) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if math.isinf(value) else f"{value:g}"


def commands() -> str:
    """Every command of the command line and its options."""
    parser = command_line()
    parts = [
        "# Commands\n\nGenerated from the command line's parser. Every command takes "
        "`--data-dir FOLDER`, `--verbose` and `--debug`; `python -m pipeline` is the same.\n",
        f"{_about(parser)}\n",
    ]
    for _, command, about in _leaves(parser):
        parts.append(f"## {command.prog}\n\n{about}\n")
        parts.append(_options(command))
    return "\n".join(parts)


def _about(parser: argparse.ArgumentParser) -> str:
    """What a command line says of itself, its list of commands left out."""
    first = (parser.description or "").partition("\n\n")[0]
    return f"{first}\n\n{parser.epilog or ''}"


def _leaves(parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    for action in parser._actions:
        if not isinstance(action, argparse._SubParsersAction):
            continue
        helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
        for name, command in action.choices.items():
            about = command.description or helps.get(name, "")
            inner = list(_leaves(command))
            if not inner and name not in getattr(parser, "below", ()):
                yield name, command, about[:1].upper() + about[1:]
            for rest, leaf, what in inner:
                yield f"{name} {rest}", leaf, what


def _options(command: argparse.ArgumentParser) -> str:
    rows = []
    for action in command._actions:
        if action.dest in ("help", *EVERYWHERE):
            continue
        named = ", ".join(map(code, action.option_strings)) or code(action.metavar or action.dest)
        value = (
            ""
            if action.nargs == 0
            else str(
                action.metavar or (action.choices and ", ".join(map(str, action.choices))) or ""
            ).replace("|", " or ")
        )
        default = (
            action.default if action.default not in (None, False, argparse.SUPPRESS, []) else ""
        )
        rows.append(
            (named, code(value) if action.option_strings else "", code(default), action.help or "")
        )
    return table(["option", "value", "default", "meaning"], rows) if rows else ""


def python_api() -> str:
    """What is imported from Python: signature and docstring of each."""
    parts = ["# From Python\n\nGenerated from the docstrings.\n"]
    things: list[tuple[str, Callable[..., Any]]] = [
        ("skord.extract", skord.extract),
        ("skord.extract_page", skord.extract_page),
        ("skord.extract_many", skord.extract_many),
        ("skord.ExtractedPage", skord.ExtractedPage),
        ("skord.to_markdown", skord.to_markdown),
        ("skord.decode", skord.decode),
        ("skord.identify_language", skord.identify_language),
        ("skord.reservations", skord.reservations),
        ("skord.Corpus", Corpus),
        *(
            (f"Corpus.{name}", getattr(Corpus, name))
            for name in (
                "columns",
                "iter_documents",
                "batches",
                "table",
                "to_pandas",
                "to_polars",
                "duckdb",
                "polars",
                "compact",
            )
        ),
        ("skord.Pipeline", skord.Pipeline),
        *(
            (f"Pipeline.{n}", getattr(skord.Pipeline, n))
            for n in ("run", "status", "funnel", "corpus")
        ),
        ("skord.TaskStatus", skord.TaskStatus),
        ("skord.paragraphs.format.read_paragraphs", read_paragraphs),
        ("skord.models.line_classifier.interface.LineClassifier", line_classifier.LineClassifier),
    ]
    for name, thing in things:
        parts.append(
            f"## {name}\n\n```python\n{name.rpartition('.')[2]}{inspect.signature(thing)}\n```\n"
        )
        parts.append(docstring(thing) + "\n")
    return "\n".join(parts)


PAGES: Mapping[str, Callable[[], str]] = {
    "reference/tasks.md": tasks,
    "reference/settings.md": settings,
    "reference/failures.md": failures,
    "reference/measures.md": measures,
    "reference/commands.md": commands,
    "reference/python.md": python_api,
}
"""Page of the site to what writes it."""
