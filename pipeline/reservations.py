"""Find what owners say against the use of their pages: DetectReservations.

It stands beside ConvertToMarkdown and reads the same records; ExportCorpus reads it where
`[ExportCorpus] reservations` names signals that decide.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import luigi
import pyarrow as pa

from pipeline.cc_net import CCNet
from pipeline.warc_processing import FetchHTMLDocuments
from skord.core.failures import ConfigError
from skord.core.storage.column_store import SHARD
from skord.core.tasks.document_task import DocumentTask, Process, each_document
from skord.core.tasks.phases import Phase
from skord.core.tasks.sharded_task import ShardedTask
from skord.crawl.config import open_crawl
from skord.crawl.http.client import CrawlError, parse_paths
from skord.crawl.warc.records import read_response
from skord.rights.page_signals import page_reservations
from skord.rights.reservations import AGENTS, RESERVATIONS_TYPE
from skord.rights.site_files import SITE_FILES_SCHEMA, files_in_warc, origin_of, site_files
from skord.rights.site_signals import SiteFiles, site_statements

PATHS, SITES = "paths", "sites"


def paths_schema() -> pa.Schema:
    """The crawl's files of robots.txt, and which element reads each."""
    return pa.schema([("element", pa.int32()), ("file", pa.string())])


class DetectReservations(DocumentTask):
    """What headers, markup and files of the site say against the use of each page.

    The files are robots.txt as the crawl archived it, and whatever of robots.txt, ai.txt and
    /.well-known/tdmrep.json `site_warcs` hold, since the crawl does not ask for the last two.

    Columns: `reservations` (each with its source as in `rights.reservations.Source`, the agent
    that it addresses and its words; empty where nobody says no).
    """

    version = 3
    on_request: ClassVar[bool] = True

    reads = {FetchHTMLDocuments: ["record"], CCNet: ["url"]}

    schema = pa.schema([("reservations", RESERVATIONS_TYPE)])

    agents: Sequence[str] = luigi.ListParameter(
        default=AGENTS, description="crawlers whose rules in robots.txt are looked for"
    )
    crawled_robots = luigi.BoolParameter(
        default=True,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="read the robots.txt files that the crawl archived",
    )
    site_warcs: Sequence[str] = luigi.ListParameter(
        default=(), description="WARC files with robots.txt, ai.txt, tdmrep.json of your own"
    )
    files_at_once = luigi.IntParameter(
        default=300, significant=False, description="elements that read the crawl's robots.txt"
    )

    def check(self) -> None:
        """WARC files of one's own must be there."""
        missing = [path for path in self.site_warcs if not Path(path).is_file()]
        if missing:
            raise ConfigError(f"[DetectReservations] site_warcs: {missing[0]} is not there")

    def fingerprint_parts(self) -> Sequence[str]:
        """WARC files of one's own count by size, for names may stay when content changes."""
        return [f"{Path(path).name}: {Path(path).stat().st_size}" for path in self.site_warcs
                if Path(path).is_file()]  # fmt: skip

    @property
    def needs_network(self) -> bool:
        """The crawl's robots.txt files are asked for."""
        return bool(self.crawled_robots)

    def upstream(self) -> Sequence[ShardedTask]:
        """The records, and the pages' addresses."""
        return [FetchHTMLDocuments(**self.shared_params()), CCNet(**self.shared_params())]

    def phases(self) -> Sequence[Phase]:
        """The crawl's list of robots.txt files, those of sites with pages here, then each page."""
        return [
            Phase(PATHS, lambda: 1, self.list_paths, transient=True),
            Phase(SITES, self._num_groups, self.gather_sites, transient=True),
            Phase(SHARD, self.num_shards, self.run_shard),
        ]

    def _num_groups(self) -> int:
        return int(self.files_at_once) if self.crawled_robots else 1

    def list_paths(self, number: int) -> None:
        """Have the list once, so that a crawl without one is reported once."""
        groups = self._num_groups()
        paths = self._robots_paths() if self.crawled_robots else ()
        rows = sorted((place % groups, path) for place, path in enumerate(paths))
        columns = [[element for element, _ in rows], [path for _, path in rows]]
        table = pa.table(columns, schema=paths_schema())
        path = self.store.path(self.task_family, number, PATHS)
        self.store.write_sorted(path, table, self.fingerprint)

    def _robots_paths(self) -> Sequence[str]:
        listed = f"crawl-data/CC-MAIN-{self.dump}/robotstxt.paths.gz"
        try:
            with open_crawl() as crawl:
                return parse_paths(crawl.get(listed))
        except (CrawlError, ValueError) as error:
            raise ConfigError(
                f"{listed} cannot be had ({error}): check [crawl] base_url, or set "
                "[DetectReservations] crawled_robots = false"
            ) from error

    def gather_sites(self, number: int) -> None:
        """Files of the wanted sites in one group of WARC files, sorted by shard."""
        shards_of = self._shards_of_origins()
        rows = [
            {**row, "shard": shard}
            for row in self._site_rows(number, set(shards_of))
            for shard in shards_of[row["origin"]]
        ]
        table = pa.Table.from_pylist(rows, schema=SITE_FILES_SCHEMA)
        table = table.sort_by(
            [(name, "ascending") for name in ("shard", "origin", "name", "date", "text")]
        )
        path = self.store.path(self.task_family, number, SITES)
        self.store.write_sorted(path, table, self.fingerprint)

    def _shards_of_origins(self) -> Mapping[str, set[int]]:
        shards: dict[str, set[int]] = {}
        for shard in range(self.num_shards()):
            urls = self.store.read_table(self.store.path(str(CCNet.__name__), shard), ["url"])
            for url in urls["url"].to_pylist():
                if origin := origin_of(url):
                    shards.setdefault(origin, set()).add(shard)
        return shards

    def _site_rows(self, number: int, wanted: set[str]) -> Iterator[dict[str, Any]]:
        if number == 0:
            for own in self.site_warcs:
                yield from files_in_warc(Path(own), wanted)
        listed = self.store.path(self.task_family, 0, PATHS)
        paths = self.store.read_slice(listed, number, number + 1)["file"].to_pylist()
        if not paths:
            return
        with open_crawl() as crawl, tempfile.TemporaryDirectory() as folder:
            for path in paths:
                file = Path(folder, "robots.warc.gz")
                crawl.download(path, file, gzip=True)
                yield from files_in_warc(file, wanted)

    @contextlib.contextmanager
    def open_shard(self, shard: int) -> Iterator[Process]:
        """The files of the shard's sites."""
        parts = [
            self.store.read_slice(
                self.store.path(self.task_family, number, SITES), shard, shard + 1
            )
            for number in range(self._num_groups())
        ]
        yield partial(self._detect, site_files(pa.concat_tables(parts).to_pylist()))

    def _detect(self, sites: Mapping[str, SiteFiles], batch: pa.Table) -> pa.Table:
        agents = tuple(self.agents)

        def detected(record: bytes, url: str) -> dict[str, Any]:
            response = read_response(record)
            site = site_statements(sites.get(origin_of(url), SiteFiles()), agents)
            reservations = [
                *site.reservations(url),
                *page_reservations(response.http_headers, response.body, agents, site.tdm_at(url)),
            ]
            return {"reservations": [one._asdict() for one in dict.fromkeys(reservations)]}

        return each_document(batch, detected, self.schema)

    def count(self, table: pa.Table) -> Mapping[str, int]:
        """How many pages each source reserves, and how many are reserved at all."""
        lists = [codes for codes in table["reservations"].to_pylist() if codes]
        counts = Counter(
            f"reserved.{source}" for codes in lists for source in {one["source"] for one in codes}
        )
        return {**counts, "reserved": len(lists)}
