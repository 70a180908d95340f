"""A page's perplexity under language models, that of its paragraphs, and its bucket.

A folder of models has for each language `LANG.sp.model` (SentencePiece) and `LANG.arpa.bin`
(KenLM), the published names of CCNet's models, and may have `cutoff.csv` with the limits
between the buckets. CCNet's files can be used as they are; its `cutoff.csv` lies in its
source, not beside its models, and has to be copied there.

fastText's lid.176 has `no` for Bokmål and `nn` for Nynorsk. `no` is scored by a model of
that name or else by `nb`, and the other way round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from skord.core.failures import ConfigError
from skord.models.language_model.files import (
    CUTOFFS_NAME,
    FOLDER,
    NGRAMS_SUFFIX,
    LanguageFiles,
    find_languages,
    model_digest,
    read_text,
)
from skord.models.language_model.perplexity import (
    HEAD_PERCENTILE,
    TAIL_PERCENTILE,
    Bucket,
    Limits,
    breaks_as_spaces,
    limits_of,
    normalize_for_language_model,
    normalize_lines,
    perplexity_bucket,
    read_cutoffs,
)
from skord.models.language_model.scorer import Scorer

EMBEDDED = "embedded"
SAME_LANGUAGE = {"no": "nb", "nb": "no"}


@dataclass(frozen=True)
class Perplexity:
    """A language model's figures of one text.

    Attributes:
        page: of the whole text as one line, to one decimal; None for a text without a piece
            and for a language without a model.
        paragraphs: of each line of the text, to one decimal, None for a line without a piece;
            empty unless asked for.
        bucket: by the limits of the language; `all` without them or without a perplexity.
    """

    page: float | None
    paragraphs: tuple[float | None, ...]
    bucket: Bucket


UNSCORED = Perplexity(None, (), Bucket.ALL)


@lru_cache(maxsize=4)
def load_language_models(
    folder: str,
    head_percentile: int = HEAD_PERCENTILE,
    tail_percentile: int = TAIL_PERCENTILE,
) -> LanguageModels:
    """The models of some folders; a model itself is read when a text of its language comes.

    Args:
        folder: "" or "embedded" for the small shipped models (CARD.md), else a path; several with
            ":" between them, of which the first that has a language decides. Only the last one
            has to hold models.
        head_percentile: the row of `cutoff.csv` with the limit between head and middle.
        tail_percentile: the row with the limit between middle and tail.

    Raises:
        ConfigError: there is no such folder, or a file is missing or has another form.
    """
    named = folder.split(":")
    *own, last = [FOLDER if one in {"", EMBEDDED} else Path(one) for one in named]
    holding = [place for place in own if any(place.glob(f"*{NGRAMS_SUFFIX}"))]
    return LanguageModels([*holding, last], (head_percentile, tail_percentile))


class LanguageModels:
    """One model for each of several languages.

    Attributes:
        languages: codes that get a perplexity, sorted; `no` stands beside `nb`.
    """

    def __init__(self, folders: Sequence[Path], percentiles: tuple[int, int]) -> None:
        files: dict[str, LanguageFiles] = {}
        for folder in reversed(folders):
            files.update(find_languages(folder))
        self._files = files
        self._cutoffs = [path for folder in folders if (path := folder / CUTOFFS_NAME).exists()]
        self._percentiles = percentiles
        self._scorers: dict[str, Scorer] = {}
        self._limits = {
            code: limits
            for path in reversed(self._cutoffs)
            for code, limits in self._read_limits(path).items()
        }
        aliases = {SAME_LANGUAGE[code] for code in files if code in SAME_LANGUAGE}
        self.languages = tuple(sorted({*files, *aliases}))

    @cached_property
    def name(self) -> str:
        """Digest of all files and the percentiles; sets of one name say the same. For fingerprints.

        Of a file of 64 MiB and more only the size, the first MiB and the last are read.
        """
        paths = [path for files in self._files.values() for path in (files.pieces, files.ngrams)]
        return f"language-models-{model_digest([*paths, *self._cutoffs], str(self._percentiles))}"

    def score(
        self, language: str, texts: Sequence[str], *, exact: bool, paragraphs: bool = False
    ) -> list[Perplexity]:
        r"""Perplexities and buckets of texts of one language, in order.

        Args:
            language: the code that language identification gave.
            texts: pages, their lines ended by "\n".
            exact: as published, line feeds and tabs are deleted, which glues words; otherwise
                they become spaces.
            paragraphs: also score each line of its own, in two and a half times the time.

        Raises:
            ConfigError: the model of the language cannot be read.
        """
        scorer = self._scorer(language)
        if scorer is None:
            return [UNSCORED] * len(texts)
        lines = [t if exact else breaks_as_spaces(t, keep_line_feeds=True) for t in texts]
        pages = [line if exact else breaks_as_spaces(line) for line in lines]
        whole = scorer.perplexities([normalize_for_language_model(page) for page in pages])
        parts = [tuple(scorer.perplexities(normalize_lines(t))) for t in lines if paragraphs]
        limits = self.limits_of(language)
        return [
            Perplexity(whole_score, part, perplexity_bucket(whole_score, limits))
            for whole_score, part in zip(whole, parts or [()] * len(texts), strict=True)
        ]

    def count_tokens(self, language: str, texts: Sequence[str]) -> int | None:
        """Pieces that SentencePiece cuts normalised texts into; None for a language without one."""
        scorer = self._scorer(language)
        if scorer is None:
            return None
        lines = [normalize_for_language_model(breaks_as_spaces(text)) for text in texts]
        return sum(scorer.num_pieces(lines))

    def _scorer(self, language: str) -> Scorer | None:
        code = language if language in self._files else SAME_LANGUAGE.get(language, "")
        if code not in self._files:
            return None
        if code not in self._scorers:
            self._scorers[code] = Scorer(self._files[code])
        return self._scorers[code]

    def limits_of(self, language: str) -> Limits | None:
        """The perplexities that end the head and begin the tail; None where none are known."""
        return self._limits.get(language) or self._limits.get(SAME_LANGUAGE.get(language, ""))

    def _read_limits(self, path: Path) -> dict[str, Limits]:
        try:
            return limits_of(read_cutoffs(read_text(path)), *self._percentiles)
        except ValueError as error:
            raise ConfigError(
                f"{path} cannot be used: {error}; mend it, or remove it to have no buckets"
            ) from error
