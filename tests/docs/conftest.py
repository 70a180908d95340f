"""A sample that was run and published, as the tutorial leaves it, for blocks to work on."""

import os
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.graph.bench import Bench

HTML = """<!DOCTYPE html><html lang="sv"><head><meta charset="utf-8"><title>Bron</title></head>
<body><nav><a href="/">Start</a></nav><main><h1>Bron är öppen</h1><p>I går öppnades bron mellan
torget och hamnen, efter två års arbete som hela staden har kunnat följa.</p></main></body></html>
"""


@dataclass(frozen=True)
class Desk:
    """A folder as a reader has it after `make sample`, and the environment of its shell."""

    folder: Path
    environment: dict[str, str]


def set_up(folder: Path, exported: Bench, crawl: Path) -> Desk:
    """`sample/` with data, logs and settings; `page.html`; `skord` and `python` on the path."""
    sample = folder / "sample"
    shutil.copytree(exported.data, sample / "data", copy_function=os.link)
    shutil.copytree(exported.folder / "logs", sample / "logs")
    (sample / "crawl").symlink_to(crawl)
    bench = replace(exported, folder=sample, data_dir=str(sample / "data"))
    settings = bench.environment()
    (folder / "page.html").write_text(HTML)
    (folder / "estonian.txt").write_text("Täna on ilus ilm ja päike paistab.\n" * 3)
    programs = folder / "bin"
    programs.mkdir()
    for name, words in (("python", ""), ("skord", "-m pipeline")):
        (programs / name).write_text(f'#!/bin/sh\nexec {sys.executable} {words} "$@"\n')
        (programs / name).chmod(0o755)
    return Desk(folder, {**settings, "PATH": f"{programs}:{os.environ['PATH']}"})


@pytest.fixture(scope="session")
def desks(exported, crawl_folder, tmp_path_factory):
    """A desk for each page: what its blocks do, those of other pages do not see."""
    made: dict[str, Desk] = {}

    def of(page: str) -> Desk:
        if page not in made:
            made[page] = set_up(tmp_path_factory.mktemp("desk"), exported, crawl_folder)
        return made[page]

    return of
