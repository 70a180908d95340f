"""The sample crawl: build a small one, serve it, and run the whole graph over it."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from skord.cli.console import next_commands
from skord.cli.declarations import SampleTask
from skord.cli.look.funnel import funnel_stages, funnel_tables
from skord.cli.look.why import kept_texts
from skord.cli.publish.export import published_files
from skord.core.dumps import SourceKind, dump_option
from skord.core.failures import ConfigError
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.extras import declared
from skord.sample_crawl.at_scale.build import build_part
from skord.sample_crawl.at_scale.mixture import Mixture
from skord.sample_crawl.builder import Built, Damage, build_crawl
from skord.sample_crawl.faults import Faults, parse_faults
from skord.sample_crawl.own_files import own_files
from skord.sample_crawl.page_source import bundled_pages, harvest_pages
from skord.sample_crawl.server import CrawlServer

MARK = ".skord-rehearsal"
"""A folder with this file in it is ours to empty."""

BUNDLED_DAMAGE = Damage(corrupt_members=1, wrong_digests=1, missing_from_index=1)
"""So that failures can be seen in the funnel."""

SETTINGS = """\
# Written by `skord sample run`.
[pipeline]
data_dir = {folder}/data
summary = false
[crawl]
base_url = {url}
collinfo_url = {url}/collinfo.json
requests_per_s = 500
connections = 8
backoff_s = 0.05
max_backoff_s = 0.5
cool_down_s = 0.05
[executor]
kind = {executor}
log_dir = {folder}/logs
workers = {workers}
[slurm]
mem_gb = 1
poll_s = 0.5
max_poll_s = 1
grace_s = 5
[DownloadWET]
num_shards_wanted = 4
[CCNet]
num_partitions = 4
{selection}[Deduplicate]
num_partitions = 4
[DetectReservations]
crawled_robots = false
"""


HARVEST = "lv"
"""The language of the bundled harvest."""

HARVEST_SELECTION = "min_score = 0.01\n"
"""Takes in chat, which the language identifier hardly takes for Latvian."""


def build_sample(options: argparse.Namespace) -> None:
    """Build a crawl."""
    if not 0 <= options.share <= 1:
        raise ConfigError(f"--share {options.share:g}: give a share from 0 to 1")
    if options.pages is not None and options.pages < 1:
        raise ConfigError(f"--pages {options.pages}: give 1 or more, or leave it out")
    if options.folder.exists() and not options.folder.is_dir():
        raise ConfigError(f"{options.folder} is a file: name a folder")
    held = sorted(path.name for path in options.folder.glob("*"))
    if held and "crawl-data" not in held:
        raise ConfigError(f"{options.folder} holds {held[0]}, and no crawl: name another folder")
    if options.pages:
        build_at_scale(options)
    else:
        print(built_line(build(options.folder, options.dump, harvest=options.harvest)))


def build_at_scale(options: argparse.Namespace) -> None:
    """Build a crawl of so many pages, or a part of it."""
    number, _, parts = options.part.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise ConfigError(f"--part {options.part}: give a part of all, such as 3/8")
    mix = Mixture(options.pages, options.share, options.seed)
    whole = build_part(mix, options.folder, options.dump, (int(number), int(parts)))
    state = "whole" if whole else f"part {options.part}; whole when all parts are built"
    print(f"{options.folder}: {mix.pages:,} pages in {mix.files:,} files, {state}")


def serve_sample(options: argparse.Namespace) -> None:
    """Serve a crawl until interrupted."""
    if not options.folder.is_dir():
        raise ConfigError(f"{options.folder} is no folder: skord sample build {options.folder}")
    with CrawlServer(options.folder, _faults(options), port=options.port) as server:
        print(server.url, flush=True)
        server.stopping.wait()


def built_line(built: Built) -> str:
    """What was built, for people."""
    return (
        f"built dump {built.dump}: {built.pages:,} pages in {built.warc_files:,} WARC files, "
        f"{built.bytes_written:,} bytes"
    )


def _faults(options: argparse.Namespace) -> Faults:
    try:
        return parse_faults(options.fault)
    except ValueError as error:
        raise ConfigError(f"--fault: {error}") from error


def build(out: Path, dump: str, *, harvest: bool = False) -> Built:
    """Build a crawl from the bundled pages.

    It holds more than pages, and one record damaged in each way; with `harvest` it is that of
    `harvest_pages`.
    """
    if harvest:
        return build_crawl(harvest_pages(), out, dump=dump, with_extras=False)
    return build_crawl(bundled_pages(), out, dump=dump, damage=BUNDLED_DAMAGE)


def run_sample(options: argparse.Namespace) -> int:
    """Build, serve, and run the graph; returns the exit status."""
    return SampleRun(options).run()


class SampleRun:
    """One run of the graph over a sample crawl.

    Args:
        options: of the command; the folder gets `crawl/`, `data/`, `logs/`, `luigi.cfg`, and of
            another kind than common_crawl the files in `own/`.

    Attributes:
        is_own: whether the pages are taken for files of one's own.
        name: of what the graph works on.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder: Path = options.folder
        self.is_own = options.kind != SourceKind.COMMON_CRAWL
        self.name: str = f"own-{options.kind}" if self.is_own else options.dump

    def run(self) -> int:
        """Build, serve, run, and print what came out; returns the exit status."""
        faults = _faults(self.options)
        self._empty()
        crawl = self.folder / "crawl"
        print(f"building a crawl in {crawl}", flush=True)
        built = build(crawl, self.options.dump, harvest=self.options.harvest)
        print(built_line(built), flush=True)
        if self.is_own:
            own = own_files(crawl, self.folder / "own", self.options.dump, self.options.kind)
            print(f"of it, as {self.options.kind}: {own}", flush=True)
        with CrawlServer(crawl, faults) as server:
            status = self._run_graph(self._write_settings(server.url))
        if status == 0:
            self._show()
        return status

    def _empty(self) -> None:
        if self.folder.exists() and any(self.folder.iterdir()):
            if not (self.folder / MARK).exists():
                raise ConfigError(
                    f"{self.folder} holds something that no sample run made: name another folder"
                )
            for name in ("crawl", "data", "logs", "own"):
                shutil.rmtree(self.folder / name, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / MARK).touch()

    def _write_settings(self, url: str) -> Path:
        path, folder, options = self.folder / "luigi.cfg", self.folder.absolute(), self.options
        written = SETTINGS.format(
            folder=folder,
            url=url,
            selection=HARVEST_SELECTION if options.harvest else "",
            workers=options.workers,
            executor=options.executor,
        )
        of_harvest = (one.harvest_settings for one in declared(SampleTask) if options.harvest)
        own = f"[source]\nkind = {options.kind}\npath = {folder}/own\n" if self.is_own else ""
        path.write_text(written + "".join(of_harvest) + own)
        return path

    def _run_graph(self, settings: Path) -> int:
        languages = HARVEST if self.options.harvest else self.options.languages
        words = ["--dump", self.name, *(["--languages", languages] if languages else [])]
        tasks = ["ExportCorpus"]
        for extra in declared(SampleTask):
            if all(map(find_spec, extra.packages)):
                tasks.append(extra.task)
            else:
                print(f"{extra.task} is left out, for it needs more: {extra.install}", flush=True)
        environment = {**os.environ, "LUIGI_CONFIG_PATH": str(settings.absolute())}
        for task in tasks:
            command = [sys.executable, "-P", "-m", "skord", "run", task, *words]
            print(f"LUIGI_CONFIG_PATH={settings} {shlex.join(command)}", flush=True)
            status = subprocess.run(command, env=environment, check=False).returncode
            if status:
                return status
        return 0

    def _show(self) -> None:
        store = ColumnStore(Storage(str((self.folder / "data").absolute())), self.name)
        stages = funnel_stages(store)
        print(f"\n{funnel_tables(stages)}\n")
        print(f"Parquet: {self.folder}/data/TASK/{self.name}/SHARD.parquet")
        for url, text in kept_texts(store, 3):
            print(f"\n--- {url}\n{text[:700]}")
        print("", *published_files(store), "", *self._next(store), sep="\n")
        wrong = [stage.task for stage in stages if not stage.adds_up]
        if wrong:
            raise ConfigError(f"the funnel does not add up in {', '.join(wrong)}")

    def _next(self, store: ColumnStore) -> Iterator[str]:
        """Three commands that work as they stand."""
        page = next((url for url, _ in kept_texts(store, 1)), None)
        commands = [f"why {shlex.quote(page)}"] if page else []
        data_dir = str(self.folder / "data")
        funnel = f"study funnel {dump_option([self.name], '--dump')}"
        yield from next_commands(data_dir, [*commands, funnel], self.name)
