import numpy as np
import pytest

from skord.markdown.plain_lines import PlainLines
from skord.models.line_classifier.embedded import FRAME_LOGIT
from skord.models.line_classifier.features.offers import offers, reviews
from skord.models.line_classifier.load import load_line_classifier

LONG = (
    "Tältet har en båge av aluminium, ett golv som tål vatten och plats för två med packning. " * 2
)


@pytest.mark.parametrize(
    "heading",
    [
        "## Andra köpte också",
        "### Sist sett på",
        "## Måske kan du også lide:",
        "## **You may also like…**",
        "## Flere opskrifter",
        "## Andra söker också efter",
        "### More top stories",
        "## Mer från redaktionen",
    ],
)
def test_offers_end_at_a_heading_of_their_level_or_a_long_line(heading):
    entries = [heading, "", "#### Sovsäck", "899 kr", ""]
    assert list(offers(PlainLines.of(["# Tält", *entries]))) == [(1, 6)]
    assert list(offers(PlainLines.of([*entries, "## Mått", "2 m"]))) == [(0, 5)]
    assert list(offers(PlainLines.of([*entries, LONG]))) == [(0, 5)]


@pytest.mark.parametrize(
    "heading",
    [
        "# Sist sett på",
        "## Andra köpte också varor i fjol",
        "Similar items",
        "## More news than ever before",
    ],
)
def test_what_names_the_page_or_says_more_heads_no_offers(heading):
    assert list(offers(PlainLines.of([heading, "- Sovsäck"]))) == []


def test_offers_are_removed_however_they_look():
    page = f"# Tält för två\n\n{LONG}\n\n## Andra köpte också\n\nEn sovsäck av dun som värmer.\n"
    (logits,) = load_line_classifier("embedded").logits([page])
    assert logits[2] > 0
    assert np.all(logits[4:] <= FRAME_LOGIT)


@pytest.mark.parametrize(
    "heading",
    [
        "## Customer reviews (12)",
        "### 29 reviews for Sandals",
        "## User testimonials",
        "## Kundomdömen",
        "## **Det siger kunderne**",
    ],
)
def test_reviews_end_at_a_heading_of_their_level_however_long_their_lines(heading):
    entries = [heading, "", "#### Bra!", LONG, ""]
    assert list(reviews(PlainLines.of(["# Tält", *entries]))) == [(1, 6)]
    assert list(reviews(PlainLines.of([*entries, "## Mått", "2 m"]))) == [(0, 5)]


@pytest.mark.parametrize("heading", ["# Customer reviews", "## Reviews", "Customer reviews"])
def test_what_names_the_page_or_may_be_the_press_heads_no_reviews(heading):
    assert list(reviews(PlainLines.of([heading, LONG]))) == []
