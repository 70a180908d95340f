"""How the networks of the line classifier are fitted to examples: every number, and the steps.

Needs torch (pip install 'skord[transformers]') for the gradients.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from skord.models.line_classifier.array_types import Floats
from skord.models.line_classifier.network import stored_type
from skord.models.line_classifier.training.examples import Example


@dataclass(frozen=True)
class Recipe:
    """Every number of the training.

    Attributes:
        with_context: whether the network sees the HTML elements around each line.
        epochs: passes over all pages.
        learning_rate: at its greatest; it rises over a tenth of the steps and falls to zero.
        weight_decay: of all weights but the biases.
        dropout: of features and of inner values.
        word_dropout: share of words left out of the lines.
        wordless_pages: share of pages shown without any words, since words are of a site.
        name_dropout: share of tags, classes and ids that a page is shown without.
        nameless_pages: share of pages shown without any, since these are of a site too.
        soup_pages: share of pages shown with names that a build made up (`examples.in_soup`).
        site_power: a page of a site with n pages weighs n ** -site_power.
        members: networks whose logits are averaged.
        page_loss: how much a page's expected error in words counts beside its lines' entropy.
        type_loss: how much the cross entropy of the page's type does, where the type is known.
        teachers: networks for each fold of sites that soften its labels (`train.soften_labels`); 0: none.
        teachers_share: how much of a label is theirs.
        sharpness, lenience: by which logits of networks fitted to such labels are multiplied, once
            the latter has been taken off.
        seed: of all chance of the first of these; the next has the next.
        device: "cpu" for the shipped weights' very bytes, "cuda" for a GPU.
    """

    with_context: bool = True
    epochs: int = 12
    batch_pages: int = 8
    learning_rate: float = 3e-3
    weight_decay: float = 1e-2
    dropout: float = 0.2
    word_dropout: float = 0.3
    wordless_pages: float = 0.2
    name_dropout: float = 0.3
    nameless_pages: float = 0.45
    soup_pages: float = 0.25
    site_power: float = 0.6
    page_loss: float = 0.5
    type_loss: float = 0.3
    teachers: int = 2
    teachers_share: float = 0.4
    sharpness: float = 2.0
    lenience: float = 0.3
    members: int = 2
    seed: int = 11
    device: str = "cpu"


MARKDOWN_RECIPE = Recipe(with_context=False, soup_pages=0.0, members=3)
"""For pages of which only the Markdown is known."""


def fit_members(examples: Sequence[Example], recipe: Recipe) -> tuple[dict[str, Floats], ...]:
    """Weights of several networks that differ by their seed."""
    seeds = range(recipe.seed, recipe.seed + recipe.members)
    return tuple(fit(examples, replace(recipe, seed=seed)) for seed in seeds)


def fit(
    examples: Sequence[Example], recipe: Recipe, base: dict[str, Floats] | None = None
) -> dict[str, Floats]:
    """Weights of a network trained on the examples, the first of the recipe.

    Args:
        recipe: every number of the training.
        base: weights to go on from; by chance where there are none.
    """
    import torch  # noqa: PLC0415

    from skord.models.line_classifier.pytorch import network as torch_network  # noqa: PLC0415

    torch.manual_seed(recipe.seed)
    torch.set_num_threads(1)
    weights = {
        name: array.detach().to(recipe.device).requires_grad_(array.requires_grad)
        for name, array in (
            torch_network.resume(base)
            if base
            else torch_network.start(examples, recipe.with_context)
        ).items()
    }
    trained = [tensor for tensor in weights.values() if tensor.requires_grad]
    optimizer = torch.optim.AdamW(trained, weight_decay=recipe.weight_decay, fused=True)
    shares = page_weights(examples, recipe)
    batches = list(shuffled_batches(len(examples), recipe.batch_pages, recipe.epochs, recipe.seed))
    chance = np.random.default_rng(recipe.seed)
    for step, batch in enumerate(batches):
        for group in optimizer.param_groups:
            group["lr"] = recipe.learning_rate * _pace(step / len(batches))
        optimizer.zero_grad()
        pages = [shown_names(examples[at], recipe, chance) for at in batch]
        _loss(weights, pages, [shares[at] for at in batch], recipe)
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
    return _as_stored(weights)


def shown_names(page: Example, recipe: Recipe, chance: np.random.Generator) -> Example:
    """The page as it is, or with names that say nothing; a made page always as it is."""
    is_soup = chance.random() < recipe.soup_pages
    return page._replace(context=page.soup) if is_soup and page.soup else page


def _as_stored(weights: dict[str, Any]) -> dict[str, Floats]:
    """Weights in the precision of the file, so that folds score what would be shipped."""
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in weights.items()}
    return {name: w.astype(stored_type(name)).astype(np.float32) for name, w in arrays.items()}


def _loss(
    weights: dict[str, Any], pages: Sequence[Example], shares: Sequence[float], recipe: Recipe
) -> None:
    """Adds the gradients of the loss of some pages, each with its share of it."""
    import torch  # noqa: PLC0415

    from skord.models.line_classifier.pytorch import batch as torch_batch  # noqa: PLC0415
    from skord.models.line_classifier.pytorch import network as torch_network  # noqa: PLC0415

    chance = torch_batch.Dropout(
        recipe.dropout,
        recipe.word_dropout,
        recipe.wordless_pages,
        recipe.name_dropout,
        recipe.nameless_pages,
    )
    batch = torch_batch.batch_of(pages, recipe.with_context, chance).to(recipe.device)
    logits, types = torch_network.judged(weights, batch, recipe.dropout)
    labels = np.concatenate([page.labels for page in pages])
    of_page = torch.tensor(shares, dtype=torch.float32, device=recipe.device)

    def laid(arrays: Sequence[Floats]) -> Any:
        return torch.from_numpy(np.concatenate(arrays)).to(recipe.device)

    wanted = laid([np.nan_to_num(labels)])
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, wanted, laid(list(map(_line_weights, pages))) * of_page[batch.page], reduction="sum"
    )
    counts = laid(
        [~np.isnan(page.labels) * page.features.words.astype(np.float32) for page in pages]
    )
    loss = loss + recipe.page_loss * (_page_errors(logits, wanted, counts, batch) * of_page).sum()
    known = [number for number, page in enumerate(pages) if page.page_type >= 0]
    if known:
        kinds = torch.tensor([pages[number].page_type for number in known], device=recipe.device)
        entropy = torch.nn.functional.cross_entropy(types[known], kinds, reduction="none")
        loss = loss + recipe.type_loss * (entropy * of_page[known]).sum()
    (loss / sum(shares)).backward()


def _page_errors(logits: Any, wanted: Any, counts: Any, batch: Any) -> Any:
    """1 less the F1 that each page's words would have, were lines kept by their probabilities."""
    import torch  # noqa: PLC0415

    def sums_by_page(values: Any) -> Any:
        return values.new_zeros(batch.pages).index_add(0, batch.page, values)

    kept = torch.sigmoid(logits)
    hits = sums_by_page(kept * wanted * counts)
    return 1 - (2 * hits + 1) / (sums_by_page(kept * counts) + sums_by_page(wanted * counts) + 1)


def _line_weights(page: Example) -> Floats:
    """Square root of each labelled line's words, 0 for others; about 1 in all for a page."""
    known = ~np.isnan(page.labels)
    weights = np.sqrt(page.features.words) * known
    count = max(int(known.sum()), 1)
    return (weights / count / max(float(weights.sum()) / count, 1.0)).astype(np.float32)


def page_weights(examples: Sequence[Example], recipe: Recipe) -> list[float]:
    """How much each page counts: a site's template must not count once for every page."""
    pages = Counter(page.site for page in examples)
    return [pages[page.site] ** -recipe.site_power * page.weight for page in examples]


def shuffled_batches(count: int, size: int, epochs: int, seed: int) -> Iterator[list[int]]:
    """Numbers below a count, `size` at a time, each once in every epoch."""
    order = np.random.default_rng(seed)
    for _ in range(epochs):
        shuffled = order.permutation(count).tolist()
        for first in range(0, count, size):
            yield shuffled[first : first + size]


def _pace(done: float) -> float:
    """Share of the learning rate when this share of the steps is done."""
    return min(done * 10, 1.0) * (1 - done)
