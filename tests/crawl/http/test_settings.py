"""What cannot work is said before anything is asked."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from skord.core.failures import ConfigError
from skord.crawl.http.client import CrawlSettings


def test_the_crawl_is_not_asked_without_a_contact() -> None:
    with pytest.raises(ConfigError, match=r"set \[crawl\] contact"):
        CrawlSettings()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_loopback_needs_no_contact(host: str) -> None:
    assert "+" not in CrawlSettings(f"http://{host}:8000").user_agent


@pytest.mark.parametrize("contact", ["corpus@example.org", "https://example.org/crawl?a=1"])
def test_a_contact_is_an_address_or_a_link(contact: str) -> None:
    assert CrawlSettings(contact=contact).user_agent.endswith(f" (+{contact})")


@pytest.mark.parametrize("contact", ["me", "a@b\r\nX-Evil: 1", "a@b)", "korpus@exämple.org", " "])
def test_any_other_contact_is_refused(contact: str) -> None:
    with pytest.raises(ConfigError, match=r"\[crawl\] contact = "):
        CrawlSettings(contact=contact)


@pytest.mark.parametrize("base_url", ["", "data.commoncrawl.org", "s3://commoncrawl", "https://"])
def test_a_base_url_is_a_web_address(base_url: str) -> None:
    with pytest.raises(ConfigError, match=r"\[crawl\] base_url"):
        CrawlSettings(base_url, contact="corpus@example.org")


@pytest.mark.parametrize(
    "change", [{"attempts": 0}, {"read_timeout_s": 0.0}, {"backoff_s": -1.0}, {"connections": -2}]
)
def test_numbers_that_cannot_work_are_named(change: dict[str, Any]) -> None:
    (name,) = change
    with pytest.raises(ConfigError, match=rf"\[crawl\] {name} = "):
        CrawlSettings("http://localhost", **change)


def test_only_waits_and_gaps_may_be_zero() -> None:
    may_be = {"backoff_s", "max_backoff_s", "cool_down_s", "coalesce_gap_bytes"}
    for field in fields(CrawlSettings):
        if field.name in may_be:
            assert CrawlSettings("http://localhost", **{field.name: 0})
        elif not isinstance(field.default, str):
            with pytest.raises(ConfigError, match=rf"\[crawl\] {field.name} = 0: set it above 0"):
                CrawlSettings("http://localhost", **{field.name: 0})
