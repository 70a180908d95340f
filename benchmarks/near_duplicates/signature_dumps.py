"""Dumps of made-up signatures, as ComputeSignatures leaves them, for measuring Deduplicate alone.

45 % of the texts are in families of 2 and more (sizes after Zipf's law), whose members agree
with the first of the family in as many bytes as a Jaccard similarity of 1, or of one between
0.6 and 1, makes likely; no text is needed for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.dedup import ComputeSignatures
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE, ID
from skord.core.tasks.sharded_task import ShardedTask
from skord.near_duplicates.files import write_parts
from skord.near_duplicates.minhash import SIGNATURE_BYTES, SIGNED_SCHEMA, digests_of

SHARD_TEXTS = 12_000
"""What a shard of a full dump of one country's languages holds."""
SHARDS_IN_FILE = 100
FAMILY_SHARE = 0.45
URLS = pa.schema([ID, ("url", pa.string()), ("failure", pa.string())])


def write_dump(
    data_dir: Path, dump: str, texts: int, seed: int, identical: float = 0.0, copied: float = 0.0
) -> None:
    """Write the dump's signatures, its FilterDocuments and the addresses of its pages.

    Args:
        data_dir: of luigi.cfg.
        dump: its id.
        texts: how many, in shards of `SHARD_TEXTS`.
        seed: of the generator.
        identical: share of texts that are one and the same.
        copied: share of texts whose signature is that of a text of the dump with `seed` 1.
    """
    store = ColumnStore(Storage(str(data_dir)), dump)
    signed, filtered, pages = (
        task(dump=dump) for task in (ComputeSignatures, FilterDocuments, ConvertToMarkdown)
    )
    fingerprints = filtered.fingerprint, pages.fingerprint
    num_shards, of_file = -(-texts // SHARD_TEXTS), []
    for shard, rows in enumerate(_shards(texts, seed, identical, copied)):
        of_file.append(_signed(seed, shard, rows))
        ids = of_file[-1]["id"]
        write_shard(filtered, fingerprints[0], shard, all_columns(ids))
        write_shard(pages, fingerprints[1], shard, _pages(seed, shard, ids))
        if len(of_file) == SHARDS_IN_FILE or shard == num_shards - 1:
            path = store.path(signed.task_family, shard // SHARDS_IN_FILE)
            write_parts(
                store, path, of_file, signed.fingerprint, {"signed": sum(map(len, of_file))}
            )
            of_file.clear()
    seal(signed, -(-num_shards // SHARDS_IN_FILE))
    seal(filtered, num_shards)
    seal(pages, num_shards)


def _shards(texts: int, seed: int, identical: float, copied: float) -> Iterator[NDArray[np.uint8]]:
    """The signatures of each shard, families dealt over all of them."""
    generator = np.random.default_rng(seed)
    family, similarity = _families(texts, generator)
    order = generator.permutation(texts)
    for first in range(0, texts, SHARD_TEXTS):
        rows = order[first : first + SHARD_TEXTS]
        of = family[rows].astype(np.uint64)
        if copied:
            share = np.random.default_rng((seed, first)).random(len(rows)) < copied
            of[share] |= np.uint64(1 << 40)
        signatures = _base(of + np.uint64(seed << 41) * (of < np.uint64(1 << 40)))
        noise = np.random.default_rng((seed, first, 1))
        kept = noise.random(signatures.shape, dtype=np.float32) < similarity[rows][:, None]
        signatures = np.where(kept, signatures, noise.integers(0, 256, kept.shape, np.uint8))
        if identical:
            signatures[noise.random(len(rows)) < identical] = 7
        yield signatures


def _families(
    texts: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The family of each text, and how similar it is to the family's first."""
    sizes = np.minimum(1 + generator.zipf(1.8, int(texts * FAMILY_SHARE)), 1000)
    sizes = sizes[: int(np.searchsorted(np.cumsum(sizes), texts * FAMILY_SHARE)) + 1]
    members = np.repeat(np.arange(len(sizes)), sizes)[:texts]
    family = np.concatenate([members, np.arange(len(sizes), len(sizes) + texts - len(members))])
    near = generator.uniform(0.6, 1.0, texts).astype(np.float32)
    exact = generator.random(texts) < 0.5
    first = np.diff(family, prepend=-1) != 0
    return family, np.where(exact | first, np.float32(1), near)


def _base(family: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """A signature for each family: 14 words of SplitMix64."""
    words = SIGNATURE_BYTES // 8
    x = family[:, None] * np.uint64(words) + np.arange(words, dtype=np.uint64)
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.ascontiguousarray(x ^ (x >> np.uint64(31))).view(np.uint8)


def _ids(seed: int, shard: int, texts: int) -> pa.Array:
    words = np.random.default_rng((seed, shard, 2)).bytes(16 * texts).hex()
    return pa.array([f"urn:uuid:{words[32 * n : 32 * n + 32]}" for n in range(texts)], pa.string())


def _signed(seed: int, shard: int, signatures: NDArray[np.uint8]) -> pa.Table:
    texts, whole = len(signatures), np.ascontiguousarray(signatures)
    words = whole.view(np.uint64)
    minhash = pa.Array.from_buffers(pa.binary(SIGNATURE_BYTES), texts, [None, pa.py_buffer(whole)])
    ids, digest = _ids(seed, shard, texts), pa.array(words[:, 0] ^ words[:, -1])
    return pa.table([ids, digests_of(ids), minhash, digest], schema=SIGNED_SCHEMA)


def all_columns(ids: pa.ChunkedArray) -> pa.Table:
    """FilterDocuments' columns of texts that pass; what nobody looks at here is 0 or empty.

    With all of them the files are as dear to open as those of a real dump.
    """
    schema = pa.schema([ID, *FilterDocuments.schema, FAILURE])
    passes = pa.repeat(pa.scalar(True), len(ids))
    known = {"id": ids, "passes_all_quality_filters": passes}
    columns = [
        known[field.name] if field.name in known else _empty(field.type, len(ids))
        for field in schema
    ]
    return pa.table(columns, schema=schema)


def _empty(kind: pa.DataType, rows: int) -> pa.Array:
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return pa.repeat(pa.scalar(0, kind), rows) if is_number else pa.nulls(rows, kind)


def _pages(seed: int, shard: int, ids: pa.ChunkedArray) -> pa.Table:
    hosts = np.random.default_rng((seed, shard, 3)).zipf(1.3, len(ids)) % 100_000
    urls = pa.array([f"https://www.exempel-{host}.se/sida/{n}" for n, host in enumerate(hosts)])
    return pa.table([ids, urls, pa.nulls(len(ids), pa.string())], schema=URLS)


def write_shard(task: ShardedTask, fingerprint: str, shard: int, table: pa.Table) -> None:
    """Write a shard as the task itself would; its fingerprint, which takes long, is given."""
    store = task.store
    with store.writer(store.path(task.task_family, shard), table.schema, fingerprint) as writer:
        for start in range(0, len(table), store.batch_rows):
            writer.write(table.slice(start, store.batch_rows))


def seal(task: ShardedTask, num_shards: int) -> None:
    """Write its manifest."""
    manifest = {"stamp": task.fingerprint, "num_shards": num_shards, "counts": {}}
    task.store.write_manifest(task.task_family, manifest)
