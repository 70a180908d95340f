"""RemoveRepeats on the texts that Deduplicate keeps."""

import pyarrow as pa

from pipeline.dedup import Deduplicate
from pipeline.markdown_processing import ProcessMarkdown
from skord.core.storage.shared_columns import ID
from skord.extras.passages.removal import RemoveRepeats
from tests.near_duplicates.conftest import rows, tables_by_hand, write_task  # noqa: F401 - a fixture

DUMP = "2024-10"
COOKIES = "Vi använder kakor på den här webbplatsen."


def test_paragraphs_of_many_kept_texts_are_taken_out_of_those_texts(
    settings,
    tables_by_hand,  # noqa: F811
):
    """Six texts hold it, of which four are kept; one that is not kept is not looked at."""
    texts = [f"Text nummer {n} om något.\n\n{COOKIES}" for n in range(6)] + [
        "Utan kakor är den här."
    ]
    keep = [True, True, False, True, None, True, True]
    kept_schema = pa.schema([ID, ("dedup_keep", pa.bool_()), ("failure", pa.string())])
    text_schema = pa.schema([ID, ("text", pa.string()), ("failure", pa.string())])
    ids = [f"urn:uuid:{n}" for n in range(7)]
    none = pa.nulls(7, pa.string())
    tables = {
        ProcessMarkdown: pa.table([ids, texts, none], schema=text_schema),
        Deduplicate: pa.table([ids, keep, none], schema=kept_schema),
    }
    for task, table in tables.items():
        write_task(task(dump=DUMP), [table[:3], table[3:]])
    actual = {}
    for limit in (3, 4):
        task = RemoveRepeats(dump=DUMP, max_texts=limit, num_partitions=3, replace=True)
        task.run()
        actual[limit] = [row["text_without_repeats"] for row in rows(task).values()]

    shown = [text if kept else None for text, kept in zip(texts, keep, strict=True)]
    assert actual[4] == shown
    assert actual[3] == [text and text.removesuffix(f"\n\n{COOKIES}") for text in shown]
    assert task.store.manifest("RemoveRepeats")["counts"]["repeats"] == 0
    assert [phase.transient for phase in task.phases()] == [True, True, False]


def test_paragraphs_taken_out_are_counted_and_their_texts(settings):
    settings()
    task = RemoveRepeats(dump="2024-10")
    repeats = pa.array([0, 1, None, 3, 0], pa.int32())
    assert task.count(pa.table({"repeats": repeats})) == {"repeats": 4, "texts_with_repeats": 2}
    none = task.count(pa.table({"repeats": pa.array([], pa.int32())}))
    assert none == {"repeats": 0, "texts_with_repeats": 0}
