"""Which sites are selected, as [sites] says: of `pipeline.cc_net`."""

import pytest

from pipeline.cc_net import check_sites, site_rule
from skord.core.dumps import Source, SourceKind
from skord.core.failures import ConfigError
from skord.crawl.sites import SiteRule


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


@pytest.mark.parametrize(
    ("rule", "address", "taken"),
    [
        ({"only_networks": ("192.0.2.0/24",)}, "192.0.2.7", True),
        ({"only_networks": ("192.0.2.0/24",)}, "198.51.100.7", False),
        ({"only_networks": ("192.0.2.0/24", "2001:db8::/32")}, " 2001:db8::1 ", True),
        ({"only_networks": ("192.0.2.0/24",)}, None, False),
        ({"only_networks": ("192.0.2.0/24",)}, "no address", False),
        ({"never_networks": ("192.0.2.0/24",)}, None, True),
        ({"never_networks": ("192.0.2.0/24",)}, "192.0.2.7", False),
        ({"never_networks": ("192.0.2.0/24",)}, "198.51.100.7", True),
        ({"only_networks": ("192.0.2.0/24",), "never_networks": ("192.0.2.8/29",)},
         "192.0.2.7", True),
        ({"only_networks": ("192.0.2.0/24",), "never_networks": ("192.0.2.8/29",)},
         "192.0.2.9", False),
        ({"only": (".se",)}, None, True),
        ({"only": (".no",)}, "192.0.2.7", False),
        ({"never": ("a.se",)}, "192.0.2.7", False),
    ],
)  # fmt: skip
def test_a_page_is_taken_by_its_site_and_the_address_of_its_machine(rule, address, taken):
    assert SiteRule(**rule).takes("http://www.a.se/", address) is taken


def test_a_rule_says_something_or_nothing_and_needs_addresses_or_not():
    assert SiteRule().takes_all
    for name in ("only", "never", "only_networks", "never_networks"):
        rule = SiteRule(**{name: ("192.0.2.1",)})
        assert not rule.takes_all
        assert rule.needs_addresses is name.endswith("networks")
    assert SiteRule(only=("b", "a"), never=("c",)).written() == '[["a", "b"], ["c"], [], []]'


@pytest.mark.parametrize(
    ("url", "address", "of_either"),
    [
        ("http://a.lv/", None, True),
        ("http://a.com/", "192.0.2.7", True),
        ("http://a.com/", "198.51.100.7", False),
        ("http://a.com/", None, False),
        ("http://bad.lv/", "192.0.2.7", False),
        ("http://a.lv/", "192.0.2.9", False),
    ],
)
def test_sites_or_networks_are_taken_by_choice(settings, url, address, of_either):
    sites = (
        '[sites]\nonly = [".lv"]\nnever = ["bad.lv"]\nonly_networks = ["192.0.2.0/24"]\n'
        'never_networks = ["192.0.2.8/29"]\n'
    )
    settings(sites)
    both = site_rule()
    settings(f"{sites}either = true\n")

    assert site_rule().takes(url, address) is of_either
    assert not both.takes(url, address)
    assert site_rule().written() != both.written()


def test_either_alone_restricts_nothing(settings):
    settings('[sites]\neither = true\nnever = ["bad.lv"]\n')

    assert site_rule().takes("http://a.com/")
    assert not site_rule().takes("http://bad.lv/")


def test_a_network_may_be_named_by_any_of_its_addresses():
    assert SiteRule(only_networks=("192.0.2.7/24",)).takes("http://a.se/", "192.0.2.99")
    with pytest.raises(ValueError, match="does not appear to be"):
        SiteRule(never_networks=("a.se",)).check()
