"""An archived page can be looked at, and neither runs anything nor asks the network."""

import base64
import contextlib
import http.server
import threading
import time

import pytest

from skord.annotation_tool.backend.app import ARCHIVED_POLICY, inert
from skord.annotation_tool.backend.database import Database
from skord.annotation_tool.backend.published import SourcePage
from tests.annotation.conftest import served
from tests.browser.listening import listening
from tests.browser.pixels import pixels, share_of
from tests.graph.bench import wait_until

RED = (224, 16, 48)
RED_DOT = base64.b64encode(
    b'<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
).decode()

HOSTILE = """<!doctype html><html manifest="{at}/manifest"><head>
<meta http-equiv="refresh" content="0; url={at}/refreshed">
<base href="{at}/base/">
<link rel="stylesheet" href="{at}/style.css"><link rel="preload" href="{at}/preload" as="image">
<link rel="prefetch" href="{at}/prefetch"><link rel="icon" href="{at}/icon">
{hints}
<style>@import "{at}/import.css"; body {{ background: rgb(224, 16, 48) url({at}/background.png) }}
@font-face {{ font-family: x; src: url({at}/font) }} p {{ font-family: x }}</style>
<script>document.documentElement.dataset.ran = "inline"; fetch("{at}/inline")</script>
<script src="{at}/script.js"></script><title>Farlig sida</title></head>
<body onload="document.documentElement.dataset.ran = 'onload'" background="{at}/body.png">
<p id="text">Text som skall synas.</p>
<img src="{at}/image.png" srcset="{at}/2x.png 2x"
  onerror="document.documentElement.dataset.ran = 'onerror'">
<img src="x:" onerror="document.documentElement.dataset.ran = 'onerror2'">
<img src="data:image/svg+xml;base64,{dot}">
<picture><source srcset="{at}/source.png"><img alt="bild"></picture>
<a id="script" href="javascript:document.documentElement.dataset.ran='link'">länk</a>
<a id="out" href="{at}/clicked" ping="{at}/ping" target="_top">ut</a>
<svg><script>document.documentElement.dataset.ran = 'svg'</script>
<image href="{at}/svg.png"></image><use href="{at}/use.svg#a"></use>
<a><set attributeName="href" to="javascript:document.documentElement.dataset.ran='set'"/></a>
<animate onbegin="document.documentElement.dataset.ran = 'animate'" attributeName="x" dur="1s"/>
</svg>
<iframe src="{at}/frame" srcdoc="<script>top.document.title='ran'</script>"></iframe>
<object data="{at}/object"></object><embed src="{at}/embed"><video src="{at}/video" autoplay
  poster="{at}/poster"></video><audio src="{at}/audio" autoplay></audio>
<form id="form" action="{at}/form"><input name="q" autofocus
  onfocus="document.documentElement.dataset.ran = 'focus'"><button id="send">Sänd</button></form>
<div style="background: url({at}/inline-style.png)">stil</div>
<math><maction actiontype="statusline" xlink:href="javascript:alert(1)">m</maction></math>
<noscript><img src="{at}/noscript.png"><p>utan skript</p></noscript>
<template><script>document.documentElement.dataset.ran = 'template'</script></template>
</body></html>"""
HINTS = '<link rel="preconnect" href="{at}"><link rel="dns-prefetch" href="{at}">'


def hostile(port, hints=HINTS):
    at = f"http://127.0.0.1:{port}"
    return HOSTILE.format(at=at, dot=RED_DOT, hints=hints.format(at=at))


@contextlib.contextmanager
def plain_server(body: str, policy: str | None):
    """Gives one page for "/", with a policy or without; nothing else."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/" else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            if policy:
                self.send_header("Content-Security-Policy", policy)
            self.end_headers()
            if self.path == "/":
                self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()


def ran(browser):
    return browser.execute_script("return document.documentElement.dataset.ran ?? null")


def settled():
    """Time for a page to do what it would do."""
    time.sleep(1.2)


def test_the_page_does_all_it_can_where_nothing_stops_it(browser):
    """The other tests mean something only if this page would act."""
    with listening() as outside, plain_server(hostile(outside.port), None) as url:
        browser.get(url)
        for path in ("script.js", "inline", "refreshed", "style.css"):
            asked = f"GET /{path} ".encode()
            wait_until(lambda asked=asked: any(said.startswith(asked) for said in outside.heard))


def test_taken_out_of_its_tags_a_page_does_nothing_even_without_a_policy(browser):
    with listening() as outside:
        # Addresses inside styles are the policy's part.
        page = inert(hostile(outside.port)).split("<style>")
        page = page[0] + page[1].partition("</style>")[2]
        page = page.replace(' style="background', ' data-style="background')
        with plain_server(page, None) as url:
            browser.get(url)
            browser.find_element("css selector", "#script").click()
            browser.find_element("css selector", "#out").click()
            settled()
            assert browser.find_element("css selector", "#text").text == "Text som skall synas."
            assert browser.current_url == url
            assert ran(browser) is None
        assert outside.heard == []


def test_under_the_policy_a_page_does_nothing_even_with_its_tags(browser):
    with listening() as outside:
        # No policy forbids a browser to connect where `link` names a host; `inert` does.
        with plain_server(hostile(outside.port, hints=""), ARCHIVED_POLICY) as url:
            browser.get(url)
            settled()
            assert browser.find_element("css selector", "#text").text == "Text som skall synas."
            assert ran(browser) is None
        assert outside.heard == []


@pytest.fixture
def shown(browser, tmp_path):
    """The hostile page in the tool, and the server that it would speak to."""
    with listening() as outside:
        body = hostile(outside.port).encode()
        page = SourcePage(
            digest="0" * 64, url=f"http://127.0.0.1:{outside.port}/live", site="", lang="sv",
            source="made", markdown="<script>document.title='ran'</script>\n<img onerror=x>\n",
            archived=body, content_type="text/html; charset=utf-8",
        )  # fmt: skip
        database = Database(tmp_path / "annotations.sqlite")
        database.add_pages([page])
        with served(database) as url:
            browser.get(f"{url}/?annotator=anna")
            settled()
            yield outside


def test_in_the_tool_it_is_seen_and_does_nothing(browser, shown):
    middle = browser.get_window_size()["width"] // 2
    picture = pixels(browser.get_screenshot_as_png())
    assert share_of(picture[:, middle:], RED) > 0.3
    frame = browser.find_element("css selector", "#archived")
    browser.switch_to.frame(frame)
    assert browser.find_element("css selector", "#text").text == "Text som skall synas."
    assert browser.find_element("css selector", "body").text.count("utan skript") == 1
    for name in ("#script", "#out", "#send"):
        browser.find_element("css selector", name).click()
    settled()
    assert ran(browser) is None
    assert browser.find_element("css selector", "#text").is_displayed()
    browser.switch_to.default_content()
    assert browser.title == "Line labels"
    assert browser.find_element("css selector", ".line .text").text.startswith("<script>")
    assert shown.heard == []


def test_a_clicked_link_cannot_bring_the_live_page_into_the_frame(browser, shown):
    browser.execute_script(
        "document.getElementById('archived').src = arguments[0]",
        f"http://127.0.0.1:{shown.port}/live",
    )
    settled()
    assert shown.heard == []
