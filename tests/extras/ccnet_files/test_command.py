"""What `skord publish reconstruct` reads, and what it prints."""

import pytest

from skord.core.failures import ConfigError
from skord.extras.ccnet_files.command import _sentence, minified_files, wet_source
from skord.extras.ccnet_files.reconstruct import CrawledWET, StoredWET


def test_small_forms_are_found_and_two_of_one_name_are_not_taken_together(tmp_path):
    names = ("_x.parquet", "b.json.gz", "c.parquet", "c.txt")
    for name in names:
        (tmp_path / name).touch()
    names_of_files = [path.name for path in minified_files([tmp_path])]
    assert names_of_files == ["b.json.gz", "c.parquet"]
    (tmp_path / "c.json").touch()
    with pytest.raises(ConfigError, match="several files named c"):
        minified_files([tmp_path])
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError, match=r"there is no \.parquet or"):
        minified_files([tmp_path / "empty"])


def test_wet_files_come_from_a_folder_a_bucket_or_a_crawl(tmp_path, settings):
    settings("[crawl]\ncontact = a@example.org\n")
    assert isinstance(wet_source(str(tmp_path)), StoredWET)
    assert isinstance(wet_source("http://127.0.0.1:9/"), CrawledWET)
    with pytest.raises(ConfigError, match="there is no such folder"):
        wet_source(str(tmp_path / "x"))


def test_documents_rebuilt_and_records_that_cannot_be_read_are_told():
    counts = {"documents": 10, "failure.x": 2, "bad_record.y": 3, "bad_record.z": 1}
    assert _sentence(counts) == ("8 documents rebuilt, 2 not; x 2; 4 WET records cannot be read")
    assert _sentence({"documents": 1}) == "1 documents rebuilt, 0 not"
