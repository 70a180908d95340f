"""Limits on the measures of spam, as `skord study features` shows them."""

from skord.cli.look.features import feature_lines


def test_limits_of_the_export_decide_on_what_tasks_on_request_measure(settings):
    settings('[ExportCorpus]\nlimits = {"unwanted_score": [0, 0.6], "num_words": [60, 70]}\n')

    lines = [line.split() for line in feature_lines() if "_score " in line or "num_words" in line]

    assert ["*", "unwanted_score", "0", "0.6", "probability"] in lines
    assert ["machine_made_score", "0", "0.49", "probability"] in lines  # suggested
    assert ["num_words", "50", "100000", "words"] in lines
