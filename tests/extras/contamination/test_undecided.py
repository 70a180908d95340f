"""What `skord why` says of contamination that the export has not decided by."""

from pipeline.export import ExportCorpus
from skord.cli.look.why import undecided_sentences


def test_scores_outside_of_what_is_suggested(settings):
    settings("")
    scores = {"Decontaminate": {"question_contamination": 0.9, "answer_contamination": 0.5}}

    (sentence,) = undecided_sentences(scores, ExportCorpus(dump="2024-10"))

    assert sentence.startswith("question_contamination = 0.9, where 0 to 0.5 is suggested")
