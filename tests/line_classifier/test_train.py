# ruff: noqa: PLC0415 -- torch is imported only by the tests that need it
from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from models.line_classifier import train
from models.line_classifier.dataset import SITE_GROUPS, Page, in_test
from models.line_classifier.embedded import WEIGHTS, EmbeddedClassifier
from models.line_classifier.examples import example
from models.line_classifier.features import page_features
from models.line_classifier.network import line_logits, read_network, write_network

needs_torch = pytest.mark.skipif(not find_spec("torch"), reason="torch is not installed")
pytestmark = pytest.mark.filterwarnings("default")

TEXT = "Kommunen bygger en ny bro över ån, och den skall stå klar redan i vår."


def pages(count: int) -> list[Page]:
    return [
        Page(
            id=str(n), source="made", site=f"{n}.se", lang="sv", licence="", title="", gold=TEXT,
            markdown=f"- Hem\n- Meny {n}\n\n{TEXT}\n\nDela\n" + "Fot\n" * n,
        )
        for n in range(count)
    ]  # fmt: skip


@needs_torch
def test_the_network_is_the_same_in_torch_and_in_numpy():
    import torch

    recipe = train.Recipe(dropout=0, word_dropout=0, wordless_pages=0)
    whole = read_network(WEIGHTS)
    for member in whole.members:
        weights = {name: torch.from_numpy(array.copy()) for name, array in member.items()}
        for page in [pages(40)[-1].markdown, "ensam rad\n", "日本語。\n\n---\n\nrad\n"]:
            features = page_features(page)
            shown = example(pages(1)[0])._replace(features=features)
            found = train._logits(weights, shown, recipe).numpy()
            alone = line_logits(whole._replace(members=(member,)), features)
            assert np.abs(found - alone).max() <= 1 / 64


@needs_torch
def test_training_learns_its_pages_and_repeats_itself(tmp_path):
    examples = [example(page) for page in pages(8)]
    recipe = train.Recipe(epochs=30, members=2, dropout=0, wordless_pages=0)
    members = train.fit_members(examples, recipe)
    write_network(tmp_path / "w.npz", members)
    written = read_network(tmp_path / "w.npz")
    again = train.fit(examples, recipe)
    for name, array in again.items():
        assert np.array_equal(written.members[0][name], array)
        assert name in {"mean", "scale"} or not np.array_equal(written.members[1][name], array)
    (logits,) = EmbeddedClassifier(written).logits([pages(5)[4].markdown])
    assert logits[3] > 0 > max(logits[0], logits[1], logits[-1])


def test_folds_part_sites_and_cover_all_pages():
    made = [page._replace(site=site) for page, site in zip(pages(40), "abcdefgh" * 5, strict=True)]
    scored = []
    for training, held in train.folds(made, 3):
        assert not {page.site for page in training} & {page.site for page in held}
        assert len(training) + len(held) == len(made)
        scored += held
    assert sorted(page.id for page in scored) == sorted(page.id for page in made)


def test_sites_of_one_group_are_on_one_side():
    for site, group in SITE_GROUPS.items():
        assert in_test(site) == in_test(group)
    assert {in_test(f"site{n}.se") for n in range(50)} == {True, False}


def test_a_page_of_a_large_site_counts_less():
    examples = [example(page)._replace(site="a.se") for page in pages(4)]
    examples.append(example(pages(1)[0]))
    many, one = train.page_weights(examples, train.Recipe())[-2:]
    assert 4 * many > one > many
