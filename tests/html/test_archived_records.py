"""Records of real archives, damaged ones among them: a row or a named failure for each."""

from __future__ import annotations

import gzip
import resource
import tarfile
import time
from collections import Counter

import pytest

from pipeline.warc_processing import ConvertToMarkdown
from skord.core.failures import DocumentError
from skord.crawl.warc.framing import RecordFailure, WARCRecord
from skord.crawl.warc.records import iter_warc
from skord.html.failures import ConversionFailure
from skord.records.conversion import convert_records

ARCHIVES = (".warc", ".warc.gz", ".arc", ".arc.gz")
MOST_SECONDS = 300  # a hang, not a slow machine
MOST_MB = 1024
KNOWN_BEFORE = {"url", "warc_file", "warc_date"}


def member(record: WARCRecord) -> bytes:
    """A record as a range request gives it."""
    lines = [f"{name}: {value}" for name, value in record.headers if name != "Content-Length"]
    head = "\r\n".join(["WARC/1.0", *lines, f"Content-Length: {len(record.block)}", "", ""])
    return gzip.compress(head.encode() + record.block + b"\r\n\r\n", 1, mtime=0)


@pytest.fixture(scope="module")
def records(shared, tmp_path_factory) -> list[bytes]:
    """Every record of every archive among the samples that can be told from its neighbours."""
    folder = tmp_path_factory.mktemp("archives")
    with tarfile.open(shared / "data/crawl/crawl_samples.tar.gz") as samples:
        samples.extraction_filter = getattr(tarfile, "data_filter", None)  # from Python 3.11.4 on
        samples.extractall(folder)
    archives = [path for path in sorted(folder.rglob("*")) if path.name.lower().endswith(ARCHIVES)]
    actual = [record for path in archives if path.is_file() for record in iter_warc(path)]
    return list(dict.fromkeys(member(r) for r in actual if isinstance(r, WARCRecord)))


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.filterwarnings("ignore")
def test_every_record_becomes_a_row_or_a_named_failure_in_time(records):
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for record in records:
        started = time.thread_time()
        (answer,) = convert_records([record])
        slowest = max(slowest, time.thread_time() - started)
        if isinstance(answer, DocumentError):
            assert answer.code in [*ConversionFailure, *RecordFailure]
            outcomes[str(answer.code)] += 1
        else:
            assert answer.keys() | KNOWN_BEFORE == set(ConvertToMarkdown.schema.names)
            assert answer["content"].strip()
            assert all(
                0 <= span["start"] < span["end"] <= len(answer["content"])
                for span in answer["link_spans"]
            )
            outcomes["page"] += 1

    assert outcomes["page"] > 300, outcomes
    assert len(outcomes) > 4
    assert slowest < MOST_SECONDS
    grown_mb = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb) / 1024
    assert grown_mb < MOST_MB  # the process has run other tests before
