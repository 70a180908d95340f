"""Pages a second by the embedded line classifier, beside a Longformer of the published size.

    make bench-line-classifier ARGS="--pages pages.jsonl.gz --count 300"

At least 300 pages/s on one core, Markdown given, and 20× the other model on the same core, in
at most 1.5 GB. The other model has the shape of XLM-RoBERTa-Longformer-base, of which the
published extractor is made (12 layers of 768, 250,002 words, windows of 16,384 tokens,
attention to 512), and weights by chance: they cost what trained ones cost. A page counts as
one token for each CHARS_PER_TOKEN of its Markdown. CPU time on one thread; the embedded model
takes turns with and without the pages' HTML; class names are new to it in every round, for it
remembers none.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.conversion.pages import pages_of
from benchmarks.measuring import BenchmarkError, print_table
from skord.core.failures import DocumentError
from skord.html.charset.decode import decode
from skord.html.converter import convert_page
from skord.html.line_context import LineContext, line_context
from skord.models.line_classifier.load import load_line_classifier
from skord.native import vector_width

CHARS_PER_TOKEN = 4
WINDOW_TOKENS = 16_384
LAYERS, WIDTH, INNER, VOCABULARY, REACH = 12, 768, 3072, 250_002, 512


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


def published_size() -> Any:
    """A model of the published size, weights by chance."""
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
    return transformers.LongformerForTokenClassification(config).eval()


def published_rate(pages: Sequence[Given]) -> float:
    """Pages a CPU second by the model of the published size."""
    import torch  # noqa: PLC0415 - it would count in the embedded model's memory

    torch.set_num_threads(1)
    model = published_size()
    windows = window_sizes([len(page.markdown) for page in pages])

    def run() -> None:
        with torch.inference_mode():
            for size in windows:
                ids = torch.randint(5, VOCABULARY, (1, size))
                model(input_ids=ids, attention_mask=torch.ones_like(ids))

    return len(pages) / cpu_s(run)


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


def main() -> None:
    """Print the table and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=Path, nargs="*", default=[])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--large-pages", type=int, default=2, help="pages for the other model")
    chosen = parser.parse_args()
    if chosen.large_pages < 1:
        parser.error("--large-pages must be at least 1: the other model is what is compared with")
    pages = converted(chosen.pages, chosen.count)
    alone, together = embedded_rates(pages, chosen.rounds)
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    by_size = sorted(pages, key=lambda page: len(page.markdown))
    step = max(len(pages) // (chosen.large_pages + 1), 1)
    few = by_size[step::step][: chosen.large_pages]
    same, _ = embedded_rates(few, chosen.rounds)
    large = published_rate(few)
    rows = [
        ["embedded, Markdown alone", len(pages), alone],
        ["embedded, with HTML", len(pages), together],
        ["embedded, the pages below", len(few), same],
        ["Longformer-base", len(few), large],
    ]
    print_table(["model", "pages", "pages/s"], rows)
    chars = sum(len(page.markdown) for page in pages) / len(pages)
    print(f"\n{chars:.0f} characters a page; peak before the large model {peak_mb:.0f} MB")
    rate = f"{alone:.0f} pages/s; {vector_width()}"
    print(f"line-classifier: {same / large:.1f}× Longformer-base; {rate}")


if __name__ == "__main__":
    main()
