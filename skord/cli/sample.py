"""The sample crawl: build a small one, serve it, and run the whole graph over it."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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
from skord.sample_crawl.builder import Built, Damage, build_crawl, bundled_pages
from skord.sample_crawl.faults import Faults, parse_faults
from skord.sample_crawl.own_files import own_files
from skord.sample_crawl.page_source import harvest_pages
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
    """Build a crawl.

    Raises:
        ConfigError: the folder holds other things, or an option cannot be meant.
    """
    if not 0 <= options.share <= 1 or options.pages_a_file < 1:
        raise ConfigError("--share is from 0 to 1, and --pages-a-file at least 1")
    if options.pages is not None and options.pages < 1:
        raise ConfigError(f"--pages {options.pages}: give 1 or more, or leave it out")
    if options.folder.exists() and not options.folder.is_dir():
        raise ConfigError(f"{options.folder} is a file: name a folder")
    held = sorted(path.name for path in options.folder.glob("*"))
    if held and "crawl-data" not in held:
        raise ConfigError(f"{options.folder} holds {held[0]}, and no crawl: name another folder")
    if options.pages:
        build_at_scale(options)
        return
    print(_sentence(build(options.folder, options.source, options.dump, harvest=options.harvest)))


def build_at_scale(options: argparse.Namespace) -> None:
    """Build a crawl of so many pages, or a part of it."""
    number, _, parts = options.part.partition("/")
    if not (number.isdigit() and parts.isdigit() and 1 <= int(number) <= int(parts)):
        raise ConfigError(f"--part {options.part}: give a part of all, such as 3/8")
    mix = Mixture(options.pages, options.share, options.seed, options.pages_a_file)
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


def run_sample(options: argparse.Namespace) -> int:
    """Build, serve, and run the graph."""
    return SampleRun(
        folder=options.folder,
        sources=options.source,
        dump=options.dump,
        faults=_faults(options),
        workers=options.workers,
        executor=options.executor,
        harvest=options.harvest,
        languages=options.languages,
        kind=options.kind,
    ).run()


def _sentence(built: Built) -> str:
    """What was built, for people."""
    passed_over = ", ".join(f"{reason} {n:,}" for reason, n in sorted(built.passed_over.items()))
    return (
        f"built dump {built.dump}: {built.pages:,} pages in {built.warc_files:,} WARC files, "
        f"{built.bytes_written:,} bytes" + (f"; passed over: {passed_over}" if passed_over else "")
    )


def _faults(options: argparse.Namespace) -> Faults:
    try:
        return parse_faults(options.fault)
    except ValueError as error:
        raise ConfigError(f"--fault: {error}") from error


def build(out: Path, sources: Sequence[Path], dump: str, *, harvest: bool = False) -> Built:
    """Build a crawl from the sources, or, when there are none, from the bundled pages.

    The bundled crawl holds more than pages, and one record damaged in each way; with `harvest` it
    is that of `harvest_pages`.
    """
    if harvest:
        return build_crawl(harvest_pages(), out, dump=dump, with_extras=False)
    if sources:
        return build_crawl(sources, out, dump=dump, with_extras=False)
    return build_crawl(bundled_pages(), out, dump=dump, damage=BUNDLED_DAMAGE)


@dataclass(frozen=True)
class SampleRun:
    """One run of the graph over a sample crawl.

    Args:
        folder: gets `crawl/`, `data/`, `logs/` and `luigi.cfg`.
        sources: folders of HTML pages, WARC files, or nothing for the bundled pages.
        dump: the id under which the crawl is built.
        faults: how often the server misbehaves.
        workers: of the local executor.
        executor: `local`, or `slurm` where there is one to be reached.
        harvest: whether to harvest Latvian out of a crawl of its own.
        languages: codes of those to select, with commas between; the settings' when empty.
        kind: a `SourceKind`: what the graph takes the crawl's pages for. Of the others than
            common_crawl, `own/` holds the files.
    """

    folder: Path
    sources: Sequence[Path]
    dump: str
    faults: Faults
    workers: int
    executor: str = "local"
    harvest: bool = False
    languages: str = ""
    kind: str = str(SourceKind.COMMON_CRAWL)

    @property
    def is_own(self) -> bool:
        """Whether the pages are taken for files of one's own."""
        return self.kind != SourceKind.COMMON_CRAWL

    def run(self) -> int:
        """Build, serve, run, and print what came out; returns the exit status."""
        self._empty()
        crawl = self.folder / "crawl"
        print(f"building a crawl in {crawl}", flush=True)
        print(_sentence(build(crawl, self.sources, self.dump, harvest=self.harvest)), flush=True)
        if self.is_own:
            own = own_files(crawl, self.folder / "own", self.dump, self.kind)
            print(f"of it, as {self.kind}: {own}", flush=True)
        with CrawlServer(self.folder / "crawl", self.faults) as server:
            settings = self._write_settings(server.url)
            status = self._run_graph(settings)
        if status == 0:
            self._show()
        return status

    @property
    def name(self) -> str:
        """Of what the graph works on."""
        return f"own-{self.kind}" if self.is_own else self.dump

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
        path = self.folder / "luigi.cfg"
        folder = self.folder.absolute()
        values = {"workers": self.workers, "executor": self.executor}
        selection = HARVEST_SELECTION if self.harvest else ""
        of_harvest = (one.harvest_settings for one in declared(SampleTask) if self.harvest)
        written = SETTINGS.format(folder=folder, url=url, selection=selection, **values)
        own = f"[source]\nkind = {self.kind}\npath = {folder}/own\n" if self.is_own else ""
        path.write_text(written + "".join(of_harvest) + own)
        return path

    def _run_graph(self, settings: Path) -> int:
        languages = HARVEST if self.harvest else self.languages
        said = ["--dump", self.name, *(["--languages", languages] if languages else [])]
        wanted = [("ExportCorpus", *said)]
        for extra in declared(SampleTask):
            if all(map(find_spec, extra.packages)):
                wanted.append((extra.task, *said))
            else:
                print(f"{extra.task} is left out, for it needs more: {extra.install}", flush=True)
        environment = {**os.environ, "LUIGI_CONFIG_PATH": str(settings.absolute())}
        for words in wanted:
            command = [sys.executable, "-P", "-m", "skord", "run", *words]
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
