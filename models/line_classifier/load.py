"""The line classifier that a setting names: the shipped one, or one of the transformers library."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

from skord.core.failures import ConfigError
from skord.models.array_file import digest_of
from skord.models.line_classifier.embedded import read_embedded
from skord.models.line_classifier.interface import (
    CONTEXT_WEIGHTS,
    EMBEDDED_BF16,
    EMBEDDED_NAMES,
    WEIGHTS,
    LineClassifier,
    embedded_name,
)
from skord.models.line_classifier.pytorch.device import torch_device
from skord.models.line_classifier.pytorch.transformers_model import read_token_classifier


@lru_cache(maxsize=2)
def load_line_classifier(model_path: str, *, trust_remote_code: bool = False) -> LineClassifier:
    """The classifier that a setting names; read once per process.

    Args:
        model_path: "" or "embedded" for the shipped weights, "embedded-bf16" for the same in
            bf16, on a GPU where there is one; else a folder of weights as `skord train` writes
            one, or a folder or hub name of a token classifier that the transformers library can
            load.
        trust_remote_code: run the code that comes with such a model; it is refused otherwise.

    Raises:
        ConfigError: there is no such model, what it needs is not installed, or it comes with
            code that is not trusted.
    """
    if model_path == EMBEDDED_BF16:
        return _in_bf16()
    if model_path in EMBEDDED_NAMES:
        return read_embedded()
    if is_embedded_folder(model_path):
        return read_embedded(Path(model_path))
    return read_token_classifier(model_path, trust_remote_code=trust_remote_code)


def _in_bf16() -> LineClassifier:
    try:
        from skord.models.line_classifier.pytorch.embedded import GpuClassifier  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"model_path {EMBEDDED_BF16} needs torch: pip install 'skord[transformers]'"
        ) from error
    return GpuClassifier(read_embedded(), torch_device())


@cache
def name_of_line_classifier(model_path: str, *, trust_remote_code: bool = False) -> str:
    """Its name; the embedded one, whose weights take a tenth of a second, is not loaded for it.

    Raises:
        ConfigError: there is no such model, or what it needs is not installed.
    """
    own = is_embedded_folder(model_path)
    if model_path not in EMBEDDED_NAMES and not own:
        return load_line_classifier(model_path, trust_remote_code=trust_remote_code).name
    try:
        paths = [
            Path(model_path) / path.name if own else path for path in (WEIGHTS, CONTEXT_WEIGHTS)
        ]
        digests = [digest_of(path.read_bytes()) for path in paths if not own or path.exists()]
    except OSError as error:
        raise ConfigError(f"cannot read the line classifier: {error}") from error
    return embedded_name(
        digests,
        in_bf16=model_path == EMBEDDED_BF16,
    )


def is_embedded_folder(model_path: str) -> bool:
    """Whether it is a folder with weights of the embedded networks, as `skord train` writes one."""
    return bool(model_path) and (Path(model_path) / WEIGHTS.name).is_file()


def wants_gpu(model_path: str) -> bool:
    """Whether a classifier computes on a GPU where there is one.

    >>> wants_gpu("embedded"), wants_gpu("embedded-bf16"), wants_gpu("a/model")
    (False, True, True)
    """
    on_cpu = model_path in EMBEDDED_NAMES - {EMBEDDED_BF16}
    return not on_cpu and not is_embedded_folder(model_path)
