"""Clean text corpora for smaller languages out of Common Crawl. This is the map.

    DownloadWET → HashParagraphs → CCNet ┐
                             CCIndex → WARCIndex → FetchHTMLDocuments → ConvertToMarkdown
                             → ProcessMarkdown → FilterDocuments → ComputeSignatures → Deduplicate
                             → ExportCorpus

THE GRAPH is this folder and nothing else: Luigi tasks that wire and do not compute, in the modules
that the published SWEb commands name: `cc_net` (DownloadWET, HashParagraphs, CCNet),
`warc_processing` (CCIndex to ConvertToMarkdown), `markdown_processing`, `quality_filtering`,
`dedup` (with SWEb's published signatures); then `export`, and beside the way `reservations`
(what owners say no to).

THE LIBRARY is `skord/`: what the tasks call, and what users import. A folder is a subject.

* `crawl/`            a crawl as it lies on its servers: `http/`, `warc/`, cdx, robots.txt, URLs
* `html/`             a page's bytes to Markdown: `charset/`, `pandoc_dialect`, `pandoc`
* `markdown/`         Markdown to main text: lines, the decisions on them, images
* `text/`             words, languages by their scores, tables of Unicode's characters, lists
* `records/`          a fetched record: its page as Markdown
* `ccnet/`            CCNet's method: paragraph keys, repeats, selection
* `quality/`          what is measured of a text, and the limits it is held to
* `near_duplicates/`  signatures, matching, resolution
* `paragraphs/`       an HTML page as paragraphs with their place in it
* `sources/`          files of one's own: WARC, HTML, texts, each page with its place
* `rights/`           what owners say a page may be used for
* `publishing/`       the published corpus: files, card, pointers, removals
* `native/`           compiled: inner loops in C++, in folders of the same subjects
* `core/`             the machine: column store, sharded tasks, failures, the local executor
* `cli/`              the commands of `skord`, one module each
* `sample_crawl/`     a miniature crawl and a server that misbehaves on request
* `models/`           what the graph loads, with recipes; `slurm/` the executor for clusters;
                      `annotation_tool/`: links to the folders beside

EXTRAS are `skord/extras/`: what few users ask for, each whole in a folder of its own, with its tasks,
its computation and its commands: `grading`, `paragraphs`, `ccnet_files`, `references`,
`contamination`, `passages`, `registers`, `unwanted`, `education`, `warc_export`, `evaluation`,
`figures`. Nothing imports them; they declare what they add (`skord.extras`).

Of files of one's own (a dump's name then is any word, `core.dumps`), DownloadWET reads the pages
where they lie, and CCIndex has nothing to do; all else is the same.

Imports point one way: extras → cli → graph → sources, records, publishing, ccnet, quality,
near_duplicates → models, paragraphs, rights → html, markdown, crawl, text → core, native.
`tests/layering` enforces it.

Three things hold everywhere:

1. *One shard number.* A dump's files, sorted, are assigned to shards once. Shard k means
   the same files, and from CCNet on the same documents, in every task.
2. *One row per page.* The document index is born in CCNet; `id` is the WARC-Record-ID of
   the page's response. No later task adds, drops or moves a row: a page that it cannot
   handle gets nulls and a code in `failure`.
3. *Same input, same bytes.* A shard appears whole and bears a fingerprint of the settings and
   inputs that made it. History (tries, times, errors) lies beside, under names that begin
   with `_`, and in the logs.

Where it could surprise: a task imports the classes of those that it reads, for Luigi knows
options such as `--CCNet-rule` of what is imported alone; tasks of extras it finds by their names.
Columns that a task reads and others do not declare are reported
before anything starts. A task's earlier phases hand on their tables sorted by the reader's key,
so that a reader takes a slice of each file instead of there being a file for each pair; rows
that failed upstream are put aside by the machine (code `upstream`), so that no task has to think
of them; what each try of a download cost is in a ledger beside the columns, since it differs
from run to run. docs/explanation/architecture.md has the rules and the glossary.
"""
