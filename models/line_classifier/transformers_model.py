r"""A token classifier of the transformers library as a line classifier.

The convention is that of the published SWEb extractor (Norlund et al. 2024): the page is
tokenized without special tokens, each "\n" is the tokenizer's separator token, and the
model's output at a separator is the verdict on the line before it. torch and transformers
are imported only when such a model is loaded.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models.line_classifier.windows import Window, windows
from pipeline.core.failures import ConfigError
from pipeline.transforms.extraction import split_lines

logger = logging.getLogger("luigi-interface")

# Tokens that neighbouring windows share, at most; never more than half a window.
OVERLAP_TOKENS = 512
# For models that set no limit of their own.
DEFAULT_WINDOW_TOKENS = 4096
_NO_LIMIT = 1_000_000
# Windows in one call of the model.
_BATCH_WINDOWS = 8


class TokenClassifier:
    """Logits of lines from a model with one or two labels.

    Attributes:
        name: the model's path or hub name and a digest of its weights and vocabulary.
        window_tokens: the longest input that is given to the model.
    """

    def __init__(self, model: Any, tokenizer: Any, label: str, device: str = "cpu") -> None:
        if not tokenizer.sep_token or model.config.num_labels not in {1, 2}:
            raise ConfigError(
                f"{label} is no line classifier: it needs a separator token and one or two labels"
            )
        self._model = model.float().eval().to(device)
        self._tokenizer = tokenizer
        self._device = device
        self.window_tokens = window_tokens(model.config, tokenizer)
        self.name = f"{label}-{_digest(model, tokenizer)}"

    def logits(self, pages: Sequence[str]) -> list[NDArray[np.float32]]:
        r"""One logit for each "\n" of each page; with two labels, keep minus remove."""
        return [self._page_logits(page) for page in pages]

    def _page_logits(self, page: str) -> NDArray[np.float32]:
        tokens, separators = self.page_tokens(page)
        found = np.zeros(separators.size, np.float32)
        if separators.size:
            parts = windows(
                tokens.size,
                separators,
                self.window_tokens,
                min(OVERLAP_TOKENS, self.window_tokens // 2),
            )
            parts = [part for part in parts if part.owned.size]
            for first in range(0, len(parts), _BATCH_WINDOWS):
                self._fill(found, tokens, separators, parts[first : first + _BATCH_WINDOWS])
        return found

    def page_tokens(self, page: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        r"""Token numbers of a page, and the positions of those that stand for a "\n".

        A separator spelled out in the text is taken apart by a space, or it would count as
        a line end and shift all later verdicts.
        """
        lines = [self._without_special(line) for line in split_lines(page)]
        if not lines:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        encoded = self._tokenizer(lines, add_special_tokens=False, verbose=False)["input_ids"]
        separator = self._tokenizer.sep_token_id
        lengths = np.array([len(ids) + 1 for ids in encoded], np.int64)
        flat = [number for ids in encoded for number in (*ids, separator)]
        return np.array(flat, np.int64), np.cumsum(lengths) - 1

    def _without_special(self, line: str) -> str:
        for special in self._tokenizer.all_special_tokens:
            if special in line:
                line = line.replace(special, f"{special[:1]} {special[1:]}")
        return line

    def _fill(
        self,
        found: NDArray[np.float32],
        tokens: NDArray[np.int64],
        separators: NDArray[np.int64],
        parts: list[Window],
    ) -> None:
        """Runs windows of one length and writes the logits of the lines they own."""
        import torch  # noqa: PLC0415

        ids = np.stack([tokens[part.start : part.end] for part in parts])
        with torch.inference_mode():
            batch = torch.from_numpy(ids).to(self._device)
            output = self._model(input_ids=batch, attention_mask=torch.ones_like(batch)).logits
        values = output.float().cpu().numpy()
        verdicts = values[..., 0] if values.shape[-1] == 1 else values[..., 1] - values[..., 0]
        for row, part in zip(verdicts, parts, strict=True):
            found[part.owned] = row[separators[part.owned] - part.start]


def read_token_classifier(model_path: str) -> TokenClassifier:
    """The model in a folder or on the hub; on a GPU if there is one.

    Raises:
        ConfigError: torch or transformers is not installed, or the path holds no model.
    """
    try:
        import torch  # noqa: PLC0415
        from transformers import AutoModelForTokenClassification, AutoTokenizer  # noqa: PLC0415
    except ImportError as error:
        raise ConfigError(
            f"model_path {model_path} needs torch and transformers: "
            "run `pip install skord[transformers]`, or leave model_path empty"
        ) from error
    try:
        tokenizer = AutoTokenizer.from_pretrained(model_path)
        model = AutoModelForTokenClassification.from_pretrained(model_path)
    except (OSError, ValueError) as error:
        first_line = str(error).partition("\n")[0]
        raise ConfigError(
            f"model_path {model_path} holds no token classifier: {first_line}"
        ) from error
    device = "cuda" if torch.cuda.is_available() else "cpu"
    given = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    if device == "cpu" and given not in ("", "-1"):
        logger.warning(
            "a GPU was given (CUDA_VISIBLE_DEVICES=%s), but torch finds none: computing on the CPU",
            given,
        )
    return TokenClassifier(model, tokenizer, Path(model_path).name, device)


def window_tokens(config: Any, tokenizer: Any) -> int:
    """The longest input of a model.

    Models of the RoBERTa family number positions from the padding token's number plus one,
    so that many of the positions are never used; for others this wastes one or two.
    """
    positions = getattr(config, "max_position_embeddings", None) or _NO_LIMIT
    used = positions - (getattr(config, "pad_token_id", None) or 0) - 1
    limit = min(used, tokenizer.model_max_length or _NO_LIMIT)
    return limit if limit < _NO_LIMIT - 100_000 else DEFAULT_WINDOW_TOKENS


def _digest(model: Any, tokenizer: Any) -> str:
    """Of all weights and the vocabulary."""
    total = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        total.update(f"{name} {tuple(tensor.shape)} ".encode())
        total.update(np.ascontiguousarray(tensor.detach().cpu().numpy()).tobytes())
    total.update(json.dumps(sorted(tokenizer.get_vocab().items())).encode())
    return total.hexdigest()[:12]
