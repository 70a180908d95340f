"""Fetched records as WARC files for others: ExportWARC."""

from __future__ import annotations

from skord.extras import TaskModule

DECLARES = (TaskModule("skord.extras.warc_export.task"),)
