"""Which numbers CountParagraphs can work with, and what it counts."""

import pyarrow as pa
import pytest

from skord.core.failures import ConfigError
from skord.extras.paragraphs.extraction import CountParagraphs
from skord.paragraphs.format import Paragraph, write_paragraphs
from tests.near_duplicates.conftest import write_task


@pytest.mark.parametrize("said", [{"max_distance": 0}, {"max_distance": 63}, {"window": 0}])
def test_the_least_and_the_most_are_taken(settings, said):
    settings()
    CountParagraphs(dump="2024-10", num_partitions=1, **said).check()


@pytest.mark.parametrize("said", [{"max_distance": -1}, {"max_distance": 64}])
def test_what_lies_beyond_is_refused(settings, said):
    settings()
    with pytest.raises(ConfigError, match=next(iter(said))):
        CountParagraphs(dump="2024-10", **said).check()


def test_paragraphs_are_counted_over_shards_whatever_the_parts(settings):
    menu, near = "Hem Nyheter Kontakt", "Den nya bron skall stå klar nästa höst, säger ingenjören."
    shards = [
        [[menu, near], [menu, "Bara här."], None],
        [[near.replace("nästa höst", "nästa vår"), menu, menu], []],
    ]
    counted = {}
    for parts in (1, 3):
        settings(f"[CountParagraphs]\nnum_partitions = {parts}\nwindow = 8\n")
        task = CountParagraphs(dump="2024-10")
        write_task(task.upstream()[0], [pages_of(pages) for pages in shards])
        for phase in task.phases():
            for number in range(phase.size()):
                phase.run(number)
        counted[parts] = [
            row
            for shard in range(2)
            for row in task.store.read_table(task.store.path("CountParagraphs", shard)).to_pylist()
        ]
    assert counted[1] == counted[3]
    assert [row["exact_freq"] for row in counted[1]] == [[4, 1], [4, 1], None, [1, 4, 4], []]
    assert [row["near_freq"] for row in counted[1]] == [[4, 2], [4, 1], None, [2, 4, 4], []]
    assert [row["failure"] for row in counted[1]] == [None, None, "upstream", None, None]


def pages_of(pages):
    """The columns of ExtractParagraphs for pages of these paragraphs; None for one that failed."""
    texts = [
        None if page is None else write_paragraphs([Paragraph("body>p", text) for text in page])
        for page in pages
    ]
    return pa.table(
        {
            "id": [f"urn:uuid:{number}" for number in range(len(pages))],
            "text": pa.array(texts, pa.string()),
            "failure": [None if text is not None else "pandoc_timeout" for text in texts],
        }
    )
