"""`skord study models`: what is listed, and downloads from a server of the test's own."""

import hashlib
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skord.cli.main import main
from skord.cli.models import fetch_file
from skord.core.failures import ConfigError
from skord.models.language_model.files import FOLDER
from skord.models.language_model.interface import load_language_models
from skord.models.published import CCNET_LANGUAGES, files_of_model
from tests.conftest import run_python


class Files(BaseHTTPRequestHandler):
    """Serves `server.files` by path, ranges too; notes the ranges asked for."""

    def do_GET(self):
        self.server.asked.append((self.path, self.headers.get("Range")))
        body = self.server.files.get(self.path)
        if body is None:
            self.send_error(404)
            return
        start = int((self.headers.get("Range") or "bytes=0-")[6:].rstrip("-"))
        if start > len(body):
            self.send_error(416)
            return
        ranged = self.headers.get("Range") and self.server.knows_ranges
        start = start if ranged else 0
        self.send_response(206 if ranged else 200)
        if ranged:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Type", self.server.content_type)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        sent = body[start:]
        self.wfile.write(sent[: self.server.breaks_after or len(sent)])

    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    server.files, server.asked = {}, []
    server.content_type, server.breaks_after, server.knows_ranges = "binary/octet-stream", 0, True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.url = f"http://127.0.0.1:{server.server_port}"
    yield server
    server.shutdown()
    server.server_close()


def published(content, **changed):
    """A file of the list, as if `content` had been published."""
    (lid,) = files_of_model("lid.176.bin")
    digest = hashlib.sha256(content).hexdigest()
    return replace(lid, bytes=len(content), sha256=digest, **changed)


LID_PATH = "/fasttext/supervised-models/lid.176.bin"


def test_every_language_of_ccnet_is_listed_and_each_file_has_address_and_terms(capsys):
    assert main(["models"]) == 0
    text = capsys.readouterr().out
    assert len(CCNET_LANGUAGES) == 48
    assert set(CCNET_LANGUAGES) <= set(text.split())

    assert main(["models", "--json"]) == 0
    files = json.loads(capsys.readouterr().out)
    assert len(files) == 2 * 48 + 5
    assert all(file["address"].startswith("https://") and file["licence"] for file in files)

    assert main(["models", "lv", "lid.176.bin", "--to", "there"]) == 0
    text = capsys.readouterr().out
    assert "put it at there/lv.arpa.bin" in text
    assert "131,266,198" in text
    assert "[CCNet] language_models = there" in text


def test_models_of_a_language_are_fetched_whole_and_then_used(server, tmp_path):
    """A process of its own, against models that are shipped, under CCNet's names."""
    for kind in ("sp.model", "arpa.bin"):
        server.files[f"/cc_net/lm/lv.{kind}"] = (FOLDER / f"lv.{kind}").read_bytes()
    to = tmp_path / "models"
    to.mkdir()
    cutoffs = "/".join(files_of_model("lv")[0].address.split("/")[3:])
    server.files[f"/{cutoffs}"] = b",lv\n30,1\n60,2\n"

    words = ("models", "lv", "--fetch", "--to", str(to), "--mirror", server.url)
    done = run_python("-m", "skord", *words)
    assert done.returncode == 1  # the limits are not those that were published
    assert "not 62a2ff3c" in done.stderr

    (to / "cutoff.csv.part").unlink()
    for kind in ("sp.model", "arpa.bin"):
        file = next(one for one in files_of_model("lv") if one.name.endswith(kind))
        fetch_file(file, to, server.url)
    models = load_language_models(str(to))
    assert models.languages == ("lv",)
    assert models.score("lv", ["Šodien ir jauka diena."], exact=False)[0].page


def test_a_download_that_breaks_off_is_gone_on_with(server, tmp_path, capsys):
    content = bytes(range(256)) * 400
    server.files[LID_PATH] = content
    server.breaks_after = 70_000

    with pytest.raises(
        ConfigError, match=r"broke off: give the command again, and it continues after [1-9]"
    ):
        fetch_file(published(content), tmp_path, server.url)
    assert not (tmp_path / "lid.176.bin").exists()
    server.breaks_after = 0
    place = fetch_file(published(content), tmp_path, server.url)

    assert [path for path, _ in server.asked] == [LID_PATH] * 2
    assert server.asked[0][1] is None
    assert 0 < int(server.asked[1][1].strip("bytes=-")) <= 70_000
    assert place.read_bytes() == content
    assert [path.name for path in tmp_path.iterdir()] == ["lid.176.bin"]
    assert "as published" in capsys.readouterr().err
    fetch_file(published(content), tmp_path, server.url)
    assert len(server.asked) == 2


def test_a_server_that_knows_no_ranges_sends_it_anew(server, tmp_path):
    content = b"abc" * 1000
    server.files[LID_PATH], server.knows_ranges = content, False
    (tmp_path / "lid.176.bin.part").write_bytes(content[:500])

    assert fetch_file(published(content), tmp_path, server.url).read_bytes() == content


def test_another_content_than_was_published_is_refused_and_not_put_in_place(server, tmp_path):
    server.files[LID_PATH] = b"something else"

    with pytest.raises(ConfigError, match=r"not .* as published: remove it and fetch it again"):
        fetch_file(published(b"what was meant"), tmp_path, server.url)
    assert not (tmp_path / "lid.176.bin").exists()


@pytest.mark.parametrize(
    ("content_type", "files", "reason"),
    [("text/html; charset=utf-8", [LID_PATH], "a web page came instead"), ("a/b", [], "404")],
)
def test_what_is_no_file_is_told(server, tmp_path, content_type, files, reason):
    server.files, server.content_type = dict.fromkeys(files, b"<html>"), content_type

    with pytest.raises(
        ConfigError, match=rf"cannot be had \(.*{reason}.*put it at .*lid\.176\.bin"
    ):
        fetch_file(published(b"x"), tmp_path, server.url)


def test_without_a_network_it_is_said_where_to_put_the_file(server, tmp_path, capsys):
    server.shutdown()
    server.server_close()

    words = ["models", "lid.176.bin", "--fetch", "--to", str(tmp_path), "--mirror", server.url]
    assert main(words) == 1

    sentence = capsys.readouterr().err.splitlines()[-1]
    assert "(no connection): fetch it on a machine with a network" in sentence
    assert f"put it at {tmp_path}/lid.176.bin; then set [CCNet] lid_model_path" in sentence


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["sv"], "CCNet published none for (a small one is shipped)"),
        (["--fetch"], "--fetch needs names"),
        (["xx"], "no model 'xx' is listed"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(capsys, words, sentence):
    assert main(["models", *words]) == 1
    assert sentence in capsys.readouterr().err
