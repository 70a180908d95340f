"""Labelled pages out of files, as training and evaluation take them.

A file holds, one page a line, either what `skord annotate export` and the published tool write, or
labels without text (`models/line_classifier/gold`), whose pages must be given. Labels are of the
Markdown that somebody read. Where a page's HTML is known it is converted anew, and labels of a
Markdown that today's converter no longer writes are carried over by words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from skord.annotation_tool.backend.labels import visible
from skord.annotation_tool.backend.published import (
    NotPublishedError,
    SourcePage,
    read_published,
    write_published,
)
from skord.annotation_tool.backend.sources import site_of
from skord.core.failures import ConfigError
from skord.html.charset.decode import decode
from skord.markdown.extraction import split_lines
from skord.markdown.plain_lines import plain_lines, plain_markdown
from skord.models.language_id.lid176 import load_language_model
from skord.models.line_classifier.gold import GoldPage, gold_page, labels_of
from skord.models.line_classifier.gold.realign import carried_labels
from skord.models.line_classifier.training.dataset import Page, converted_page
from skord.text.json_lines import read_json_lines
from skord.text.languages import language_of

SOURCE = "annotated"
LEAST_FOUND = 0.9
"""Share of the words in kept lines that today's Markdown of a page must have."""


class Labelled(NamedTuple):
    """Labelled pages of some files, and what became of the others.

    Attributes:
        pages: each once, in the files' order.
        unlabelled: pages without labels, or with labels of lines that are all unknown.
        ignored: pages that an annotator set aside.
        repeated: labels of a page that had labels before; the first ones count.
        absent: labels without text, of pages that were not given.
        carried: pages whose labels were carried over to another Markdown of them.
        lost: pages of which another Markdown lacks more than a tenth of the kept words; left out.
    """

    pages: tuple[Page, ...]
    unlabelled: int = 0
    ignored: int = 0
    repeated: int = 0
    absent: int = 0
    carried: int = 0
    lost: int = 0

    @property
    def sites(self) -> Counter[str]:
        """How many pages there are of each site."""
        return Counter(page.site for page in self.pages)

    def sentence(self) -> str:
        """How many pages there are, and what was left out."""
        notes = (
            (self.unlabelled, "without labels"),
            (self.ignored, "ignored"),
            (self.repeated, "labelled twice, of which the first labels count"),
            (self.absent, "whose pages are not given"),
            (self.lost, "of an older Markdown, whose words are not found any more"),
        )
        left = [f"{count} {what}" for count, what in notes if count]
        carried = f"; labels of {self.carried} carried over to today's Markdown"
        return (
            f"{len(self.pages)} labelled pages of {len(self.sites)} site{'s' * (len(self.sites) != 1)}"
            + (f"; left out: {', '.join(left)}" if left else "")
            + (carried if self.carried else "")
        )


def read_labelled(
    paths: Sequence[Path],
    given: Iterable[SourcePage] = (),
    wanted: Callable[[GoldPage], bool] = bool,
) -> Labelled:
    """The labelled pages of some files.

    `given` are pages that labels without text may be of; those that are not `wanted` are left out.

    Raises:
        ConfigError: a file is not there or of another form, or there is no labelled page, or no
            line of any page is kept.
    """
    by_digest = {page.digest: page for page in given}
    pages: dict[str, Page] = {}
    counts: Counter[str] = Counter()
    for path in paths:
        for given_page in _pages_of(path, by_digest, counts, wanted):
            if given_page.labels is None:
                counts["unlabelled"] += 1
            elif given_page.is_ignored:
                counts["ignored"] += 1
            elif given_page.digest in pages:
                counts["repeated"] += 1
            elif page := _training_page(given_page, counts):
                pages[page.id] = page
    labelled = Labelled(tuple(pages.values()), **counts)
    _check(labelled, paths)
    return labelled


def _check(labelled: Labelled, paths: Sequence[Path]) -> None:
    names = ", ".join(map(str, paths))
    if labelled.absent and not labelled.pages:
        raise ConfigError(
            f"{names} holds labels of {labelled.absent} pages and no text, and none of these pages "
            "is known: name the files that hold them, --pages PATH"
        )
    if labelled.lost and not labelled.pages:
        raise ConfigError(
            f"{names}: the labels are of a Markdown that is not written any more, and their words "
            "are not found again: label the pages anew"
        )
    if not labelled.pages:
        raise ConfigError(
            f"{names} holds no labelled page ({labelled.sentence()}): label some with `skord "
            "annotate`, mark them as done, and export them"
        )
    if not any(1.0 in page.labels for page in labelled.pages):
        raise ConfigError(
            f"{names}: no line of the {len(labelled.pages)} pages is kept: in the browser, Space "
            "keeps the lines that are main text"
        )


def _pages_of(
    path: Path,
    given: Mapping[str, SourcePage],
    counts: Counter[str],
    wanted: Callable[[GoldPage], bool],
) -> Iterator[SourcePage]:
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file")
    number = 0
    for number, row in enumerate(read_json_lines(path), 1):
        try:
            if not isinstance(row, dict) or "content" in row or "lines" not in row:
                yield read_published(row)
                continue
            gold = gold_page(row)
        except (NotPublishedError, TypeError, KeyError) as error:
            raise ConfigError(
                f"{path}, line {number}, is no labelled page: {error}; give what `skord annotate "
                "export` or the published tool wrote"
            ) from error
        page = given.get(gold.page)
        if not wanted(gold):
            continue
        if page is None:
            counts["absent"] += 1
        else:
            yield _of_gold(gold, page)
    if not number:
        raise ConfigError(f"{path} is empty: give what `skord annotate export` wrote")


def _of_gold(gold: GoldPage, page: SourcePage) -> SourcePage:
    """Labels without text, on the page that they are of; unknown lines count as removed."""
    lines = labels_of(gold, split_lines(page.markdown))
    return page._replace(
        labels=bytes(label or 0 for label in lines),
        is_ignored=gold.is_ignored,
        annotator=gold.annotator,
        site=gold.site,
        lang=gold.lang,
    )


def _training_page(page: SourcePage, counts: Counter[str]) -> Page | None:
    """A page for training; None where its labels cannot be laid on its Markdown."""
    html, markdown, labels = "", page.markdown, list(page.labels or b"")
    if page.archived is not None:
        html = decode(page.archived, page.content_type).text
        markdown = converted_page(html)
    if markdown != page.markdown:
        before, after = (plain_lines(split_lines(text)) for text in (page.markdown, markdown))
        if _found(before, labels, after) < LEAST_FOUND:
            counts["lost"] += 1
            return None
        labels = carried_labels(before, labels, after)
        counts["carried"] += 1
    lines = split_lines(markdown)
    seen = visible(lines)
    if not seen.any():
        counts["unlabelled"] += 1
        return None
    plain = split_lines(plain_markdown(markdown))
    kept = "".join(f"{line}\n" for line, label in zip(plain, labels, strict=True) if label)
    return Page(
        id=page.digest,
        source=SOURCE,
        site=page.site or site_of(page.url) or page.url or page.digest,
        lang=page.lang or language_of(load_language_model().scores(markdown)) or "",
        licence="",
        markdown=markdown,
        gold=kept,
        title="",
        html=html,
        url=page.url if "://" in page.url else "",
        labels=tuple(
            float(label) if is_seen else float(np.nan)
            for label, is_seen in zip(labels, seen.tolist(), strict=True)
        ),
    )


def write_labelled(path: Path, pages: Iterable[Page]) -> None:
    """Write labelled pages again, as `read_labelled` reads them."""
    with path.open("w", encoding="utf-8") as file:
        for page in pages:
            written = SourcePage(
                digest=page.id,
                url=page.url or page.site,
                site=page.site,
                lang=page.lang,
                source="",
                markdown=page.markdown,
                archived=page.html.encode("utf-8", "replace") if page.html else None,
                content_type="text/html; charset=utf-8" if page.html else None,
                labels=bytes(label == 1 for label in page.labels),
            )
            file.write(f"{write_published(written)}\n")


def _found(before: Sequence[str], labels: Sequence[Any], after: Sequence[str]) -> float:
    """Share of the kept words of a Markdown that another one of the page has, too."""
    kept = Counter(
        word for line, label in zip(before, labels, strict=True) if label for word in line.split()
    )
    there = Counter(word for line in after for word in line.split())
    return (kept & there).total() / max(kept.total(), 1)
