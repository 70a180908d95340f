"""What looks odd in a task's output: planted in shards of the real schemas, one wrong at a time."""

from collections import Counter

import pyarrow as pa
import pytest

from skord.core.dumps import Source, SourceKind, keep_source
from skord.core.failures import ShardError
from skord.core.odd_yields import (
    COLUMNS,
    LEAST_FOR_NONE,
    Measure,
    check_complete_yields,
    odd_yields,
    report_odd_yields,
)
from skord.core.registry import task_class
from skord.core.settings import settings_in_force
from skord.core.storage.filesystem import Storage
from skord.core.storage.shared_columns import FAILURE, ID

DUMP, EARLIER = "2024-10", "2023-50"
SHARDS, PAGES = 5, 120


class Planted:
    """A dump of documents as rows; a column of a task is named `Task.column`.

    Every page is selected; of the texts one in ten fails a filter, one in ten of the others goes.
    """

    def __init__(self, dump=DUMP, pages=PAGES, shards=SHARDS):
        self.dump = dump
        self.shards = [[self.document(s, n) for n in range(pages)] for s in range(shards)]

    @staticmethod
    def document(shard, number):
        return {
            "CCNet.language": ("sv", "da")[number % 2],
            "CCNet.source_domain": f"site{number % 30}.se",
            "CCNet.url": f"https://site{number % 30}.se/{shard}/{number}",
            "CCNet.length": 1000 + number,
            "CCNet.nlines": 9, "CCNet.original_nlines": 10,
            "ConvertToMarkdown.charset": ("utf-8", "windows-1252")[number // 2 % 2],
            "ConvertToMarkdown.date": f"{2019 + number % 4}-05-01",
            "ProcessMarkdown.text": "# En titel\n\nEn text.",
            "FilterDocuments.passes_all_quality_filters": number % 10 < 8,
            "FilterDocuments.failed_filters": [] if number % 10 < 8 else ["content_length"],
            "FilterDocuments.content_length": 900 + number,
            "Deduplicate.dedup_keep": None if number % 10 > 7 else number % 20 > 1,
            "ExportCorpus.in_corpus": number % 10 < 8 and number % 20 > 1,
        }  # fmt: skip

    def change(self, shards=slice(None), every=bool, **values):
        """Set columns of some documents: `Task_column=value`."""
        for rows in self.shards[shards]:
            for row in filter(every, rows):
                row |= {name.replace("_", ".", 1): value for name, value in values.items()}

    def fail(self, task, code, shards=slice(None), every=bool):
        """Have documents fail in a task."""
        self.change(shards, every, **{f"{task}_failure": code})

    def write(self, *families):
        """Write the shards and manifests of CCNet and of these tasks; of every one if none is named."""
        for family in {"CCNet": 0, **dict.fromkeys(families or COLUMNS)}:
            self.write_task(family)

    def write_task(self, family):
        task = task_class(family)(dump=self.dump)
        schema = pa.schema([*task.schema]) if family == "CCNet" else task.full_schema()
        total, store = Counter(), task.store
        for number, rows in enumerate(self.shards):
            values = {field.name: self._column(f"{family}.{field.name}", rows, field.type)
                      for field in schema}  # fmt: skip
            values[ID.name] = [f"urn:uuid:{number}-{n}" for n in range(len(rows))]
            table = pa.table(values, schema)
            with store.writer(store.path(family, number), schema, "s") as writer:
                writer.write(table)
                writer.counts.update(self._counts(family, table))
                total.update(writer.counts)
        for number in range(len(self.shards)) if family == "CCNet" else ():
            refused = pa.table(
                {"url": ["https://x.se/"], "reason": ["language"], "language": ["fi"]}
            )
            store.write_sorted(store.path(family, number, "refused"), refused, "s")
        store.write_manifest(family, {
            "task": family, "dump": self.dump, "stamp": task.fingerprint,
            "settings": task.to_str_params(only_significant=True),
            "num_shards": len(self.shards), "rows": sum(map(len, self.shards)),
            "counts": dict(total),
        })  # fmt: skip

    @staticmethod
    def _column(name, rows, kind):
        if any(name in row for row in rows):
            return pa.array([row.get(name) for row in rows], kind)
        return pa.nulls(len(rows), kind)

    @staticmethod
    def _counts(family, table):
        if family == "CCNet":
            return {"pages": 10 * len(table)}
        codes = Counter(code for code in table[FAILURE.name].to_pylist() if code)
        counts = Counter({f"failure.{code}": n for code, n in codes.items()}, judged=len(table))
        if family == "FilterDocuments":
            names = [name for row in table["failed_filters"].to_pylist() for name in row or ()]
            counts.update({f"filter.{name}": n for name, n in Counter(names).items()})
        if family == "Deduplicate":
            keep = table["dedup_keep"].to_pylist()
            counts.update(kept=keep.count(True), removed=keep.count(False))
        return counts


@pytest.fixture(autouse=True)
def data(tmp_path):
    languages = [("CCNet", "languages", "sv,da")]
    with settings_in_force([("pipeline", "data_dir", str(tmp_path)), *languages]):
        yield tmp_path


def found(family, dump=DUMP):
    task = task_class(family)(dump=dump)
    return odd_yields(task, task.store.manifest(family))


def is_danish(row):
    return row["CCNet.language"] == "da"


def test_nothing_is_odd_about_a_usual_dump_beside_an_earlier_one():
    Planted().write()
    Planted(EARLIER).write()

    assert {family: found(family) for family in COLUMNS} == {family: [] for family in COLUMNS}


def many_pages(planted, pages=LEAST_FOR_NONE // SHARDS):
    planted.shards = [[planted.document(s, n) for n in range(pages)] for s in range(SHARDS)]


def no_repeats(planted):
    many_pages(planted)
    planted.change(CCNet_nlines=10)


def no_near_duplicates(planted):
    many_pages(planted)
    planted.change(Deduplicate_dedup_keep=True)


def one_shard_of_duplicates(planted):
    many_pages(planted, 200)
    planted.change(
        slice(3, 4),
        lambda row: row["CCNet.length"] > 1020 and row["Deduplicate.dedup_keep"],
        Deduplicate_dedup_keep=False,
    )


def one_shard_of_long_texts(planted):
    many_pages(planted, 200)
    planted.change(slice(1, 2), FilterDocuments_content_length=90_000)


WRONGS = {
    "a wanted language of which nothing was selected": ("CCNet",
     lambda p: p.change(CCNet_language="sv"),
     "no page of da among 6,000 pages is selected, no page was refused of it either"),
    "a language that a task loses": ("WARCIndex",
     lambda p: p.fail("WARCIndex", "not_in_index", every=is_danish),
     "none of 300 documents of da goes on, such as https://site1.se/0/1 (not_in_index)"),
    "a language that the filters lose": (
        "FilterDocuments",
        lambda p: p.change(every=is_danish, FilterDocuments_passes_all_quality_filters=False,
                           FilterDocuments_failed_filters=["unigram_entropy"]),
        "none of 300 documents of da goes on, such as https://site1.se/0/1 (unigram_entropy)",
    ),
    "a language that a task nearly loses": (
        "FetchHTMLDocuments",
        lambda p: p.fail("FetchHTMLDocuments", "bad",
                         every=lambda r: is_danish(r) and not r["CCNet.url"].endswith("9")),
        "20 % of 300 documents of da go on, of all 60 %",
    ),
    "a shard of nothing but failures": ("FetchHTMLDocuments",
     lambda p: p.fail("FetchHTMLDocuments", "bad", slice(2, 3)),
     "shard 00002 holds nothing but failures: 120 documents"),
    "a shard of many failures": ("ConvertToMarkdown",
     lambda p: p.fail("ConvertToMarkdown", "bad", slice(2, 3), lambda r: r["CCNet.length"] > 1060),
     "in shard 00002 49 % of 120 documents failed, in most shards 0 %"),
    "a site that is half of the corpus": (
        "Deduplicate",
        lambda p: p.change(every=lambda r: int(r["CCNet.url"].rpartition("/")[2]) % 20 > 7,
                           CCNet_source_domain="mall.se"),
        "mall.se is 57 % of 420 documents kept",
    ),
    "a filter that stops nearly everything": ("FilterDocuments",
     lambda p: p.change(FilterDocuments_failed_filters=["content_length"]),
     "the filter content_length stops 100 % of 600 documents"),
    "a filter that stops nothing": ("FilterDocuments", many_pages,
     "the filter unigram_entropy stops none of 5,000 documents"),
    "texts that are their titles": ("ProcessMarkdown",
     lambda p: p.change(every=is_danish, ProcessMarkdown_text="# En titel"),
     "100 % of 300 documents of da have a text of one line or none"),
    "a year between others": (
        "ConvertToMarkdown",
        lambda p: p.change(every=lambda r: r["ConvertToMarkdown.date"] < "2021",
                           ConvertToMarkdown_date="2019-01-01"),
        "no page is of 2020, though 300 are of 2019 and 150 of 2021",
    ),
    "a charset that earlier dumps have": ("ConvertToMarkdown",
     lambda p: p.change(ConvertToMarkdown_charset="utf-8"),
     "no page has the charset windows-1252, in earlier dumps 50 % do"),
    "a year that earlier dumps have": (
        "ConvertToMarkdown",
        lambda p: p.change(every=lambda r: r["ConvertToMarkdown.date"] > "2022",
                           ConvertToMarkdown_date="2021-01-01"),
        "no page has the year 2022, in earlier dumps 25 % do",
    ),
    "texts far shorter than in earlier dumps": ("FilterDocuments",
     lambda p: p.change(every=is_danish, FilterDocuments_content_length=90),
     "da: characters of a document: 90, in earlier dumps 959"),
    "a shard whose texts are long": ("FilterDocuments", one_shard_of_long_texts,
     "shard 00001, sv: characters of a document: 9e+04, in most shards"),
    "a shard that keeps next to nothing": ("Deduplicate", one_shard_of_duplicates,
     "shard 00003, da: the share of documents that go on:"),
    "nearly everything is a duplicate": ("Deduplicate",
     lambda p: p.change(every=lambda r: r["CCNet.length"] > 1005, Deduplicate_dedup_keep=False),
     "97 % of 600 documents are near-duplicates"),
    "nothing is a duplicate": ("Deduplicate", no_near_duplicates,
     "none of 5,000 documents is a near-duplicate"),
    "no paragraph is a repeat": ("CCNet", no_repeats,
     "not one paragraph of 5,000 documents is a repeat"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONGS)
def test_a_planted_wrong_is_found(wrong):
    family, plant, sentence = WRONGS[wrong]
    planted = Planted()
    plant(planted)
    planted.write(family)
    Planted(EARLIER).write(family)

    assert [line for line in found(family) if sentence in line], found(family)


def test_a_language_in_shards_that_are_not_read_is_not_missed(monkeypatch):
    monkeypatch.setattr("skord.core.odd_yields.SHARDS_READ", 2)
    planted = Planted()
    planted.change(slice(0, 4), is_danish, CCNet_language="sv")
    planted.write("CCNet")

    assert found("CCNet") == []


def test_a_language_that_files_of_ones_own_never_had_is_not_missed(data):
    keep_source("mine", Source(SourceKind.PAGES, "pages"), Storage(str(data)))
    planted = Planted("mine")
    planted.change(CCNet_language="sv")
    planted.write("CCNet")

    assert found("CCNet", "mine") == []


def test_a_refused_page_is_the_example():
    with settings_in_force([("CCNet", "languages", "sv,da,fi")]):
        Planted().write("CCNet")

        assert found("CCNet") == [
            "no page of fi among 6,000 pages is selected, such as https://x.se/ (language)"
        ]


def test_dumps_of_other_settings_and_later_ones_are_not_compared():
    planted = Planted()
    planted.change(ConvertToMarkdown_charset="utf-8")
    planted.write("ConvertToMarkdown")
    Planted("2024-18").write("ConvertToMarkdown")
    with settings_in_force([("ConvertToMarkdown", "converter", "pandoc")]):
        Planted(EARLIER).write("ConvertToMarkdown")

    assert found("ConvertToMarkdown") == []


def test_chance_is_not_far():
    assert not Measure("share", 0.0, 1000).is_far([0.04, 0.04])
    assert Measure("share", 0.0, 2000).is_far([0.04, 0.04])
    assert not Measure("share", 0.01, 5000).is_far([0.02, 0.04, 0.2, 0.01])


def test_what_looks_odd_is_logged_and_by_choice_an_error(caplog):
    planted = Planted()
    planted.fail("WARCIndex", "not_in_index", every=is_danish)
    planted.write()
    task = task_class("WARCIndex")(dump=DUMP)
    manifest = task.store.manifest("WARCIndex")

    report_odd_yields(task, manifest)

    assert "WARCIndex 2024-10 looks odd: none of 300 documents of da goes on" in caplog.text
    with (
        settings_in_force([("pipeline", "strict", "true")]),
        pytest.raises(ShardError, match="without --strict, and the task is completed as it is"),
    ):
        report_odd_yields(task, manifest)
    with pytest.raises(ShardError, match="WARCIndex 2024-10 looks odd"):
        check_complete_yields([task_class("FetchHTMLDocuments")(dump=DUMP)])


def test_a_damaged_shard_is_said_and_ends_nothing(data):
    Planted().write("WARCIndex")
    (data / f"CCNet/{DUMP}/00001.parquet").write_bytes(b"x" * 100)

    assert "its yields cannot be compared" in found("WARCIndex")[0]
