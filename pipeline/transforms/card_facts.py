"""What the manifests of all tasks say, in the form that a dataset card shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Manifest = Mapping[str, Any]

Stage = tuple[str, int, Mapping[str, int]]
"""A task, the documents that left it, and how many it lost, why."""


def stages(manifests: Mapping[str, Manifest]) -> list[Stage]:
    """Documents through the tasks, in the order of the manifests.

    >>> stages({"WARCIndex": {"counts": {"judged": 9, "failure.not_in_index": 1}}})
    [('WARCIndex', 8, {'not_in_index': 1})]
    """
    return [_stage(task, manifest) for task, manifest in manifests.items()]


def _stage(task: str, manifest: Manifest) -> Stage:
    counts: Mapping[str, int] = manifest["counts"]
    failures = _named(counts, "failure.")
    if task == "CCNet":
        return task, int(manifest["rows"]), _named(counts, "refused.")
    if task == "FilterDocuments":
        return task, counts.get("passes", 0), {**failures, **_named(counts, "filter.")}
    if task == "Deduplicate":
        removed = counts.get("removed", 0)
        lost = {**failures, "near_duplicate": removed} if removed else failures
        return task, counts.get("kept", 0), lost
    return task, counts.get("judged", 0) - sum(failures.values()), failures


def _named(counts: Mapping[str, int], prefix: str) -> dict[str, int]:
    return {k.removeprefix(prefix): n for k, n in counts.items() if k.startswith(prefix) and n}


def settings_shown(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings fit to be published: what is empty is left out, and of a path the folders are.

    >>> settings_shown({"dump": "2024-10", "rule": "any", "limits": "{}",
    ...                 "lid_model_path": "/home/anna/lid.bin"})
    {'rule': 'any', 'lid_model_path': 'lid.bin'}
    """
    shown = {
        name: value.rsplit("/", 1)[-1] if name.endswith(("_path", "_models", "_files")) else value
        for name, value in settings.items()
        if name != "dump" and value not in ("", "{}", "[]", "()")
    }
    return {name: " ".join(value.split()) for name, value in shown.items()}
