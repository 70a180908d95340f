"""Boxes put into training pages, main text taken out of them, and pages read by people."""

from __future__ import annotations

import gzip
import hashlib
import json

import numpy as np
import pytest

from skord.markdown.extraction import split_lines
from skord.models.line_classifier.gold import GoldPage, gold_of, write_gold
from skord.models.line_classifier.pytorch.batch import Dropout, batch_of
from skord.models.line_classifier.training import more_pages
from skord.models.line_classifier.training.dataset import Page
from skord.models.line_classifier.training.examples import example_of_page, line_labels
from skord.models.line_classifier.training.fitting import Recipe, shown_names
from skord.models.line_classifier.training.more_pages import furnished_page

TEXT = (
    "Kommunen bygger en ny bro över ån, och den skall stå klar redan i vår. Den blir en meter bredare "
    "än den gamla, och får en gångbana på varje sida, så att barn kan gå säkert till skolan i byn."
)
HTML = f"<body><ul><li>Hem<li>Om oss<li>Kontakta oss<li>Tipsa redaktionen om en nyhet</ul><p>{TEXT}"


def page(name: str, **changes) -> Page:
    markdown = f"- Hem\n- Om oss\n- Kontakta oss\n- Tipsa redaktionen om en nyhet\n\n{TEXT}\n"
    return Page(name, "made", "a.se", "sv", "", markdown, TEXT, "", HTML)._replace(**changes)


def test_a_box_is_put_in_always_the_same_and_the_rest_stays():
    boxes = {furnished_page(HTML, "sv", str(key)) for key in range(60)}
    assert len(boxes) > 30
    assert boxes == {furnished_page(HTML, "sv", str(key)) for key in range(60)}
    for box in boxes:
        assert TEXT in box
        assert box.startswith("<body>")
    assert any("samtycke" in box for box in boxes)
    assert not any("consent at any time" in box for box in boxes)
    assert any("consent at any time" in furnished_page(HTML, "xx", str(key)) for key in range(60))
    assert furnished_page("<p>no body", "sv", "a") == "<p>no body"


def test_some_pages_are_furnished_and_some_emptied_and_their_labels_follow():
    given = [page(f"p{number}") for number in range(150)]
    changed = more_pages.changed_pages(given)
    same, copies = changed[: len(given)], changed[len(given) :]
    put_in = [new for old, new in zip(given, same, strict=True) if new != old]
    assert 0.2 < len(put_in) / len(given) < 0.6
    for new in put_in:
        assert [line for line, label in labelled(new) if label == 1] == [TEXT]
        # What a browser hides of the furniture is not in the Markdown.
        assert sum(label == 0 for _, label in labelled(new)) > 3
    assert 0 < len(copies) < 20
    for copy in copies:
        assert TEXT not in copy.markdown
        assert "- Om oss\n" in copy.markdown
        assert {label for line, label in labelled(copy) if line.strip()} == {0.0}
        assert copy.weight < 1


def test_short_copies_hold_the_beginning_of_the_main_text_and_some_lines_around_it():
    body = [f"Mening nummer {number} handlar om bron." for number in range(40)]
    around = [f"- Länk {number}" for number in range(30)]
    lines = [*around, "", *body, "", *(f"Fot {number}" for number in range(30))]
    markdown = "".join(f"{line}\n" for line in lines)
    given = [page(f"p{n}", markdown=markdown, gold="\n".join(body), html="") for n in range(40)]
    made = more_pages.changed_pages(given)[len(given) :]
    copies = [copy for copy in made if copy.gold and not copy.is_made]
    assert 10 < len(copies) < 30
    lengths = set()
    for copy in copies:
        its = list(labelled(copy))
        main = [line for line, label in its if label == 1]
        assert main == body[: len(main)]
        lengths.add(len(main))
        # A blank line stays only above what stays.
        assert its[-1][0].startswith("Fot ")
        assert 1 <= sum(line.startswith("- Länk") for line, _ in its) <= 18
        assert copy.weight < 1
    assert lengths <= set(range(4, 17))
    assert len(lengths) > 4
    short = page("p1", markdown="".join(f"{line}\n" for line in body[:4]), gold="\n".join(body[:4]))
    assert more_pages._short_copy(short) is None


def test_some_pages_lend_their_sentences_to_pages_of_forums_and_shops():
    gold = "\n".join(f"Mening nummer {number} handlar om den nya bron." for number in range(40))
    given = [page(f"p{number}", gold=gold) for number in range(40)]
    made = [new for new in more_pages.changed_pages(given) if new.id.startswith("made/")]
    assert 15 < len(made) < 33
    assert {(new.site, new.lang, new.weight) for new in made} == {("a.se", "sv", 0.3)}
    for new in made:
        labels = [label for line, label in labelled(new) if line.strip()]
        assert {0.0, 1.0} <= set(labels)
        assert new.page_type


def test_made_pages_are_never_shown_without_the_names_of_their_parts():
    gold = "\n".join(f"Mening nummer {number} handlar om den nya bron." for number in range(40))
    given = [page(f"p{number}", gold=gold) for number in range(6)]
    changed = more_pages.changed_pages(given)
    made = [example_of_page(new) for new in changed if new.is_made]
    real = [example_of_page(new) for new in changed if not new.is_made]
    assert made
    assert real

    chance = np.random.default_rng(1)
    soup = Recipe(soup_pages=1.0)
    assert all(shown_names(one, soup, chance) is one for one in made)
    assert all(shown_names(one, soup, chance).context is one.soup for one in real)
    nameless = Dropout(nameless_pages=1.0)
    assert batch_of(made, True, nameless).elements.kept.all()
    assert not batch_of(real, True, nameless).elements.kept.any()


def labelled(given: Page):
    return zip(split_lines(given.markdown), line_labels(given), strict=True)


@pytest.fixture
def read(tmp_path):
    """Label pages as people do, and read those that a data folder of one page holds."""

    def pages(*, for_test=False, **changes) -> list[Page]:
        lines = ["Hem", "Om oss", "Kontakta oss", "Tipsa redaktionen om en nyhet", "", TEXT]
        hashes, labels = gold_of(lines, [0, 1, 0, 0, 0, 1])
        digest = hashlib.sha256(HTML.encode()).hexdigest()
        gold = GoldPage(digest, "x", "arla.se", "sv", "one", False, False, hashes, labels)
        write_gold(tmp_path / "labels.jsonl", [gold._replace(**changes)])
        with gzip.open(tmp_path / "made.jsonl.gz", "wt") as rows:
            rows.write(json.dumps({"html": HTML}) + "\n")
        return more_pages.read_by_people(tmp_path, tmp_path / "labels.jsonl", for_test=for_test)

    return pages


def test_a_page_read_by_people_has_the_lines_they_kept_as_gold(read):
    (actual,) = read()
    assert actual.gold.split("\n") == ["- Om oss", TEXT, ""]
    assert [line for line, label in labelled(actual) if label == 1] == ["  - Om oss", TEXT]


@pytest.mark.parametrize("kind", ["is_test", "is_ignored"])
def test_a_page_for_the_test_or_to_be_ignored_is_not_learnt(read, kind):
    assert read(**{kind: True}) == []
    assert len(read(for_test=True, **{kind: True})) == (kind == "is_test")


def test_source_code_at_the_end_of_a_page_is_not_labelled_for_its_text():
    shown = TEXT.replace("redan i", "nästa")
    book = f"# Bok\n\n{shown}\n\n```\n{TEXT}\n```\n"
    labels = line_labels(page("a", source="sites", markdown=book))
    assert labels[2] == 1
    assert 1 not in labels[4:]


def test_the_same_pages_are_chosen_ever_after():
    assert [more_pages._drawn("put", page(name)) for name in "abc"] == [41, 11, 91]
