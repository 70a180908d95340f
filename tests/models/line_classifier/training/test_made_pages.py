"""Pages as programs of forums and shops lay them out, with the sentences of others."""

from __future__ import annotations

import pytest

from skord.markdown.plain_lines import plain_markdown
from skord.models.line_classifier.page_types import PAGE_TYPES
from skord.models.line_classifier.training.dataset import converted_page
from skord.models.line_classifier.training.more_pages import (
    LEAST_SENTENCES,
    made_page,
    page_layouts,
)

SENTENCES = [f"Den {number}:e meningen handlar om broar över ån." for number in range(80)]
TEXT = "\n".join(" ".join(SENTENCES[start : start + 4]) for start in range(0, 80, 4))
LAYOUTS = page_layouts()


def test_a_page_is_the_same_for_the_same_key_and_all_layouts_are_drawn():
    pages = [made_page(TEXT, "sv", str(key)) for key in range(400)]
    assert pages == [made_page(TEXT, "sv", str(key)) for key in range(400)]
    drawn = {page.url.split(".example/")[1].split("/")[0].split("?")[0] for page in pages}
    assert len({page.page_type for page in pages}) == len({one["type"] for one in LAYOUTS})
    assert len(drawn) > len(LAYOUTS) / 2


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one["address"])
def test_a_layout_holds_main_text_and_frame_in_order(layout):
    page = made_page(TEXT, "nn", "a", layout)
    assert page.page_type in PAGE_TYPES
    said = " ".join(plain_markdown(converted_page(page.html)).split())
    words = page.gold.split()
    assert len(words) > 20
    assert len(said.split()) > len(words) + 10
    assert not set("{}[") & set(said.replace("[IMG]", ""))
    at = 0
    for line in page.gold.split("\n"):
        at = said.index(" ".join(line.split()), at)


def test_no_page_is_made_of_few_sentences_or_of_a_language_without_words():
    assert made_page(" ".join(SENTENCES[: LEAST_SENTENCES - 1]), "sv", "a") is None
    assert made_page(" ".join(SENTENCES[:LEAST_SENTENCES]), "sv", "a")
    assert made_page(TEXT, "pl", "a") is None
