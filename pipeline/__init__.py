"""Clean text corpora for smaller languages out of Common Crawl. This is the map.

    DownloadWET → HashParagraphs → CCNet ┐
                             CCIndex → WARCIndex → FetchHTMLDocuments → ConvertToMarkdown
                             → ProcessMarkdown → FilterDocuments → ComputeSignatures → Deduplicate
                             → ExportCorpus

THE GRAPH is the root of this folder: Luigi tasks that wire and do not compute, in the modules
that the published SWEb commands name: `cc_net` (DownloadWET, HashParagraphs, CCNet),
`warc_processing` (CCIndex to ConvertToMarkdown), `markdown_processing`, `quality_filtering`,
`dedup`; then `export`. `crawl_files` is what those that keep files of a list have in common,
`published_files` what those that publish files do.
Beside the way, for those who ask: `dedup_on_request` (SWEb's signatures,
texts without repeated paragraphs), `ccnet_export` (CCNet's published forms),
`paragraph_extraction` and `paragraph_filtering` (Uzushio's paragraphs, and a corpus of them),
`warc_export` (records as WARC files), `grading` (the best texts first), `reservations`
(what owners say no to), `repeated_passages`,
`decontamination`, `unwanted_kinds`, `register_labels`, `education_scores`.

A folder is a subject: what the bytes are.

* `crawl/`            a crawl as it lies on its servers: `http/`, `warc/`, cdx, robots.txt, URLs
* `html/`             a page's bytes to Markdown: `charset/`, `pandoc_dialect`, `pandoc`
* `markdown/`         Markdown to main text: lines, the verdicts on them, images
* `text/`             words, languages by their scores, tables of Unicode's characters, lists
* `records/`          a fetched record: its page as Markdown, as paragraphs
* `ccnet/`            CCNet's method: paragraph keys, repeats, selection; `published/`
* `quality/`          what is measured of a text, and the limits it is held to
* `near_duplicates/`  signatures, matching, resolution
* `paragraphs/`       paragraphs with their place in the page, and how often each occurs
* `sources/`          files of one's own: WARC, HTML, texts, each page with its place
* `grammar/`          how much of a text is sentences
* `contamination/`    evaluation sets inside texts
* `rights/`           what owners say a page may be used for
* `publishing/`       the published corpus: files, card, pointers, removals
* `native/`           compiled: inner loops in C++, in folders of the same subjects
* `core/`             the machine: column store, sharded tasks, failures, the local executor
* `api/`              from Python: one page (`extract`, `to_markdown`), the columns (`Corpus`)
* `cli/`              the commands of `skord`, one module each
* `sample_crawl/`     a miniature crawl and a server that misbehaves on request

Beside this package: `skord/` (what users import), `models/` (what the graph loads, with
recipes), `slurm/` (the executor for clusters), `annotation_tool/`, `benchmarks/`, `tests/` (which
mirror the tree; their `__init__` says what stands beside it), `docs/`.

Of files of one's own (a dump's name then is any word, `core.dumps`), DownloadWET reads the pages
where they lie, and CCIndex has nothing to do; all else is the same.

Imports point one way: cli → graph → sources, records, publishing, ccnet, quality, near_duplicates,
contamination → models, paragraphs, rights → html, grammar, markdown, crawl, text → core, native.
`tests/layering` enforces it. The graph is as many floors high as the longest way through it has
modules, seven, for a task imports those that it reads; four are below it and one above.

Three things hold everywhere:

1. *One shard number.* A dump's files, sorted, are dealt into shards once. Shard k means
   the same files, and from CCNet on the same documents, in every task.
2. *One row per page.* The document index is born in CCNet; `id` is the WARC-Record-ID of
   the page's response. No later task adds, drops or moves a row: a page that it cannot
   handle gets nulls and a code in `failure`.
3. *Same input, same bytes.* A shard appears whole and bears a fingerprint of the settings and
   inputs that made it. History (tries, times, errors) lies beside, under names that begin
   with `_`, and in the logs.

Where it could surprise: a task imports the classes of those that it reads, for Luigi knows
options such as `--CCNet-rule` of what is imported alone; columns that they do not declare are told
before anything starts. A task's earlier phases hand on their tables sorted by the reader's key,
so that a reader takes a slice of each file instead of there being a file for each pair; rows
that failed upstream are put aside by the machine (code `upstream`), so that no task has to think
of them; what each try of a download cost is in a ledger beside the columns, since it differs
from run to run. docs/explanation/architecture.md has the rules and the glossary.
"""
