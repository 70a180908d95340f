"""Page files: what is read from them, and that those of the package are written as they should be."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from datetime import date
from urllib.parse import urlsplit

import pytest

from skord.cli.main import main
from skord.sample_crawl.page_source import (
    COMPONENT_LAYOUTS,
    LANGUAGES,
    LAYOUTS,
    Variant,
    bundled_pages,
    harvest_pages,
    parse_page,
)

CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
FORBIDDEN = re.compile(r"\]\(|!\[|</?[a-z]+[ >]|^# |^```", re.IGNORECASE | re.MULTILINE)

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


def test_the_bundled_pages_cover_every_layout() -> None:
    pages = bundled_pages()
    assert {page.layout for page in pages} == set(LAYOUTS)
    assert {page.lang for page in pages} == set(LANGUAGES)
    assert {page.kind for page in pages} == {"page", "thin", "spam"}
    for lang in ("sv", "da", "nb", "is"):
        assert sum(page.lang == lang for page in pages) >= 20


def test_pages_are_written_as_they_should_be() -> None:
    for page in (*bundled_pages(), *harvest_pages()):
        assert urlsplit(page.url).scheme in ("http", "https"), page.slug
        assert urlsplit(page.url).hostname, page.slug
        assert page.title.strip(), page.slug
        assert date.fromisoformat(page.published), page.slug
        assert codecs.lookup(page.charset), page.slug
        assert page.charset_declared in ("header", "meta", "both", "none", "wrong"), page.slug
        assert {variant.edit for variant in page.variants} <= {"exact", "near"}, page.slug
        assert page.kind != "page" or page.text, f"{page.slug}: a page needs a text"
        assert len(page.sections) < 2 or page.layout in COMPONENT_LAYOUTS, f"{page.slug}: * * *"
        assert not FORBIDDEN.search(CODE.sub("", page.text)), f"{page.slug}: links or HTML"


def test_no_two_pages_are_at_one_address() -> None:
    urls = [url for page in bundled_pages() for url in (page.url, *(v.url for v in page.variants))]
    assert len(set(urls)) == len(urls)


@pytest.mark.parametrize("lang", ["sv", "da", "nb", "nn", "is"])
def test_each_scandinavian_language_has_four_component_pages_of_each_type(lang) -> None:
    pages = [page for page in bundled_pages() if page.lang == lang]
    counts = Counter(page.layout for page in pages if page.layout in COMPONENT_LAYOUTS)
    assert counts.keys() == set(COMPONENT_LAYOUTS)
    assert min(counts.values()) >= 4
    assert all(len(page.sections) > 1 for page in pages if page.layout in COMPONENT_LAYOUTS)


def test_a_text_is_cut_into_sections_at_lines_of_stars() -> None:
    page = parse_page(GOOD.replace("Text.", "Ett.\n* * *\nTvå.\n\nTre."), "sv", "om")
    assert page.sections == ("Ett.", "Två.\n\nTre.")
    assert page.text == "Ett.\n\nTvå.\n\nTre."
    assert parse_page(GOOD.replace("Text.", ""), "sv", "om").sections == ()


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
