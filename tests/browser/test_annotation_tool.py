"""The annotation tool as an annotator uses it: a real browser, mouse and keys."""

import pytest

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium")

from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.actions.action_builder import ActionBuilder  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.ui import WebDriverWait  # noqa: E402

from skord.annotation_tool.backend import views  # noqa: E402
from skord.annotation_tool.backend.annotations import (  # noqa: E402
    ADJUDICATED,
    Annotation,
    Annotations,
)
from skord.annotation_tool.backend.database import Database  # noqa: E402
from skord.annotation_tool.backend.labels import Change, kept_lines  # noqa: E402
from skord.annotation_tool.backend.ordering import Filter, Order  # noqa: E402
from skord.models.line_classifier.interface import ONE_THRESHOLD  # noqa: E402
from skord.models.line_classifier.load import load_line_classifier  # noqa: E402
from tests.annotation.conftest import article_pages, articles, page_of, served  # noqa: E402, F401
from tests.browser.pixels import pixels, share_of  # noqa: E402

KEPT_BACK = (226, 243, 231)
ARTICLE_BACK = (250, 200, 40)
MARKED = (37, 99, 201)


class Tool:
    """The tool in a browser, with the words that its tests are written in."""

    def __init__(self, browser, url, database):
        self.browser, self.url, self.database = browser, url, database

    def open(self, annotator="anna", query="") -> "Tool":
        self.browser.get(f"{self.url}/?annotator={annotator}{query}")
        self.wait(lambda: self.digest)
        return self

    def wait(self, told, what="the page"):
        return WebDriverWait(self.browser, 120, 0.02).until(lambda _: told(), what)

    @property
    def digest(self):
        return self.browser.execute_script("return document.body.dataset.open")

    def press(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def press_with_shift(self, *keys):
        hand = ActionChains(self.browser).key_down(Keys.SHIFT)
        hand.send_keys(*keys).key_up(Keys.SHIFT).perform()

    def row(self, number):
        return self.browser.find_element("css selector", f".line[data-number='{number}']")

    def find(self, selector):
        return self.browser.find_element("css selector", selector)

    def annotation(self, annotator="anna"):
        return Annotations(self.database).of(self.digest, annotator)

    def saved(self, *kept, annotator="anna"):
        """Waits until the file says that these lines are kept, and the page shows the same."""
        self.wait(lambda: kept_lines(self.annotation(annotator).labels) == list(kept), f"{kept}")
        self.wait(lambda: self.shown_kept() == list(kept), f"{kept} shown")

    def shown_kept(self):
        return self.browser.execute_script(
            "return [...document.querySelectorAll('.line.keep')]"
            ".map((row) => Number(row.dataset.number)).sort((a, b) => a - b)"
        )

    def drag(self, first, last=None, to=None):
        """Presses the button on a line, moves to another or to a point, and lets it go."""
        hand = ActionBuilder(self.browser)
        hand.pointer_action.move_to(self.row(first)).pointer_down()
        if last is not None:
            hand.pointer_action.move_to(self.row(last))
        if to is not None:
            hand.pointer_action.move_to_location(*to)
        hand.pointer_action.pointer_up()
        hand.perform()


@pytest.fixture
def database(tmp_path, article_pages):  # noqa: F811
    made = Database(tmp_path / "annotations.sqlite")
    made.add_pages(article_pages)
    made.predict(load_line_classifier(""))
    return made


@pytest.fixture
def tool(browser, database):
    with served(database) as url:
        yield Tool(browser, url, database).open(query="#")
        said = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
        assert [entry["message"] for entry in said if "409" not in entry["message"]] == []


def test_keys_label_lines_and_ranges_and_take_them_back(tool):
    tool.press("jjj", Keys.SPACE)
    tool.saved(4)
    tool.press("j")
    tool.press_with_shift("j")
    tool.press(Keys.SPACE)
    tool.saved(4, 6, 7, 8)
    tool.press("k", Keys.SPACE)
    tool.saved(4, 7, 8)
    tool.press("u")
    tool.saved(4, 6, 7, 8)
    tool.press("uu")
    tool.saved()
    tool.press(Keys.END, Keys.SPACE)
    tool.saved(12)


def test_the_mouse_labels_what_it_is_dragged_over(tool):
    tool.drag(4)
    tool.saved(4)
    tool.drag(8, 6)
    tool.saved(4, 6, 7, 8)
    tool.drag(7, 10)
    tool.saved(4, 6)
    hand = ActionChains(tool.browser).click(tool.row(0))
    hand.key_down(Keys.SHIFT).click(tool.row(2)).key_up(Keys.SHIFT).perform()
    tool.saved(0, 1, 2, 4, 6)


def test_a_drag_let_go_outside_of_the_lines_is_not_lost(tool):
    tool.drag(4, 6, to=(1000, 500))
    tool.wait(lambda: tool.annotation().revision)
    kept = kept_lines(tool.annotation().labels)
    assert kept[:3] == [4, 5, 6]
    tool.saved(*kept)
    tool.press("u")
    tool.saved()


def test_pages_are_turned_marked_and_counted(tool):
    first = tool.digest
    assert tool.find("#place").text == "1 of 3"
    tool.press("p")
    tool.press("i")
    tool.wait(lambda: tool.annotation().is_ignored)
    assert tool.digest == first
    tool.press("i")
    tool.wait(lambda: not tool.annotation().is_ignored)
    tool.press(Keys.ENTER)
    tool.wait(lambda: tool.digest != first)
    assert Annotations(tool.database).of(first, "anna").is_done
    tool.wait(lambda: tool.find("#count").text == "1 of 3 done", "the count")
    tool.press("nnn")
    tool.wait(lambda: tool.find("#place").text == "3 of 3")
    assert not tool.find("#next").is_enabled()
    tool.browser.refresh()
    tool.wait(lambda: tool.find("#place").text == "3 of 3", "the page that was open")


def test_modes_show_labels_predictions_and_loss(tool):
    tool.press(" ", "2")
    predicted = tool.wait(lambda: tool.browser.find_elements("css selector", ".line.predicted"))
    assert 0 < len(predicted) < 13
    tool.browser.execute_script(
        "const s = document.querySelector('#threshold input'); s.value = 0;"
        "s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    assert len(tool.browser.find_elements("css selector", ".line.predicted:not(.blank)")) == 8
    assert "agreement (F1)" in tool.find("#figures").text
    tool.press("3")
    tool.wait(lambda: "unexpected on average" in tool.find("#figures").text)
    shade = "return getComputedStyle(arguments[0]).backgroundColor"
    kept_menu, heading = (tool.browser.execute_script(shade, tool.row(n)) for n in (0, 2))
    assert float(kept_menu.split(",")[-1].rstrip(")")) > float(heading.split(",")[-1].rstrip(")"))


def test_history_names_every_change(tool):
    tool.press(" ", "u", "h")
    rows = tool.wait(lambda: tool.browser.find_elements("css selector", "#shown tr"))
    assert [row.text.split("UTC ")[1] for row in rows] == ["undo 1", "keep 1-1"]
    assert rows[1].get_attribute("class") == "undone"


def test_what_another_window_changed_is_shown_instead_of_overwritten(tool):
    Annotations(tool.database).label(tool.digest, "anna", [Change(8, 8, True)], 0)
    tool.press(" ")
    tool.wait(lambda: "another window" in tool.find("#error").text)
    tool.saved(8)
    tool.press(" ")
    tool.saved(0, 8)
    tool.wait(lambda: not tool.find("#error").is_displayed())


def test_filters_narrow_the_queue(tool):
    tool.browser.execute_script(
        "const s = document.getElementById('lang'); s.value = 'da';"
        "s.dispatchEvent(new Event('change'))"
    )
    tool.wait(lambda: tool.find("#place").text == "1 of 1")
    assert tool.find("#address").text == "da · c.html"


def test_two_annotators_are_compared_and_their_differences_settled(browser, database):
    digest = views.queue(database, "", Order.site, Filter())[0]["digest"]
    for name, kept in (("anna", {4, 6, 8}), ("bo", {4, 6, 10})):
        labels = bytes(n in kept for n in range(13))
        Annotations(database).replace(digest, name, Annotation(labels, is_done=True), "given")
    with served(database) as url:
        tool = Tool(browser, url, database).open()
        tool.press("a")
        tool.wait(lambda: "kappa" in tool.find("#kappa").text)
        assert "Cohen’s kappa 0.467: 1 pages, 8 lines, 2 differ" in tool.find("#kappa").text
        tool.find("#shown button").click()
        tool.wait(lambda: tool.find("#figures").text == "people differ on 2 of 8 lines")
        assert tool.digest == digest
        tool.saved(4, 6, annotator=ADJUDICATED)
        said = [row.text for row in browser.find_elements("css selector", ".line.contested .said")]
        assert said == ["anna keep · bo –", "anna – · bo keep"]
        tool.press(" ")
        tool.saved(4, 6, 8, annotator=ADJUDICATED)


def shown_frame(tool):
    """The archived page, as the right half of the window shows it."""
    picture = pixels(tool.browser.get_screenshot_as_png())
    return picture[:, picture.shape[1] // 2 :]


def test_the_line_at_the_cursor_is_marked_in_the_archived_page(tool):
    def mark():
        """The height at which the mark stands, in pixels of the window; None without one."""
        blue = (shown_frame(tool) == MARKED).all(axis=2).any(axis=1)
        return int(blue.nonzero()[0].mean()) if blue.any() else None

    first = tool.wait(mark, "a mark at the first line")
    tool.press("jjj")
    heading = tool.wait(lambda: (at := mark()) and at > first + 20 and at, "one at the heading")
    tool.press("jj")
    tool.wait(lambda: (at := mark()) and at > heading + 20, "and one farther down")


def test_a_key_accepts_the_predictions_and_one_undo_takes_them_back(tool):
    tool.press("jjj", Keys.SPACE)
    tool.saved(4)
    likely = tool.database.probabilities(tool.digest)
    predicted = [n for n, p in enumerate(likely) if p / 255 >= ONE_THRESHOLD]
    assert len(predicted) > 1
    tool.press("y")
    tool.saved(*predicted)
    tool.press("u")
    tool.saved(4)


def test_the_first_visit_asks_for_a_name_and_doubts_a_new_one(browser, database):
    digest = database.entries()[0].digest
    Annotations(database).label(digest, "anna", [Change(4, 4, True)], 0)
    with served(database) as url:
        browser.get(url)
        browser.execute_script("localStorage.clear()")
        browser.get(f"{url}/?")
        tool = Tool(browser, url, database)
        field = tool.wait(lambda: tool.find("#naming input"))
        tool.wait(field.is_displayed, "the question")
        assert tool.digest is None
        field.send_keys("ana", Keys.ENTER)
        tool.wait(lambda: "ana has labelled nothing here yet" in tool.find("#doubt").text)
        field.clear()
        field.send_keys("anna", Keys.ENTER)
        tool.wait(lambda: tool.digest, "the first page")
        assert tool.find("#who").text == "anna"
        browser.get(f"{url}/?")
        tool.wait(lambda: tool.digest, "no question at the second visit")


def test_only_the_annotators_that_the_server_was_given_may_label(browser, database):
    with served(database, annotators={"anna", "bo"}) as url:
        browser.get(f"{url}/?annotator=cai")
        tool = Tool(browser, url, database)
        tool.wait(lambda: tool.find("#name").is_displayed(), "the question")
        field = tool.find("#naming input")
        field.send_keys(Keys.ENTER)
        tool.wait(lambda: "cai is none of the annotators here" in tool.find("#doubt").text)
        field.clear()
        field.send_keys("bo", Keys.ENTER)
        tool.wait(lambda: tool.digest, "the first page")
        tool.press(" ")
        tool.saved(0, annotator="bo")


def test_two_people_label_at_once_blind_and_see_how_far_they_agree(
    browser, second_browser, database
):
    with served(database) as url:
        anna = Tool(browser, url, database).open(query="&#")
        bo = Tool(second_browser, url, database).open("bo", query="&#")
        assert anna.digest == bo.digest
        shared = anna.digest
        anna.press("jjj", Keys.SPACE, Keys.ENTER)
        anna.wait(lambda: anna.digest != shared, "the next page")
        bo.press("4")
        said = "return [...document.querySelectorAll('.said')].map((s) => s.textContent).join('')"
        assert second_browser.execute_script(said) == "", "a second reading is blind to the first"

        anna.press("t")
        anna.wait(lambda: "1 of 3 done" in anna.find("#team-progress").text)
        bo.press("1", "jjj", Keys.SPACE, "j", Keys.SPACE)
        bo.saved(4, 6, annotator="bo")
        bo.find("#done").click()
        bo.wait(lambda: Annotations(database).of(shared, "bo").is_done)
        agreed = "anna and bo kappa 0.600 1 pages, 1 of 8 lines differ"
        # Anna's panel has been open all the time: it follows what Bo does.
        anna.wait(lambda: anna.find("#team-agreement").text == agreed, agreed)
        bo.press("4")
        bo.wait(lambda: "anna keep" in bo.row(4).text, "what the first reading said, when done")
        bo.wait(lambda: "anna 1" in bo.find("#count").text, "how far the others are")


def test_of_five_thousand_lines_few_are_drawn_at_a_time(browser, tmp_path):
    lines = [f"Rad {n} " + "ord " * (n % 60) if n % 3 else "" for n in range(5000)]
    database = Database(tmp_path / "long.sqlite")
    database.add_pages([page_of("\n".join(lines) + "\n")])
    database.predict(load_line_classifier(""))
    with served(database) as url:
        tool = Tool(browser, url, database).open()
        assert len(browser.find_elements("css selector", ".line")) < 150

        tool.press(Keys.END, Keys.SPACE)
        tool.saved(4999)
        tool.press(Keys.HOME)
        tool.press_with_shift(Keys.END)
        tool.press(Keys.SPACE)
        tool.wait(lambda: sum(tool.annotation().labels) == 0, "all removed with the last")
        most_drawn = browser.execute_async_script(
            "const done = arguments[0], box = document.getElementById('lines');"
            "let at = 0, most = 0;"
            "const turn = () => {"
            "  most = Math.max(most, document.querySelectorAll('.line').length);"
            "  box.scrollTop = (at += 900);"
            "  at < 60000 ? requestAnimationFrame(turn) : done(most); };"
            "requestAnimationFrame(turn)"
        )
        assert most_drawn < 150


def test_lines_and_page_can_be_seen(tool, tmp_path):
    tool.press("jjj")
    tool.press_with_shift("jj")
    tool.press(Keys.SPACE)
    tool.saved(4, 5, 6, 7, 8)
    tool.wait(lambda: len(tool.browser.get_screenshot_as_png()) > 20_000, "the archived page")
    picture = pixels(tool.browser.get_screenshot_as_png())
    middle = picture.shape[1] // 2
    assert share_of(picture[:, :middle], KEPT_BACK) > 0.05
    assert share_of(picture[:, middle:], ARTICLE_BACK) > 0.5
    assert share_of(picture[:, middle:], KEPT_BACK) == 0


def tops(tool, *selectors):
    """Where elements stand from the window's top, in pixels."""
    script = "return arguments[0].map((s) => document.querySelector(s).getBoundingClientRect().top)"
    return tool.browser.execute_script(script, list(selectors))


@pytest.mark.parametrize("width", [1000, 1400])
def test_nothing_jumps_when_colours_or_figures_change(tool, width):
    tool.browser.set_window_size(width, 900)
    watched = ["#lines", "#done", "#help", "#figures"]
    tool.wait(lambda: tool.find("#place").text == "1 of 3")
    before = tops(tool, *watched)
    for key in ("2", "3", "4", "1", Keys.SPACE, "i", "i"):
        tool.press(key)
        assert tops(tool, *watched) == before, key
    made = Annotations(tool.database)
    tool.wait(lambda: len(made.history(tool.digest, "anna")) == 3, "the label and two marks")
    made.label(tool.digest, "anna", [Change(8, 8, True)], tool.annotation().revision)
    tool.press(Keys.SPACE)
    tool.wait(lambda: tool.find("#error").is_displayed(), "the error")
    assert tops(tool, *watched) == before, "an error"
    assert tool.browser.execute_script("return document.body.scrollWidth <= innerWidth")
    tool.browser.set_window_size(1280, 900)


def test_help_says_what_counts_as_main_text_and_shows_the_keys(tool):
    tool.press("?")
    tool.wait(lambda: tool.find("#panel").is_displayed(), "the help")
    said = tool.find("#shown").text
    assert "Keep a line if somebody who came for this page’s subject" in said
    assert "menus, search, log-in" in said
    assert "keep or remove the line, or the range" in said
    assert "Only pages that are marked as done are exported" in said


def test_a_page_that_is_begun_and_not_done_is_counted(tool):
    tool.press(Keys.SPACE)
    tool.wait(lambda: tool.find("#count").text == "0 of 3 done · 1 begun", "the count")
    tool.press(Keys.ENTER)
    tool.wait(lambda: tool.find("#count").text == "1 of 3 done", "the count")


def contrast(first, second):
    """Of two colours, as WCAG 2.2 has it (section 1.4.3)."""

    def luminance(colour):
        parts = [part / 255 for part in colour]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def colours_of(tool, selector):
    """Colour of an element's text, and of what lies behind it, as numbers."""
    script = """
        const element = document.querySelector(arguments[0]);
        const parsed = (c) => c.match(/[\\d.]+/g).map(Number);
        let [r, g, b] = parsed(getComputedStyle(document.body).backgroundColor);
        const [x, y, z, a = 1] = parsed(getComputedStyle(element.closest(".line")).backgroundColor);
        const over = [r * (1 - a) + x * a, g * (1 - a) + y * a, b * (1 - a) + z * a];
        return [parsed(getComputedStyle(element).color).slice(0, 3), over];"""
    return tool.browser.execute_script(script, selector)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_and_their_numbers_can_be_read_in_light_and_in_dark(tool, scheme):
    feature = {"name": "prefers-color-scheme", "value": scheme}
    tool.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    try:
        tool.press(Keys.SPACE)
        tool.saved(0)
        for mode in "1234":
            tool.press(mode)
            tool.wait(lambda: tool.find("body").get_attribute("data-mode"), mode)
            for part in ("number", "text"):
                told = colours_of(tool, f".line[data-number='0'] .{part}")
                assert contrast(*told) >= 4.5, (mode, part, told)
        back = tool.browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert back == {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"}[scheme]
    finally:
        tool.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
