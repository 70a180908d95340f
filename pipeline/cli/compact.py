"""Columns of a dump in a few large files, for readers who would open thousands of small ones."""

from __future__ import annotations

import argparse

from pipeline.api.corpus import Corpus
from pipeline.core.config import pipeline
from pipeline.core.start.preflight import check_settings


def run(options: argparse.Namespace) -> None:
    """Write them."""
    check_settings()
    corpus = Corpus(pipeline().data_dir, options.dumps.split(","))
    columns = options.columns.split(",") if options.columns else corpus.columns()
    file_bytes = options.mb << 20
    names = corpus.compact(columns, options.folder, file_bytes=file_bytes, kept=options.kept)
    print(
        f"{options.folder}: {len(names)} files, {names[0]} to {names[-1]}" if names else "no rows"
    )
