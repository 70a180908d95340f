import numpy as np
import pyarrow as pa
import pytest

from pipeline.export import ExportCorpus
from pipeline.quality_filtering import FilterDocuments
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.failures import ConfigError
from skord.models.hashed_text.linear import Weights, write_weights
from skord.paragraphs.format import Paragraph, write_paragraphs

GOOD = (
    "Kommunen öppnar biblioteket igen efter sommaren. Samlingen har flyttats till nya lokaler "
    "vid torget, och barnavdelningen har fått ett eget rum med utsikt över ån. Den som vill "
    "låna en bok visar sitt kort vid disken eller använder automaten som står vid ingången."
)


def batch_of(*texts, language="sv"):
    number, pages = len(texts), [f"{text}\n" for text in texts]
    spans = ConvertToMarkdown.schema.field("link_spans").type
    columns = {
        "id": pa.array([str(n) for n in range(number)], pa.string()),
        "ProcessMarkdown.text": pa.array(texts, pa.string()),
        "ProcessMarkdown.line_verdicts": pa.array(
            [b"\x01" * page.count("\n") for page in pages], pa.binary()
        ),
        "ConvertToMarkdown.url": pa.array(["https://shop.spam.example/a"] * number, pa.string()),
        "ConvertToMarkdown.content": pa.array(pages, pa.string()),
        "ConvertToMarkdown.link_spans": pa.array([[{"start": 0, "end": 8}]] * number, spans),
        "CCNet.perplexity": pa.array([250.5] * number, pa.float64()),
        "CCNet.bucket": pa.array(["middle"] * number, pa.string()),
        "CCNet.language": pa.array([language] * number, pa.string()),
    }
    return pa.table(columns)


def run(*texts, **settings):
    return FilterDocuments(dump="2024-10", **settings).process(batch_of(*texts)).to_pylist()


def test_an_ordinary_text_passes_and_is_measured(settings):
    (row,) = run(GOOD)

    assert row["passes_all_quality_filters"] is True
    assert row["failed_filters"] == []
    assert row["content_length"] == len(GOOD)
    assert row["language"] == "sv"
    assert row["language_score"] > 0.5
    assert row["failure"] is None


FINNISH = (
    "Kirjasto avataan uudelleen kesän jälkeen. Kokoelma on muuttanut uusiin tiloihin torin "
    "laidalle, ja lastenosasto on saanut oman huoneen, josta näkee joelle. Kirjan lainaaja näyttää "
    "korttinsa tiskillä tai käyttää automaattia, joka seisoo sisäänkäynnin vieressä."
)


@pytest.mark.parametrize(
    ("languages", "score", "stopped"),
    [('["fi"]', None, []), ('["fi", "sv"]', None, []), ('["sv"]', 0, ["scandinavian_score"])],
)
def test_a_measure_that_knows_nothing_of_a_language_stops_none_of_its_pages(
    settings, languages, score, stopped
):
    settings(f"[CCNet]\nlanguages = {languages}\n")
    task = FilterDocuments(dump="2024-10", feature_sets=("language",))

    (row,) = task.process(batch_of(FINNISH, language="fi")).to_pylist()

    assert row["scandinavian_score"] == (score if score is None else pytest.approx(score, abs=0.1))
    assert row["failed_filters"] == stopped


def test_each_published_filter_can_stop_a_text(settings):
    headings = "# Meny\n" * 9 + GOOD
    spam = "köp billigt nu " * 50
    symbols = "!?=&%¤#/() " * 30 + GOOD[:120]

    rows = run("Kort text.", headings, spam, symbols)

    assert "content_length" in rows[0]["failed_filters"]
    assert rows[1]["failed_filters"] == ["ratio_headings_per_non_heading_word"]
    assert rows[2]["failed_filters"] == ["unigram_entropy"]
    assert "ratio_alphanumeric_chars" in rows[3]["failed_filters"]
    assert [row["passes_all_quality_filters"] for row in rows] == [False] * 4


def test_a_listed_domain_covers_its_subdomains(settings):
    (row,) = run(GOOD, blocked_domains=("spam.example",))

    assert row["failed_filters"] == ["is_domain_blacklisted"]


def test_a_limit_of_the_settings_takes_the_place_of_the_published_one(settings):
    (row,) = run(GOOD, limits={"content_length": [1000, 2000]})

    assert row["failed_filters"] == ["content_length"]


def test_no_text_at_all_keeps_its_row(settings):
    (row,) = run("")

    assert row["passes_all_quality_filters"] is False
    assert row["failure"] is None


def test_without_a_reference_classifier_nothing_is_said_of_references(settings):
    assert run(GOOD)[0]["reference_score"] is None


def test_a_reference_classifier_scores_each_text_and_is_part_of_the_stamp(settings, tmp_path):
    weights = tmp_path / "references.npz"
    size, one = 3 << 15, np.ones(1, np.float32)
    rows = np.random.default_rng(1).normal(size=(size, 1)).astype(np.float32)
    write_weights(weights, Weights(np.ones(size, np.float32), rows, one, one))

    empty, good = run("", GOOD, reference_model_path=str(weights))

    assert empty["reference_score"] == 0
    assert 0 < good["reference_score"] < 1
    with_it = FilterDocuments(dump="2024-10", reference_model_path=str(weights)).fingerprint_parts()
    assert len(with_it) == len(FilterDocuments(dump="2024-10").fingerprint_parts()) + 1


def test_weights_that_are_not_there_are_told_before_anything_starts(settings, tmp_path):
    with pytest.raises(ConfigError, match=r"missing\.npz"):
        FilterDocuments(dump="2024-10", reference_model_path=str(tmp_path / "missing.npz")).check()


def test_no_documents_give_no_rows(settings):
    assert run() == []


def test_every_language_is_kept_best_first(settings):
    (row,) = run(GOOD)

    scores = [entry["score"] for entry in row["language_scores"]]
    assert row["language_scores"][0]["label"] == row["language"]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == row["language_score"] == pytest.approx(row["scandinavian_score"], abs=0.2)


def test_what_others_measured_stands_beside(settings):
    (row,) = run(GOOD)

    assert row["perplexity"] == 250.5
    assert row["link_char_ratio"] == pytest.approx(8 / len(GOOD))
    assert row["frequent_run_char_ratio"] is None


def test_sets_decide_only_where_they_are_named(settings):
    assert run(GOOD, feature_sets=("gopher",))[0]["failed_filters"] == ["num_words"]
    assert run(GOOD)[0]["num_words"] < 50
    assert run(GOOD, feature_sets=(), limits={"perplexity": [0, 100]})[0]["failed_filters"] == [
        "perplexity"
    ]


def test_buckets_that_are_not_named_do_not_pass(settings):
    assert run(GOOD, buckets=("head",))[0]["failed_filters"] == ["is_bucket_unwanted"]
    assert run(GOOD, buckets=("head", "middle"))[0]["failed_filters"] == []


def test_lists_in_files_decide_without_their_set_being_named(settings, tmp_path):
    files = {
        "domains": "# spärrade\nspam.example\n",
        "urls": "http://www.shop.spam.example/a/\n",
        "words": "Samlingen\nlokaler\ntorget\n",
    }
    for name, entries in files.items():
        (tmp_path / name).write_text(entries, "utf-8")

    (row,) = run(
        GOOD,
        blocked_domain_files=(str(tmp_path / "domains"),),
        blocked_url_files=(str(tmp_path / "urls"),),
        word_list_files=(str(tmp_path / "words"),),
    )

    assert row["num_listed_words"] == row["num_listed_word_types"] == 3
    assert row["failed_filters"] == [
        "is_domain_blacklisted", "num_listed_words", "is_url_blacklisted",
    ]  # fmt: skip


def test_a_changed_entry_changes_the_stamp(settings, tmp_path):
    parts = []
    for entry in ("ett", "två"):
        path = tmp_path / f"{entry}.txt"
        path.write_text(f"{entry}\n", "utf-8")
        task = FilterDocuments(dump="2024-10", word_list_files=(str(path),))
        parts.append(task.fingerprint_parts()[-1])

    assert parts[0] != parts[1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"feature_sets": ("gophers",)}, r"feature_sets: no feature set 'gophers'"),
        ({"limits": {"entropy": [3, 9]}}, r"limits: no feature 'entropy'"),
        ({"limits": {"num_words": [9, 3]}}, r"limits: the limits of num_words are 9.0 to 3.0"),
        ({"word_list_files": ("missing.txt",)}, r"cannot read the list missing.txt"),
        ({"feature_sets": ("sweb", "reference")}, r"reference has no limits of its own, so it"),
        ({"feature_sets": ("perplexity",)}, r"perplexity has no limits of its own, so it decides"),
        ({"limits": {"reference_score": [0.25, 1]}}, r"no text has a reference_score without"),
    ],
)
def test_settings_that_cannot_be_meant_are_told_before_anything_starts(settings, wrong, message):
    with pytest.raises(ConfigError, match=message):
        FilterDocuments(dump="2024-10", **wrong).check()


@pytest.mark.parametrize(
    "decisive",
    [
        {"feature_sets": ("perplexity",), "buckets": ("head",)},
        {"feature_sets": ("perplexity",), "limits": {"perplexity": [0, 900]}},
        {"limits": {"reference_score": [float("-inf"), float("inf")]}},
    ],
)
def test_a_set_that_decides_something_is_taken(settings, decisive):
    FilterDocuments(dump="2024-10", **decisive).check()


def test_a_limit_on_perplexity_needs_language_models(settings):
    settings("[CCNet]\nlanguage_models = none\n")
    with pytest.raises(ConfigError, match="no page has a perplexity"):
        FilterDocuments(dump="2024-10", limits={"perplexity": [0, 900]}).check()


def test_an_export_limited_by_a_score_that_no_text_has_is_refused(settings):
    settings('[ExportCorpus]\nlimits = {"reference_score": [0.25, 1]}\n')
    with pytest.raises(
        ConfigError, match=r"\[ExportCorpus\] limits: no text has a reference_score"
    ):
        ExportCorpus(dump="2024-10").check()


def test_a_listed_phrase_is_told_before_anything_starts(settings, tmp_path):
    (tmp_path / "words").write_text("fri frakt\n", "utf-8")

    with pytest.raises(ConfigError, match="word_list_files: 'fri frakt' is not one word"):
        FilterDocuments(dump="2024-10", word_list_files=(str(tmp_path / "words"),)).check()


def test_runs_of_frequent_paragraphs_are_measured_where_they_are_counted(settings):
    task = FilterDocuments(dump="2024-10", frequent_paragraphs=100)
    menu = ["Hem", "Om oss", "Kontakt"]
    extracted = write_paragraphs(Paragraph("body>p", text) for text in [*menu, GOOD])
    batch = batch_of(f"- Hem\n- Om oss\n\n{GOOD}", GOOD)
    batch = batch.append_column("ExtractParagraphs.text", pa.array([extracted, None]))
    counts = pa.array([[900, 800, 700, 1], None], pa.list_(pa.int32()))
    batch = batch.append_column("CountParagraphs.near_freq", counts)

    actual = task.process(batch)["frequent_run_char_ratio"].to_pylist()

    letters = sum(map(str.isalnum, GOOD))
    assert actual == [pytest.approx(8 / (8 + letters)), None]
    assert {task.task_family for task in task.upstream()} >= {"ExtractParagraphs"}
    assert not any(
        task.task_family == "CountParagraphs" for task in FilterDocuments(dump="2024-10").upstream()
    )


def test_a_page_whose_paragraphs_could_not_be_counted_is_judged_all_the_same(settings):
    """The first page has no paragraphs, and the main text of the second failed."""
    task = FilterDocuments(dump="2024-10", frequent_paragraphs=100)
    failures = {"ExtractParagraphs": ["too_deep", None], "CountParagraphs": ["upstream", None]}
    failures["ProcessMarkdown"] = [None, "too_long"]
    batch = batch_of(GOOD, GOOD)
    batch = batch.append_column("ExtractParagraphs.text", pa.nulls(2, pa.binary()))
    batch = batch.append_column("CountParagraphs.near_freq", pa.nulls(2, pa.list_(pa.int32())))
    for cls, names in task.columns_read().items():
        name = cls.get_task_family()
        columns = {column: batch[f"{name}.{column}"] for column in names}
        failed = pa.array(failures.get(name, [None, None]), pa.string())
        table = pa.table({"id": batch["id"], **columns, "failure": failed})
        with task.store.writer(task.store.path(name, 0), table.schema, "f") as writer:
            writer.write(table)

    task.run_shard(0)

    rows = task.store.read_table(task.store.path("FilterDocuments", 0)).to_pylist()
    assert [row["passes_all_quality_filters"] for row in rows] == [True, None]
    assert [row["failure"] for row in rows] == [None, "upstream"]
    assert rows[0]["frequent_run_char_ratio"] is None
