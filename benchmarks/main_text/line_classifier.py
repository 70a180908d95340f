"""Pages a second by the embedded line classifier, beside a Longformer of the published size.

    make bench-line-classifier ARGS="--pages pages.jsonl.gz --count 300"
    make bench-line-classifier ARGS="--device cuda --pages pages.jsonl.gz"

At least 300 pages/s on one core, Markdown given, and 20× the other model on the same core, in
at most 1.5 GB. The other model has the shape of XLM-RoBERTa-Longformer-base, of which the
published extractor is made (12 layers of 768, 250,002 words, windows of 16,384 tokens,
attention to 512), and weights by chance: they cost what trained ones cost. A page counts as
one token for each CHARS_PER_TOKEN of its Markdown. CPU time on one thread; the embedded model
takes turns with and without the pages' HTML; class names are new to it in every round, for it
remembers none.

With `--device cuda` both also compute in bf16 on the GPU, in wall time: the embedded one (at
least 20,000 pages/s) as `line_classifier_gpu` says, by `--processes` that share it, and the other
with its share of the GPU's matrix rate.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.conversion.pages import pages_of
from benchmarks.main_text.gpu import gpu_rates
from benchmarks.measuring import BenchmarkError, print_table
from skord.core.failures import DocumentError
from skord.html.charset.decode import decode
from skord.html.converter import convert_page
from skord.html.line_context import LineContext, line_context
from skord.models.line_classifier.load import load_line_classifier
from skord.models.line_classifier.pytorch.device import torch_device
from skord.models.line_classifier.pytorch.transformers_model import BATCH_TOKENS
from skord.native import vector_width

CHARS_PER_TOKEN = 4
WINDOW_TOKENS = 16_384
LAYERS, WIDTH, INNER, VOCABULARY, REACH = 12, 768, 3072, 250_002, 512
MATRIX_TFLOPS = {"H200": 989, "H100": 989, "A100": 312}
"""Dense bf16 by the makers' data sheets."""


class Given(NamedTuple):
    """One page as ConvertToMarkdown hands it on."""

    markdown: str
    context: LineContext


def converted(files: Sequence[Path], count: int) -> list[Given]:
    """Pages by the fast converter; those that cannot be converted are left out."""
    given = []
    for body in pages_of(files, count):
        html = decode(body, None).text
        try:
            markdown = convert_page(html)
        except DocumentError:
            continue
        given.append(Given(markdown, line_context(html, markdown)))
    if not given:
        raise BenchmarkError("no page could be converted")
    return given


def cpu_s(work: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def embedded_rates(pages: Sequence[Given], rounds: int) -> tuple[float, float]:
    """Pages a CPU second, Markdown alone and with the HTML around the lines; medians."""
    classifier = load_line_classifier("embedded")
    texts = [page.markdown for page in pages]
    contexts = [page.context for page in pages]
    classifier.logits(texts[:20], contexts[:20])
    alone, together = [], []
    for _ in range(rounds):
        alone.append(len(pages) / cpu_s(lambda: classifier.logits(texts)))
        together.append(len(pages) / cpu_s(lambda: classifier.logits(texts, contexts)))
    return statistics.median(alone), statistics.median(together)


def published_size(device: str) -> Any:
    """A model of the published size, weights by chance; bf16 on a GPU."""
    import torch  # noqa: PLC0415

    transformers: Any = import_module("transformers")
    config = transformers.LongformerConfig(
        vocab_size=VOCABULARY,
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=12,
        intermediate_size=INNER,
        max_position_embeddings=WINDOW_TOKENS + 2,
        attention_window=REACH,
        pad_token_id=1,
        sep_token_id=2,
        num_labels=1,
    )
    model = transformers.LongformerForTokenClassification(config).eval()
    return model.to(device, torch.bfloat16 if device == "cuda" else torch.float32)


def published_rate(pages: Sequence[Given], device: str) -> tuple[float, float]:
    """Pages a second by the model of the published size, and operations (FLOP) a second.

    CPU seconds on a CPU, wall seconds on a GPU, whose clock is waited for.
    """
    import torch  # noqa: PLC0415

    model = published_size(device)
    windows = window_sizes([len(page.markdown) for page in pages])
    calls = calls_of(windows, BATCH_TOKENS[device] if device == "cuda" else 0)

    def run() -> None:
        with torch.inference_mode():
            for sizes in calls:
                ids = torch.full((len(sizes), max(sizes)), 1, device=device)
                for row, size in enumerate(sizes):
                    ids[row, :size] = torch.randint(5, VOCABULARY, (size,), device=device)
                model(input_ids=ids, attention_mask=(ids != 1).long())
        if device == "cuda":
            torch.cuda.synchronize()

    if device == "cuda":
        run()
        start = time.perf_counter()
        run()
        spent = time.perf_counter() - start
    else:
        spent = cpu_s(run)
    return len(pages) / spent, sum(windows) * flop_per_token() / spent


def window_sizes(characters: Sequence[int]) -> list[int]:
    """Tokens of each window of pages of so many characters.

    >>> window_sizes([8, 70_000])
    [2, 16384, 1116]
    """
    tokens = [max(count // CHARS_PER_TOKEN, 1) for count in characters]
    return [
        min(WINDOW_TOKENS, count - start)
        for count in tokens
        for start in range(0, count, WINDOW_TOKENS)
    ]


def calls_of(windows: Sequence[int], most_tokens: int) -> list[list[int]]:
    """Windows of like size in calls of so many tokens, padding included, or of one window.

    >>> calls_of([3, 9, 4, 8], 16)
    [[9], [8, 4], [3]]
    """
    calls: list[list[int]] = []
    for size in sorted(windows, reverse=True):
        if calls and (len(calls[-1]) + 1) * calls[-1][0] <= most_tokens:
            calls[-1].append(size)
        else:
            calls.append([size])
    return calls


def flop_per_token() -> float:
    """Multiplications and additions of one token: matrices, and attention to REACH others."""
    matrices = 4 * WIDTH * WIDTH + 2 * WIDTH * INNER
    return 2.0 * LAYERS * (matrices + 2 * WIDTH * (REACH + 1))


def main() -> None:
    """Print the table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large-pages", type=int, default=2, help="pages for the other model")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    cores = len(os.sched_getaffinity(0))
    parser.add_argument("--processes", type=int, default=cores, help="that share the GPU")
    chosen = parser.parse_args()
    if chosen.device == "cuda" and torch_device() != "cuda":
        parser.error("--device cuda, but torch finds no GPU on this machine")
    if chosen.large_pages < 1:
        parser.error("--large-pages must be at least 1: the other model is what is compared with")
    pages = converted(chosen.pages, chosen.count)
    alone, together = embedded_rates(pages, chosen.rounds)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

    import torch  # noqa: PLC0415 - it would count in the embedded model's memory

    torch.set_num_threads(1)
    by_size = sorted(pages, key=lambda page: len(page.markdown))
    step = max(len(pages) // (chosen.large_pages + 1), 1)
    few = pages if chosen.device == "cuda" else by_size[step::step][: chosen.large_pages]
    same, _ = embedded_rates(few, chosen.rounds)
    large, flop_s = published_rate(few, chosen.device)
    rows = [
        ["embedded, Markdown alone", len(pages), alone],
        ["embedded, with HTML", len(pages), together],
        ["embedded, the pages below", len(few), same],
        [f"Longformer-base, {chosen.device}", len(few), large],
    ]
    if chosen.device == "cuda":
        rows += on_gpu(pages, chosen.processes, chosen.rounds)
    print_table(["model", "pages", "pages/s"], rows)
    chars = sum(len(page.markdown) for page in pages) / len(pages)
    print(f"\n{chars:.0f} characters a page; peak before the large model {peak_mb:.0f} MB")
    if chosen.device == "cuda":
        print(share_of_gpu(torch.cuda.get_device_name(), flop_s))
    rate = f"{alone:.0f} pages/s; {vector_width()}"
    print(f"line-classifier: {same / large:.1f}× Longformer-base; {rate}")


def on_gpu(pages: Sequence[Given], processes: int, rounds: int) -> list[list[Any]]:
    """Rows of the table for the embedded model on the GPU."""
    texts, contexts = [page.markdown for page in pages], [page.context for page in pages]
    rates = gpu_rates(texts, contexts, "cuda", processes, rounds)
    names = ("its features, one core", "its network, cuda", "embedded, cuda, one process")
    names += (f"embedded, cuda, {processes} processes",)
    return [[name, len(pages), rate] for name, rate in zip(names, rates, strict=True)]


def share_of_gpu(name: str, flop_s: float) -> str:
    """What a GPU computed, beside what its maker says of it.

    >>> share_of_gpu("NVIDIA H200", 98.9e12)
    'NVIDIA H200: 98.9 TFLOP/s, 10.0% of its bf16 rate'
    """
    rate = next((rate for gpu, rate in MATRIX_TFLOPS.items() if gpu in name), None)
    share = f", {flop_s / rate / 1e12:.1%} of its bf16 rate" if rate else ""
    return f"{name}: {flop_s / 1e12:.1f} TFLOP/s{share}"


if __name__ == "__main__":
    main()
