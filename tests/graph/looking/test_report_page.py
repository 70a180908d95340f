"""The report in a browser: every width, keyboard, print, and what crawled pages say."""
# ruff: noqa: F811 - fixtures are imported by name and asked for by name

import math
import re

import pytest

from skord.cli.report.figures import Figures, Headline, Sample
from skord.cli.report.page import render_report
from tests.browser.conftest import browser, chromium  # noqa: F401 - fixtures
from tests.graph.bench import DUMP


def test_the_report_opens_in_a_browser_and_fetches_nothing(report, browser):
    browser.get(report.as_uri())

    assert browser.get_log("browser") == []
    assert browser.execute_script("return performance.getEntriesByType('resource').length") == 0
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    heights = browser.execute_script(
        "return [...document.querySelectorAll('svg')].map(s => s.getBoundingClientRect().height)"
    )
    bars = browser.find_elements("css selector", ".stage svg")
    assert len(bars) == 7
    assert len(heights) > 30
    assert min(heights) > 15
    assert sorted(heights)[len(bars)] > 50
    wide, seen = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= seen
    browser.save_screenshot(str(report.with_suffix(".png")))
    browser.find_element("link text", "Samples").click()
    assert browser.find_element("css selector", "[data-reason=kept]").text == "kept (20)"


def test_the_report_is_used_with_the_keyboard(report, browser):
    browser.get(report.as_uri())
    keys = browser.switch_to.active_element

    keys.send_keys("\ue004")  # Tab
    assert browser.switch_to.active_element.text == "To the figures"
    reached = browser.execute_script(
        "return [...document.querySelectorAll('a[href], summary, [tabindex]')]"
        ".filter(e => e.tabIndex < 0).length"
    )
    assert reached == 0
    summary = browser.find_element("css selector", "details[data-folded] summary")
    summary.send_keys("\ue007")  # Enter
    assert browser.find_element("css selector", "[data-feature=num_words]").is_displayed()


def test_the_report_is_printed_in_black_on_white(report, browser):
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]},
    )
    browser.get(report.as_uri())
    ink, nav, inside = browser.execute_script(
        "const s = getComputedStyle(document.body), n = document.querySelector('nav');"
        "return [s.color, getComputedStyle(n).display,"
        " document.querySelector('[data-feature=num_words]').checkVisibility("
        "{contentVisibilityAuto: true})]"
    )
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})

    assert channels(ink) == [0, 0, 0]
    assert nav == "none"
    assert inside
    assert len(printed["data"]) > 100_000


BROKEN_WORDS = """
const broken = [];
for (const box of document.querySelectorAll('nav a, h2, h3, dt, dd, td, th, .stage b, .stage span'))
  for (let walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT); walk.nextNode();)
    for (const word of walk.currentNode.data.matchAll(/[\\p{L}]{2,30}/gu)) {
      const range = document.createRange();
      range.setStart(walk.currentNode, word.index);
      range.setEnd(walk.currentNode, word.index + word[0].length);
      if (range.getClientRects().length > 1) broken.push(word[0]);
    }
return broken
"""


@pytest.mark.parametrize("width", [360, 820, 1600])
def test_the_report_fits_every_width_in_light_and_dark(report, browser, width, tmp_path):
    for scheme in ("light", "dark"):
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia",
            {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
        )
        browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
        )
        browser.get(report.as_uri())
        wide, seen, ink, paper = browser.execute_script(
            "const s = getComputedStyle(document.body); return ["
            "document.documentElement.scrollWidth, document.documentElement.clientWidth,"
            "s.color, s.backgroundColor]"
        )
        assert wide <= seen
        browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
        assert browser.execute_script(BROKEN_WORDS) == []
        assert (sum(channels(ink)) > sum(channels(paper))) == (scheme == "dark")
        untitled = browser.execute_script(
            "return [...document.querySelectorAll('svg')].filter(s => !s.querySelector('title'))"
            ".length"
        )
        assert untitled == 0
        browser.save_screenshot(str(report.with_name(f"report-{width}-{scheme}.png")))
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def channels(colour):
    return [int(part) for part in re.findall(r"\d+", colour)[:3]]


def test_measures_that_decide_come_first_and_the_others_are_folded(report, browser):
    browser.get(report.as_uri())

    assert browser.find_element("css selector", "[data-feature=unigram_entropy]").is_displayed()
    assert not browser.find_element("css selector", "[data-feature=num_words]").is_displayed()


HOSTILE = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\">"


def test_what_crawled_pages_say_is_text_in_the_report(tmp_path, browser):
    stage = {
        "task": "CCNet", "documents_in": {"all": 2}, "documents_out": {"all": 1, "sv": 1},
        "characters_in": {"all": 9}, "characters_out": {"all": 9, "sv": 9},
        "lost": {HOSTILE: 1}, "adds_up": True,
    }  # fmt: skip
    figures = Figures(DUMP, 1, 1, stages=[stage], alarms=[HOSTILE], domains=[(HOSTILE, 1, 1)])
    figures.headline = Headline(2, 1, 3, 9, 1, {"sv": 1}, "1.0", "f")
    figures.paragraphs = [(HOSTILE, 2)]
    figures.samples = {HOSTILE: [Sample("urn:uuid:1", HOSTILE, "sv", HOSTILE, HOSTILE)]}
    page = tmp_path / "hostile.html"
    page.write_text(render_report([figures, figures]), "utf-8")

    browser.get(page.as_uri())

    assert browser.title == f"{DUMP}, {DUMP} · corpus report"
    assert browser.find_elements("css selector", "script, img") == []
    assert len(browser.find_elements("css selector", "#samples ~ .dumps pre")) == 2
    assert math.isclose(*(e.rect["width"] for e in browser.find_elements("css selector", "#headline ~ .dumps:nth-of-type(1) > div")), rel_tol=0.01)  # fmt: skip  # noqa: E501
