"""The files of language models: where they lie, which there are, what they are called by."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from skord.core.failures import ConfigError

FOLDER = Path(__file__).with_name("embedded")
"""The shipped models."""
PIECES_SUFFIX = ".sp.model"
NGRAMS_SUFFIX = ".arpa.bin"
CUTOFFS_NAME = "cutoff.csv"
DIGESTS_NAME = "digests.txt"
"""Of the shipped models: the SHA-256, name and size of each, a line each."""
HASHED_WHOLE_BYTES = 64 * 2**20
HASHED_END_BYTES = 2**20


@dataclass(frozen=True)
class LanguageFiles:
    """The two files of one language."""

    pieces: Path
    ngrams: Path


def find_languages(folder: Path) -> dict[str, LanguageFiles]:
    """The files of every language in a folder, by its code, sorted.

    Raises:
        ConfigError: there is no such folder, no model in it, or half of one.
    """
    if not folder.is_dir():
        raise ConfigError(f"there is no folder {folder}: name one with language models, or none")
    pieces = {
        _language_of_file(path, PIECES_SUFFIX): path for path in folder.glob(f"*{PIECES_SUFFIX}")
    }
    ngrams = {
        _language_of_file(path, NGRAMS_SUFFIX): path for path in folder.glob(f"*{NGRAMS_SUFFIX}")
    }
    if not pieces and not ngrams:
        raise ConfigError(
            f"{folder} has no language model: it needs LANG{PIECES_SUFFIX} and LANG{NGRAMS_SUFFIX}"
        )
    for code in sorted(set(pieces) ^ set(ngrams)):
        lacking = NGRAMS_SUFFIX if code in pieces else PIECES_SUFFIX
        raise ConfigError(f"{folder / (code + lacking)} is missing: add it or remove its partner")
    return {code: LanguageFiles(pieces[code], ngrams[code]) for code in sorted(pieces)}


def _language_of_file(path: Path, suffix: str) -> str:
    return path.name.removesuffix(suffix)


def model_digest(paths: Sequence[Path], also: str) -> str:
    """Twelve hexadecimal digits of names, contents and a text besides.

    Raises:
        ConfigError: a file cannot be read.
    """
    whole = hashlib.sha256(also.encode())
    for path in sorted(paths, key=lambda path: path.name):
        whole.update(f"\n{path.name} {_content_digest(path)}".encode())
    return whole.hexdigest()[:12]


def _content_digest(path: Path) -> str:
    """Of a great file only the size and both ends: reading gigabytes for a name is too slow.

    Of a shipped one what was noted when it was made, if it has the size that was noted.
    """
    try:
        size = path.stat().st_size
        if path.parent == FOLDER and (noted := _noted_digests().get(f"{path.name} {size}")):
            return noted
        with path.open("rb") as file:
            if size < HASHED_WHOLE_BYTES:
                return hashlib.sha256(file.read()).hexdigest()
            digest = hashlib.sha256(str(size).encode() + file.read(HASHED_END_BYTES))
            file.seek(size - HASHED_END_BYTES)
            digest.update(file.read())
            return digest.hexdigest()
    except OSError as error:
        raise ConfigError(f"cannot read {path}: {error}") from error


@cache
def _noted_digests() -> dict[str, str]:
    """By name and size of each shipped file."""
    lines = (FOLDER / DIGESTS_NAME).read_text(encoding="utf-8").splitlines()
    return {named: digest for digest, _, named in (line.partition(" ") for line in lines)}


def note_digests(folder: Path = FOLDER) -> None:
    """Write down digests of a folder's models: without this a change of them is not noticed."""
    files = find_languages(folder).values()
    lines = [
        f"{hashlib.sha256(content).hexdigest()} {path.name} {len(content)}\n"
        for path in sorted(path for pair in files for path in (pair.pieces, pair.ngrams))
        for content in [path.read_bytes()]
    ]
    (folder / DIGESTS_NAME).write_text("".join(lines), encoding="utf-8")


def read_text(path: Path) -> str:
    """A small text file.

    Raises:
        ConfigError: it cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error
