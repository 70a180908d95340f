"""The least and the greatest that a setting may be is taken, and what lies beyond is refused."""

import pytest

from skord.core.failures import ConfigError
from skord.core.registry import task_class
from skord.extras.paragraphs.simhash import BITS

BOUNDS = [
    ("DownloadWET", "num_shards_wanted", 1, 0),
    ("ComputeSignatures", "shards_at_once", 1, 0),
    ("Deduplicate", "similarity_limit", 0.0, -0.01),
    ("Deduplicate", "similarity_limit", 1.0, 1.01),
    ("ExportCorpus", "target_bytes", 1, 0),
    ("ExportCCNet", "target_bytes", 1, 0),
    ("DetectReservations", "files_at_once", 1, 0),
    ("ProcessMarkdown", "line_filter_threshold", 0.0, -0.01),
    ("ProcessMarkdown", "line_filter_threshold", 1.0, 1.01),
    ("CountParagraphs", "max_distance", 0, -1),
    ("CountParagraphs", "max_distance", BITS // 2 - 1, BITS // 2),
    ("GradeDocuments", "timeout_s", 0.01, 0.0),
]


@pytest.mark.parametrize(("task", "setting", "taken", "refused"), BOUNDS)
def test_a_setting_is_taken_up_to_its_bounds(settings, task, setting, taken, refused):
    settings("[crawl]\nbase_url = http://127.0.0.1:9\n")
    task_class(task)(dump="2024-10", **{setting: taken}).check()

    with pytest.raises(ConfigError, match=rf"\[{task}\] .*{setting}"):
        task_class(task)(dump="2024-10", **{setting: refused}).check()
