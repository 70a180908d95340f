"""The first request of a run: what ends it with a sentence, and what is left to later tries."""

from __future__ import annotations

import gzip
import socket

import pytest

from skord.core.failures import ConfigError
from skord.crawl.config import check_endpoint

DUMP = "2024-10"


def reply(status: str, body: bytes = b"", *headers: str) -> bytes:
    head = "\r\n".join([f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers])
    return head.encode() + b"\r\nConnection: close\r\n\r\n" + body


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def sentence(connect, url: str, **changes: object) -> str:
    with pytest.raises(ConfigError) as caught:
        connect(url, contact="corpus@example.org", **changes).check_reachable(DUMP, "wet")
    message = str(caught.value)
    assert message.startswith(f"{url}/crawl-data/CC-MAIN-2024-10/wet.paths.gz: ")
    return message


def test_a_name_that_cannot_be_resolved(connect) -> None:
    assert "its name cannot be resolved" in sentence(connect, "http://crawl.invalid")


def test_a_refused_connection(connect, closed_port: int) -> None:
    assert "it cannot be connected to" in sentence(connect, f"http://127.0.0.1:{closed_port}")


def test_a_connection_that_does_not_come_about(connect) -> None:
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        address = full.getsockname()
        with socket.socket() as first, socket.socket() as second:
            for waiting in (first, second):
                waiting.setblocking(False)
                waiting.connect_ex(address)
            url = f"http://127.0.0.1:{address[1]}"
            assert "no connection came about" in sentence(connect, url, connect_timeout_s=0.3)


def test_a_server_without_tls(connect, scripted) -> None:
    url = scripted(reply("200 OK")).url.replace("http:", "https:")
    assert "certificate or TLS is not accepted" in sentence(connect, url)


def test_a_proxy_that_is_not_there(connect, closed_port: int, monkeypatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port}")
    assert "the proxy does not let it through" in sentence(connect, "http://crawl.invalid")


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (reply("403 Forbidden"), "it answers 403"),
        (reply("407 Proxy Authentication Required"), "the proxy does not let it through"),
        (reply("302 Found", b"", "Location: http://login.example/"), "log in to the network"),
        (reply("511 Network Authentication Required"), "log in to the network"),
        (reply("200 OK", b"\n<!doctype html><title>Welcome</title>"), "log in to the network"),
    ],
    ids=["forbidden", "proxy", "redirect", "511", "page"],
)
def test_answers_that_are_not_the_list(connect, scripted, answer: bytes, message: str) -> None:
    script = scripted(answer)
    assert message in sentence(connect, script.url)
    assert len(script.asked) == 1


@pytest.mark.parametrize(
    "answer",
    [
        reply("200 OK", gzip.compress(b"crawl-data/a.gz\n")),
        reply("404 Not Found"),
        reply("429 Too Many"),
        reply("503 Busy"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf",
        b"",
    ],
    ids=["list", "404", "429", "503", "short", "broken off"],
)
def test_what_may_pass_is_left_to_the_run(connect, scripted, answer: bytes) -> None:
    script = scripted(answer)
    connect(script.url).check_reachable(DUMP, "wet")
    assert len(script.asked) == 1


def test_an_endpoint_is_asked_once_for_all_dumps(settings, scripted, tmp_path) -> None:
    script = scripted(reply("403 Forbidden"))
    settings(f"[crawl]\nbase_url = {script.url}\nrate_limit_dir = {tmp_path}/budget\n")
    for dump in (DUMP, "2024-18"):
        with pytest.raises(ConfigError, match=r"2024-10/wet\.paths\.gz: it answers 403"):
            check_endpoint(dump, "wet")
    assert len(script.asked) == 1

    list_sent = scripted(reply("200 OK", gzip.compress(b"crawl-data/a.gz\n")), reply("403 No"))
    settings(f"[crawl]\nbase_url = {list_sent.url}\nrate_limit_dir = {tmp_path}/budget\n")
    for dump in (DUMP, "2024-18"):
        check_endpoint(dump, "wet")
    assert len(list_sent.asked) == 1
