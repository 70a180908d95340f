r"""A token classifier of the transformers library as a line classifier.

The convention is that of the published SWEb extractor (Norlund et al. 2024): the page is
tokenized without special tokens, and each "\n" is the tokenizer's separator token. Two kinds
of model follow it, and are told apart by what they take:

* a stock token classifier gives logits at every token; the ones at a separator are the
  decision on the line before it;
* a model like the published one also takes `line_sep_token_ids`, the positions of the
  separators, and gives one logit for each of them. It comes with code of its own, which runs
  only where `trust_remote_code` says so.

torch and transformers are imported only when such a model is loaded.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import numpy as np
from numpy.typing import NDArray

from skord.core.failures import ConfigError
from skord.html.line_context import LineContext
from skord.markdown.extraction import split_lines
from skord.models.line_classifier.pytorch.device import torch_device

# Tokens that neighbouring windows share, at most; never more than half a window.
OVERLAP_TOKENS = 512
Tokens = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Token numbers of a page, and the positions of those that stand for a "\n"."""

# For models that set no limit of their own.
DEFAULT_WINDOW_TOKENS = 4096
_NO_LIMIT = 1_000_000
BATCH_TOKENS = {"cpu": 8_192, "cuda": 262_144}
"""Tokens in one call of the model, padding included, unless one window alone has more."""


SEPARATORS = "line_sep_token_ids"
"""What a model that gives one logit a line calls the positions of the separators."""
_CODE = "AutoModelForTokenClassification"

_HUB_ID = re.compile(r"[\w-][\w.-]*/[\w.-]+", re.ASCII)
_HUB_TIMEOUT_S = 10


class Window(NamedTuple):
    """Tokens [start, end) of a page, and the separators that this window rules on.

    Attributes:
        owned: numbers of the page's separators, ascending.
    """

    start: int
    end: int
    owned: NDArray[np.int64]


def page_windows(
    tokens: int, separators: NDArray[np.int64], length: int, overlap: int
) -> list[Window]:
    """Windows that cover a page, every separator owned by exactly one.

    A separator belongs to the window where fewer tokens are missing on its worse side; the
    page's own start and end are no missing tokens. All windows of a page that needs several
    have the same length: the last one ends with the page.

    Args:
        tokens: of the page.
        separators: positions of the tokens that end a line, ascending.
        length: of a window.
        overlap: of neighbouring windows, below `length`.

    >>> [(w.start, w.end, w.owned.tolist()) for w in page_windows(10, np.array([1, 4, 5, 9]), 6, 2)]
    [(0, 6, [0, 1]), (4, 10, [2, 3])]
    """
    starts = list(range(0, max(tokens - length, 0), length - overlap))
    starts.append(max(tokens - length, 0))
    owner = np.zeros(separators.size, np.int64)
    context = np.full(separators.size, -1, np.int64)
    for number, start in enumerate(starts):
        end = min(start + length, tokens)
        inside = slice(*np.searchsorted(separators, [start, end]))
        here = _context(separators[inside], start, end, tokens)
        better = here > context[inside]
        context[inside][better] = here[better]
        owner[inside][better] = number
    return [
        Window(start, min(start + length, tokens), np.flatnonzero(owner == number))
        for number, start in enumerate(starts)
    ]


def _context(positions: NDArray[np.int64], start: int, end: int, tokens: int) -> NDArray[np.int64]:
    """Tokens between each position and the nearer end of the window that is no page end."""
    before = positions - start if start > 0 else np.full(positions.size, tokens)
    after = end - 1 - positions if end < tokens else np.full(positions.size, tokens)
    return np.minimum(before, after)


class Work(NamedTuple):
    """One window of one page."""

    page: int
    window: Window

    @property
    def tokens(self) -> int:
        """How many it has."""
        return self.window.end - self.window.start


class TokenClassifier:
    """Logits of lines from a model with one or two labels.

    Attributes:
        name: the model's path or hub name and a digest of its weights and vocabulary.
        window_tokens: the longest input that is given to the model.
    """

    def __init__(self, model: Any, tokenizer: Any, label: str, device: str = "cpu") -> None:
        if not tokenizer.sep_token or not self._has_labels(model):
            raise ConfigError(
                f"{label} is no line classifier: it needs a separator token and one or two labels"
            )
        precise = model.bfloat16() if device == "cuda" else model.float()
        self._model = precise.eval().to(device)
        self._tokenizer = tokenizer
        self._device = device
        self.window_tokens = window_tokens(model.config, tokenizer)
        self.name = f"{label}-{self._digest(model, tokenizer)}"

    @staticmethod
    def _has_labels(model: Any) -> bool:
        return model.config.num_labels in {1, 2}

    @staticmethod
    def _digest(model: Any, tokenizer: Any) -> str:
        return _digest(model, tokenizer)

    def logits(
        self, pages: Sequence[str], contexts: Sequence[LineContext | None] | None = None
    ) -> list[NDArray[np.float32]]:
        r"""One logit for each "\n" of each page; with two labels, keep minus remove.

        Such a model reads the Markdown alone. Windows of all pages are computed together, those
        of like length in one call, so that little is padded; a page's neighbours may show in
        the last bits of its logits.
        """
        del contexts
        tokenized = [self.page_tokens(page) for page in pages]
        logits = [np.zeros(separators.size, np.float32) for _, separators in tokenized]
        for batch in window_batches(self.windows(tokenized), BATCH_TOKENS[self._device]):
            for work, outputs in zip(batch, self._outputs(tokenized, batch), strict=True):
                owned = work.window.owned
                _, separators = tokenized[work.page]
                logits[work.page][owned] = outputs[separators[owned] - work.window.start]
        return logits

    def windows(self, tokenized: Sequence[Tokens]) -> list[Work]:
        """All windows of some pages that rule on a line."""
        length = self.window_tokens
        overlap = min(OVERLAP_TOKENS, length // 2)
        return [
            Work(number, window)
            for number, (tokens, separators) in enumerate(tokenized)
            for window in page_windows(tokens.size, separators, length, overlap)
            if window.owned.size
        ]

    def page_tokens(self, page: str) -> Tokens:
        r"""Token numbers of a page, and the positions of those that stand for a "\n".

        A separator spelled out in the text is taken apart by a space, or it would count as
        a line end and shift all later decisions.
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

    def _outputs(self, tokenized: Sequence[Tokens], batch: Sequence[Work]) -> NDArray[np.float32]:
        """The model's output at every token of some windows; shape [windows, longest]."""
        import torch  # noqa: PLC0415

        shape = (len(batch), max(work.tokens for work in batch))
        ids = np.full(shape, self._tokenizer.pad_token_id or 0, np.int64)
        mask = np.zeros(shape, np.int64)
        for row, work in enumerate(batch):
            tokens, _ = tokenized[work.page]
            ids[row, : work.tokens] = tokens[work.window.start : work.window.end]
            mask[row, : work.tokens] = 1
        given = {"input_ids": ids, "attention_mask": mask}
        with torch.inference_mode():
            output = self._model(
                **{name: torch.from_numpy(some).to(self._device) for name, some in given.items()}
            ).logits
        values: NDArray[np.float32] = output.float().cpu().numpy()
        return values[..., 0] if values.shape[-1] == 1 else values[..., 1] - values[..., 0]


class SeparatorClassifier(TokenClassifier):
    """Logits of lines from a model that is given the places of the separators.

    Windows go to it one by one, as the published example gives them: what such a model's own
    code makes of several at once is not part of the contract.
    """

    @staticmethod
    def _has_labels(model: Any) -> bool:
        """Its first logit is meant, however many its configuration names."""
        del model
        return True

    @staticmethod
    def _digest(model: Any, tokenizer: Any) -> str:
        """Of weights, vocabulary and the code that came with them."""
        code = inspect.getsource(sys.modules[type(model).__module__])
        return _digest(model, tokenizer, code)

    def _outputs(self, tokenized: Sequence[Tokens], batch: Sequence[Work]) -> NDArray[np.float32]:
        """The model's output where the separators are; shape [windows, longest]."""
        longest = max(work.tokens for work in batch)
        values = np.full((len(batch), longest), np.nan, np.float32)
        for row, work in enumerate(batch):
            tokens, separators = tokenized[work.page]
            begin, end = work.window.start, work.window.end
            here = separators[slice(*np.searchsorted(separators, [begin, end]))] - begin
            values[row, here] = self._of_window(tokens[begin:end], here)
        return values

    def _of_window(
        self, tokens: NDArray[np.int64], separators: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        import torch  # noqa: PLC0415

        given = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            SEPARATORS: separators,
        }
        with torch.inference_mode():
            output = self._model(
                **{n: torch.from_numpy(some)[None].to(self._device) for n, some in given.items()}
            )
        logits: NDArray[np.float32] = output[0].float().cpu().numpy().reshape(-1)
        if logits.shape != separators.shape:
            raise ConfigError(
                f"{self.name} is no line classifier: "
                f"it gave {logits.size} logits for {separators.size} lines"
            )
        return logits


def window_batches(work: Sequence[Work], most_tokens: int) -> Iterator[list[Work]]:
    """Windows in calls of the model, the longest first, like lengths together."""
    batch: list[Work] = []
    for some in sorted(work, key=lambda w: -w.tokens):
        if batch and (len(batch) + 1) * batch[0].tokens > most_tokens:
            yield batch
            batch = []
        batch.append(some)
    if batch:
        yield batch


def check_model_path(model_path: str) -> None:
    """Refuse what is no folder, and cannot be fetched from the hub, before transformers tries.

    transformers asks a hub that cannot be reached for half a minute.

    Raises:
        ConfigError: it is neither a folder nor a hub id, or the hub cannot be reached.
    """
    if Path(model_path).is_dir():
        if not Path(model_path, "config.json").is_file():
            raise ConfigError(
                f"model_path {model_path} holds no token classifier: neither weights.npz, as skord "
                "train writes it, nor config.json, as transformers does"
            )
        return
    if not _HUB_ID.fullmatch(model_path):
        raise ConfigError(f"{model_path}: there is no such folder, and no hub id is written so")
    from huggingface_hub import (  # noqa: PLC0415 - comes with transformers
        constants,
        hf_hub_url,
        try_to_load_from_cache,
    )

    if constants.HF_HUB_OFFLINE or try_to_load_from_cache(model_path, "config.json"):
        return
    asked = Request(hf_hub_url(model_path, "config.json"), method="HEAD")
    try:
        urlopen(asked, timeout=_HUB_TIMEOUT_S).close()
    except HTTPError:
        return  # it answers, and transformers says what of
    except OSError as error:
        raise ConfigError(
            f"{model_path}: there is no such folder, and {constants.ENDPOINT}, where a model of "
            "that name may be, cannot be reached: name a folder, or check network and proxy"
        ) from error


def read_token_classifier(model_path: str, *, trust_remote_code: bool = False) -> TokenClassifier:
    """The model in a folder or on the hub; on a GPU if there is one.

    Args:
        trust_remote_code: run the code that comes with the model; whoever says so has read it.

    Raises:
        ConfigError: torch or transformers is not installed, the path holds no model, or the
            model comes with code that nobody trusts.
    """
    try:
        check_model_path(model_path)
        import torch  # noqa: F401, PLC0415 - without it the next line fails in many words
        from transformers import (  # noqa: PLC0415
            AutoModelForTokenClassification,
            AutoTokenizer,
            PretrainedConfig,
        )
    except ImportError as error:
        raise ConfigError(
            f"model_path {model_path} needs torch and transformers: "
            "pip install 'skord[transformers]', or leave model_path empty"
        ) from error
    try:
        settings, _ = PretrainedConfig.get_config_dict(model_path)
        if _CODE in settings.get("auto_map", {}) and not trust_remote_code:
            raise ConfigError(
                f"model_path {model_path} comes with code of its own: "
                "read it, and set trust_remote_code = true if it may run here"
            )
        tokenizer, model = (
            kind.from_pretrained(model_path, trust_remote_code=trust_remote_code)
            for kind in (AutoTokenizer, AutoModelForTokenClassification)
        )
    except (OSError, ValueError) as error:
        first_line = str(error).partition("\n")[0]
        raise ConfigError(
            f"model_path {model_path} holds no token classifier: {first_line}"
        ) from error
    takes_separators = SEPARATORS in inspect.signature(model.forward).parameters
    kind = SeparatorClassifier if takes_separators else TokenClassifier
    return kind(model, tokenizer, Path(model_path).name, torch_device())


def window_tokens(config: Any, tokenizer: Any) -> int:
    """The longest input of a model.

    Models of the RoBERTa family number positions from the padding token's number plus one,
    so that many of the positions are never used; for others this wastes one or two.
    """
    positions = getattr(config, "max_position_embeddings", None) or _NO_LIMIT
    used = positions - (getattr(config, "pad_token_id", None) or 0) - 1
    limit = min(used, tokenizer.model_max_length or _NO_LIMIT)
    return limit if limit < _NO_LIMIT - 100_000 else DEFAULT_WINDOW_TOKENS


def _digest(model: Any, tokenizer: Any, code: str = "") -> str:
    """Of all weights, the vocabulary, and code if there is any."""
    total = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        total.update(f"{name} {tuple(tensor.shape)} ".encode())
        total.update(np.ascontiguousarray(tensor.detach().cpu().numpy()).tobytes())
    total.update(json.dumps(sorted(tokenizer.get_vocab().items())).encode())
    total.update(code.encode())
    return total.hexdigest()[:12]
