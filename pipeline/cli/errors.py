"""What commands catch: everything that can be expected to go wrong, none of it a traceback."""

from __future__ import annotations

import configparser

from pipeline.core.failures import PipelineError
from pipeline.core.sentences import STOPPED, sentence_of, stopped

__all__ = ["EXPECTED", "STOPPED", "sentence_of", "stopped"]

EXPECTED = (PipelineError, OSError, configparser.Error, ValueError, MemoryError)
"""Luigi's errors of parameters are ValueErrors or its own; those end in `sys.excepthook`."""
