"""How much each text teaches its reader, for ranking: ScoreEducation."""

from __future__ import annotations

from skord.extras import TaskModule
from skord.quality.features import NO_LIMIT, Feature

DECLARES = (
    TaskModule("skord.extras.education.task", of_pages=("ScoreEducation",)),
    Feature("education_score", *NO_LIMIT, "standard deviations", "skord.models.education", "education",
            "How much the text teaches its reader, by a model of pairs that were read: to rank "
            "by, not to decide; 0 is usual; null without a text. By ScoreEducation."),
)  # fmt: skip
