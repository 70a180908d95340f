"""Clean text corpora for smaller languages, and main text out of single pages.

>>> import skord
>>> skord.to_markdown("<h1>Rubrik</h1><p>Ett <b>ord</b>.</p>")
'# Rubrik\\n\\nEtt **ord**.\\n'
"""

from skord.core.failures import ConfigError, DocumentError, PipelineError
from skord.corpus import Corpus
from skord.flow import Pipeline, TaskStatus
from skord.html.charset.decode import Decoded, decode
from skord.one_page import ExtractedPage, KeptLine, extract, extract_page, to_markdown

__all__ = [
    "ConfigError",
    "Corpus",
    "Decoded",
    "DocumentError",
    "ExtractedPage",
    "KeptLine",
    "Pipeline",
    "PipelineError",
    "TaskStatus",
    "decode",
    "extract",
    "extract_page",
    "to_markdown",
]
