"""The whole graph over an S3 endpoint, and the store's own promises there."""

import boto3
import pytest
from moto.server import ThreadedMotoServer
from pyarrow import fs

from pipeline.core.failures import ConfigError
from pipeline.core.storage.filesystem import Storage
from tests.graph.conftest import DUMP, LAST, Bench

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
    bench = Bench(tmp_path / "s3", crawl_url, data_dir=bucket)

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
