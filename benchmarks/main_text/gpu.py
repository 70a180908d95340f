"""Pages a second by the embedded line classifier on a GPU, and what bounds them.

Features and rules are computed on the CPU. So one process is measured as a whole, its network
with all features given, its features alone, and some processes that share the GPU.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.measuring import BenchmarkError
from skord.html.line_context import LineContext
from skord.models.line_classifier.embedded import read_embedded

GATHERING_S = 300
"""Seconds for all processes to have started and to have loaded the model."""


class GpuRates(NamedTuple):
    """Pages a second.

    Attributes:
        features: of a CPU second of one core, all that the network is shown.
        network: features given, copied to the GPU and logits back.
        alone: Markdown and HTML given, by one process.
        together: by all processes.
    """

    features: float
    network: float
    alone: float
    together: float


def gpu_rates(
    texts: Sequence[str], contexts: Sequence[LineContext], device: str, processes: int, rounds: int
) -> GpuRates:
    """Each the best of some rounds, after one that does not count.

    Args:
        texts, contexts: of pages.
        device: "cuda"; "cpu" shows that it works.
        processes: how many share the GPU.
        rounds: of each figure.
    """
    from skord.models.line_classifier.pytorch.embedded import (  # noqa: PLC0415 - torch
        GpuClassifier,
        GpuNetwork,
        page_batches,
    )

    embedded = read_embedded()
    assert embedded.with_context is not None
    classifier = GpuClassifier(embedded, device)
    network = GpuNetwork(embedded.with_context, device)

    def shown() -> list[Any]:
        return [embedded.shown(*page) for page in zip(texts, contexts, strict=True)]

    given = [page for page in shown() if page.context]
    features = _best(shown, rounds, time.process_time)
    of_network = _best(lambda: [network.judged(some) for some in page_batches(given)], rounds)
    alone = _best(lambda: classifier.logits(texts, contexts), rounds)
    together = _together(texts, contexts, device, processes, rounds)
    count = len(texts)
    return GpuRates(count / features, len(given) / of_network, count / alone, together)


def _best(
    work: Callable[[], object], rounds: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds of the fastest call; the first does not count. Logits are waited for."""
    spent = []
    for _ in range(rounds + 1):
        start = clock()
        work()
        spent.append(clock() - start)
    return min(spent[1:])


def _together(
    texts: Sequence[str], contexts: Sequence[LineContext], device: str, processes: int, rounds: int
) -> float:
    """Pages a second from the start of the first process's work to the end of the last one's."""
    context = multiprocessing.get_context("spawn")
    barrier, spans = context.Barrier(processes), context.SimpleQueue()
    given = (texts, contexts, device, rounds, barrier, spans)
    started = [context.Process(target=_one_process, args=given) for _ in range(processes)]
    for process in started:
        process.start()
    for process in started:
        process.join()
    if any(process.exitcode for process in started):
        raise BenchmarkError("a process that shares the GPU has failed")
    results = [spans.get() for _ in started]
    first, last = min(start for start, _ in results), max(end for _, end in results)
    return len(texts) * rounds * processes / (last - first)


def _one_process(
    texts: Sequence[str],
    contexts: Sequence[LineContext],
    device: str,
    rounds: int,
    barrier: Any,
    spans: Any,
) -> None:
    """Load the model, compute once, wait for the others, and tell when the rounds were."""
    from skord.models.line_classifier.pytorch.embedded import GpuClassifier  # noqa: PLC0415 - torch

    classifier = GpuClassifier(read_embedded(), device)
    classifier.logits(texts, contexts)
    barrier.wait(GATHERING_S)
    start = time.monotonic()  # of the whole machine
    for _ in range(rounds):
        classifier.logits(texts, contexts)
    spans.put((start, time.monotonic()))
