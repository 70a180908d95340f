"""How well a classifier separates cited pages from others, on sites that it has not seen.

    python -m skord.models.reference_classifier.evaluate --model model.npz --positive … --negative …

Give the files and the seed of the training: then only its test sites are scored. With --all
every page is, for files that had no part in the training.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from skord.core.failures import ConfigError
from skord.models.reference_classifier.dataset import Page, Part, split_by_site
from skord.models.reference_classifier.interface import (
    ReferenceClassifier,
    load_reference_classifier,
)
from skord.models.reference_classifier.train import (
    citation_accuracy,
    given_pages,
    page_arguments,
    roc_auc,
)


def by_language(pages: Sequence[Page]) -> dict[str, list[int]]:
    """Numbers of all pages, and of those of each language where languages are given."""
    groups = {"all": list(range(len(pages)))}
    for language in sorted({page.language for page in pages} - {""}):
        groups[language] = [at for at, page in enumerate(pages) if page.language == language]
    return groups


def evaluation_report(classifier: ReferenceClassifier, pages: Sequence[Page]) -> str:
    """A Markdown table: figures by language."""
    scores = classifier.scores([page.text for page in pages]).astype(np.float64)
    cited = np.array([page.cited for page in pages])
    rows = ["| pages | cited | others | sites | ROC AUC | accuracy at 0.5 |", "|---" * 6 + "|"]
    for name, numbers in by_language(pages).items():
        part_scores, truths = scores[numbers], cited[numbers]
        sites = len({pages[at].site for at in numbers})
        figures = (
            f"{roc_auc(part_scores, truths):.3f} | {citation_accuracy(part_scores, truths):.3f}"
        )
        rows.append(f"| {name} | {truths.sum()} | {(~truths).sum()} | {sites} | {figures} |")
    return "\n".join(rows)


def evaluate_classifier(chosen: argparse.Namespace) -> str:
    """The report on the pages given.

    Raises:
        ConfigError: there is no model, or no page to score.
    """
    classifier = load_reference_classifier(chosen.model)
    if classifier is None:
        raise ConfigError("--model names no weights file")
    parts = split_by_site(given_pages(chosen), chosen.seed)
    pages = [page for part in Part for page in parts[part] if chosen.all or part is Part.test]
    if not pages:
        raise ConfigError("no page lies on a test site: give more sites, or --all")
    return f"{classifier.name} on {len(pages)} pages\n\n{evaluation_report(classifier, pages)}"


def main() -> None:
    """Prints the tables of the test sites."""
    parser = page_arguments(__doc__)
    parser.add_argument("--model", required=True)
    parser.add_argument("--all", action="store_true", help="score the pages of all sites")
    try:
        print(evaluate_classifier(parser.parse_args()))
    except ConfigError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
