"""Languages of texts with those that lid.176 has no label for: Faroese, North Sámi, Greenlandic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skord.models.language_id.batches import LanguageBatches, ScoreColumns
from skord.models.language_id.unlisted import Scores, with_unlisted_languages
from skord.models.scandinavian.interface import EMBEDDED, ScandinavianClassifier, load_scandinavian
from skord.text.languages import UNLISTED
from skord.text.words import TextColumn


def scores_with_unlisted(
    texts: Sequence[str], scores: Sequence[Scores], classifier: ScandinavianClassifier | None
) -> list[Scores]:
    """The scores of each text, those of the Scandinavian languages and Faroese divided anew.

    Args:
        texts: some.
        scores: what the language identifier gives each.
        classifier: of the Scandinavian languages; without one Faroese stays Icelandic.
    """
    divided = classifier.divide_scores(texts, scores) if classifier else scores
    return with_unlisted_languages(texts, divided)


def columns_with_unlisted(identifier: LanguageBatches) -> Callable[..., ScoreColumns]:
    """`LanguageBatches.columns_of` with such languages.

    Raises:
        ConfigError: the identifier does not name languages as lid.176 does.
    """
    classifier = load_scandinavian(EMBEDDED, tuple(identifier.one_by_one.labels))

    def columns_of(
        texts: TextColumn, wanted: NDArray[np.bool_], *, glued: bool, **_: Any
    ) -> ScoreColumns:
        listed = identifier.columns_of(texts, wanted, glued=glued)
        scored = np.flatnonzero(listed.counts)
        read = [texts.text(at) for at in scored.tolist()]
        of_texts = scores_with_unlisted(read, listed.of_texts(scored), classifier)
        names = list(dict.fromkeys([*listed.names, *UNLISTED]))
        number_of = {name: number for number, name in enumerate(names)}
        counts = np.zeros_like(listed.counts)
        counts[scored] = list(map(len, of_texts))
        labels = np.array([number_of[name] for each in of_texts for name in each], np.int32)
        values = np.array([value for each in of_texts for value in each.values()], np.float64)
        return ScoreColumns(names, counts, labels, values)

    return columns_of
