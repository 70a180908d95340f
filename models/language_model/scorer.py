"""Perplexities from one pair of model files."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

from models.language_model.files import LanguageFiles
from pipeline.core.failures import ConfigError
from pipeline.transforms.perplexity import perplexity

LINES_AT_ONCE = 256
"""Bounds the memory for pieces, of which a page has hundreds."""


def require_libraries() -> None:
    """Raises ConfigError when kenlm or sentencepiece is not installed or does not load."""
    for package in ("kenlm", "sentencepiece"):
        try:
            import_module(package)
        except ImportError as error:
            raise ConfigError(
                f"perplexity needs {package}: pip install {package} "
                f"(kenlm is built on the spot and needs a C++ compiler); {error}"
            ) from error


class Scorer:
    """SentencePiece and KenLM of one language.

    Pieces are handed to KenLM by their surface: one that SentencePiece does not know still
    has the n-grams that KenLM has seen it in, as in the published scores.

    Raises:
        ConfigError: a file cannot be read, or is no such model.
    """

    def __init__(self, files: LanguageFiles) -> None:
        self._pieces = _read_pieces(files)
        self._ngrams = _read_ngrams(files)
        self._path = str(files.ngrams)

    def perplexities(self, lines: Sequence[str]) -> list[float | None]:
        """One for each normalised line, to one decimal; None for a line without a piece."""
        return [self._perplexity(pieces) for pieces in self._cut(lines)]

    def _cut(self, lines: Sequence[str]) -> Iterator[list[str]]:
        """Pieces of each line. SentencePiece takes no lone surrogate: it becomes `?`."""
        for first in range(0, len(lines), LINES_AT_ONCE):
            chunk = lines[first : first + LINES_AT_ONCE]
            clean = [line.encode("utf-8", "replace").decode("utf-8") for line in chunk]
            yield from self._pieces.encode(clean, out_type=str, num_threads=1)

    def _perplexity(self, pieces: list[str]) -> float | None:
        if not pieces:
            return None
        score = self._ngrams.score(" ".join(pieces))
        if not math.isfinite(score):
            raise _unreadable(self._path, "its probabilities are no numbers")
        return round(perplexity(score, len(pieces)), 1)


def _read_pieces(files: LanguageFiles) -> Any:
    from sentencepiece import SentencePieceProcessor  # noqa: PLC0415

    try:
        return SentencePieceProcessor(model_file=str(files.pieces))
    except (RuntimeError, OSError) as error:
        raise _unreadable(str(files.pieces), error) from error


def _read_ngrams(files: LanguageFiles) -> Any:
    """Mapped into memory, so that the processes of one machine share it."""
    kenlm: Any = import_module("kenlm")  # it has no types
    settings = kenlm.Config()
    settings.show_progress = False
    try:
        return kenlm.Model(str(files.ngrams), settings)
    except (RuntimeError, OSError) as error:
        raise _unreadable(str(files.ngrams), error) from error


def _unreadable(path: str, reason: object) -> ConfigError:
    return ConfigError(f"cannot read the language model {path}: fetch or train it again ({reason})")
