"""Who was given a GPU that torch does not find hears of it."""

from __future__ import annotations

import logging
import os
from importlib.util import find_spec

import pytest

from skord.models.line_classifier.pytorch.device import thread_count, torch_device

pytestmark = [
    pytest.mark.skipif(not find_spec("torch"), reason="torch is not installed"),
    pytest.mark.filterwarnings("default"),
]


@pytest.mark.parametrize(("given", "is_told"), [("", False), ("-1", False), ("99", True)])
def test_a_gpu_that_was_given_and_is_not_there_is_told_of(monkeypatch, caplog, given, is_told):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", given)
    with caplog.at_level(logging.WARNING, "luigi-interface"):
        device = torch_device()
    if device == "cpu":
        assert ("computing on the CPU" in caplog.text) == is_told


def test_as_many_threads_as_said_or_as_cores_that_this_process_may_use(monkeypatch):
    may_use = os.sched_getaffinity(0)
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert thread_count() == 3
    monkeypatch.setenv("OMP_NUM_THREADS", "0")
    assert thread_count() == len(may_use)
    monkeypatch.delenv("OMP_NUM_THREADS")
    try:
        os.sched_setaffinity(0, {min(may_use)})
        assert thread_count() == 1
    finally:
        os.sched_setaffinity(0, may_use)
