r"""What a line classifier is, and the one that a setting names.

A page is Markdown whose lines end in "\n", and in nothing else: U+2028, U+0085, \f, \v and
\r are characters of a line. (`str.splitlines` counts them as line ends; labels counted one
way and lines the other keep the wrong lines.) Text after the last "\n" is no line and has no
logit; the converter's Markdown always ends in "\n".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.torch_device import torch_device
from pipeline.core.failures import ConfigError
from pipeline.html.line_context import LineContext

EMBEDDED = "embedded"
EMBEDDED_WITH_CODE = "embedded-with-code"
EMBEDDED_BF16 = "embedded-bf16"
EMBEDDED_NAMES = frozenset(["", EMBEDDED, EMBEDDED_WITH_CODE, EMBEDDED_BF16])
"""All but EMBEDDED_BF16 compute on the CPU, to the same bits everywhere."""

WEIGHTS = Path(__file__).with_name("weights.npz")
"""The embedded model's, for pages of which only the Markdown is known."""
CONTEXT_WEIGHTS = Path(__file__).with_name("context_weights.npz")
"""For pages with the HTML elements around each line."""

DEFAULT_THRESHOLD = 0.4
"""For the embedded model; cross-validated by site, F1 is flat from 0.3 to 0.6 (CARD.md)."""


class LineClassifier(Protocol):
    """Tells for every line of a page how likely it is main content.

    Attributes:
        name: kind and digest of the weights; two classifiers of one name give the same
            logits. Part of the stamp of what is made with it.
    """

    name: str

    def logits(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[NDArray[np.float32]]:
        r"""One logit for each "\n" of each page, in order; a page may have none.

        A page's logits do not depend on the other pages.

        Args:
            pages: Markdown.
            contexts: for each page the HTML elements around its lines, where they are known;
                a classifier that has no use for them does without.
        """
        ...


@lru_cache(maxsize=2)
def load_line_classifier(model_path: str, *, trust_remote_code: bool = False) -> LineClassifier:
    """The classifier that a setting names; read once per process.

    Args:
        model_path: "" or "embedded" for the shipped weights, "embedded-with-code" for the
            same with blocks of code judged like other lines, "embedded-bf16" for the same in
            bf16, on a card where there is one; else a folder or hub name of a token classifier
            that the transformers library can load.
        trust_remote_code: run the code that comes with such a model; it is refused otherwise.

    Raises:
        ConfigError: there is no such model, what it needs is not installed, or it comes with
            code that is not trusted.
    """
    if model_path == EMBEDDED_BF16:
        return _in_bf16()
    if model_path in EMBEDDED_NAMES:
        from models.line_classifier.embedded import read_embedded  # noqa: PLC0415

        return read_embedded(keep_code=model_path == EMBEDDED_WITH_CODE)
    from models.line_classifier.transformers_model import read_token_classifier  # noqa: PLC0415

    return read_token_classifier(model_path, trust_remote_code=trust_remote_code)


def _in_bf16() -> LineClassifier:
    from models.line_classifier.embedded import read_embedded  # noqa: PLC0415

    try:
        from models.line_classifier.gpu import CardClassifier  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"model_path {EMBEDDED_BF16} needs torch: run `pip install skord[transformers]`"
        ) from error
    return CardClassifier(read_embedded(), torch_device())


@lru_cache(maxsize=4)
def name_of_line_classifier(model_path: str, *, trust_remote_code: bool = False) -> str:
    """Its name; the embedded one, whose weights take a tenth of a second, is not loaded for it.

    Raises:
        ConfigError: there is no such model, or what it needs is not installed.
    """
    if model_path not in EMBEDDED_NAMES:
        return load_line_classifier(model_path, trust_remote_code=trust_remote_code).name
    try:
        digests = [digest_of(path.read_bytes()) for path in (WEIGHTS, CONTEXT_WEIGHTS)]
    except OSError as error:
        raise ConfigError(f"cannot read the line classifier: {error}") from error
    return embedded_name(
        digests,
        keep_code=model_path == EMBEDDED_WITH_CODE,
        in_bf16=model_path == EMBEDDED_BF16,
    )


def embedded_name(digests: Sequence[str], *, keep_code: bool = False, in_bf16: bool = False) -> str:
    """Of an embedded classifier with the weights of these digests.

    >>> embedded_name(["1f", "2e"], keep_code=True)
    'embedded-1f-2e-with-code'
    """
    kinds = ["with-code"] * keep_code + ["bf16"] * in_bf16
    return "-".join(["embedded", *digests, *kinds])


def wants_card(model_path: str) -> bool:
    """Whether a classifier computes on a card where there is one.

    >>> wants_card("embedded"), wants_card("embedded-bf16"), wants_card("a/model")
    (False, True, True)
    """
    return model_path not in EMBEDDED_NAMES - {EMBEDDED_BF16}


def digest_of(weights: bytes) -> str:
    """What names a weights file: the start of its SHA-256."""
    return sha256(weights).hexdigest()[:12]
