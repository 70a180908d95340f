"""The selection of pages: DownloadWET → HashParagraphs → CCNet.

The WET files of a dump hold every page's plain text. Paragraphs that several pages of
the dump share are set aside, the language of the rest is identified, and the pages in a
wanted language become the document index that every later task shares. What a language
model makes of each, its perplexity, sorts them into head, middle and tail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import luigi
import pyarrow as pa

from models.language_model.interface import EMBEDDED, LanguageModels, load_language_models
from pipeline.core.columns import FAILURE, ID, SHARD
from pipeline.core.failures import ConfigError, ShardError
from pipeline.core.languages_parameter import LanguagesParameter
from pipeline.core.phases import Phase
from pipeline.core.sharded_task import ShardedTask
from pipeline.io.language_batches import load_language_batches
from pipeline.io.language_model import load_language_model
from pipeline.page_scoring import PERPLEXITY_COLUMNS, scored_pages
from pipeline.transforms.languages import check_languages
from pipeline.transforms.paragraphs import LinePass, ParagraphRule, RepeatedKeys
from pipeline.transforms.perplexity import HEAD_PERCENTILE, TAIL_PERCENTILE
from pipeline.transforms.selection import (
    PAGE_COLUMNS,
    REFUSED_SCHEMA,
    Judged,
    LanguageRule,
    Mode,
    judge_pages,
    refused_row,
    selected_row,
)
from pipeline.transforms.sharding import key_range, repeats_by_shard
from pipeline.wet_processing import DownloadWET, HashParagraphs, keys_of_lines, pages_of_shard

__all__ = ["CCNet", "DownloadWET", "HashParagraphs"]

NO_MODELS = "none"


class CCNet(ShardedTask):
    """Select pages by language; the document index is born here.

    One row per selected page, in crawl order: `id` (WARC-Record-ID of the response), `url`,
    `warc_file`, `warc_date`, `title`, `raw_content` (kept paragraphs), `line_ids` (which
    they are, counted from 0 after the title), `original_nlines`, `original_length`
    (characters), `length`, `language` (highest score), `language_score`,
    `language_scores` (all of 0.01 or more), `score_{code}` for each wanted language,
    `digest` (of the WET record), `source_domain`, `nlines` (kept), `content_length` (bytes of
    the WET record), `perplexity`, `bucket` (head, middle, tail, or all without a model) and
    `paragraph_perplexities` (one for each kept line). The pages refused lie beside, under
    `_refused/`, with their reason.
    """

    languages = LanguagesParameter(
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
    group_shards = luigi.IntParameter(
        default=0, description="shards whose pages are compared, as cc_net's 50; 0: the whole dump"
    )
    language_first = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="judge the language on the whole text, not on what is left of it",
    )
    num_partitions = luigi.IntParameter(
        default=256,
        significant=False,
        description="ranges that paragraph keys are compared in; sets the memory",
    )
    lid_model_path = luigi.Parameter(
        default="", description="a fastText model; the embedded lid.176.ftz when empty"
    )
    language_models = luigi.Parameter(
        default=EMBEDDED,
        description="folder of LANG.sp.model, LANG.arpa.bin and cutoff.csv; embedded, or none",
    )
    head_percentile = luigi.IntParameter(
        default=HEAD_PERCENTILE, description="row of cutoff.csv that ends the head"
    )
    tail_percentile = luigi.IntParameter(
        default=TAIL_PERCENTILE, description="row of cutoff.csv that begins the tail"
    )
    score_paragraphs = luigi.BoolParameter(
        default=True,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="a perplexity for each kept line, too",
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
                *PAGE_COLUMNS,
                *PERPLEXITY_COLUMNS,
                FAILURE,
            ]
        )

    def upstream(self) -> Sequence[ShardedTask]:
        """The keys, and the files once more."""
        return [HashParagraphs(**self.shared_params()), DownloadWET(**self.shared_params())]

    def check(self) -> None:
        """The languages must be ones that the model knows, the language models must be there."""
        self._models()
        try:
            check_languages(self.languages, load_language_model(self.lid_model_path).labels)
        except ValueError as error:
            raise ConfigError(f"[CCNet] languages: {error}") from error

    def stamp_parts(self) -> Sequence[str]:
        """The language identifier decides what is selected, the language models the rest."""
        models = self._models()
        return [load_language_model(self.lid_model_path).name, *([models.name] if models else [])]

    def _models(self) -> LanguageModels | None:
        if self.language_models == NO_MODELS:
            return None
        return load_language_models(
            self.language_models, self.head_percentile, self.tail_percentile
        )

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
        table = repeats_by_shard(counts, self.group_shards)
        path = self.store.path(self.task_family, partition, self._repeats)
        self.store.write_sorted(path, table, self.stamp)

    def _keys(self, shard: int) -> str:
        return self.store.path(HashParagraphs.get_task_family(), shard)

    def run_shard(self, shard: int) -> None:
        """Judge every page of the shard; write the selected, and the refused beside."""
        counts: Counter[str] = Counter()
        mode = self._hashing().mode
        scored = scored_pages(
            self._judged(shard, counts),
            self._models(),
            exact=Mode(mode) is Mode.EXACT,
            paragraphs=self.score_paragraphs,
        )
        refused_path = self.store.path(self.task_family, shard, "refused")
        with (
            self.store.writer(refused_path, REFUSED_SCHEMA, self.stamp) as refused,
            self.store.writer(
                self.store.path(self.task_family, shard), self.schema, self.stamp
            ) as chosen,
        ):
            for page, columns in scored:
                if page.refusal is None:
                    chosen.append({**selected_row(page, self.languages, mode), **columns})
                    chosen.counts[f"bucket.{columns['bucket']}"] += 1
                    continue
                chosen.counts[f"refused.{page.refusal}"] += 1
                if self.record_refused:
                    refused.append(refused_row(page, mode))
            chosen.counts.update(counts)

    def _hashing(self) -> HashParagraphs:
        """How texts are read and paragraphs compared is that task's to say."""
        return HashParagraphs(**self.shared_params())

    def _judged(self, shard: int, counts: Counter[str]) -> Iterator[Judged]:
        hashing = self._hashing()
        return judge_pages(
            pages_of_shard(self.store, shard, counts, hashing.mode),
            LinePass.of_parts(self._repeated(shard), self.paragraphs, shard),
            load_language_batches(self.lid_model_path).scores_of,
            LanguageRule(self.languages, self.min_score, self.rule),
            hashing.min_chars,
            mode=hashing.mode,
            normalisation=hashing.normalisation,
            language_first=self.language_first,
            line_keys=keys_of_lines(self.store, shard),
        )

    def check_counts(self, manifest: dict[str, Any]) -> None:
        """Every page that was hashed must have been selected or refused."""
        counts = manifest["counts"]
        refused = sum(n for name, n in counts.items() if name.startswith("refused."))
        if manifest["rows"] + refused != counts["pages"]:
            raise ShardError(
                f"CCNet {self.dump}: {counts['pages']} pages in, {manifest['rows']} selected and "
                f"{refused} refused: remove its shards and run again"
            )

    def _repeated(self, shard: int) -> Iterator[RepeatedKeys]:
        """The shard's paragraphs that are repeated, one range of keys after another."""
        for partition in range(self.num_partitions):
            path = self.store.path(self.task_family, partition, self._repeats)
            table = self.store.read_slice(path, shard, shard + 1)
            yield RepeatedKeys(table["key"].to_numpy(), table["first_shard"].to_numpy())
