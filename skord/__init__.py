"""Main texts of web pages, and clean corpora of them, for smaller languages.

One page, as bytes or text of HTML:
    extract            its main text, as Markdown, plain text or simple HTML
    extract_page       the same with title, date, language and kept lines (ExtractedPage, KeptLine)
    to_markdown        the whole page as Markdown, menus and all
    decode             its text and charset (Decoded)
    reservations       what it says against training on it (Reservation)
    identify_language  of a text (Language)

Many pages:
    extract_many       an ExtractedPage or a DocumentError for each, in several processes

A data folder, as the commands `skord corpus` and `skord run` make it:
    Corpus             its columns: as rows, Arrow, pandas, polars or in DuckDB
    Pipeline           runs tasks over a dump and says where they stand (TaskStatus)

Errors: DocumentError for one page, whose `code` says why; ConfigError for settings; both are a
PipelineError, and each message is one sentence.

>>> import skord
>>> skord.to_markdown("<h1>Rubrik</h1><p>Ett <b>ord</b>.</p>")
'# Rubrik\\n\\nEtt **ord**.\\n'
"""

from skord.core.failures import ConfigError, DocumentError, PipelineError
from skord.corpus import Corpus
from skord.flow import Pipeline, TaskStatus
from skord.html.charset.decode import Decoded, decode
from skord.many_pages import extract_many
from skord.one_page import (
    ExtractedPage,
    KeptLine,
    Language,
    TextFormat,
    extract,
    extract_page,
    identify_language,
    to_markdown,
)
from skord.rights.one_page import reservations
from skord.rights.reservations import Reservation

__all__ = [
    "ConfigError",
    "Corpus",
    "Decoded",
    "DocumentError",
    "ExtractedPage",
    "KeptLine",
    "Language",
    "Pipeline",
    "PipelineError",
    "Reservation",
    "TaskStatus",
    "TextFormat",
    "decode",
    "extract",
    "extract_many",
    "extract_page",
    "identify_language",
    "reservations",
    "to_markdown",
]
