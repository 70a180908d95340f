"""Which sites are selected, as [sites] says: of `pipeline.crawl_files`."""

import pytest

from pipeline.core.dumps import Source, SourceKind
from pipeline.core.failures import ConfigError
from pipeline.crawl_files import check_sites, site_rule


def test_entries_come_from_settings_and_from_files(settings, tmp_path):
    path = tmp_path / "sites.txt"
    path.write_text("b.example\n# no\nc.example\n")
    settings(f'[sites]\nonly = ["a.example"]\nonly_files = ["{path}"]\nnever = ["d.example"]\n')

    rule = site_rule()

    assert rule.only == ("a.example", "b.example", "c.example")
    assert rule.never == ("d.example",)


@pytest.mark.parametrize("kind", [SourceKind.COMMON_CRAWL, SourceKind.PAGES])
def test_networks_need_records_that_tell_addresses(settings, kind):
    settings('[sites]\nnever_networks = ["192.0.2.0/24"]\n')

    check_sites(Source(kind=SourceKind.WARC))
    with pytest.raises(ConfigError, match="only WARC records do"):
        check_sites(Source(kind=kind))


def test_an_entry_that_cannot_be_read_is_told(settings):
    settings('[sites]\nonly_networks = ["192.0.2.0/99"]\n')
    with pytest.raises(ConfigError, match=r"\[sites\] "):
        check_sites(Source(kind=SourceKind.WARC))
    settings()
    check_sites(Source())
