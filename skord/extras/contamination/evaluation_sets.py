"""Evaluation sets of a folder: JSON Lines, Parquet, plain text; question and answer apart."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow.parquet as pq

from skord.core.failures import ConfigError

QUESTION, ANSWER = "question", "answer"

MARKED = 0.5
"""The score from which a text counts as marked where nothing else is set."""

GUESSED: Mapping[str, Sequence[str]] = {
    QUESTION: (
        "question", "query", "prompt", "premise", "context", "passage", "sentence", "text",
        "problem", "goal", "ctx", "input", "instruction",
    ),
    ANSWER: ("answer", "answers", "target", "output", "solution", "hypothesis", "completion",
             "choices", "options", "endings"),
}  # fmt: skip
"""Names of fields that sets use; those of an item that there are count, in this order."""

SUFFIXES = (".jsonl", ".jsonl.gz", ".json", ".parquet", ".txt", ".txt.gz")


class Probe(NamedTuple):
    """One side of an item of a set.

    Attributes:
        set: name of the file without its ending.
        item: its number in the file, from 0.
    """

    set: str
    item: int
    part: str
    text: str


def set_files(folder: str) -> list[Path]:
    """The files of the sets, sorted by path.

    Raises:
        ConfigError: there is no such folder, or nothing in it that can be read.
    """
    top = Path(folder)
    files = sorted(p for p in top.rglob("*") if p.is_file() and p.name.endswith(SUFFIXES))
    if not files:
        raise ConfigError(
            f"[Decontaminate] sets: {folder} holds no evaluation sets ({', '.join(SUFFIXES)})"
        )
    return files


@cache
def digest_of_sets(folder: str) -> str:
    """What differs where the content of the sets does, for fingerprints."""
    digest = hashlib.sha256()
    for path in set_files(folder):
        digest.update(path.name.encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def evaluation_items(
    folder: str, fields: Mapping[str, Mapping[str, Sequence[str]]]
) -> Iterator[Probe]:
    """Questions and answers of all sets.

    A set is a file, its name that without ending; `fields` names those of a set's question and
    answer, `GUESSED` those of others.

    Raises:
        ConfigError: a file cannot be read, or no field of its items is known.
    """
    for path in set_files(folder):
        name = path.name.split(".")[0]
        wanted = {**GUESSED, **fields.get(name, {})}
        some = False
        for number, item in enumerate(_items_of_file(path)):
            for part in (QUESTION, ANSWER):
                text = "\n".join(
                    _field_text(item[f]) for f in wanted[part] if item.get(f) is not None
                )
                if text.strip():
                    some = True
                    yield Probe(name, number, part, text)
        if not some:
            raise ConfigError(
                f"[Decontaminate] fields: no item of {path} has a field that is known: give "
                f'{{"{name}": {{"question": ["…"], "answer": ["…"]}}}}'
            )


def _items_of_file(path: Path) -> Iterator[Mapping[str, Any]]:
    try:
        if path.suffix == ".parquet":
            yield from pq.ParquetFile(path).read().to_pylist()
            return
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
        if ".txt" in path.suffixes:
            yield from ({"text": part} for part in text.split("\n\n") if part.strip())
        elif path.suffix == ".json":
            yield from json.loads(text)
        else:
            yield from (json.loads(line) for line in text.split("\n") if line.strip())
    except (OSError, ValueError, EOFError, TypeError) as error:
        raise ConfigError(f"[Decontaminate] sets: {path} cannot be read ({error})") from error


def _field_text(value: Any) -> str:
    """The text of a field: text, numbers, and lists or objects of such."""
    if isinstance(value, Mapping):
        return "\n".join(_field_text(one) for one in value.values() if one is not None)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "\n".join(_field_text(one) for one in value if one is not None)
    return str(value)
