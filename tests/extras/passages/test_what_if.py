"""What a setting would cut out, of `skord.extras.passages.what_if`."""

import pyarrow as pa

from pipeline.markdown_processing import ProcessMarkdown
from pipeline.warc_processing import ConvertToMarkdown
from skord.core.storage.shared_columns import FAILURE, ID
from skord.extras.passages.passages import PASSAGES_TYPE
from skord.extras.passages.task import FindRepeatedPassages
from skord.extras.passages.what_if import PassageCuts, cuts_in_lines
from skord.publishing.rows import PASSAGES
from tests.near_duplicates.conftest import tables_by_hand, write_task  # noqa: F401 - a fixture


def test_kept_texts_are_counted_and_those_of_which_something_or_all_goes(settings, tables_by_hand):  # noqa: F811
    ids = [f"urn:uuid:{n}" for n in range(4)]
    texts = ["Först.\nSist.", "Sist.", "Annat.", "Ingen vill ha det."]
    spans = [[(7, 12)], [(0, 5)], [], [(0, 5)]]
    copies = [
        [{"start": a, "end": b, "copies": 2, "is_first": False} for a, b in some] for some in spans
    ]
    for task, name, kind, values in (
        (FindRepeatedPassages, PASSAGES, PASSAGES_TYPE, copies),
        (ProcessMarkdown, "text", pa.string(), texts),
        (ConvertToMarkdown, "url", pa.string(), [f"https://a.se/{n}" for n in range(4)]),
    ):
        schema = pa.schema([ID, (name, kind), FAILURE])
        write_task(
            task(dump="2024-10"), [pa.table([ids, values, pa.nulls(4, pa.string())], schema)]
        )
    store = ProcessMarkdown(dump="2024-10").store
    cuts = PassageCuts("later", room=1)

    cuts.add(store, 0, 0, ids[:3])

    assert (cuts.texts, cuts.cut_texts, cuts.emptied) == (3, 2, 1)
    assert (cuts.characters, cuts.cut_characters) == (23, 11)
    assert [(shown.url, shown.passages) for shown in cuts.shown] == [("https://a.se/0", ["Sist."])]
    assert "11 of 23 characters (47.8%) are cut out of 2 of 3 kept texts; 1 have nothing left" in (
        "\n".join(cuts_in_lines(cuts))
    )
