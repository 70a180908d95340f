"""The WET files of a dump and its paragraphs: DownloadWET → HashParagraphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import luigi
import pyarrow as pa

from pipeline.core.columns import FAILURE, ColumnStore
from pipeline.core.failures import ConfigError, ShardError
from pipeline.core.sharded_task import ShardedTask
from pipeline.crawl_files import CrawlFiles
from pipeline.io.raw_files import wet_pages
from pipeline.io.wet_files import BadRecord
from pipeline.transforms.cdx import twin_warc
from pipeline.transforms.line_hashing import LINES_SCHEMA, hash_lines, keys_of_pages
from pipeline.transforms.paragraph_keys import Keys, Normalisation
from pipeline.transforms.selection import Mode, TextPage
from pipeline.transforms.sharding import deal, thin

LINES = "lines"
ROW_GROUP_PAGES = 4096


class DownloadWET(CrawlFiles):
    """Keep the dump's WET files; shard k is a fixed group of them, here and ever after.

    One row per file: `file` (path on the crawl), `warc_file` (its twin), `bytes`,
    `failure`. The files lie under `files/`, undecoded. Once CCNet is sealed they may be
    removed by hand.
    """

    kind = "wet"
    schema = pa.schema(
        [("file", pa.string()), ("warc_file", pa.string()), ("bytes", pa.int64()), FAILURE]
    )

    num_shards_wanted = luigi.IntParameter(
        default=1000, description="groups that the dump's files are dealt into; at most one each"
    )

    share = luigi.FloatParameter(
        default=1.0, description="part of the dump's files that is taken, evenly spaced: a pilot"
    )

    def check(self) -> None:
        """The share must be one, too, and there must be shards."""
        super().check()
        if self.num_shards_wanted < 1:
            raise ConfigError("[DownloadWET] num_shards_wanted must be 1 or more")
        try:
            thin([], self.share)
        except ValueError as error:
            raise ConfigError(f"[DownloadWET] share: {error}") from error

    def deal(self, paths: Sequence[str]) -> Mapping[str, int]:
        """The files wanted, in as many groups as asked for, or one each when there are fewer."""
        paths = thin(paths, self.share)
        return dict(zip(paths, deal(len(paths), self.num_shards_wanted), strict=True))

    def about(self, path: str) -> Mapping[str, object]:
        """The WARC file that holds the same pages."""
        return {"warc_file": twin_warc(path)}


def pages_of_shard(
    store: ColumnStore, shard: int, counts: Counter[str], mode: str
) -> Iterator[TextPage]:
    """The pages of DownloadWET's shard in crawl order.

    Args:
        store: of the dump.
        shard: its number.
        counts: gets `pages`, and `bad_record.…` for each record that cannot be read.
        mode: how texts are cut into lines.
    """
    family = DownloadWET.get_task_family()
    files = store.read_table(store.path(family, shard)).to_pylist()
    for page in wet_pages(store, family, files, mode):
        if isinstance(page, BadRecord):
            counts[f"bad_record.{page.reason}"] += 1
        else:
            counts["pages"] += 1
            yield page


class HashParagraphs(ShardedTask):
    """The dump's paragraphs as keys: for each shard, which and in how many pages.

    One row per distinct paragraph of the shard, sorted: `key` (first 64 bits of the SHA-1
    of the normalised paragraph), `documents`. Beside it, under `_lines/`, which paragraph each
    line of each page is, so that CCNet need not hash again (some 5 % of the WET files' size).
    """

    version = 2

    min_chars = luigi.IntParameter(
        default=300, description="pages with fewer characters take no part, as in CCNet"
    )

    mode = luigi.ChoiceParameter(
        choices=[str(mode) for mode in Mode],
        default=str(Mode.DEFAULT),
        description="how texts are cut into lines and judged; exact: as cc_net 1.0, faults too",
    )
    normalisation = luigi.ChoiceParameter(
        choices=[str(form) for form in Normalisation],
        default=str(Normalisation.PUBLISHED),
        description="which spellings of a paragraph are the same; paper: without accents",
    )

    schema = pa.schema([("key", pa.uint64()), ("documents", pa.int32())])

    def upstream(self) -> Sequence[ShardedTask]:
        """The WET files."""
        return [DownloadWET(**self.shared_params())]

    def run_shard(self, shard: int) -> None:
        """Hash every paragraph of the shard.

        Raises:
            ShardError: the files hold no page at all, so they are no WET files.
        """
        counts: Counter[str] = Counter()
        hashed = hash_lines(
            pages_of_shard(self.store, shard, counts, self.mode),
            self.min_chars,
            self.normalisation,
        )
        if not counts["pages"]:
            raise ShardError(
                f"the WET files of shard {shard} hold no page ({dict(counts)}): look at them, "
                "remove the broken ones and DownloadWET's shard, and run again"
            )
        lines_path = self.store.path(self.task_family, shard, LINES)
        with self.store.writer(lines_path, LINES_SCHEMA, self.stamp) as writer:
            lines = hashed.lines()
            for start in range(0, len(lines), ROW_GROUP_PAGES):
                writer.write(lines.slice(start, ROW_GROUP_PAGES))
        table = pa.table({"key": hashed.keys, "documents": hashed.documents}).cast(self.schema)
        path = self.store.path(self.task_family, shard)
        self.store.write_sorted(path, table, self.stamp, **counts)


def keys_of_lines(store: ColumnStore, shard: int) -> Iterator[Keys]:
    """The keys of each page's lines, as HashParagraphs kept them; pages too short left out."""
    family = HashParagraphs.get_task_family()
    keys = store.read_table(store.path(family, shard), ["key"])["key"].to_numpy()
    with store.open_parquet(store.path(family, shard, LINES)) as file:
        yield from keys_of_pages(file.iter_batches(ROW_GROUP_PAGES), keys)
