"""Page files: what is read from them, and how a fault is reported."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from skord.cli.main import main
from skord.core.failures import ConfigError
from skord.sample_crawl.page_source import (
    COMPONENT_LAYOUTS,
    LANGUAGES,
    LAYOUTS,
    Variant,
    bundled_pages,
    harvest_pages,
    parse_page,
    read_pages,
)

GOOD = """+++
url = "https://a.example/om"
layout = "bare"
title = "Om"
published = "2023-05-01"
+++

Text.
"""


def test_a_page_is_read_with_all_its_facts(few_pages) -> None:
    [page] = [page for page in few_pages if page.slug == "angbaten"]
    assert (page.lang, page.layout, page.title) == ("sv", "news", "Ångbåten går igen")
    assert (page.charset, page.charset_declared, page.kind) == ("windows-1252", "meta", "page")
    assert page.variants[1] == Variant("https://kustnytt.example/angbaten", "near")
    assert page.comments == ("Äntligen!", "Vad kostar biljetten?")
    assert page.text.startswith("Efter tre år")
    assert page.text.endswith("åker gratis.")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("+++\nurl", "url", "TOML between two lines"),
        ("\n+++\n\n", "\n\n", "TOML between two lines"),
        ('title = "Om"', 'title = "Om', "sv/om.md"),
        ('title = "Om"', "title = 3", "title must be a text"),
        ('title = "Om"\n', "", r"missing keys \['title'\]"),
        ("layout", "colour", r"unknown keys \['colour'\]"),
        ('"bare"', '"brutalist"', "layout 'brutalist' is not one of"),
        ('"2023-05-01"', '"1 May"', "Invalid isoformat"),
        ('"2023-05-01"', "2023-05-01", "argument must be str"),
        ('"2023-05-01"', '"2023-05-01"\nkind = "page "', "kind 'page '"),
        ('"2023-05-01"', '"2023-05-01"\ncharset = "latin-99"', "unknown encoding"),
        ('"2023-05-01"', '"2023-05-01"\ncharset_declared = "maybe"', "charset_declared"),
        ('"2023-05-01"', '"2023-05-01"\nvariants = ["x"]', "a variant is a table"),
        (
            '"2023-05-01"',
            '"2023-05-01"\nvariants = [{url = "http://b.example/", edit = "far"}]',
            "edit 'far'",
        ),
        ('"2023-05-01"', '"2023-05-01"\ncomments = [1]', "comments must be texts"),
        ("https://a.example/om", "a.example/om", "not an http or https address"),
        ("Text.", "", "a page needs a text"),
        ("Text.", "Se [sidan](/x).", "no links"),
        ("Text.", "Se <b>här</b>.", "no HTML"),
        ("Text.", "# Om", "'# ' in the text"),
    ],
)
def test_a_fault_is_named_with_its_file(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigError, match=said) as caught:
        parse_page(GOOD.replace(old, new, 1), "sv", "om")
    assert "sv/om.md" in str(caught.value)


def test_an_unknown_language_folder_is_a_fault() -> None:
    with pytest.raises(ConfigError, match="language 'xx'"):
        parse_page(GOOD, "xx", "om")


def test_a_thin_page_needs_no_text() -> None:
    thin = GOOD.replace("Text.", "").replace('"2023-05-01"', '"2023-05-01"\nkind = "thin"')
    assert parse_page(thin, "sv", "om").text == ""


def test_two_pages_at_one_address_are_a_fault(tmp_path: Path) -> None:
    (tmp_path / "sv").mkdir()
    for slug in ("a", "b"):
        (tmp_path / "sv" / f"{slug}.md").write_text(GOOD, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"already the address of sv/a\.md"):
        read_pages(tmp_path)


def test_the_bundled_pages_are_sound_and_cover_every_layout() -> None:
    pages = bundled_pages()
    assert {page.layout for page in pages} == set(LAYOUTS)
    assert {page.lang for page in pages} == set(LANGUAGES)
    assert {page.kind for page in pages} == {"page", "thin", "spam"}
    for lang in ("sv", "da", "nb", "is"):
        assert sum(page.lang == lang for page in pages) >= 20


@pytest.mark.parametrize("lang", ["sv", "da", "nb", "nn", "is"])
def test_each_scandinavian_language_has_four_component_pages_of_each_type(lang) -> None:
    pages = [page for page in bundled_pages() if page.lang == lang]
    counts = Counter(page.layout for page in pages if page.layout in COMPONENT_LAYOUTS)
    assert counts.keys() == set(COMPONENT_LAYOUTS)
    assert min(counts.values()) >= 4
    assert all(len(page.sections) > 1 for page in pages if page.layout in COMPONENT_LAYOUTS)


def test_a_text_is_cut_into_sections_only_where_a_site_is_made_of_components() -> None:
    cut = GOOD.replace('"bare"', '"service"').replace("Text.", "Ett.\n* * *\nTvå.\n\nTre.")
    page = parse_page(cut, "sv", "om")
    assert page.sections == ("Ett.", "Två.\n\nTre.")
    assert page.text == "Ett.\n\nTvå.\n\nTre."
    with pytest.raises(ConfigError, match=r"sv/om\.md: only magazine"):
        parse_page(cut.replace('"service"', '"bare"'), "sv", "om")


def test_the_harvest_is_in_five_charsets_some_of_them_mislabelled():
    pages = harvest_pages()
    threads = {page.slug for page in pages if page.layout == "forum"}

    assert {page.charset for page in pages} == {
        "utf-8", "windows-1257", "iso-8859-13", "iso-8859-4", "iso-8859-10",
    }  # fmt: skip
    assert {page.charset_declared for page in pages} >= {"wrong", "none", "meta", "header"}
    assert {slug.removesuffix("-translit") for slug in threads} == {
        slug for slug in threads if f"{slug}-translit" in threads
    }


def test_the_harvest_is_built_by_the_command(tmp_path, capsys):
    assert main(["sample", "build", str(tmp_path), "--harvest"]) == 0

    assert "10 pages" in capsys.readouterr().out
