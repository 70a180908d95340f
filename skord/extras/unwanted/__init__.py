"""Signs of spam, empty templates and farms of links: MeasureUnwanted."""

from __future__ import annotations

from skord.extras import TaskModule
from skord.quality.features import NO_LIMIT, Feature, Label

DECLARES = (
    TaskModule("skord.extras.unwanted.task", of_pages=("MeasureUnwanted",)),
    Feature("vocabulary_richness", *NO_LIMIT, "ratio of logarithms", "Herdan's C (1960); here",
            "unwanted",
            "Logarithm of the different words among the first 1,000 by that of the words; null "
            "under 20 words. Lists of search words lie below 0.78. By MeasureUnwanted."),
    Feature("stop_word_share", *NO_LIMIT, "share of words", "here", "unwanted",
            "Share of the first 1,000 words that are among the ten most frequent function words; "
            "null for a language without a list. By MeasureUnwanted."),
    Feature("unwanted_word_share", *NO_LIMIT, "share of words", "here, own lists", "unwanted",
            "Share of the first 1,000 words that are on the list of one kind of spam, of the kind "
            "with most (skord.extras.unwanted.signs); null without a word. By MeasureUnwanted."),
    Feature("unwanted_score", 0, 0.49, "probability", "skord.models.unwanted", "unwanted",
            "How likely nobody wrote the text to be read (spam of known kinds, lists of search "
            "words), by words and signs; null without a word, and in a language that taught it "
            "nothing. By MeasureUnwanted."),
    Feature("machine_made_score", 0, 0.49, "probability", "skord.models.unwanted", "unwanted",
            "How likely a program filled the text in or translated it to sell (empty templates, "
            "translated offers), by phrases and signs; null without a word, and in a language that "
            "taught it nothing. By MeasureUnwanted."),
    Feature("foreign_domain_rate", *NO_LIMIT, "sites per 100 words", "here", "unwanted",
            "Other sites that the page's markup links to, for every hundred words of its text; "
            "null where the record is no page. By MeasureUnwanted."),
    Label("unwanted_kind",
          "Kind of spam (loans, gambling, adult, pills, replicas) whose words occur most, however "
          "few they are; null where none does. By MeasureUnwanted."),
)  # fmt: skip
