"""Clean text corpora for smaller languages out of Common Crawl. This is the map.

    DownloadWET → HashParagraphs → CCNet ┐
                             CCIndex → WARCIndex → FetchHTMLDocuments → ConvertToMarkdown
                             → ProcessMarkdown → FilterDocuments → ComputeSignatures → Deduplicate
                             → ExportCorpus

THE GRAPH, Luigi tasks that wire and do not compute, in the modules that the published
SWEb commands name: `cc_net`, `warc_processing`, `markdown_processing`,
`quality_filtering`, `dedup`, which compares what `text_signatures` makes; `crawl_files` holds
what two tasks share, `wet_processing` the first two tasks, `crawl_index` two of
`warc_processing`, `page_scoring` what language models add to CCNet. `export` publishes what was
kept, and `publishing` minds the removals there.
Beside the way, for those who ask: `ccnet_export`, CCNet's published forms, and
`paragraph_extraction`, Uzushio's paragraphs; `grading`, the best texts first; `duplicate_index`,
what a dump keeps, for later ones; `repeated_paragraphs`; `published_signatures`. The parameters
of Deduplicate are in `duplicate_settings`.

* `transforms/`  pure functions: text in, values out; no files, network, clock or chance
* `native/`      compiled: the inner loops over a page's bytes, in C++, as pure as `transforms`
* `io/`          the world: the crawl over HTTP, WARC, WET and cdx files, pandoc, models
* `core/`        the machine: column store, sharded tasks, executors, failures
* `cli/`         `python -m pipeline …`: plan, status, why, report, export, removals …
* `rehearsal/`   a miniature crawl and a server that misbehaves on request
* `one_page`     the same steps for one page, without a graph: `to_markdown`, `extract`
* `endpoint`     the section [crawl] of luigi.cfg and the client it describes
* `corpus`       `pipeline.Corpus`: the columns of a data folder, for those who use them

Imports point one way: graph → `core`, `io`, `transforms`, `models`; `io` →
`core` and `transforms`; `transforms` → `core.failures` alone; `native`, which imports
nothing, is for `transforms`, `io` and `models`. A test enforces it.

Three things hold everywhere:

1. *One shard number.* A dump's files, sorted, are dealt into shards once. Shard k means
   the same files, and from CCNet on the same documents, in every task.
2. *One row per page.* The document index is born in CCNet; `id` is the WARC-Record-ID of
   the page's response. No later task adds, drops or moves a row: a page that it cannot
   handle gets nulls and a code in `failure`.
3. *Same input, same bytes.* A shard appears whole and bears a fingerprint of the settings and
   inputs that made it. History (tries, times, errors) lies beside, under names that begin
   with `_`, and in the logs.

Where this departs from a sketch of the same house: a task's earlier phases hand on their
tables sorted by the reader's key, so that a reader takes a slice of each file instead of
there being a file for each pair; rows that failed upstream are put aside by the machine
(code `upstream`), so that no task has to think of them; what each try of a download cost
is in a ledger beside the columns, since it differs from run to run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.api.corpus import Corpus as Corpus


def to_markdown(html: bytes | str) -> str:
    """One page's Markdown, as ConvertToMarkdown makes it. See `one_page.to_markdown`."""
    from pipeline.api import one_page  # noqa: PLC0415 - workers need not load what this needs

    return one_page.to_markdown(html)


def extract(html: bytes | str, url: str | None = None) -> str:
    """One page's main text, as ProcessMarkdown makes it. See `one_page.extract`."""
    from pipeline.api import one_page  # noqa: PLC0415 - workers need not load what this needs

    return one_page.extract(html, url)


def __getattr__(name: str) -> Any:
    """`pipeline.Corpus`, imported when it is asked for: workers need not load what it needs."""
    if name == "Corpus":
        from pipeline.api import corpus  # noqa: PLC0415

        return corpus.Corpus
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
