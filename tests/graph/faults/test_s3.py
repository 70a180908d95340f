"""The whole graph over an S3 endpoint, and the store's own promises there."""

from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer
from pyarrow import fs

from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.sample_crawl.own_files import own_files
from tests.graph.bench import DUMP, LAST, Bench

KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}


@pytest.fixture
def bucket(monkeypatch):
    """URL of an empty bucket on a real S3 endpoint on loopback."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    boto3.client("s3", endpoint_url=f"http://{host}:{port}", **KEYS).create_bucket(Bucket="corpus")
    yield f"s3://corpus/web?endpoint_override=http://{host}:{port}&region=us-east-1"
    server.stop()


def test_what_is_written_is_read_and_removed(bucket):
    storage = Storage(bucket)

    storage.write("a/b", b"old")
    storage.write("a/b", b"new")
    storage.write("a/c/d", b"x" * 100)

    assert storage.read("a/b") == b"new"
    assert storage.size("a/c/d") == 100
    assert storage.names("a") == ["b", "c"]
    storage.delete("a/b")
    storage.delete_folder("a/c")
    assert storage.size("a/b") is None
    assert storage.size("a/c/d") is None


def test_a_broken_off_write_leaves_nothing(bucket):
    storage = Storage(bucket)

    with pytest.raises(RuntimeError), storage.writing("a/b") as partial:
        partial.write_text("half")
        raise RuntimeError

    assert storage.size("a/b") is None


def test_a_bucket_that_is_not_there_is_said(bucket):
    with pytest.raises(ConfigError, match="cannot be written"):
        Storage(bucket.replace("corpus", "nowhere")).check(min_free_gb=0)


@pytest.mark.slow
def test_the_whole_graph_over_s3_gives_the_same_tables(tmp_path, crawl_url, bucket, whole):
    bench = Bench(tmp_path / "s3", crawl_url, data_dir=bucket, workers=2)

    status, output = bench.luigi(*LAST)

    assert status == 0, output
    storage = bench.store.storage
    selector = fs.FileSelector(storage.root, recursive=True)
    names = [
        info.path.removeprefix(f"{storage.root}/")
        for info in storage._opened[0].get_file_info(selector)
        if info.type == fs.FileType.File
    ]
    local = whole.files()
    assert sorted(n for n in names if "_ledger" not in n) == sorted(local)
    for name in names:
        if "_ledger" not in name:
            assert storage.read(name) == whole.store.storage.read(name), name
    assert bench.store.manifest("Deduplicate")["dump"] == DUMP


def fetched(bench: Bench, source: str, *more: str) -> dict[str, tuple[str, bytes]]:
    """Addresses and records of what is read of a source, by their ids."""
    words = ("FetchHTMLDocuments", "--dump", "mine", "--source", source, *more)
    status, output = bench.run("-m", "pipeline", "run", *words, "--data-dir", bench.data)
    assert status == 0, output
    store = ColumnStore(Storage(bench.data), "mine")
    wanted = {"CCNet": ["url"], "FetchHTMLDocuments": ["record"]}
    return {
        row["id"]: (row["CCNet.url"], row["FetchHTMLDocuments.record"])
        for shard in range(store.manifest("CCNet")["num_shards"])
        for _, batch in store.side_by_side(shard, wanted)
        for row in batch.to_pylist()
    }


def put(bucket: str, folder: Path, below: str) -> None:
    storage = Storage(bucket)
    for path in sorted(folder.iterdir()):
        storage.write(f"{below}/{path.name}", path.read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["warc", "pages", "texts"])
def test_a_source_is_read_from_a_bucket_as_from_a_folder(
    tmp_path, crawl_folder, crawl_url, bucket, kind
):
    own_files(crawl_folder, tmp_path / "own", DUMP, kind)
    for path in sorted((tmp_path / "own").glob("[0-9]*"))[20:]:  # each file is some requests
        path.unlink()
    put(bucket, tmp_path / "own", tmp_path.name)

    of_bucket = fetched(
        Bench(tmp_path / "a", crawl_url), bucket.replace("web?", f"web/{tmp_path.name}?")
    )

    of_folder = fetched(Bench(tmp_path / "b", crawl_url), str(tmp_path / "own"))
    assert len(of_folder) > 120
    assert of_bucket == of_folder


@pytest.mark.slow
def test_a_list_may_name_files_of_buckets_servers_and_the_crawl(
    tmp_path, crawl_folder, crawl_url, bucket
):
    own_files(crawl_folder, tmp_path / "own", DUMP, "warc")
    put(bucket, tmp_path / "own", tmp_path.name)
    names = sorted(path.name for path in (tmp_path / "own").iterdir())
    at_crawl = {
        path.name: str(path.relative_to(crawl_folder))
        for path in crawl_folder.glob(f"crawl-data/CC-MAIN-{DUMP}/segments/*/warc/*.warc.gz")
    }
    named = [
        bucket.replace("web?", f"web/{tmp_path.name}/{names[0]}?"),
        f"{crawl_url}/{at_crawl[names[1]]}",
        *(at_crawl[name] for name in names[2:]),
    ]
    (tmp_path / "list.paths").write_text("# three ways\n" + "\n".join(named))

    by_list = fetched(Bench(tmp_path / "a", crawl_url), str(tmp_path / "list.paths"))

    one_file = fetched(Bench(tmp_path / "b", crawl_url), f"{crawl_url}/{at_crawl[names[0]]}")
    of_folder = fetched(Bench(tmp_path / "c", crawl_url), str(tmp_path / "own"))
    # Files in another order own other copies of what is repeated, and ids that a record lacks are
    # made of the file's name.
    with_ids = by_list.keys() & of_folder.keys()
    assert len(with_ids) > 0.9 * max(len(of_folder), len(by_list))
    assert all(by_list[one] == of_folder[one] for one in with_ids)
    assert 0 < len(one_file) < len(of_folder)


@pytest.mark.parametrize(
    ("below", "sentence"),
    [("nothing", "holds nothing that can be read here"), ("own/a.warc.gz", "neither a WARC nor")],
)
def test_what_a_bucket_does_not_hold_is_said_before_work_starts(tmp_path, bucket, below, sentence):
    Storage(bucket).write("own/a.warc.gz", b"no archive")
    bench = Bench(tmp_path, "http://127.0.0.1:9")
    words = ("run", "FetchHTMLDocuments", "--dump", "mine", "--data-dir", bench.data)

    status, output = bench.run(
        "-m", "pipeline", *words, "--source", bucket.replace("web?", f"web/{below}?")
    )

    assert status != 0
    assert sentence in output
    assert "Traceback" not in output
