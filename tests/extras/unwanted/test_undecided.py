"""What `skord why` says of scores that the export has not decided by."""

from pipeline.export import ExportCorpus
from skord.cli.look.why import undecided_sentences

SPAM = {"MeasureUnwanted": {"unwanted_score": 1.0, "machine_made_score": 0.49}}


def told(tables):
    return list(undecided_sentences(tables, ExportCorpus(dump="2024-10")))


def test_scores_outside_of_what_is_suggested(settings):
    settings("")
    assert told(SPAM) == [
        "unwanted_score = 1, where 0 to 0.49 is suggested: [ExportCorpus] limits decides, and "
        "does not name it"
    ]
    assert told({"MeasureUnwanted": {"unwanted_score": None, "machine_made_score": 0.2}}) == []


def test_limits_that_are_set_and_not_yet_applied(settings):
    settings('[ExportCorpus]\nlimits = {"unwanted_score": [0, 0.9], "num_words": [50, 100]}\n')
    (one, other) = told({**SPAM, "FilterDocuments": {"num_words": 101}})
    assert one == "num_words = 101 is outside of 50 to 100: the next export leaves the page out"
    assert other.startswith("unwanted_score = 1 is outside of 0 to 0.9: the next export")
    assert told({"MeasureUnwanted": {"unwanted_score": 0.8}}) == []
