"""Measure each text and decide whether it is good enough: FilterDocuments."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import luigi
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.cc_net import CCNet
from pipeline.markdown_processing import ProcessMarkdown
from pipeline.warc_processing import ConvertToMarkdown
from skord.ccnet.selection import LANGUAGE_SCORES
from skord.core.failures import ConfigError
from skord.core.registry import task_class
from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.document_task import DocumentTask
from skord.core.tasks.sharded_task import ShardedTask
from skord.extras import declared
from skord.models.language_id.batches import load_language_batches
from skord.models.language_id.lid176 import load_language_model
from skord.models.language_model.perplexity import Bucket
from skord.models.scandinavian.interface import (
    ScandinavianClassifier,
    load_scandinavian,
    name_of_scandinavian,
)
from skord.models.scandinavian.unlisted_languages import scores_with_unlisted
from skord.paragraphs.format import read_paragraphs
from skord.quality import features
from skord.quality import limits as quality
from skord.quality.frequent_runs import frequent_run_ratio
from skord.quality.links import link_char_ratios
from skord.quality.measures import Lists, bucket_columns, quality_columns, read_lists
from skord.quality.text_measures import word_tables
from skord.text.languages import ALL, SCANDINAVIAN, UNLISTED, LanguageScores, language_of
from skord.text.list_files import digest_of
from skord.text.own_languages import own_languages

SCANDINAVIAN_SCORE = "scandinavian_score"
EXTRACTED, COUNTED = "ExtractParagraphs", "CountParagraphs"
"""Tasks of an extra, read where paragraphs are counted."""

REFERENCE_SCORE = "reference_score"
"""The measure of an extra, null where no model is named."""

WITHOUT_OWN_LIMITS = {
    "reference": 'limits = {"reference_score": [0.25, 1]}',
    "perplexity": 'buckets = ["head"], or limits = {"perplexity": [0, 1000]}',
}
"""Feature sets of whose measures no limit was published, and what makes them decide."""


class FilterDocuments(DocumentTask):
    """Measure every text; a text outside any limit of the sets that decide does not pass.

    Columns: `passes_all_quality_filters`, `failed_filters` (which ones), a column for each
    feature of `quality.features.FEATURES` whether its set decides or not, `language` of
    the extracted text, `language_scores` (all of 0.01 or more).
    """

    version = 8
    reads = {
        ProcessMarkdown: ["text", "line_verdicts"],
        ConvertToMarkdown: ["url", "content", "link_spans"],
        CCNet: ["perplexity", "bucket", "language"],
    }

    schema = pa.schema(
        [
            ("passes_all_quality_filters", pa.bool_()),
            ("failed_filters", pa.list_(pa.string())),
            *features.feature_schema(),
            ("language", pa.string()),
            LANGUAGE_SCORES,
        ]
    )

    feature_sets: Sequence[str] = luigi.ListParameter(
        default=("sweb",), description="feature sets that decide; every one is measured"
    )
    limits: Mapping[str, Any] = luigi.DictParameter(
        default={}, description="feature name to its limits [low, high], where not the published"
    )
    blocked_domains: Sequence[str] = luigi.ListParameter(
        default=(), description="domains whose pages, and those of their subdomains, never pass"
    )
    blocked_domain_files: Sequence[str] = luigi.ListParameter(
        default=(), description="files of such domains, one on a line"
    )
    blocked_url_files: Sequence[str] = luigi.ListParameter(
        default=(), description="files of addresses that never pass, one on a line"
    )
    word_list_files: Sequence[str] = luigi.ListParameter(
        default=(), description="files of words that a text may hold few of, one on a line"
    )
    frequent_paragraphs = luigi.IntParameter(
        default=0,
        description="paragraphs that occur as often over the dump are frequent; 0: not counted",
    )
    buckets: Sequence[str] = luigi.ListParameter(
        default=(), description="buckets of CCNet's language model that pass; empty: every one"
    )
    lid_model_path = luigi.Parameter(
        default="", description="a fastText model; the embedded lid.176.ftz when empty"
    )
    scandinavian_model = luigi.Parameter(
        default="embedded",
        description="distinguishes the Scandinavian languages: embedded, weights of "
        "skord.models.scandinavian, or none",
    )
    reference_model_path = luigi.Parameter(
        default="",
        description="weights of skord.models.reference_classifier; reference_score is null when empty",
    )

    def check(self) -> None:
        """Every limit must name a feature and decide something; lists and models must be there."""
        self.check_measured(self.feature_limits(), "FilterDocuments")
        if unknown := sorted(set(self.buckets) - set(Bucket)):
            raise ConfigError(
                f"[FilterDocuments] buckets: there is no {unknown[0]!r}, only {', '.join(Bucket)}"
            )
        self._check_sets()
        self._check_words()
        self._scandinavian()
        self._reference_model()

    def _check_sets(self) -> None:
        """Raise ConfigError for a set that decides nothing until a limit or a bucket is given."""
        for name, example in WITHOUT_OWN_LIMITS.items():
            given = [one.name for one in features.FEATURES if one.set == name]
            has_buckets = name == "perplexity" and self.buckets
            if name in self.feature_sets and not (has_buckets or {*given} & {*self.limits}):
                raise ConfigError(
                    f"[FilterDocuments] feature_sets: {name} has no limits of its own, so it "
                    f"decides nothing: add {example}"
                )

    def check_measured(self, limits: Mapping[str, tuple[float, float]], section: str) -> None:
        """Raise ConfigError for a limit on a measure that no text has with these settings.

        Args:
            limits: as `feature_limits` gives them.
            section: that they are named in.
        """
        if is_limited(limits, REFERENCE_SCORE) and not self.reference_model_path:
            raise ConfigError(
                f"[{section}] limits: no text has a {REFERENCE_SCORE} without weights: name some "
                "in [FilterDocuments] reference_model_path, which skord.models.reference_classifier"
                ".train makes"
            )
        if is_limited(limits, "perplexity") and (
            CCNet(**self.shared_params()).perplexity_models() is None
        ):
            raise ConfigError(
                f"[{section}] limits: no page has a perplexity with [CCNet] language_models = none"
            )

    def fingerprint_parts(self) -> Sequence[str]:
        """The language and the reference score depend on their models, lists on their entries."""
        reference = self._reference_model()
        scandinavian = name_of_scandinavian(self.scandinavian_model)
        named = [name for name in (scandinavian, reference and reference.name) if name]
        files = (self.blocked_domain_files, self.blocked_url_files, self.word_list_files)
        digests = [digest for paths in files if (digest := digest_of(*paths))]
        own = own_languages().digest("stop_words", "sentence_ends", "notices")
        digests += [f"own languages {own}"] if own else []
        others = [f"{SCANDINAVIAN_SCORE} of {code}: null" for code in self._other_languages()]
        return [load_language_model(self.lid_model_path).name, *named, *digests, *others]

    def _reference_model(self) -> Any:
        """What `reference_model_path` names; None where it is empty.

        Raises:
            ConfigError: the extra that knows such models is not there.
        """
        if not self.reference_model_path:
            return None
        for model in declared(features.TextModel):
            if model.feature == REFERENCE_SCORE:
                return model.load(str(self.reference_model_path))
        raise ConfigError(
            "[FilterDocuments] reference_model_path: no extra of skord.extras measures "
            f"{REFERENCE_SCORE}; leave the path empty"
        )

    def _scandinavian(self) -> ScandinavianClassifier | None:
        labels = load_language_model(self.lid_model_path).labels
        return load_scandinavian(self.scandinavian_model, labels)

    def columns_read(self) -> Mapping[type[ShardedTask], Sequence[str]]:
        """The paragraphs and how frequent they are only where the settings have them counted."""
        if not self.frequent_paragraphs:
            return self.reads
        try:
            extracting, counting = task_class(EXTRACTED), task_class(COUNTED)
        except ConfigError as error:
            raise ConfigError(f"[FilterDocuments] frequent_paragraphs: {error}") from error
        counted = cast(
            "Mapping[type[ShardedTask], Sequence[str]]",
            {
                extracting: ["text"],
                counting: ["near_freq"],
            },
        )
        return {**self.reads, **counted}

    def _batches(self, shard: int, first: int) -> Iterator[tuple[int, pa.Table]]:
        """A page whose paragraphs could not be counted is measured all the same."""
        optional = [f"{name}.{FAILURE.name}" for name in (EXTRACTED, COUNTED)]
        for group, batch in super()._batches(shard, first):
            yield group, batch.select([n for n in batch.column_names if n not in optional])

    def feature_limits(self) -> dict[str, tuple[float, float]]:
        """The limits in force, the settings' put in the place of the published ones.

        A list that the settings give decides, whether its set is named or not.

        Raises:
            ConfigError: a limit names no feature, or is no pair of numbers.
        """
        changed = limit_pairs("FilterDocuments", self.limits)
        try:
            return quality.quality_limits({**self._listed(), **changed}, self.feature_sets)
        except ValueError as error:
            kind = "feature_sets" if "feature set" in str(error) else "limits"
            raise ConfigError(f"[FilterDocuments] {kind}: {error}") from error

    def _listed(self) -> dict[str, tuple[float, float]]:
        given = {
            "is_domain_blacklisted": self.blocked_domains or self.blocked_domain_files,
            "is_url_blacklisted": self.blocked_url_files,
            "num_listed_words": self.word_list_files,
            "is_bucket_unwanted": self.buckets,
        }
        own = quality.quality_limits(sets=quality.SETS)
        return {name: own[name] for name, lists in given.items() if lists}

    def lists(self) -> Lists:
        """What documents are held against.

        Raises:
            ConfigError: a file is not there, or is no text.
        """
        lists = read_lists(
            tuple(self.blocked_domains),
            tuple(self.blocked_domain_files),
            tuple(self.blocked_url_files),
            tuple(self.word_list_files),
        )
        return replace(lists, own=own_languages())

    def _check_words(self) -> None:
        words = self.lists().words
        try:
            if words:
                word_tables((frozenset(words),))
        except ValueError as error:
            raise ConfigError(f"[FilterDocuments] word_list_files: {error}") from error

    def process(self, batch: pa.Table) -> pa.Table:
        """Measures and languages of each text, and the decision."""
        texts = batch["ProcessMarkdown.text"].combine_chunks()
        scores = self._language_scores(texts.to_pylist())
        measures = quality_columns(
            texts,
            batch["ConvertToMarkdown.url"].to_pylist(),
            scores,
            self.lists(),
            self._given(batch),
        )
        measures = self._without_words_on_others(measures, batch["CCNet.language"])
        passes, failed = quality.decide_quality(measures, self.feature_limits())
        columns = [passes, failed, *measures.columns, *_language_columns(scores)]
        schema = self.schema.append(FAILURE)
        return pa.table([*columns, pa.nulls(len(batch), FAILURE.type)], schema=schema)

    def _other_languages(self) -> list[str]:
        """The selected ones that the share of Scandinavian languages does not apply to."""
        selected = set(CCNet(**self.shared_params()).languages)
        if ALL in selected:
            selected = {*load_language_model(self.lid_model_path).labels, *UNLISTED}
        return sorted(selected - SCANDINAVIAN)

    def _without_words_on_others(self, measures: pa.Table, selected: pa.ChunkedArray) -> pa.Table:
        """`scandinavian_score` null for pages that were selected for another language."""
        others = self._other_languages()
        if not others:
            return measures
        is_other = pc.is_in(selected, value_set=pa.array(others, pa.string()))
        column = pc.if_else(is_other, None, measures[SCANDINAVIAN_SCORE])
        place = measures.schema.get_field_index(SCANDINAVIAN_SCORE)
        return measures.set_column(place, measures.schema.field(place), column)

    def _language_scores(self, texts: Sequence[str]) -> Sequence[LanguageScores]:
        scores = load_language_batches(self.lid_model_path).scores_of(texts)
        return scores_with_unlisted(texts, scores, self._scandinavian())

    def _given(self, batch: pa.Table) -> Mapping[str, pa.Array]:
        """Features that others have measured."""
        buckets = batch["CCNet.bucket"].combine_chunks()
        given = {
            "perplexity": batch["CCNet.perplexity"].combine_chunks(),
            **bucket_columns(buckets, self.buckets),
            "link_char_ratio": link_char_ratios(
                batch["ProcessMarkdown.text"].combine_chunks(),
                batch["ConvertToMarkdown.content"].combine_chunks(),
                batch["ConvertToMarkdown.link_spans"].combine_chunks(),
                batch["ProcessMarkdown.line_verdicts"].combine_chunks(),
            ),
        }
        if self.frequent_paragraphs:
            given["frequent_run_char_ratio"] = self._frequent_runs(batch)
        classifier = self._reference_model()
        if classifier is not None:
            scores = classifier.scores(batch["ProcessMarkdown.text"].to_pylist())
            given[REFERENCE_SCORE] = pa.array(scores)
        return given

    def _frequent_runs(self, batch: pa.Table) -> pa.Array:
        names = ("ProcessMarkdown.text", f"{EXTRACTED}.text", f"{COUNTED}.near_freq")
        ratios: list[float | None] = []
        for text, extracted, counts in zip(*(batch[n].to_pylist() for n in names), strict=True):
            if extracted is None or counts is None:
                ratios.append(None)
                continue
            paragraphs = [paragraph.plain for paragraph in read_paragraphs(extracted)]
            ratios.append(frequent_run_ratio(text, paragraphs, counts, self.frequent_paragraphs))
        return pa.array(ratios, pa.float64())

    def filters(self) -> Sequence[str]:
        """Those that have a limit."""
        return list(self.feature_limits())

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many pass, and how many each filter stops."""
        stopped = [name for names in table["failed_filters"].to_pylist() for name in names or ()]
        counts = {f"filter.{name}": stopped.count(name) for name in set(stopped)}
        return {**counts, "passes": table["passes_all_quality_filters"].to_pylist().count(True)}


def is_limited(limits: Mapping[str, tuple[float, float]], name: str) -> bool:
    """Whether a limit of a measure lets not every value pass."""
    return any(map(math.isfinite, limits.get(name, ())))


def limit_pairs(section: str, limits: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """The setting `limits` of a section as numbers.

    Raises:
        ConfigError: a limit is no pair of numbers.
    """
    pairs = {}
    for name, pair in limits.items():
        try:
            low, high = map(float, pair)
        except (ValueError, TypeError) as error:
            raise ConfigError(
                f"[{section}] limits: {name} has {pair!r}: give two numbers, such as "
                f'{{"{name}": [3, Infinity]}}'
            ) from error
        pairs[name] = (low, high)
    return pairs


def _language_columns(scores: Sequence[LanguageScores]) -> Iterator[pa.Array]:
    yield pa.array([language_of(languages) for languages in scores], pa.string())
    rows = [
        [{"label": label, "score": score} for label, score in languages.items()]
        for languages in scores
    ]
    yield pa.array(rows, LANGUAGE_SCORES.type)
