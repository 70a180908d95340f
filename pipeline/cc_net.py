"""The selection of pages: DownloadWET → HashParagraphs → CCNet.

The WET files of a dump hold every page's plain text. Paragraphs that several pages of
the dump share are set aside, the language of the rest is identified, and the pages in a
wanted language become the document index that every later task shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import luigi
import numpy as np
import pyarrow as pa

from pipeline.core.columns import FAILURE, ID, SHARD
from pipeline.core.failures import ConfigError, ShardError
from pipeline.core.phases import Phase
from pipeline.core.sharded_task import ShardedTask
from pipeline.crawl_files import CrawlFiles
from pipeline.io.language_model import load_language_model
from pipeline.io.raw_files import wet_pages
from pipeline.io.wet_files import BadRecord
from pipeline.transforms.cdx import twin_warc
from pipeline.transforms.languages import check_languages
from pipeline.transforms.paragraphs import LinePass, ParagraphRule, RepeatedKeys, merge_counts
from pipeline.transforms.selection import (
    REFUSED_SCHEMA,
    LanguageRule,
    TextPage,
    hash_pages,
    judge_pages,
    refused_row,
    selected_row,
)
from pipeline.transforms.sharding import deal, group_by_owner, key_range


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

    def deal(self, paths: Sequence[str]) -> Mapping[str, int]:
        """All files, in as many groups as asked for, or one each when there are fewer."""
        return dict(zip(paths, deal(len(paths), self.num_shards_wanted), strict=True))

    def about(self, path: str) -> Mapping[str, object]:
        """The WARC file that holds the same pages."""
        return {"warc_file": twin_warc(path)}


class _WETReader(ShardedTask):
    """A task that reads the pages of DownloadWET's files."""

    def wet_pages(self, shard: int, counts: Counter[str]) -> Iterator[TextPage]:
        """The shard's pages in crawl order; counts them, and the records that cannot be read."""
        family = DownloadWET.get_task_family()
        files = self.store.read_table(self.store.path(family, shard)).to_pylist()
        for page in wet_pages(self.store, family, files):
            if isinstance(page, BadRecord):
                counts[f"bad_record.{page.reason}"] += 1
            else:
                counts["pages"] += 1
                yield page


class HashParagraphs(_WETReader):
    """The dump's paragraphs as keys: for each shard, which and in how many pages.

    One row per distinct paragraph of the shard, sorted: `key` (first 64 bits of the SHA-1
    of the normalised paragraph), `documents`.
    """

    min_chars = luigi.IntParameter(
        default=300, description="pages with fewer characters take no part, as in CCNet"
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
        keys, documents = hash_pages(self.wet_pages(shard, counts), self.min_chars)
        if not counts["pages"]:
            raise ShardError(
                f"the WET files of shard {shard} hold no page ({dict(counts)}): look at them, "
                "remove the broken ones and DownloadWET's shard, and run again"
            )
        table = pa.table({"key": keys, "documents": documents}).cast(self.schema)
        path = self.store.path(self.task_family, shard)
        self.store.write_sorted(path, table, self.stamp, **counts)


class CCNet(_WETReader):
    """Select pages by language; the document index is born here.

    One row per selected page, in crawl order: `id` (WARC-Record-ID of the response), `url`,
    `warc_file`, `warc_date`, `title`, `raw_content` (kept paragraphs), `line_ids` (which
    they are, counted from 0 after the title), `original_nlines`, `original_length`
    (characters), `length`, `language` (highest score), `language_score`, and
    `score_{code}` for each wanted language. The pages refused lie beside, under
    `_refused/`, with their reason.
    """

    languages = luigi.TupleParameter(
        default=("sv", "da", "no", "nn", "is"),
        description="codes of the languages to select, as fastText's lid.176 names them",
    )
    rule = luigi.ChoiceParameter(
        choices=["any", "top"],
        default="any",
        description="any wanted language reaches min_score (SWEb), or the top one must (CCNet)",
    )
    min_score = luigi.FloatParameter(default=0.2, description="least score of a wanted language")
    paragraphs = luigi.ChoiceParameter(
        choices=[str(rule) for rule in ParagraphRule],
        default=str(ParagraphRule.KEEP_FIRST),
        description="which copies of a paragraph that several pages share go",
    )
    num_partitions = luigi.IntParameter(
        default=256,
        significant=False,
        description="ranges that paragraph keys are compared in; sets the memory",
    )
    lid_model_path = luigi.Parameter(
        default="", description="a fastText model; the embedded lid.176.ftz when empty"
    )
    record_refused = luigi.BoolParameter(
        default=True,
        significant=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="keep id, URL and reason of refused pages (some 40 bytes each)",
    )

    @property
    def schema(self) -> pa.Schema:
        """The columns, one score for each wanted language among them."""
        return pa.schema(
            [
                ID,
                ("url", pa.string()),
                ("warc_file", pa.string()),
                ("warc_date", pa.string()),
                ("title", pa.string()),
                ("raw_content", pa.string()),
                ("line_ids", pa.list_(pa.int32())),
                ("original_nlines", pa.int32()),
                ("original_length", pa.int32()),
                ("length", pa.int32()),
                ("language", pa.string()),
                ("language_score", pa.float32()),
                *((f"score_{code}", pa.float32()) for code in self.languages),
                FAILURE,
            ]
        )

    def upstream(self) -> Sequence[ShardedTask]:
        """The keys, and the files once more."""
        return [HashParagraphs(**self.shared_params()), DownloadWET(**self.shared_params())]

    def check(self) -> None:
        """The languages must be ones that the model knows."""
        try:
            check_languages(self.languages, load_language_model(self.lid_model_path).labels)
        except ValueError as error:
            raise ConfigError(f"[CCNet] languages: {error}") from error

    def stamp_parts(self) -> Sequence[str]:
        """The language model decides what is selected."""
        return [load_language_model(self.lid_model_path).name]

    def phases(self) -> Sequence[Phase]:
        """Compare the paragraphs range by range, then select shard by shard."""
        return [
            Phase(self._repeats, lambda: self.num_partitions, self.find_repeats, transient=True),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    @property
    def _repeats(self) -> str:
        """Phases cut into other ranges must not meet."""
        return f"repeats-{self.num_partitions}"

    def find_repeats(self, partition: int) -> None:
        """Which paragraphs in one range of keys stand in two or more pages of the dump.

        Written as one row per paragraph and shard that holds it, sorted by shard, so that
        each shard reads only what concerns it.
        """
        low, high = key_range(partition, self.num_partitions)
        parts = [
            self.store.read_slice(self._keys(shard), low, high)
            for shard in range(self.num_shards())
        ]
        counts = [(part["key"].to_numpy(), part["documents"].to_numpy()) for part in parts]
        repeated = RepeatedKeys.of_counts(*merge_counts(counts))
        table = group_by_owner([keys for keys, _ in counts], repeated)
        path = self.store.path(self.task_family, partition, self._repeats)
        self.store.write_sorted(path, table, self.stamp)

    def _keys(self, shard: int) -> str:
        return self.store.path(HashParagraphs.get_task_family(), shard)

    def run_shard(self, shard: int) -> None:
        """Judge every page of the shard; write the selected, and the refused beside."""
        model = load_language_model(self.lid_model_path)
        counts: Counter[str] = Counter()
        judged = judge_pages(
            self.wet_pages(shard, counts),
            LinePass(self._repeated(shard), self.paragraphs, shard),
            model.scores,
            LanguageRule(self.languages, self.min_score, self.rule),
            HashParagraphs(**self.shared_params()).min_chars,
        )
        refused_path = self.store.path(self.task_family, shard, "refused")
        with (
            self.store.writer(refused_path, REFUSED_SCHEMA, self.stamp) as refused,
            self.store.writer(
                self.store.path(self.task_family, shard), self.schema, self.stamp
            ) as chosen,
        ):
            for page in judged:
                if page.refusal is None:
                    chosen.append(selected_row(page, self.languages))
                    continue
                chosen.counts[f"refused.{page.refusal}"] += 1
                if self.record_refused:
                    refused.append(refused_row(page))
            chosen.counts.update(counts)

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Every page that was hashed must have been selected or refused."""
        counts = manifest["counts"]
        refused = sum(n for name, n in counts.items() if name.startswith("refused."))
        if manifest["rows"] + refused != counts["pages"]:
            raise ShardError(
                f"CCNet {self.dump}: {counts['pages']} pages in, {manifest['rows']} selected and "
                f"{refused} refused: remove its shards and run again"
            )

    def _repeated(self, shard: int) -> RepeatedKeys:
        parts = [
            self.store.read_slice(
                self.store.path(self.task_family, partition, self._repeats), shard, shard + 1
            )
            for partition in range(self.num_partitions)
        ]
        table = pa.concat_tables(parts)
        return RepeatedKeys(
            table["key"].to_numpy(), table["first_shard"].to_numpy().astype(np.int64)
        )
