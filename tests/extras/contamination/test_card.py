"""What a dataset card says of evaluation sets."""

from skord.publishing.card.dataset_card import dataset_card
from tests.publishing.test_exporting import FIGURES, facts


def test_the_evaluation_sets_that_decide_are_named():
    sets = {"quiz": 1200, "arc": 3}

    assert "arc (3 items), quiz (1,200 items)." in dataset_card(
        facts(evaluation_sets=sets), FIGURES
    )
    assert "evaluation sets" not in dataset_card(facts(), FIGURES)
