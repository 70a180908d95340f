"""Pages that resemble those which Wikipedia cites: `reference_score` of FilterDocuments."""

from __future__ import annotations

from skord.extras import Function
from skord.quality.features import TextModel

DECLARES = (
    TextModel(
        "reference_score",
        Function("skord.models.reference_classifier.interface", "load_reference_classifier"),
    ),
)
