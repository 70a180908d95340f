"""Clean text corpora for smaller languages, and main text out of single pages.

>>> import skord
>>> skord.to_markdown("<h1>Rubrik</h1><p>Ett <b>ord</b>.</p>")
'# Rubrik\\n\\nEtt **ord**.\\n'
"""

from skord.core.failures import ConfigError, DocumentError, PipelineError
from skord.corpus import Corpus
from skord.flow import Pipeline, TaskStatus
from skord.html.charset.decode import Decoded, decode
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
    "extract_page",
    "identify_language",
    "reservations",
    "to_markdown",
]
