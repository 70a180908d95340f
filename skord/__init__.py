"""Clean text corpora for smaller languages, and main text out of single pages.

>>> import skord
>>> skord.to_markdown("<h1>Rubrik</h1><p>Ett <b>ord</b>.</p>")
'# Rubrik\\n\\nEtt **ord**.\\n'
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pipeline.api.corpus import Corpus as Corpus
    from pipeline.api.flow import Pipeline as Pipeline
    from pipeline.api.flow import TaskStatus as TaskStatus
    from pipeline.api.one_page import ExtractedPage as ExtractedPage
    from pipeline.api.one_page import KeptLine as KeptLine
    from pipeline.api.one_page import extract as extract
    from pipeline.api.one_page import extract_page as extract_page
    from pipeline.api.one_page import to_markdown as to_markdown
    from pipeline.core.failures import ConfigError as ConfigError
    from pipeline.core.failures import DocumentError as DocumentError
    from pipeline.core.failures import PipelineError as PipelineError

_HOMES = {
    "Corpus": "pipeline.api.corpus",
    **dict.fromkeys(("ConfigError", "DocumentError", "PipelineError"), "pipeline.core.failures"),
    **dict.fromkeys(("Pipeline", "TaskStatus"), "pipeline.api.flow"),
    **dict.fromkeys(
        ("ExtractedPage", "KeptLine", "extract", "extract_page", "to_markdown"),
        "pipeline.api.one_page",
    ),
}

__all__ = [
    "ConfigError",
    "Corpus",
    "DocumentError",
    "ExtractedPage",
    "KeptLine",
    "Pipeline",
    "PipelineError",
    "TaskStatus",
    "extract",
    "extract_page",
    "to_markdown",
]


def __getattr__(name: str) -> Any:
    """What is asked for, imported then: `import skord` takes no time."""
    import importlib  # noqa: PLC0415

    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    """For completion."""
    return [*globals(), *_HOMES]
