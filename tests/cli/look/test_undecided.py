"""What speaks against a kept page and has not decided is told with the setting that would."""

import pytest

from pipeline.export import ExportCorpus
from skord.cli.look.why import undecided_sentences
from skord.core.failures import ConfigError

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


def test_a_wrong_setting_is_told(settings):
    settings('[ExportCorpus]\nlimits = {"unwanted": [0, 1]}\n')
    with pytest.raises(ConfigError, match="no feature 'unwanted'"):
        told({})
