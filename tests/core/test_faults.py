"""Damage on the disk: each is refused or mended, and none is read as something else."""

import gzip
import hashlib
import io
import json
import logging
import shutil
from collections import Counter
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest

from skord.cli.console import run_tasks
from skord.cli.main import main
from skord.cli.repair.verify import faults_of, repair
from skord.core import registry
from skord.core.failures import ConfigError, DamagedError, ShardError, lacks_memory
from skord.core.readable import check_readable
from skord.core.storage import column_store, shard_files
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage, without_secrets
from skord.core.storage.shared_columns import ID
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.core.work_item import WorkItem, run_item
from skord.crawl.cdx import MAX_LINE_BYTES, cdx_lines
from skord.crawl.files import check_kept
from skord.crawl.http.rate_limit import CLOCK_TOLERANCE_S, RateLimiter
from skord.crawl.http.settings import CrawlSettings
from skord.crawl.urls import canonical_escapes
from skord.crawl.warc.framing import BadRecord
from skord.crawl.warc.wet import read_wet

SCHEMA = pa.schema([ID, ("number", pa.int64())])
MADE: list[int] = []


class Shards(ShardedTask):
    """Four shards of a thousand rows; notes which it makes."""

    schema: ClassVar[pa.Schema] = SCHEMA

    def num_shards(self):
        return 4

    def run_shard(self, shard):
        MADE.append(shard)
        rows = [{"id": f"urn:{shard}:{n}", "number": n * n} for n in range(1000)]
        path = self.store.path(self.task_family, shard)
        with self.store.writer(path, SCHEMA, self.fingerprint) as writer:
            writer.write(pa.Table.from_pylist(rows, schema=SCHEMA))


@pytest.fixture
def task(settings, monkeypatch):
    settings()
    modules = (*registry.GRAPH_MODULES, __name__)
    monkeypatch.setattr(registry, "GRAPH_MODULES", modules)
    task = Shards(dump="2024-10")
    task.run()
    MADE.clear()
    return task


def path_of(task, shard):
    return task.store.storage.full(task.store.path("Shards", shard))


@pytest.mark.parametrize("harm", ["removed", "emptied", "cut"])
def test_a_lost_shard_of_a_complete_task_is_made_again_and_only_it(task, harm, caplog):
    store, path = task.store.storage, task.store.path("Shards", 2)
    before = store.read(path)
    store.delete(path)
    if harm != "removed":
        store.write(path, b"" if harm == "emptied" else before[: len(before) // 2])
    assert not task.complete()

    with caplog.at_level(logging.WARNING, "luigi-interface"):
        task.run()

    assert MADE == [2]
    assert store.read(path) == before
    assert task.complete()
    assert "shard 00002 is missing or damaged: made again, and nothing else" in caplog.text


def flip(path, at):
    content = bytearray(path.read_bytes())
    content[at] ^= 4
    path.write_bytes(content)


def test_every_flipped_bit_of_the_data_is_seen_when_read(task):
    path = Path(path_of(task, 0))
    places = range(40, path.stat().st_size - 1200, 97)

    for at in places:
        flip(path, at)
        assert task.store.fault_of(task.store.path("Shards", 0)), at
        flip(path, at)

    assert len(places) > 20
    assert task.store.fault_of(task.store.path("Shards", 0)) is None


def test_every_flipped_bit_of_a_footer_is_seen_before_it_is_believed(task):
    path = Path(path_of(task, 0))
    content = path.read_bytes()
    size = int.from_bytes(content[-8:-4], "little")
    stored = task.store.path("Shards", 0)

    for at in range(len(content) - 8 - size, len(content), 7):
        flip(path, at)
        with pytest.raises((DamagedError, ConfigError)):
            task.store.footer(stored)
        path.write_bytes(content)

    assert task.store.footer(stored).rows == 1000


def test_a_footer_longer_than_what_is_read_at_once_is_read_whole(task, monkeypatch):
    monkeypatch.setattr(shard_files, "FOOTER_BYTES", 64)

    assert task.store.footer(task.store.path("Shards", 0)).rows == 1000


def test_a_damaged_page_stays_where_it_is_for_a_reader(task):
    path = Path(path_of(task, 0))
    flip(path, 600)
    before = path.read_bytes()

    with pytest.raises(
        DamagedError, match=r"00000\.parquet .*skord study verify --dump 2024-10 --repair"
    ):
        task.store.read_table(task.store.path("Shards", 0))

    assert [one.name for one in path.parent.glob("00000*")] == ["00000.parquet"]
    assert path.read_bytes() == before


def test_a_damaged_page_is_set_aside_by_a_task_and_made_again(task):
    flip(Path(path_of(task, 0)), 600)
    task.is_at_work = True

    with pytest.raises(DamagedError, match="give the command again"):
        task.store.read_table(task.store.path("Shards", 0))
    task.run()

    assert MADE == [0]
    assert task.store.fault_of(task.store.path("Shards", 0)) is None
    assert not list(Path(path_of(task, 0)).parent.glob("*.damaged"))


def test_what_was_set_aside_beside_the_shards_goes_when_the_task_is_complete(task, monkeypatch):
    monkeypatch.setattr(Shards, "folders", ("_refused",))
    folder = Path(path_of(task, 0)).parent
    (folder / "_refused").mkdir()
    (folder / "_refused" / "00001.parquet.damaged").write_bytes(b"x")
    Path(path_of(task, 0)).unlink()

    task.run()

    assert not list(folder.rglob("*.damaged"))


def test_a_shard_copied_over_another_is_refused(task):
    shutil.copy(path_of(task, 1), path_of(task, 0))

    with pytest.raises(ConfigError, match="is a copy of shard 00001"):
        task.store.footer(task.store.path("Shards", 0))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[]", b'"text"', None], ids=repr)
def test_a_damaged_or_edited_manifest_does_not_count(task, content):
    store, path = task.store.storage, task.store.manifest_path("Shards")
    if content is None:
        edited = {**json.loads(store.read(path)), "num_shards": 1}
        content = json.dumps(edited).encode()
    store.write(path, content)

    assert task.store.manifest("Shards") is None
    assert not task.complete()
    task.run()

    assert MADE == []
    assert task.store.manifest("Shards")["num_shards"] == 4


def test_verify_tells_what_is_wrong_and_repairs_it(task):
    task.store.storage.delete(task.store.path("Shards", 3))
    flip(Path(path_of(task, 1)), 700)

    faults = dict(faults_of(task.store, "Shards"))

    assert sorted(faults) == [1, 3]
    assert main(["verify", "--dump", "2024-10"]) == 1
    assert repair({task.task_family: task}, {task.task_family: faults})
    assert sorted(MADE) == [1, 3]
    assert dict(faults_of(task.store, "Shards")) == {}
    assert main(["verify", "--dump", "2024-10"]) == 0


def test_shards_beyond_the_last_are_taken_away(task):
    shutil.copy(path_of(task, 3), path_of(task, 7))
    task.store.delete_manifest("Shards")

    task.run()

    assert sorted(task.store.shard_bytes("Shards")) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "content", [None, b"", b"shorter", b"x" * 1000], ids=["gone", "emptied", "cut", "other bytes"]
)
def test_a_kept_file_that_is_not_as_it_came_is_fetched_again(tmp_path, content):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    kept, shard = store.file_path("DownloadWET", "a.gz"), store.path("DownloadWET", 3)
    store.storage.write(shard, b"its list")
    if content is not None:
        store.storage.write(kept, content)
    digest = hashlib.sha256(b"y" * 1000).hexdigest()
    row = {"file": "crawl-data/a.gz", "bytes": 1000, "failure": None, "digest": digest}

    with pytest.raises(ShardError, match="give the command again, and it is fetched again"):
        check_kept(store, "DownloadWET", 3, row)

    assert not store.storage.exists(kept)
    assert not store.storage.exists(shard)


class TwoPhases(ShardedTask):
    """A phase that only the task itself reads, then two shards; another driver may come between."""

    others: ClassVar[list[str]] = []

    def num_shards(self):
        return 2

    def phases(self):
        first = Phase("map", lambda: 1, lambda number: self.write(number, "map"), transient=True)
        return [first, *super().phases()]

    def write(self, number, phase):
        rows = pa.Table.from_pylist([{"id": "urn:1", "number": number}], schema=SCHEMA)
        path = self.store.path(self.task_family, number, phase)
        with self.store.writer(path, SCHEMA, self.fingerprint) as writer:
            writer.write(rows)

    def run_shard(self, shard):
        if self.others and self.others.pop() == "completes":
            TwoPhases(dump=self.dump, max_failure_share=0.5).run()
        self.store.read_table(self.store.path(self.task_family, 0, "map"))
        self.write(shard, "shard")


def test_the_slower_of_two_drivers_ends_well(settings, monkeypatch):
    settings()
    modules = (*registry.GRAPH_MODULES, __name__)
    monkeypatch.setattr(registry, "GRAPH_MODULES", modules)
    monkeypatch.setattr(TwoPhases, "others", ["completes"])
    task = TwoPhases(dump="2024-10")

    task.run()

    assert TwoPhases.others == []
    assert task.complete()
    assert task.store.storage.names(task.store.folder("TwoPhases")) == [
        "00000.parquet",
        "00001.parquet",
        "_manifest.json",
    ]


def test_a_job_that_comes_after_the_end_leaves_nothing(settings, monkeypatch):
    """As of a node that was thought lost: the driver had its items made by others, and went on."""
    settings()
    modules = (*registry.GRAPH_MODULES, __name__)
    monkeypatch.setattr(registry, "GRAPH_MODULES", modules)
    task = TwoPhases(dump="2024-10")
    task.run()
    words = json.dumps(task.to_str_params())

    run_item(WorkItem("TwoPhases", words, "map", 0, task.fingerprint))

    assert "_map" not in task.store.storage.names(task.store.folder("TwoPhases"))
    assert task.complete()


def test_what_another_driver_completed_is_not_taken_away_for_a_moment(task, monkeypatch):
    """Its tasks downstream read the manifest."""
    taken = []
    monkeypatch.setattr(ColumnStore, "delete_manifest", lambda _, family: taken.append(family))

    task.run()

    assert (MADE, taken) == ([], [])


# -- strangers' bytes ----------------------------------------------------------------------------


@pytest.mark.timeout(60)
def test_a_megabyte_of_version_lines_is_no_work():
    """Each was searched to the end: that took minutes."""
    packed = gzip.compress(b"WARC/1.0\n" * 150_000)

    assert sum(isinstance(one, BadRecord) for one in read_wet(io.BytesIO(packed))) > 0


def test_a_cdx_without_line_feeds_is_not_held_in_memory():
    block = gzip.compress(b"a" * (MAX_LINE_BYTES // 2))
    counts = Counter()

    lines = list(cdx_lines(io.BytesIO(block * 40), counts))

    assert counts["broken_block"] > 5
    assert sum(map(len, lines)) <= MAX_LINE_BYTES


def test_an_address_in_a_table_is_asked_of_the_configured_endpoint_alone():
    crawl = CrawlSettings("http://127.0.0.1:1")

    assert crawl.file_url("http://169.254.1.1/a").startswith("http://127.0.0.1:1/")
    assert crawl.file_url("//169.254.1.1/a").startswith("http://127.0.0.1:1/")


def test_a_lone_surrogate_in_an_address_is_no_error():
    assert canonical_escapes("/\ud800") == "/%ED%A0%80"


def test_a_clock_set_back_by_half_an_hour_stalls_nobody(tmp_path):
    limiter = RateLimiter(tmp_path, 1.0, 1)
    now = limiter._reserve_start()
    ahead = now + CLOCK_TOLERANCE_S + 1500
    (tmp_path / "next-start").write_text(f"{ahead:017.6f} {0:017.6f} {ahead:017.6f}\n")

    assert limiter._reserve_start() < now + CLOCK_TOLERANCE_S


def test_a_key_in_an_address_is_printed_nowhere(tmp_path):
    storage = Storage("s3://KEY:SECRET@bucket/web?endpoint_override=%%")

    assert "SECRET" not in storage.shown_url
    assert without_secrets("at s3://KEY:SECRET@b: no") == "at s3://***@b: no"


def test_arrows_lack_of_threads_is_lack_of_memory():
    assert lacks_memory(OSError("Failed to launch worker thread: Resource temporarily unavailable"))
    assert not lacks_memory(OSError(2, "No such file"))


def test_files_from_before_checksums_are_read(tmp_path):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    store.storage.write(store.manifest_path("A"), b'{"stamp": "s", "num_shards": 0}')

    assert store.manifest("A") == {"stamp": "s", "num_shards": 0}


class Later(ShardedTask):
    """As many shards as `Shards`, each of which says what it read."""

    schema: ClassVar[pa.Schema] = SCHEMA

    def upstream(self):
        return [Shards(dump=self.dump)]

    def run_shard(self, shard):
        MADE.append(100 + shard)
        table = self.store.read_table(self.store.path("Shards", shard))
        with self.store.writer(self.store.path("Later", shard), SCHEMA, self.fingerprint) as writer:
            writer.write(table)


class Last(Later):
    """One more, so that the damage lies two tasks below what is asked for."""

    def upstream(self):
        return [Later(dump=self.dump)]

    def run_shard(self, shard):
        MADE.append(200 + shard)
        table = self.store.read_table(self.store.path("Later", shard))
        with self.store.writer(self.store.path("Last", shard), SCHEMA, self.fingerprint) as writer:
            writer.write(table)


@pytest.fixture
def last(task):
    last = Last(dump="2024-10")
    assert run_tasks([last])
    MADE.clear()
    return last


def remove(path, _other):
    path.unlink()


def cut(path, _other):
    path.write_bytes(path.read_bytes()[:-100])


def flip_one(path, _other):
    flip(path, 700)


def swap(path, other):
    content = path.read_bytes()
    path.write_bytes(other.read_bytes())
    other.write_bytes(content)


def copy_over(path, other):
    path.write_bytes(other.read_bytes())


def remove_folder(path, _other):
    shutil.rmtree(path.parent)


def remove_manifest(path, _other):
    path.with_name("_manifest.json").unlink()


@pytest.mark.parametrize(
    ("harm", "made"),
    [
        (remove, [1]),
        (cut, [1]),
        (flip_one, [1]),
        (swap, [1, 2]),
        (copy_over, [1]),
        (remove_folder, [0, 1, 2, 3]),
        (remove_manifest, []),
    ],
)
def test_damage_below_a_complete_task_is_made_again_when_that_task_is_asked_for(
    last, harm, made, capsys
):
    folder = Path(path_of(Shards(dump="2024-10"), 0)).parent
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    harm(folder / "00001.parquet", folder / "00002.parquet")
    assert not last.complete()

    assert main(["run", "Last", "--dump", "2024-10"]) == 0

    output = capsys.readouterr().err
    assert sorted(MADE) == made
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert "Shards 2024-10: " in output
    assert "Later 2024-10: complete as it was" in output
    assert last.complete()
    assert main(["run", "Last", "--dump", "2024-10"]) == 0
    assert "nothing to do" in capsys.readouterr().err


@pytest.mark.parametrize("harm", [remove, cut, flip_one, swap, remove_folder, remove_manifest])
def test_readers_name_the_damage_below_what_they_read(last, harm):
    check_readable("2024-10", ["Last"])
    folder = Path(path_of(Shards(dump="2024-10"), 0)).parent
    harm(folder / "00001.parquet", folder / "00002.parquet")

    with pytest.raises(DamagedError, match=r"Shards 2024-10.*: skord run (Shards|Later) --dump"):
        check_readable("2024-10", ["Last"])


def test_a_folder_of_new_dates_is_believed_by_its_sizes(last, monkeypatch):
    """A copy has them all changed after its manifest was; `verify` reads such ones."""
    monkeypatch.setattr(column_store, "CHANGED_READ", 2)
    for number in range(4):
        Path(path_of(Shards(dump="2024-10"), number)).touch()

    assert last.complete()


@pytest.mark.parametrize("killed", ["before", "after"])
def test_a_repair_that_was_killed_leaves_what_the_next_one_mends(last, killed):
    """Damage in two tasks, of which a repair had taken away the one, with its manifest or not."""
    shards, later = Shards(dump="2024-10"), Later(dump="2024-10")
    whole = {path: path.read_bytes() for path in Path(path_of(shards, 0)).parents[2].rglob("*.*")}
    Path(path_of(shards, 1)).unlink()
    flip(Path(later.store.storage.full(later.store.path("Later", 2))), 700)
    Path(later.store.storage.full(later.store.path("Later", 0))).unlink()
    if killed == "after":
        later.store.delete_manifest("Later")
        shards.store.delete_manifest("Shards")

    assert main(["verify", "--dump", "2024-10"]) == 1
    assert main(["verify", "--dump", "2024-10", "--repair"]) == 0

    assert sorted(MADE) == [1, 100, 102]
    assert {path: path.read_bytes() for path in whole} == whole
    assert main(["verify", "--dump", "2024-10"]) == 0


def test_verify_misses_a_task_that_is_gone_altogether(last, capsys):
    shutil.rmtree(Path(last.store.storage.full("Later")))

    assert main(["verify", "--dump", "2024-10"]) == 1
    assert "Later manifest: it is missing, with all of the task, which Last reads" in (
        capsys.readouterr().out
    )
    assert main(["verify", "--dump", "2024-10", "--repair"]) == 0
    assert main(["verify", "--dump", "2024-10"]) == 0
