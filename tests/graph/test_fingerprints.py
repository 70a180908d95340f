"""What each task puts into its fingerprint under the settings that it has without any, on record.

Where one changes, everybody's columns of the task, and of all that read it, are stale: a `version`
was raised, or a default or a model changed, on purpose, and its line is put down anew; or something
went wrong.
"""

import hashlib
import json

from skord.core.registry import task_classes

PACKAGES = {"ConvertToMarkdown", "GradeDocuments"}
"""Tell versions of pandoc and of dictionaries besides, which are those that are installed."""

RECORDED = {
    "DownloadWET": "2b201baa6f48",
    "HashParagraphs": "4fecccdffbfe",
    "CCNet": "98ef02def50a",
    "CCIndex": "f66e41734e55",
    "WARCIndex": "8084891535db",
    "FetchHTMLDocuments": "92e06e2a34d0",
    "ConvertToMarkdown": "6e0e2fe11be9",
    "ProcessMarkdown": "4ef254c272a0",
    "FilterDocuments": "af65810851dd",
    "ComputeSignatures": "254a5ef0bd96",
    "IndexKept": "53ffbb9d5e3d",
    "Deduplicate": "5409ed2da7a5",
    "PublishedSignatures": "635c45346a7e",
    "RemoveRepeats": "7b3f1df03564",
    "ExportCCNet": "6ed16192aa94",
    "MinifyCCNet": "67c3a046d07b",
    "ExtractParagraphs": "79dae687d6c2",
    "CountParagraphs": "8393ee185998",
    "GradeDocuments": "52587955b145",
    "DetectReservations": "5396956c76af",
    "FindRepeatedPassages": "1bc431afb78b",
    "Decontaminate": "9e777c8ea52e",
    "MeasureUnwanted": "9c0ae04408a5",
    "LabelRegisters": "489e548d7aaa",
    "ScoreEducation": "383cd8ff2dd3",
    "ExportCorpus": "8963a93c3b2e",
    "ExportWARC": "e4db3d8527bd",
    "FilterParagraphs": "59fa8a0debb7",
    "ExportParagraphs": "e43ca38418d5",
}


def own_part(name: str, task) -> str:
    """Without the fingerprints upstream, so that a change stands in its own line alone."""
    parts = [] if name in PACKAGES else list(task.fingerprint_parts())
    upstream = [above.task_family for above in task.upstream()]
    told = [task.version, task.to_str_params(only_significant=True), parts, upstream]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]


def test_fingerprints_are_made_of_what_is_on_record(settings):
    settings("[crawl]\nbase_url = http://127.0.0.1:9\n")

    made = {name: own_part(name, task(dump="2024-10")) for name, task in task_classes().items()}

    assert made == RECORDED, "\n".join(f'    "{name}": "{one}",' for name, one in made.items())
