"""The facts of a dataset card on the tasks that made the corpus, out of their manifests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from skord.core.dumps import source_of
from skord.core.storage.column_store import ColumnStore
from skord.publishing.card.dataset_card import CardFacts, funnel_of_manifests, settings_shown
from skord.quality.features import publishable
from skord.quality.limits import Limits


def card_facts(
    store: ColumnStore,
    tasks: Sequence[str],
    words: Mapping[str, Any],
    scores: Sequence[str],
    limits: Limits,
    kinds: Sequence[str],
    models: Mapping[str, Sequence[str]],
    beside: Sequence[str] = (),
) -> CardFacts:
    """The facts of one dump.

    The card describes `tasks`, in graph order; `words` are title, licence, licence_link and contact,
    `scores` measures and labels that are columns, `kinds` those of stand-ins, `models` those of
    each task with digests, and `beside` the tasks on request whose columns decide or are published.
    """
    own = source_of(store.dump, store.storage)
    manifests: dict[str, Any] = {task: store.manifest(task) for task in (*tasks, *beside)}
    return CardFacts(
        dump=store.dump,
        **words,
        scores={one.name: one.description for one in publishable() if one.name in scores},
        limits={
            name: [float(limit) if math.isfinite(limit) else None for limit in pair]
            for name, pair in sorted(limits.items())
        },
        kinds=list(kinds),
        stages=funnel_of_manifests({task: manifests[task] for task in tasks}),
        settings={
            task: settings_shown(manifest["settings"]) for task, manifest in manifests.items()
        },
        models={task: list(names) for task, names in models.items()},
        version=version("skord"),
        stamps={task: manifest["stamp"] for task, manifest in manifests.items()},
        source=str(own.kind) if own.is_own else "",
    )
