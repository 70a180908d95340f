"""What a published corpus says of itself is what ran."""

import dataclasses
import hashlib
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.publishing.card.croissant import CONTEXT, croissant_file
from skord.publishing.card.dataset_card import CardFacts, column_descriptions, dataset_card
from skord.publishing.rows import corpus_schema
from tests.publishing.test_exporting import FIGURES, facts

SETTINGS = {
    "CCNet": {"languages": '["sv", "da"]', "rule": "any", "min_score": "0.2"},
    "ConvertToMarkdown": {"converter": "fast"},
    "ProcessMarkdown": {"model_path": "embedded", "line_filter_threshold": ""},
    "FilterDocuments": {"feature_sets": '["sweb"]', "scandinavian_model": "embedded"},
}
ABOUT = {
    "name": "Texter", "description": "d", "licence": "odc-by", "version": "2024-10",
    "creator": "c", "languages": ["sv"], "dump": "2024-10",
}  # fmt: skip
MODELS = {
    "CCNet": ["lid.176.ftz-8f3472cf"],
    "ConvertToMarkdown": ["3.8.2"],
    "ProcessMarkdown": ["embedded-77aa"],
    "FilterDocuments": ["lid.176.ftz-8f3472cf", "scandinavian-1b2c"],
}


def made(task="", name="", value=""):
    settings = {key: dict(pairs) for key, pairs in SETTINGS.items()}
    if task:
        settings[task][name] = value
    return dataset_card(facts(settings=settings, models=MODELS, version="0.1.0"), FIGURES)


@pytest.mark.parametrize(
    ("task", "name", "value", "before", "after"),
    [
        ("ConvertToMarkdown", "converter", "pandoc", "Skörd's own converter",
         "turned into Markdown by pandoc 3.8.2."),
        ("CCNet", "languages", '["fi"]', ": sv, da,", ": fi,"),
        ("CCNet", "rule", "top", "one of them scores 0.2", "the highest of them scores 0.2"),
        ("CCNet", "min_score", "0.5", "0.2 or more", "0.5 or more"),
        ("CCNet", "paragraphs", "drop_all", "the first stays", "are left out of all of them"),
        ("ProcessMarkdown", "line_filter_threshold", "0.05", "expected to agree best",
         "of 0.05 or more"),
        ("FilterDocuments", "feature_sets", '["gopher"]', "sets sweb)", "sets gopher)"),
        ("FilterDocuments", "scandinavian_model", "none", "apart by scandinavian-1b2c",
         "| language | of the text, by lid.176.ftz-8f3472cf |"),
    ],
)  # fmt: skip
def test_another_setting_changes_the_words(task, name, value, before, after):
    first, second = made(), made(task, name, value)

    assert before in first
    assert before not in second
    assert after in second
    assert after not in first


@pytest.mark.parametrize("task", ["CCNet", "FilterDocuments"])
def test_every_model_is_named_with_its_digest(task):
    row = [line for line in made().splitlines() if line.startswith(f"| {task} |")][-1]

    assert ", ".join(MODELS[task]) in row


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"version": "0.2.0"}, "Made by Skörd 0.2.0."),
        ({"licence": "other"}, "license_name: as-stated-below"),
        ({"contact": "a@b.example"}, "write to a@b.example"),
        ({"title": "Annat"}, "# Annat"),
        ({"limits": {"num_words": [7.0, None]}}, "| num_words | 7 | - |"),
        ({"kinds": []}, "Nothing was replaced."),
        (
            {"marks": ("phone_numbers", "names")},
            "Marked in `personal_data` and left as they are: phone_numbers, names.",
        ),
    ],
)
def test_other_facts_change_the_words(changed, words):
    assert words in dataset_card(facts(**changed), FIGURES)
    assert words not in dataset_card(facts(), FIGURES)


def test_what_was_taken_out_is_told():
    none = dataclasses.replace(FIGURES, removed={})

    assert "Taken out by request so far: url 1." in dataset_card(facts(), FIGURES)
    assert "Taken out by request so far: -." in dataset_card(facts(), none)


def test_a_manifest_of_an_earlier_version_still_makes_a_card():
    old = {k: v for k, v in vars(facts()).items() if k not in ("models", "version")}

    assert "Made by Skörd." in dataset_card(CardFacts(**old), FIGURES)


def test_the_header_has_the_hubs_fields():
    header = made().split("---\n")[1]

    for name in ("pretty_name", "language", "license", "task_categories", "task_ids",
                 "size_categories", "annotations_creators", "language_creators",
                 "multilinguality", "source_datasets", "tags", "dataset_info"):  # fmt: skip
        assert f"\n{name}:" in f"\n{header}", name
    assert "multilinguality:\n- multilingual" in header
    assert "num_examples: 6\n" in header


def test_the_hubs_own_reader_reads_the_card(tmp_path):
    hub = pytest.importorskip("huggingface_hub", reason="comes with transformers")
    (tmp_path / "README.md").write_text(made(), "utf-8")

    data = hub.DatasetCard.load(tmp_path / "README.md").data

    assert data.language == ["is", "sv"]
    assert data.license == "odc-by"
    assert data.task_categories == ["text-generation"]
    assert data.size_categories == ["n<1K"]
    assert data.configs == [{"config_name": "default", "data_files": "data/*.parquet"}]
    assert data.dataset_info["splits"][0]["num_examples"] == 6


@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning")  # of what it is built on
def test_croissants_own_reader_reads_every_row(tmp_path, caplog):
    """Its package brings pandas and scipy, so that it is no dependency: pip install mlcroissant."""
    reader = pytest.importorskip("mlcroissant", reason="needs mlcroissant")
    one = facts(settings=SETTINGS, models=MODELS)
    schema = corpus_schema(list(one.scores))
    values = {"string": "ord", "double": 0.5, "int64": 7, "float": 0.5, "int32": 7, "bool": True}
    row = {field.name: values.get(str(field.type)) for field in schema}
    (tmp_path / "data").mkdir()
    path = tmp_path / "data/00000.parquet"
    pq.write_table(pa.Table.from_pylist([row, {**row, "id": "two"}], schema=schema), path)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    written = [{"name": "data/00000.parquet", "bytes": path.stat().st_size, "sha256": digest}]
    text = croissant_file(ABOUT, written, schema, column_descriptions(one))
    (tmp_path / "croissant.json").write_text(text, "utf-8")

    dataset = reader.Dataset(jsonld=tmp_path / "croissant.json")

    assert not dataset.metadata.ctx.issues.errors
    assert "not standard" not in caplog.text
    rows = list(dataset.records("texts"))
    assert [one["texts/id"] for one in rows] == [b"ord", b"two"]
    assert rows[0]["texts/text"] == b"ord"


def test_croissant_names_every_file_and_column():
    one = facts(settings=SETTINGS, models=MODELS)
    schema = corpus_schema(list(one.scores))
    written = [
        {"name": "data/00000.parquet", "bytes": 12, "sha256": "a" * 64},
        {"name": "pointers/00000.parquet", "bytes": 3, "sha256": "b" * 64},
    ]

    actual = json.loads(croissant_file(ABOUT, written, schema, column_descriptions(one)))

    assert actual["@type"] == "sc:Dataset"
    assert actual["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert set(actual) - {"@context", "@type"} <= {
        "conformsTo", "name", "description", "license", "version", "creator", "inLanguage",
        "keywords", "isBasedOn", "distribution", "recordSet", "citeAs",
    }  # fmt: skip
    files = [one for one in actual["distribution"] if one["@type"] == "cr:FileObject"]
    (file_set,) = (one for one in actual["distribution"] if one["@type"] == "cr:FileSet")
    assert [one["sha256"] for one in files] == ["a" * 64]
    (records,) = actual["recordSet"]
    assert [field["name"] for field in records["field"]] == schema.names
    assert records["key"]["@id"] in {field["@id"] for field in records["field"]}
    for field in records["field"]:
        assert field["source"] == {
            "fileSet": {"@id": file_set["@id"]}, "extract": {"column": field["name"]},
        }  # fmt: skip
        assert field["description"], field["name"]
    kinds = {field["name"]: field["dataType"] for field in records["field"]}
    assert (kinds["text"], kinds["offset"], kinds["perplexity"]) == (
        "sc:Text", "sc:Integer", "sc:Float",
    )  # fmt: skip
    assert CONTEXT["cr"] in actual["@context"].values()
    assert pa.types.is_integer(schema.field("offset").type)
