"""What `--dumps all` means: asked of servers of the test's own."""

import gzip
import json
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pipeline.dedup import DeduplicateIndividually
from skord.core.config import open_storage
from skord.core.dumps import all_dumps, published_dumps
from skord.core.failures import ConfigError
from skord.crawl.dumps import collinfo_address, named_dumps


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        """Nothing is printed."""


@pytest.fixture
def mirror(tmp_path, settings):
    """A folder that is served, and settings whose endpoint it is; gives the folder."""
    folder = tmp_path / "mirror"
    folder.mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings(
        f"[crawl]\nbase_url = http://127.0.0.1:{server.server_port}\nrequests_per_s = 500\n"
        "backoff_s = 0\nmax_backoff_s = 0\ncool_down_s = 0\n"
    )
    yield folder
    server.shutdown()
    server.server_close()


def has_dump(folder, dump):
    place = folder / f"crawl-data/CC-MAIN-{dump}"
    place.mkdir(parents=True)
    place.joinpath("wet.paths.gz").write_bytes(gzip.compress(b"crawl-data/a.warc.wet.gz\n"))


def test_all_are_those_of_the_mirrors_own_list(mirror):
    listed = ["CC-MAIN-2031-05", "CC-MAIN-2024-10", "CC-MAIN-2009-2010", "CC-NEWS"]
    (mirror / "collinfo.json").write_text(json.dumps([{"id": one} for one in listed]))

    tasks = DeduplicateIndividually(dumps="all").requires()

    assert [task.dump for task in tasks] == ["2024-10", "2031-05"]
    assert all_dumps(open_storage()) == ("2024-10", "2031-05")


def test_without_a_list_all_are_those_that_the_mirror_holds(mirror):
    has_dump(mirror, "2024-10")
    has_dump(mirror, "2019-09")

    assert named_dumps("all") == ("2019-09", "2024-10")
    assert named_dumps("2024-10") == ("2024-10",)


def test_a_mirror_without_dumps_or_that_does_not_answer_is_one_sentence(mirror, settings):
    with pytest.raises(ConfigError, match=r"has neither collinfo\.json nor the WET list of a"):
        named_dumps("all")
    assert DeduplicateIndividually(dumps="all").complete() is False

    settings("[crawl]\nbase_url = http://127.0.0.1:9\nbackoff_s = 0\nmax_backoff_s = 0\n")
    with pytest.raises(ConfigError, match=r"--dumps all: .*name the dumps, such as --dumps"):
        named_dumps("all")


def test_the_list_lies_beside_the_crawl_unless_an_address_is_set(settings):
    settings("[crawl]\nbase_url = http://127.0.0.1:9/\n")
    assert collinfo_address() == "http://127.0.0.1:9/collinfo.json"
    settings("[crawl]\nbase_url = http://127.0.0.1:9\ncollinfo_url = http://127.0.0.1:8/list\n")
    assert collinfo_address() == "http://127.0.0.1:8/list"
    settings()
    assert collinfo_address() == "https://index.commoncrawl.org/collinfo.json"


def test_before_anything_was_asked_all_are_those_of_the_release(settings):
    settings()
    assert all_dumps(open_storage()) == published_dumps()
