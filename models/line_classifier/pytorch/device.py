"""Where torch computes in this process: on a GPU if it is given one, else on the CPU."""

from __future__ import annotations

import logging
import os

logger = logging.getLogger("luigi-interface")


def torch_device() -> str:
    """ "cuda" or "cpu", whose threads are set; warns where a GPU was given and none is found."""
    import torch  # noqa: PLC0415 - only for models that need it

    torch.set_num_threads(thread_count())
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    if device == "cpu" and given not in ("", "-1"):
        logger.warning(
            "a GPU was given (CUDA_VISIBLE_DEVICES=%s), but torch finds none: computing on the CPU",
            given,
        )
    return device


def thread_count() -> int:
    """Threads for one process: as the job or the pool of workers says, else all cores."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    return int(given) if given.isdigit() and int(given) else len(os.sched_getaffinity(0))
