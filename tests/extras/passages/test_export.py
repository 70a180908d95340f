"""What ExportCorpus does with repeated passages, and what `skord why` says of them."""

import pyarrow as pa

from pipeline.export import ExportCorpus
from skord.cli.look.why import undecided_sentences


def told(tables):
    return list(undecided_sentences(tables, ExportCorpus(dump="2024-10")))


def test_a_page_of_which_nothing_is_left_is_left_out_and_says_so(settings):
    settings("[ExportCorpus]\npassages = all\n")
    task = ExportCorpus(dump="2024-10")
    whole = [{"start": 0, "end": 3, "copies": 2, "is_first": True}]
    table = pa.table(
        {
            **{f"FilterDocuments.{name}": pa.nulls(4) for name in task.limits_in_force()},
            "Deduplicate.dedup_keep": [True, True, True, False],
            "ProcessMarkdown.text": ["Hej", "Hej då", "Hej", "Hej"],
            "FindRepeatedPassages.repeated_passages": [whole, whole, [], None],
        }
    )

    assert task._left_out(table).to_pylist() == ["repeated", None, None, "near_duplicate"]

    settings("[ExportCorpus]\npassages = later\n")
    first = ExportCorpus(dump="2024-10")
    assert first._left_out(table).to_pylist() == [None, None, None, "near_duplicate"]


def test_passages_that_stay(settings):
    settings("")
    assert told({"FindRepeatedPassages": {"repeated_char_ratio": 0.25}}) == [
        "25% of its text are later copies: [ExportCorpus] passages leaves them"
    ]
    assert told({"FindRepeatedPassages": {"repeated_char_ratio": 0.0}}) == []
    settings("[ExportCorpus]\npassages = later\n")
    assert told({"FindRepeatedPassages": {"repeated_char_ratio": 0.25}}) == []
