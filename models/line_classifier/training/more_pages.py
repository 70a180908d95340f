"""Training pages beside those with gold text, and what is put into or taken out of these.

* Some pages get a consent dialog or an offer (`furniture`), and some lose their main text:
  archived pages with gold hardly hold the one, and none is without the other.
* Of some a short copy is added: the beginning of the main text, and few lines around it. Pages with
  gold have hundreds of lines, those of small offices and clubs often twenty.
* Some pages lend their sentences to the layouts of forums, shops and lists (`made_pages`).
* Pages read line by line (`gold/`), where the page is in the data folder.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from pathlib import Path

from skord.html.charset.decode import decode
from skord.markdown.extraction import split_lines
from skord.markdown.plain_lines import plain_markdown
from skord.models.line_classifier.gold import LABELS, GoldPage, labels_of, read_gold
from skord.models.line_classifier.training.dataset import (
    MADE,
    Page,
    converted_page,
    html_of,
    read_records,
)
from skord.models.line_classifier.training.examples import READ, line_labels
from skord.models.line_classifier.training.furniture import NORTHERN, furnished_page
from skord.models.line_classifier.training.made_pages import made_page

FURNISHED_PERCENT = 50
EMPTIED_PERCENT = 5
EMPTIED_WEIGHT = 0.3
LEAST_EMPTIED_WORDS = 10
SHORTENED_PERCENT = 50
SHORTENED_WEIGHT = 0.3
SHORT_LINES = (4, 16)
"""Fewest and most lines of main text in a short copy."""
LENDING_PERCENT = 25
LENDING_NORTHERN_PERCENT = 60
"""Of the pages in one of NORTHERN, since few pages are."""
MADE_WEIGHT = 0.3


def changed_pages(pages: Sequence[Page]) -> list[Page]:
    """The pages, some with a box put in; copies without main text, short copies, and made pages."""
    changed = [
        _furnished(page) if _drawn("put", page) < FURNISHED_PERCENT else page for page in pages
    ]
    made = [_made(page) for page in pages if _lends(page)]
    drawn = (page for page in changed if _drawn("empty", page) < EMPTIED_PERCENT)
    emptied = (_emptied(page) for page in drawn)
    shortened = [_shortened(page) for page in changed if _drawn("short", page) < SHORTENED_PERCENT]
    changed += [page for page in emptied if len(page.markdown.split()) >= LEAST_EMPTIED_WORDS]
    return changed + [page for page in (*shortened, *made) if page]


def _drawn(what: str, page: Page) -> int:
    """A number from 0 to 99 that depends on the page alone."""
    return int(hashlib.sha1(f"{what}|{page.id}".encode()).hexdigest(), 16) % 100


def _furnished(page: Page) -> Page:
    html = furnished_page(page.html, page.lang, page.id)
    return page._replace(html=html, markdown=converted_page(html))


def _lends(page: Page) -> bool:
    percent = LENDING_NORTHERN_PERCENT if page.lang in NORTHERN else LENDING_PERCENT
    return _drawn("made", page) < percent


def _made(page: Page) -> Page | None:
    """A page that never was, with the page's sentences; of its site, so that folds stay apart."""
    made = made_page(page.gold, page.lang, page.id)
    return made and Page(
        f"{MADE}{page.id}",
        READ,
        page.site,
        page.lang,
        "",
        converted_page(made.html),
        made.gold,
        "",
        made.html,
        MADE_WEIGHT,
        made.page_type,
        made.url,
    )


def _emptied(page: Page) -> Page:
    """The page without the lines that are, or may be, main text."""
    lines = zip(split_lines(page.markdown), line_labels(page), strict=True)
    left = "".join(f"{line}\n" for line, label in lines if label == 0 or not line.strip())
    return page._replace(markdown=left, gold="", title="", weight=EMPTIED_WEIGHT)


def _shortened(page: Page) -> Page | None:
    """The page without the rest of its main text and most of what stands around; None if short."""
    chance = random.Random(f"short|{page.id}")
    lines = split_lines(plain_markdown(page.markdown))
    visible = [number for number, line in enumerate(lines) if line.strip()]
    labels = line_labels(page)
    main = [number for number in visible if labels[number] == 1]
    count = chance.randint(*SHORT_LINES)
    if len(main) <= count:
        return None
    before = [number for number in visible if number < main[0]]
    after = [number for number in visible if number > main[-1]]
    stay = {
        *before[: chance.randint(1, 8)], *before[-chance.randint(1, 10) :],
        *range(main[0], main[count - 1] + 1),
        *after[: chance.randint(0, 6)], *after[-chance.randint(1, 6) :],
    }  # fmt: skip
    # A blank line stays with what it stands above.
    short = (
        line
        for number, line in enumerate(split_lines(page.markdown))
        if number in stay or (not lines[number].strip() and number + 1 in stay)
    )
    return page._replace(markdown="".join(f"{line}\n" for line in short), weight=SHORTENED_WEIGHT)


def read_by_people(folder: Path, labels: Path = LABELS, *, for_test: bool = False) -> list[Page]:
    """The pages of `gold/` that the data folder holds, those for training or for the test."""
    given = [gold for gold in read_gold(labels) if not gold.is_ignored]
    labelled = {gold.page: gold for gold in given if gold.is_test == for_test}
    pages: dict[str, Page] = {}
    for record in read_records(folder):
        body = html_of(record)
        gold = labelled.get(hashlib.sha256(body).hexdigest())
        if gold:
            url = "" if record.get("url_is_host_only") else record.get("url") or ""
            pages[gold.page] = _as_read(gold, decode(body, None).text, url)
    return [pages[page] for page in sorted(pages)]


def _as_read(gold: GoldPage, html: str, url: str) -> Page:
    """The page with the lines that were kept as its gold text."""
    markdown = converted_page(html)
    lines = split_lines(markdown)
    labels = labels_of(gold, lines)
    plain = split_lines(plain_markdown(markdown))
    text = "".join(f"{line}\n" for line, label in zip(plain, labels, strict=True) if label)
    return Page(
        f"gold/{gold.page}", READ, gold.site, gold.lang, "", markdown, text, "", html, url=url
    )
