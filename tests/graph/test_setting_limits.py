"""The least and the greatest that a setting may be is taken, and what lies beyond is refused."""

import itertools
import re

import pytest

from skord.core.failures import ConfigError
from skord.core.preflight import check_task, check_value, known_settings
from skord.core.registry import task_class
from skord.extras.paragraphs.simhash import BITS

BOUNDS = [
    ("DownloadWET", "num_shards_wanted", 1, 0),
    ("DownloadWET", "mem_gb", 0.1, 0.0),
    ("DownloadWET", "max_failure_share", 1.0, 1.01),
    ("CCNet", "min_score", 0.0, -0.01),
    ("CCNet", "min_score", 1.0, 1.01),
    ("CCNet", "num_partitions", 65_536, 65_537),
    ("CCNet", "group_shards", 10**15, 10**16),
    ("CCNet", "head_percentile", 60, 61),
    ("ConvertToMarkdown", "timeout_s", 0.001, 0.0),
    ("ConvertToMarkdown", "timeout_s", 1e6, float("inf")),
    ("ConvertToMarkdown", "max_html_chars", 1, 0),
    ("FetchHTMLDocuments", "threads", 1, 0),
    ("ComputeSignatures", "shards_at_once", 1, 0),
    ("Deduplicate", "similarity_limit", 0.0, -0.01),
    ("Deduplicate", "similarity_limit", 1.0, 1.01),
    ("ExportCorpus", "target_bytes", 1, 0),
    ("ExportCCNet", "target_bytes", 1, 0),
    ("DetectReservations", "files_at_once", 1, 0),
    ("FindRepeatedPassages", "num_partitions", 0, -1),
    ("ProcessMarkdown", "line_filter_threshold", None, float("nan")),
    ("ProcessMarkdown", "line_filter_threshold", 0.0, -0.01),
    ("ProcessMarkdown", "line_filter_threshold", 1.0, 1.01),
    ("CountParagraphs", "max_distance", 0, -1),
    ("CountParagraphs", "max_distance", BITS // 2 - 1, BITS // 2),
    ("GradeDocuments", "timeout_s", 0.01, 0.0),
]


@pytest.mark.parametrize(("task", "setting", "taken", "refused"), BOUNDS)
def test_a_setting_is_taken_up_to_its_bounds(settings, task, setting, taken, refused):
    settings("[crawl]\nbase_url = http://127.0.0.1:9\n")
    check_task(task_class(task)(dump="2024-10", **{setting: taken}))

    with pytest.raises(ConfigError, match=rf"\[{task}\] .*{setting}"):
        check_task(task_class(task)(dump="2024-10", **{setting: refused}))


VALUES = ["0", "-1", "1.5", "1e30", "9" * 25, "", "x", "nan", "[]", "[1]", '{"a": 1}', "a,b"]


def test_any_value_of_any_setting_is_read_or_refused_in_one_sentence(settings):
    settings()
    refused = set()
    for section, parameters in known_settings().items():
        for (name, parameter), value in itertools.product(parameters.items(), VALUES):
            try:
                check_value(section, name, parameter, value)
            except ConfigError as error:
                form = re.escape(f"[{section}] {name} = ") + ".*: give [^\n]+"
                refused.add((section, name, bool(re.fullmatch(form, str(error)))))
    assert len(refused) > 150
    assert [which for which in refused if not which[-1]] == []


@pytest.mark.parametrize(
    ("section", "name", "value", "sentence"),
    [
        ("CCNet", "rule", "all", "[CCNet] rule = all: give any or top"),
        ("CCNet", "group_shards", "x", "give a whole number, as in group_shards = 0"),
        ("CCNet", "min_score", "", "[CCNet] min_score = : give a number, as in min_score = 0.2"),
        ("CCNet", "score_paragraphs", "1", "give true or false"),
        ("CCNet", "languages", "[1]", 'give codes, as in languages = et,pl or ["et", "pl"]'),
        ("ExportCorpus", "limits", "[1]", "give names with what each has, as in limits = {}"),
        ("FilterDocuments", "blocked_domains", "a.example", 'as in blocked_domains = [] or ["one"'),
        ("executor", "workers", "-2", "[executor] workers = -2: give -1 or a larger number"),
        (
            "crawl",
            "read_timeout_s",
            "1e9",
            "[crawl] read_timeout_s = 1000000000.0: give 0 to 1,000,000",
        ),
        ("crawl", "connections", "99999", "[crawl] connections = 99999: give 1 to 1,024"),
        ("executor", "memory_gb", "nan", "[executor] memory_gb = nan: give 0 or a larger number"),
    ],
)
def test_a_refused_value_comes_with_the_form_of_a_right_one(
    settings, section, name, value, sentence
):
    settings()
    parameter = known_settings()[section][name]
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        check_value(section, name, parameter, value)


def test_a_pair_of_limits_a_bucket_and_languages_are_told_apart_from_none(settings):
    settings()
    wrong = {
        'give two numbers, such as {"a": [3, Infinity]}': ("ExportCorpus", {"limits": {"a": 1}}),
        "buckets: there is no 'x', only head": ("FilterDocuments", {"buckets": ["x"]}),
        "[CCNet] languages names none: give codes": ("CCNet", {"languages": ()}),
    }
    for sentence, (task, values) in wrong.items():
        with pytest.raises(ConfigError, match=re.escape(sentence)):
            task_class(task)(dump="2024-10", **values).check()
