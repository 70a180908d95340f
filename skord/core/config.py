"""The sections of luigi.cfg that belong to no single task."""

from __future__ import annotations

from collections.abc import Sequence

import luigi

from skord.core.failures import ConfigError
from skord.core.settings import use_package_defaults
from skord.core.storage.filesystem import Storage

use_package_defaults()


class pipeline(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [pipeline]
    """Where results lie and what may be replaced."""

    data_dir = luigi.Parameter(default="data")
    replace = luigi.BoolParameter(default=False, parsing=luigi.BoolParameter.EXPLICIT_PARSING)
    min_free_gb = luigi.FloatParameter(default=1.0)
    batch_documents = luigi.IntParameter(default=500)
    verbose = luigi.BoolParameter(default=False)
    debug = luigi.BoolParameter(default=False)
    summary = luigi.BoolParameter(default=True, parsing=luigi.BoolParameter.EXPLICIT_PARSING)
    strict = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="whether a task whose yields look odd is not completed",
    )


class sites(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [sites]
    """Pages of which sites are selected."""

    only: Sequence[str] = luigi.ListParameter(default=())
    only_files: Sequence[str] = luigi.ListParameter(
        default=(), description="files of such sites, one on a line"
    )
    never: Sequence[str] = luigi.ListParameter(
        default=(), description="sites whose pages are not selected"
    )
    never_files: Sequence[str] = luigi.ListParameter(
        default=(), description="files of such sites, one on a line"
    )
    only_networks: Sequence[str] = luigi.ListParameter(default=())
    never_networks: Sequence[str] = luigi.ListParameter(
        default=(), description="networks whose pages are not selected"
    )
    either = luigi.BoolParameter(
        default=False,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="take pages of only's sites or of only_networks; else pages of both",
    )


class languages(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [languages]
    """Languages of one's own."""

    folder = luigi.Parameter(
        default="",
        description="LANG.toml, models and grammars of your own languages, before the shipped",
    )


class executor(luigi.Config):  # noqa: N801 - the section of luigi.cfg is [executor]
    """Where shards run."""

    kind = luigi.Parameter(default="local")
    network_kind = luigi.Parameter(
        default="",
        description="kind for the tasks that need the internet, where compute nodes have none; "
        "empty: the same as the others",
    )
    workers = luigi.IntParameter(default=-1)
    memory_gb = luigi.FloatParameter(default=0.0)
    log_dir = luigi.Parameter(default="logs")
    run_ahead = luigi.BoolParameter(default=False, parsing=luigi.BoolParameter.EXPLICIT_PARSING)
    progress = luigi.BoolParameter(
        default=True,
        parsing=luigi.BoolParameter.EXPLICIT_PARSING,
        description="show how far a phase is, its rate and the time left",
    )


def open_storage() -> Storage:
    """The storage that [pipeline] data_dir names.

    Raises:
        ConfigError: it names none.
    """
    if not pipeline().data_dir:
        raise ConfigError("[pipeline] data_dir is empty: name a folder, as in data_dir = data")
    return Storage(pipeline().data_dir)
