"""Perplexities from one pair of model files."""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.models.language_model.files import LanguageFiles
from skord.models.language_model.perplexity import line_perplexity
from skord.native import load_language_model, load_pieces, score_lines

MAX_UNPACKED = 1 << 23
"""n-grams of a trie that are unpacked into hash tables of this process, some 200 MB; larger
tries go to kenlm, which several processes share and which takes four times as long."""
ALL = 1 << 62

LINES_AT_ONCE = 256
"""Bounds the memory for pieces, of which a page has hundreds."""

LineScore = tuple[int, float]
"""How many pieces a line has, and log10 of its probability with its begin and end."""


KENLM = """pip install 'skord[kenlm]', which compiles kenlm and works up to Python 3.12"""
SENTENCEPIECE = "pip install sentencepiece"


class Scorer:
    """SentencePiece and KenLM of one language.

    Pieces are handed to KenLM by their surface: one that SentencePiece does not know still
    has the n-grams that KenLM has seen it in, as in the published scores.

    Raises:
        ConfigError: a file cannot be read, or is no such model.
    """

    def __init__(self, files: LanguageFiles) -> None:
        self._path = str(files.ngrams)
        self._lines: CompiledScores | PackagedScores
        try:
            # Without kenlm a large trie is unpacked all the same, some 25 bytes an n-gram.
            self._lines = CompiledScores(files, MAX_UNPACKED if find_spec("kenlm") else ALL)
        except NotImplementedError:
            self._lines = PackagedScores(files)

    def perplexities(self, lines: Sequence[str]) -> list[float | None]:
        """One for each normalised line, to one decimal; None for a line without a piece."""
        return [self._perplexity(pieces, score) for pieces, score in self._lines(lines)]

    def num_pieces(self, lines: Sequence[str]) -> list[int]:
        """How many pieces each normalised line has."""
        return [pieces for pieces, _ in self._lines(lines)]

    def _perplexity(self, pieces: int, score: float) -> float | None:
        if not pieces:
            return None
        if not math.isfinite(score):
            raise _unreadable_model(self._path, "its probabilities are no numbers")
        return round(line_perplexity(score, pieces), 1)


class CompiledScores:
    """Scores of lines by `skord.native`, in a quarter of the packages' time.

    Raises:
        NotImplementedError: a model is of a kind that it does not read.
        ConfigError: a file cannot be read, or contradicts itself.
    """

    def __init__(self, files: LanguageFiles, most_unpacked: int = MAX_UNPACKED) -> None:
        self._path = str(files.ngrams)
        try:
            pieces = load_pieces(files.pieces.read_bytes())
        except (OSError, ValueError) as error:
            raise _unreadable_model(str(files.pieces), error) from error
        try:
            with files.ngrams.open("rb") as file:
                ngrams = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
            self._model = load_language_model(pieces, ngrams, most_unpacked)
        except (OSError, ValueError) as error:
            raise _unreadable_model(self._path, error) from error

    def __call__(self, lines: Sequence[str]) -> Iterable[LineScore]:
        """Of each line."""
        try:
            return score_lines(self._model, list(lines))
        except UnicodeEncodeError:
            return score_lines(self._model, [_encodable_line(line) for line in lines])
        except ValueError as error:
            raise _unreadable_model(self._path, error) from error


class PackagedScores:
    """Scores of lines by the packages sentencepiece and kenlm, which read every kind of model.

    Raises:
        ConfigError: a file cannot be read, or is no such model, or a package is not installed.
    """

    def __init__(self, files: LanguageFiles) -> None:
        self._pieces = _read_pieces(files)
        self._ngrams = _read_ngrams(files)

    def __call__(self, lines: Sequence[str]) -> Iterator[LineScore]:
        """Of each line."""
        for first in range(0, len(lines), LINES_AT_ONCE):
            clean = [_encodable_line(line) for line in lines[first : first + LINES_AT_ONCE]]
            for pieces in self._pieces.encode(clean, out_type=str, num_threads=1):
                yield len(pieces), self._ngrams.score(" ".join(pieces)) if pieces else 0.0


def _encodable_line(line: str) -> str:
    """SentencePiece takes no lone surrogate: it becomes `?`."""
    return line.encode("utf-8", "replace").decode("utf-8")


def _read_pieces(files: LanguageFiles) -> Any:
    sentencepiece = require_package(
        "sentencepiece", f"a model of the kind of {files.pieces}", KENLM
    )
    try:
        return sentencepiece.SentencePieceProcessor(model_file=str(files.pieces))
    except (RuntimeError, OSError) as error:
        raise _unreadable_model(str(files.pieces), error) from error


def _read_ngrams(files: LanguageFiles) -> Any:
    """Mapped into memory, so that the processes of one machine share it."""
    kenlm = require_package("kenlm", f"a model of the kind or the size of {files.ngrams}", KENLM)
    settings = kenlm.Config()
    settings.show_progress = False
    try:
        return kenlm.Model(str(files.ngrams), settings)
    except (RuntimeError, OSError) as error:
        raise _unreadable_model(str(files.ngrams), error) from error


def _unreadable_model(path: str, reason: object) -> ConfigError:
    return ConfigError(f"cannot read the language model {path}: fetch or train it again ({reason})")
