"""Who may ask: the real server, asked by real requests.

Through `skord.annotation_tool.backend.app`.
"""

import stat

import pytest
import requests

from skord.annotation_tool.backend.access import access_for, token_in
from skord.annotation_tool.backend.annotations import ADJUDICATED
from skord.cli.main import main
from skord.core.failures import ConfigError
from skord.models.line_classifier.load import load_line_classifier
from tests.annotation.conftest import page_of, served

TOKEN = "0123456789abcdef0123"
CHANGE = {"X-Skord-Annotation": "1"}


@pytest.fixture
def asked(database):
    digest = database.entries()[0].digest
    body = {"annotator": "a", "revision": 0, "changes": [{"first": 0, "last": 1, "keep": True}]}
    with served(database) as url:
        yield f"{url}/api/pages/{digest}/labels", body


def test_a_change_with_all_that_it_needs_passes(asked):
    answer = requests.post(asked[0], json=asked[1], headers=CHANGE, timeout=240)
    assert answer.status_code == 200
    assert answer.json()["selected_lines"] == [0, 1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 403),
        ({**CHANGE, "Origin": "https://evil.example"}, 403),
        ({**CHANGE, "Origin": "null"}, 403),
        ({**CHANGE, "Host": "evil.example"}, 421),
        ({**CHANGE, "Content-Type": "text/plain"}, 415),
    ],
)
def test_a_change_that_another_site_could_have_sent_is_refused(asked, database, headers, status):
    answer = requests.post(asked[0], json=asked[1], headers=headers, timeout=240)
    assert answer.status_code == status
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM changes").fetchone() == (0,)


@pytest.mark.parametrize(
    ("name", "status"), [("anna", 200), ("bo", 200), ("eva", 403), (ADJUDICATED, 200)]
)
def test_those_who_may_label_are_the_annotators_named_and_who_settles(database, name, status):
    digest = database.entries()[0].digest
    body = {"annotator": name, "revision": 0, "changes": [{"first": 0, "last": 1, "keep": True}]}
    with served(database, annotators=["anna", "bo"]) as url:
        answer = requests.post(
            f"{url}/api/pages/{digest}/labels", json=body, headers=CHANGE, timeout=240
        )
    assert answer.status_code == status


def test_a_lone_surrogate_is_answered_with_what_is_wrong(asked):
    body = b'{"annotator": "\\ud800", "revision": 0, "changes": [{"\\udfff": 1}]}'
    headers = {**CHANGE, "Content-Type": "application/json"}

    answer = requests.post(asked[0], data=body, headers=headers, timeout=240)

    assert answer.status_code == 422
    assert "unicode string" in answer.text


def test_a_page_with_lone_surrogates_is_taken_in_and_shown(database):
    page = page_of("a \ud800 b", url="https://a.se/\ud800")
    assert database.add_pages([page]) == 1
    with served(database) as url:
        answer = requests.get(f"{url}/api/pages/{page.digest}?annotator=a", timeout=240)
        queue = requests.get(f"{url}/api/queue?annotator=a", timeout=240)
    assert answer.status_code == queue.status_code == 200
    assert "https://a.se/?" in answer.text


def test_a_change_too_long_to_be_one_is_refused_before_it_is_read(asked):
    request = requests.Request("POST", asked[0], json=asked[1], headers=CHANGE).prepare()
    request.headers["Content-Length"] = "99999999"
    with requests.Session() as session:
        assert session.send(request, timeout=240).status_code == 413


def test_another_name_for_loopback_reads_nothing(database):
    with served(database) as url:
        port = url.rpartition(":")[2]
        for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1.evil.example:{port}", ""):
            answer = requests.get(f"{url}/api/state", headers={"Host": host}, timeout=240)
            assert answer.status_code in (400, 421), host
        answer = requests.get(
            f"{url}/api/state", headers={"Host": f"localhost:{port}"}, timeout=240
        )
        assert answer.status_code == 200
        assert "access-control-allow-origin" not in answer.headers


def test_with_a_token_nothing_is_shown_without_it(database):
    digest = database.entries()[0].digest
    paths = ["/", "/api/state", f"/archived/{digest}", "/frontend/main.js"]
    with served(database, TOKEN) as url, requests.Session() as browser:
        for path in paths:
            assert requests.get(url + path, timeout=240).status_code == 401, path
            assert requests.get(f"{url}{path}?token=wrong", timeout=240).status_code == 401, path
        browser.get(f"{url}/?token={TOKEN}", timeout=240)
        (cookie,) = browser.cookies
        assert cookie.has_nonstandard_attr("HttpOnly")
        assert cookie.get_nonstandard_attr("SameSite") == "strict"
        for path in paths:
            assert browser.get(url + path, timeout=240).status_code == 200, path
        bearer = {"Authorization": f"Bearer {TOKEN}"}
        assert requests.get(f"{url}/api/state", headers=bearer, timeout=240).status_code == 200


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "annotate.example"])
def test_another_host_than_loopback_needs_a_token(host, tmp_path, capsys):
    given = ["annotate", "--host", host, "--database", str(tmp_path / "a.sqlite")]
    assert main(given) == 1
    assert "--token-file" in capsys.readouterr().err
    assert not (tmp_path / "a.sqlite").exists()


def test_every_address_needs_the_name_that_browsers_use():
    with pytest.raises(ConfigError, match="--name"):
        access_for("0.0.0.0", 8090, [], TOKEN)
    assert "annotate.example:8090" in access_for("0.0.0.0", 8090, ["annotate.example"], TOKEN).hosts


def test_a_token_file_is_made_for_its_owner_alone(tmp_path):
    path = tmp_path / "token"
    token = token_in(path)
    assert len(token) >= 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert token_in(path) == token
    path.chmod(0o644)
    with pytest.raises(ConfigError, match="chmod 600"):
        token_in(path)


def test_predictions_are_told_at_once_unless_the_reading_is_blind(database):
    database.predict(load_line_classifier(""))
    digest = database.entries()[0].digest
    for options, is_told in (({}, True), ({"is_blind": True}, False)):
        with served(database, **options) as url:
            answer = requests.get(f"{url}/api/pages/{digest}?annotator=a", timeout=240)
        assert (answer.json()["probabilities"] is not None) == is_told
