"""Canaries: known pages that go through the graph before a run, and must end as they should."""

from __future__ import annotations

from skord.extras import Function, GraphCheck, TaskModule

DECLARES = (
    TaskModule("skord.extras.canaries.check"),
    GraphCheck(Function("skord.extras.canaries.check", "check_canaries")),
)
