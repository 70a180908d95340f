"""A workbench for line labels: which lines of a page's Markdown are its main text.

    skord annotate data/2024-10

Left the lines, right the page as it was archived. Everything lies in one SQLite file: the
pages, each annotator's labels, and every change with what was before it.

* `backend/labels`      PURE: labels as bytes, changes to them, losses
* `backend/ordering`    PURE: which page comes next
* `backend/published`   PURE: a page, and a line of the published annotation tool's JSONL
* `backend/labelled`    labelled pages out of files, for training
* `backend/sources`     pages out of a data folder, WARC files, HTML files, JSONL
* `backend/database`    the SQLite file
* `backend/annotations` what annotators do to pages
* `backend/access`      who may ask: hosts, token, no request from another site
* `backend/app`         the HTTP interface
* `frontend/`           one page: plain modules, no build step

It uses the library and `skord.models`; `skord annotate` (`skord.cli.annotate`) and `skord train`
use it.
"""
