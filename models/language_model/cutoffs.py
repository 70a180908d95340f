"""The limits between the buckets, found from pages and kept in `cutoff.csv`.

    python -m skord.models.language_model.cutoffs sv --models FOLDER --pages FILES

sets the limits of a language whose model is in the folder, from pages like those that are to be
sorted: some thousand pages of one's own crawl. The column holds the percentiles 0 to 99 of
their perplexities, in the published form; which two of them are the limits is a setting.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from skord.core.failures import ConfigError
from skord.models.language_model.corpus import corpus_documents
from skord.models.language_model.files import CUTOFFS_NAME, LanguageFiles, find_languages, read_text
from skord.models.language_model.perplexity import (
    Limits,
    breaks_as_spaces,
    limits_of,
    normalize_for_language_model,
    read_cutoffs,
)
from skord.models.language_model.scorer import Scorer


def page_perplexities(files: LanguageFiles, pages: Iterable[str]) -> list[float]:
    """Of each page that has one, by the model in these files; line feeds are spaces.

    Raises:
        ConfigError: no page has one.
    """
    scorer, rest = Scorer(files), iter(pages)
    perplexities: list[float] = []
    while chunk := [
        normalize_for_language_model(breaks_as_spaces(page)) for page in islice(rest, 100)
    ]:
        perplexities += [value for value in scorer.perplexities(chunk) if value is not None]
    if not perplexities:
        raise ConfigError("there is no page to set limits by")
    return perplexities


def set_limits(path: Path, language: str, perplexities: Sequence[float]) -> Limits:
    """Writes a language's column of a cutoff.csv, which need not exist; the others stay.

    Returns the limits at the published percentiles.

    Raises:
        ConfigError: the file that is there has another form.
    """
    column = percentile_column(perplexities)
    try:
        known = read_cutoffs(read_text(path)) if path.exists() else {}
        written = cutoff_csv_of({**known, language: column})
    except ValueError as error:
        raise ConfigError(f"{path} cannot be used: {error}; mend it or remove it") from error
    part = path.with_name(f".{path.name}.part")
    part.write_text(written, encoding="utf-8")
    part.replace(path)
    return limits_of({language: column})[language]


def percentile_column(perplexities: Sequence[float]) -> list[float]:
    """Percentiles 0 to 99 of the perplexities of many pages of one language.

    >>> percentile_column([3.0, 1.0, 2.0])[::33]
    [1.0, 1.7, 2.3, 3.0]
    """
    return [round(float(value), 1) for value in np.percentile(perplexities, range(100))]


def cutoff_csv_of(cutoffs: Mapping[str, Sequence[float]]) -> str:
    r"""The text of a file of the published form.

    >>> cutoff_csv_of({"sv": [10.0, 12.5], "da": [20.0, 21.0]})
    ',da,sv\n0,20.0,10.0\n1,21.0,12.5\n'
    """
    languages = sorted(cutoffs)
    rows = zip(*(cutoffs[language] for language in languages), strict=True)
    lines = [",".join(str(cell) for cell in (number, *row)) for number, row in enumerate(rows)]
    return "\n".join([",".join(["", *languages]), *lines]) + "\n"


def limits_from_pages(language: str, folder: Path, paths: Sequence[Path]) -> str:
    """Sets the limits of a language in a folder of models; returns the line to print.

    Raises:
        ConfigError: the folder has no model of the language, or no page can be read.
    """
    known = find_languages(folder)
    if language not in known:
        raise ConfigError(f"{folder} has no model of {language}: it has {', '.join(known)}")
    pages = (page for path in paths for page in corpus_documents(path))
    perplexities = page_perplexities(known[language], pages)
    head, tail = set_limits(folder / CUTOFFS_NAME, language, perplexities)
    return f"{language}: limits {head} and {tail}, from {len(perplexities)} pages"


def main() -> None:
    """Sets the limits of one language."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("language")
    parser.add_argument("--models", type=Path, required=True, help="folder of models")
    parser.add_argument("--pages", type=Path, nargs="+", required=True)
    chosen = parser.parse_args()
    try:
        print(limits_from_pages(chosen.language, chosen.models, chosen.pages))
    except ConfigError as error:
        raise SystemExit(f"{error}") from error


if __name__ == "__main__":
    main()
