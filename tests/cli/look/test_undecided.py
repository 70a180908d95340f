"""What speaks against a kept page and has not decided is told with the setting that would."""

import pytest

from pipeline.export import ExportCorpus
from skord.cli.look.undecided import undecided_sentences
from skord.core.failures import ConfigError

SPAM = {"MeasureUnwanted": {"unwanted_score": 1.0, "machine_made_score": 0.49}}
RESERVED = {
    "DetectReservations": {
        "reservations": [
            {"source": "tdmrep_meta", "agent": "*", "words": "tdm-reservation: 1"},
            {"source": "robots_txt", "agent": "GPTBot", "words": "Disallow: /"},
        ]
    }
}
TEXT = {"ProcessMarkdown": {"text": "Ring 08-123 45 67 eller skriv till kari@uio.no, Storgatan 4."}}


def told(tables):
    return list(undecided_sentences(tables, ExportCorpus(dump="2024-10")))


def test_scores_outside_of_what_is_suggested(settings):
    settings("")
    assert told(SPAM) == [
        "unwanted_score = 1, where 0 to 0.49 is suggested: [ExportCorpus] limits decides, and "
        "does not name it"
    ]
    assert told({"MeasureUnwanted": {"unwanted_score": None, "machine_made_score": 0.2}}) == []
    assert (
        "question_contamination = 0.9"
        in told({"Decontaminate": {"question_contamination": 0.9, "answer_contamination": 0.5}})[0]
    )
    assert told({"LabelRegisters": {"register_opinion": 1.0}}) == []


def test_limits_that_are_set_and_not_yet_applied(settings):
    settings('[ExportCorpus]\nlimits = {"unwanted_score": [0, 0.9], "num_words": [50, 100]}\n')
    (one, other) = told({**SPAM, "FilterDocuments": {"num_words": 101}})
    assert one == "num_words = 101 is outside of 50 to 100: the next export leaves the page out"
    assert other.startswith("unwanted_score = 1 is outside of 0 to 0.9: the next export")
    assert told({"MeasureUnwanted": {"unwanted_score": 0.8}}) == []


def test_reservations_that_no_pattern_names(settings):
    settings("")
    assert told(RESERVED) == [
        "its owner reserves it (tdmrep_meta, robots_txt): [ExportCorpus] reservations decides, "
        "and names none of these"
    ]
    settings('[ExportCorpus]\nreservations = ["robots_txt:GPTBot"]\n')
    assert told(RESERVED) == ["its owner reserves it: the next export leaves the page out"]
    assert told({"DetectReservations": {"reservations": []}}) == []


def test_personal_data_that_stay(settings):
    settings("")
    assert told(TEXT) == [
        "its text holds 1 phone_numbers: [ExportCorpus] personal_data decides, and leaves them"
    ]
    treated = '{"phone_numbers": "marked"}'
    settings(f"[ExportCorpus]\npersonal_data = {treated}\n")
    assert told(TEXT) == []


def test_passages_that_stay(settings):
    settings("")
    assert told({"FindRepeatedPassages": {"repeated_char_ratio": 0.25}}) == [
        "25% of its text are later copies: [ExportCorpus] passages leaves them"
    ]
    assert told({"FindRepeatedPassages": {"repeated_char_ratio": 0.0}}) == []
    settings("[ExportCorpus]\npassages = later\n")
    assert told({"FindRepeatedPassages": {"repeated_char_ratio": 0.25}}) == []


def test_a_wrong_setting_is_told(settings):
    settings('[ExportCorpus]\nlimits = {"unwanted": [0, 1]}\n')
    with pytest.raises(ConfigError, match="no feature 'unwanted'"):
        told(SPAM)
