"""The main text of many pages, in several processes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from multiprocessing import get_context
from typing import TypeVar

from skord.core.failures import ConfigError, DocumentError, FailureCode, PipelineError
from skord.one_page import ExtractedPage, extract_page

Item = TypeVar("Item")
Result = TypeVar("Result")

AHEAD = 4
"""Items that each process has waiting: memory holds no more of them."""

HTML = bytes | str


def extract_many(
    pages: Iterable[HTML | tuple[HTML, str | None]],
    *,
    workers: int = 1,
    threshold: float | None = None,
) -> Iterator[ExtractedPage | DocumentError]:
    """The main text of many pages, with what each states about itself.

    Args:
        pages: the HTML of each, or its HTML and the address where it was found. They are taken as
            results are asked for, a few ahead of them.
        workers: processes. With more than one, a script has to stand under
            `if __name__ == "__main__":`, since each process imports it.
        threshold: least probability of a line that is kept; chosen for each page when None.

    Yields:
        One result for each page, in their order: the page, or the error of one that has no text.

    Raises:
        ConfigError: workers is below 1.
        PipelineError: a process died.

    >>> pages = ["<article><p>I går öppnades bron mellan torget och hamnen.</p></article>", b""]
    >>> [str(page) if isinstance(page, DocumentError) else page.text for page in extract_many(pages)]
    ['I går öppnades bron mellan torget och hamnen.', 'empty_page']
    """
    jobs = ((page, None) if isinstance(page, (bytes, str)) else page for page in pages)
    for result in map_in_order(partial(_page_or_code, threshold=threshold), jobs, workers):
        yield result if isinstance(result, ExtractedPage) else DocumentError(*result)


def _page_or_code(
    job: tuple[HTML, str | None], *, threshold: float | None
) -> ExtractedPage | tuple[FailureCode, str]:
    """A page, or why it has none; an error with two arguments does not survive pickling."""
    try:
        return extract_page(*job, threshold)
    except DocumentError as error:
        return error.code, error.detail


def map_in_order(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """What a function of a module makes of each item, in their order, by so many processes.

    Raises:
        ConfigError: workers is below 1.
        PipelineError: a process died.
    """
    if workers < 1:
        raise ConfigError(f"{workers} processes: give 1 or more")
    if workers == 1:
        yield from map(function, items)
        return
    waiting: deque[Future[Result]] = deque()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) > AHEAD * workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool as error:
            raise PipelineError(
                "a process that extracts pages died: ask for fewer, and have a script that starts "
                'them stand under if __name__ == "__main__"'
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)
