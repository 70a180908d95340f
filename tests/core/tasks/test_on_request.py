"""Which tasks lead to the corpus; all others run when they are asked for."""

from skord.core.registry import task_classes


def test_the_way_to_the_corpus_has_these_tasks_and_no_abstract_one():
    tasks = task_classes()
    assert sorted(name for name, cls in tasks.items() if not cls.on_request) == [
        "CCIndex",
        "CCNet",
        "ComputeSignatures",
        "ConvertToMarkdown",
        "Deduplicate",
        "DownloadWET",
        "FetchHTMLDocuments",
        "FilterDocuments",
        "HashParagraphs",
        "ProcessMarkdown",
        "WARCIndex",
    ]
    assert len(tasks) == 29
