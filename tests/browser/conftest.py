"""A real Chromium without a window, for tests of what a person sees."""

import os
import shutil
from collections.abc import Iterator

import pytest

CHROMIUM_SWITCHES = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-proxy-server",
    "--force-device-scale-factor=1",
    "--window-size=1280,900",
)
REQUIRED = "SKORD_REQUIRE_CHROMIUM"
"""Set where Chromium is known to be installed: its absence is then a failure, not a skip."""


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """A started driver of Chromium, with a profile of its own; one for the whole session."""
    yield from started(tmp_path_factory.mktemp("profile"))


@pytest.fixture
def second_browser(tmp_path):
    """Another Chromium beside the first, for what two people do at once."""
    yield from started(tmp_path / "second-profile")


def started(profile):
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    driver_binary = shutil.which("chromedriver")
    if not binary or not driver_binary:
        if os.environ.get(REQUIRED):
            pytest.fail(f"{REQUIRED} is set, but there is no chromium or no chromedriver")
        pytest.skip("needs Debian's chromium and chromium-driver: make chromium")
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for switch in (*CHROMIUM_SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options, webdriver.ChromeService(driver_binary))
    driver.set_page_load_timeout(240)
    driver.set_script_timeout(240)
    yield driver
    driver.quit()


@pytest.fixture
def browser(chromium) -> Iterator:
    """The driver on an empty page, with an empty log and no cookies.

    `browser.get(url)`, `browser.find_element("css selector", "…")`, `browser.get_log("browser")`;
    skips where there is no Chromium.
    """
    chromium.get("about:blank")
    chromium.delete_all_cookies()
    chromium.get_log("browser")
    yield chromium
    chromium.get("about:blank")
