"""`skord publish removals` before anything is published, of `skord.cli.publish.removals`."""

import gzip
import json

import pyarrow as pa
import pytest

from skord.cli.main import main
from skord.cli.publish.removals import INCOMPLETE, _dumps_named, _lines
from skord.core.config import open_storage
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.shared_columns import FAILURE, ID
from skord.publishing.removals.lists import list_names, read_list
from skord.rights.reservations import RESERVATIONS_TYPE

ROBOTS = "User-agent: CCBot\nDisallow: /a/\n\nUser-agent: Other\nDisallow: /b/\n"
ABOUT = ["--reason", "opt-out", "--date", "2024-03-01"]


@pytest.fixture(autouse=True)
def settings_of_its_own(settings):
    settings()


def listed(*words):
    """What is listed by a command: kind and value of each row."""
    assert main(["removals", "add", *map(str, words), *ABOUT]) == 0
    storage = open_storage()
    rows = read_list(storage, list_names(storage)[-1]).to_pylist()
    return [(row["kind"], row["value"]) for row in rows]


def test_what_is_asked_for_is_listed_once(tmp_path, capsys):
    more = tmp_path / "more.txt"
    more.write_text("# by letter\n\nhttp://b.se/1\n  http://a.se/x\n")

    rows = listed("--domain", "a.se", "--url", "http://a.se/x", "--url-file", more)

    assert sorted(rows) == [("domain", "a.se"), *(
        ("url", value) for value in sorted(value for kind, value in rows if kind == "url")
    )]  # fmt: skip
    assert len(rows) == 3
    output = capsys.readouterr().out.splitlines()
    assert output[0].endswith(": domain 1, url 2")
    assert output[1] == "not taken out of anything yet: skord publish removals apply"


@pytest.mark.parametrize(
    ("agents", "number"), [([], 1), (["--agent", "Other"], 1), (["--agent", "None"], 0)]
)
def test_robots_files_are_read_for_the_crawls_agent_or_those_named(tmp_path, agents, number):
    path = tmp_path / "robots.txt"
    path.write_text(ROBOTS)
    words = ["removals", "add", "--robots-txt", "a.se", str(path), *agents, *ABOUT]
    main([*words, "--domain", "other.se"])

    storage = open_storage()
    rows = read_list(storage, list_names(storage)[-1]).to_pylist()
    robots = [row for row in rows if row["rules"]]
    assert len(robots) == number
    wanted = "/b/" if agents else "/a/"
    assert all(wanted in row["rules"] for row in robots)


def test_addresses_that_a_reservation_names_are_listed():
    store = ColumnStore(open_storage(), "2024-10")
    one = {"source": "robots_txt", "agent": "GPTBot", "words": "no"}
    columns = {
        "CCNet": ("url", pa.string(), ["http://a.se/1", "http://a.se/2", "http://a.se/3"]),
        "DetectReservations": ("reservations", RESERVATIONS_TYPE, [[one], None, []]),
    }
    for task, (name, kind, values) in columns.items():
        schema = pa.schema([ID, (name, kind), FAILURE])
        with store.writer(store.path(task, 0), schema, "f") as writer:
            table = [["x", "y", "z"], pa.array(values, kind), [None] * 3]
            writer.write(pa.table(table, schema=schema))
        store.write_manifest(task, {"num_shards": 1, "stamp": "f", "counts": {}})

    assert listed("--reserved", "robots_txt:GPTBot") == [("url", "a.se/1")]


def test_lists_and_the_log_are_told(capsys):
    listed("--domain", "a.se")
    capsys.readouterr()

    assert main(["removals", "list"]) == 0
    head, row = capsys.readouterr().out.splitlines()
    assert head.split()[1:] == ["2024-03-01", "opt-out"]
    assert row == "  domain  a.se"
    main(["removals", "list", "--log"])
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split("  ")[1] == "add"
    assert "reason opt-out" in line
    assert "verb" not in line
    main(["removals", "list", "--json"])
    ((name, rows),) = json.loads(capsys.readouterr().out).items()
    assert [row["value"] for row in rows] == ["a.se"]
    assert name in head
    main(["removals", "list", "--log", "--json"])
    assert [one["verb"] for one in json.loads(capsys.readouterr().out)] == ["add"]


def test_without_anything_published_nothing_is_left(capsys):
    listed("--domain", "a.se")
    capsys.readouterr()
    assert main(["removals", "check"]) == 0
    assert capsys.readouterr().out == "0 dumps, 1 entries: 0 things left\n"
    assert main(["removals", "check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"dumps": 0, "entries": 1, "left": []}
    assert main(["removals", "apply", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []
    assert INCOMPLETE == 3


def test_dumps_that_are_named_are_meant_whether_or_not_they_are_published():
    storage = open_storage()
    stores = _dumps_named(storage, " 2024-10 ,2024-18,")
    assert [store.dump for store in stores] == ["2024-10", "2024-18"]
    ColumnStore(storage, "2024-22").write_manifest("ExportCorpus", {"num_files": 0})
    ColumnStore(storage, "2024-26").write_manifest("CCNet", {"num_shards": 0})
    assert [store.dump for store in _dumps_named(storage, "")] == ["2024-22"]


def test_a_list_that_cannot_be_read_is_told(tmp_path):
    (tmp_path / "a.txt").write_bytes(gzip.compress(b"x"))
    for name in ("a.txt", "none.txt"):
        with pytest.raises(ConfigError, match=rf"{name} cannot be read"):
            list(_lines(tmp_path / name))
