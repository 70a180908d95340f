"""Fine-tuning a token classifier of the transformers library on the same pages and labels.

    python -m skord.models.line_classifier.training.train --base FOLDER_OR_HUB_ID \\
        --data FOLDER --cache FOLDER --out FOLDER

The base may be any encoder that the library can load as AutoModelForTokenClassification; its
head is made anew where it has not one label. What is written can be named as `model_path`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skord.core.failures import ConfigError
from skord.models.line_classifier.pytorch.transformers_model import (
    TokenClassifier,
    Tokens,
    Window,
)
from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.examples import line_labels
from skord.models.line_classifier.training.fitting import shuffled_batches


@dataclass(frozen=True)
class FineTuning:
    """Every number of the fine-tuning.

    Attributes:
        epochs: passes over all windows.
        batch_windows: in a step, one after the other.
        learning_rate: at its greatest; it rises over a tenth of the steps and falls to zero.
        weight_decay: of all weights.
        seed: of the order and of the model's dropout.
    """

    epochs: int = 3
    batch_windows: int = 8
    learning_rate: float = 2e-5
    weight_decay: float = 1e-2
    seed: int = 11


def fine_tune(base: str, pages: Sequence[Page], out: Path, recipe: FineTuning) -> float:
    """Writes a model tuned on the pages, with its tokenizer; returns the last epoch's mean loss.

    Computes on a GPU if there is one.

    Raises:
        ConfigError: the base is no encoder for token classification, or has no separator.
    """
    import torch  # noqa: PLC0415

    torch.manual_seed(recipe.seed)
    model, tokenizer = _read(base)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    classifier = TokenClassifier(model, tokenizer, base, "cpu")
    model.float().train().to(device)
    tokenized = [classifier.page_tokens(page.markdown) for page in pages]
    work = classifier.windows(tokenized)
    labels = [np.array(line_labels(page), np.float32) for page in pages]
    optimizer = torch.optim.AdamW(
        model.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay
    )
    steps = -(-len(work) // recipe.batch_windows) * recipe.epochs
    pace = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) * 10 / steps, 1.0) * (1 - step / steps)
    )
    losses: list[float] = []
    for batch in shuffled_batches(len(work), recipe.batch_windows, recipe.epochs, recipe.seed):
        optimizer.zero_grad()
        history = []
        for at in batch:
            number, window = work[at]
            loss = _loss(model, tokenized[number], window, labels[number], device)
            (loss / len(batch)).backward()
            history.append(float(loss.detach()))
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        pace.step()
        losses.append(float(np.mean(history)))
    model.eval().save_pretrained(out)
    tokenizer.save_pretrained(out)
    return float(np.mean(losses[-steps // recipe.epochs :]))


def _read(base: str) -> tuple[Any, Any]:
    from transformers import AutoModelForTokenClassification, AutoTokenizer  # noqa: PLC0415

    try:
        tokenizer = AutoTokenizer.from_pretrained(base)
        model = AutoModelForTokenClassification.from_pretrained(
            base, num_labels=1, ignore_mismatched_sizes=True
        )
    except (OSError, ValueError) as error:
        first_line = str(error).partition("\n")[0]
        raise ConfigError(f"{base} cannot be fine-tuned: {first_line}") from error
    return model, tokenizer


def _loss(model: Any, tokens: Tokens, window: Window, labels: Any, device: str) -> Any:
    """Cross entropy of the labelled lines that a window rules on; 0 if it has none."""
    import torch  # noqa: PLC0415

    numbers, separators = tokens
    known = window.owned[~np.isnan(labels[window.owned])]
    ids = torch.from_numpy(numbers[window.start : window.end])[None].to(device)
    logits = model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits[0, :, 0]
    line_logits = logits[torch.from_numpy(separators[known] - window.start).to(device)]
    wanted = torch.from_numpy(labels[known]).to(device)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        line_logits, wanted, reduction="sum"
    )
    return loss / max(known.size, 1)
