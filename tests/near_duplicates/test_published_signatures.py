"""PublishedSignatures writes the columns that SWEb's FilterDocuments would."""

import pyarrow as pa

from pipeline.dedup import PublishedSignatures
from pipeline.markdown_processing import ProcessMarkdown
from skord.core.storage.shared_columns import ID
from skord.near_duplicates.published_minhash import BAND_COLUMNS, published_signatures
from tests.near_duplicates.conftest import rows, write_task

DUMP = "2024-10"


def test_columns_are_the_published_keys_and_null_for_short_texts(settings, tables_by_hand):
    texts = ["Tack för ditt besök!", "Hej!", "ΟΔΥΣΣΕΥΣ ΚΑΙ ΣΙΣΥΦΟΣ", None]
    schema = pa.schema([ID, ("text", pa.string()), ("failure", pa.string())])
    failure = [None, None, None, "no_main_text"]
    table = pa.table([[f"urn:uuid:{n}" for n in range(4)], texts, failure], schema=schema)
    write_task(ProcessMarkdown(dump=DUMP), [table])
    task = PublishedSignatures(dump=DUMP)
    task.run()
    actual = list(rows(task).values())

    assert list(actual[0]) == ["id", *BAND_COLUMNS, "failure"]
    keys = published_signatures(pa.array(texts, pa.string())).to_pylist()
    assert [{n: row[n] for n in BAND_COLUMNS} for row in actual] == keys
    assert [row[BAND_COLUMNS[0]] is None for row in actual] == [False, True, False, True]
    assert [row["failure"] for row in actual] == [None, None, None, "upstream"]
