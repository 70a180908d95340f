# ruff: noqa: PLC0415 -- torch is imported only by the tests that need it
from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from skord.models.line_classifier.embedded import EmbeddedClassifier
from skord.models.line_classifier.network import (
    Network,
    at_temperature,
    network_logits,
    read_network,
    weight_shapes,
    write_network,
)
from skord.models.line_classifier.page_types import PAGE_TYPES
from skord.models.line_classifier.training import fitting
from skord.models.line_classifier.training.dataset import SITE_GROUPS, Page, in_test
from skord.models.line_classifier.training.examples import (
    example_of_page,
    line_labels,
    page_context,
    title_lines,
)
from skord.models.line_classifier.training.train import TrainingPages

needs_torch = pytest.mark.skipif(not find_spec("torch"), reason="torch is not installed")
pytestmark = pytest.mark.filterwarnings("default")

TEXT = "Kommunen bygger en ny bro över ån, och den skall stå klar redan i vår."
HTML = f"""<nav><ul class="menu"><li><a href="/">Hem</a><li><a href="/m">Meny</a></ul></nav>
<main><p>{TEXT}</p></main><div class="share">Dela</div><footer>{"<p>Fot</p>" * 40}</footer>"""


def pages(count: int) -> list[Page]:
    return [
        Page(
            id=str(n), source="made", site=f"{n}.se", lang="sv", licence="", title="", gold=TEXT,
            markdown=f"- Hem\n- Meny {n}\n\n{TEXT}\n\nDela\n" + "Fot\n" * n, html=HTML,
        )
        for n in range(count)
    ]  # fmt: skip


def member(with_context: bool, seed: int = 1) -> dict[str, np.ndarray]:
    """A network as chance made it."""
    chance = np.random.default_rng(seed)
    shapes = weight_shapes(with_context)
    made = {name: chance.normal(0, 0.2, shape).astype(np.float32) for name, shape in shapes.items()}
    return made | {"scale": np.abs(made["scale"])}


@needs_torch
@pytest.mark.parametrize("with_context", [True, False])
def test_the_network_is_the_same_in_torch_and_in_numpy(with_context):
    import torch

    from skord.models.line_classifier.pytorch import batch as torch_batch
    from skord.models.line_classifier.pytorch import network as torch_network

    made = member(with_context)
    weights = {name: torch.from_numpy(array.copy()) for name, array in made.items()}
    texts = [pages(40)[-1].markdown, "ensam rad\n", "日本語。\n\n---\n\nrad\n", "Dela\nFot\n"]
    shown = [
        example_of_page(pages(1)[0]._replace(markdown=text, html=HTML if n else "<p>x"))
        for n, text in enumerate(texts)
    ]
    batch = torch_batch.batch_of(shown, with_context, torch_batch.Dropout())
    lines, types = (actual.numpy() for actual in torch_network.judged(weights, batch))
    alone = [
        network_logits(Network((made,), ""), page.features, page.context if with_context else None)
        for page in shown
    ]
    raised = np.exp(types - types.max(-1, keepdims=True))
    parts = np.split(lines, np.cumsum([page.features.lines.size for page in shown])[:-1])
    for part, of_page, page in zip(
        parts, raised / raised.sum(-1, keepdims=True), alone, strict=True
    ):
        assert np.abs(at_temperature(part, of_page).logits - page.logits).max() <= 1 / 64
        assert np.allclose(of_page, page.types, atol=1e-5)
    assert np.abs(lines).max() > 0.1


@needs_torch
@pytest.mark.parametrize("with_context", [True, False])
def test_training_learns_its_pages_and_repeats_itself(tmp_path, with_context):
    examples = [example_of_page(page) for page in pages(6)]
    recipe = fitting.Recipe(
        with_context=with_context, epochs=20, members=2, dropout=0, wordless_pages=0,
        nameless_pages=0,
    )  # fmt: skip
    members = fitting.fit_members(examples, recipe)
    write_network(tmp_path / "w.npz", members)
    written = read_network(tmp_path / "w.npz", with_context)
    again = fitting.fit(examples, recipe)
    for name, array in again.items():
        assert np.array_equal(written.ensemble[0][name], array)
        assert name in {"mean", "scale"} or not np.array_equal(written.ensemble[1][name], array)
    page = pages(5)[4]
    contexts = [page_context(page)] if with_context else None
    classifier = EmbeddedClassifier(written, written if with_context else None)
    (logits,) = classifier.logits([page.markdown], contexts)
    assert logits[3] > 0 > max(logits[0], logits[1], logits[-1])


def test_a_page_is_as_sure_of_itself_as_its_type_allows():
    lines = np.array([-3, 6], np.float32)
    article, shop = np.eye(len(PAGE_TYPES), dtype=np.float32)[[0, PAGE_TYPES.index("product")]]
    assert at_temperature(lines, article).logits.tolist() == [-3, 6]
    assert at_temperature(lines, shop).logits.tolist() == [-1, 2]


@needs_torch
def test_networks_learn_the_types_of_pages():
    kinds = ["article", "forum"] * 4
    made = [
        page._replace(page_type=kind, markdown=page.markdown + f"{kind}\n" * 30)
        for page, kind in zip(pages(8), kinds, strict=True)
    ]
    examples = list(map(example_of_page, made))
    assert [shown.page_type for shown in examples] == [0, 3] * 4
    recipe = fitting.Recipe(
        epochs=40, members=1, dropout=0, word_dropout=0, wordless_pages=0, type_loss=1
    )
    network = Network(fitting.fit_members(examples, recipe), "")
    actual = [
        network_logits(network, shown.features, shown.context).types.argmax() for shown in examples
    ]
    assert actual == [0, 3] * 4
    assert example_of_page(pages(1)[0]).page_type == -1


def test_the_heading_that_names_the_content_is_kept_though_the_gold_lacks_it():
    lines = ["# Tidningen", "", "## Ny bro", "", TEXT, "", "Dela"]
    page = pages(1)[0]._replace(markdown="".join(f"{line}\n" for line in lines), title="Ny bro")
    assert line_labels(page)[2:5:2] == (1, 1)
    assert title_lines(page, lines) == [2]
    untitled = page._replace(title="", html="<title>Ny bro över ån - Tidningen</title>")
    assert title_lines(untitled, ["# Tidningen", "# Ny bro över ån"]) == [1]
    assert title_lines(untitled, ["# En bro byggs"]) == [0]
    assert title_lines(untitled, ["# Tidningen"]) == []
    assert line_labels(page._replace(source="gold"))[2] != 1


def test_a_line_that_the_gold_has_once_is_not_labelled_as_no_content_elsewhere():
    page = pages(1)[0]._replace(markdown=f"{TEXT}\n\nDela sidan\n\n{TEXT}\n")
    labels = line_labels(page)
    assert sorted(labels[::4], key=np.isnan)[0] == 1
    assert np.isnan(labels[::4]).sum() == 1
    assert labels[2] == 0


def test_longer_lines_count_more_and_unlabelled_ones_nothing():
    page = example_of_page(pages(1)[0])
    weights = fitting._line_weights(page)
    labels = page.labels
    assert (weights[np.isnan(labels)] == 0).all()
    assert weights[labels == 1].min() > weights[labels == 0].max()


def test_folds_part_sites_and_cover_all_pages():
    made = [page._replace(site=site) for page, site in zip(pages(40), "abcdefgh" * 5, strict=True)]
    whole = TrainingPages(made, made[:30])
    scored = []
    for number in range(3):
        fold = whole.fold(number, 3)
        sites = {page.site for page in fold.scored}
        assert fold.labelled == [page for page in whole.labelled if page.site not in sites]
        scored += fold.scored
    assert sorted(page.id for page in scored) == sorted(page.id for page in made)


def test_sites_of_one_group_are_on_one_side():
    for site, group in SITE_GROUPS.items():
        assert in_test(site) == in_test(group)
    assert {in_test(f"site{n}.se") for n in range(50)} == {True, False}


def test_a_page_of_a_large_site_counts_less():
    examples = [example_of_page(page)._replace(site="a.se") for page in pages(4)]
    examples.append(example_of_page(pages(1)[0]))
    many, one = fitting.page_weights(examples, fitting.Recipe())[-2:]
    assert 4 * many > one > many
    half = fitting.page_weights([examples[-1]._replace(weight=0.5)], fitting.Recipe())
    assert half == [one / 2]
