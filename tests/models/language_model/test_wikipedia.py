"""Articles of a Wikipedia dump as text."""

import io

import pytest

from skord.models.language_model.corpus import plain_text, wikipedia_articles

pytest.importorskip("mwparserfromhell")

HEAD = (
    '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><siteinfo><namespaces>'
    '<namespace key="6">Fil</namespace><namespace key="14">Kategori</namespace>'
    '<namespace key="4">Wikipedia</namespace></namespaces></siteinfo>'
)


def page(text, namespace="0", more=""):
    return f"<page><ns>{namespace}</ns>{more}<revision><text>{text}</text></revision></page>"


def test_only_articles_count_and_redirects_are_none():
    dump = HEAD + page("En.") + page("Två.", "4") + page("Tre.", more="<redirect/>") + page("Fyra.")

    assert list(wikipedia_articles(io.BytesIO(f"{dump}</mediawiki>".encode()))) == ["En.", "Fyra."]


def test_pictures_categories_tables_and_notes_are_left_out():
    text = (
        "'''Ån''' är [[vatten|vått]].[[Fil:a.jpg|thumb|En bild]]&lt;ref&gt;Not&lt;/ref&gt;\n\n"
        "[[Kategori:Vatten]] [[:Kategori:Åar]]\n{| \n| tabell\n|}\n{{mall}}"
    )

    (article,) = wikipedia_articles(io.BytesIO(f"{HEAD}{page(text)}</mediawiki>".encode()))

    assert article.split("\n")[0] == "Ån är vått."
    assert "bild" not in article
    assert "tabell" not in article
    assert "Not" not in article


def test_what_is_no_xml_is_refused():
    with pytest.raises(ValueError, match="it is no XML"):
        list(wikipedia_articles(io.BytesIO(b"<mediawiki><page>")))


def test_lines_have_single_blanks_and_none_is_empty():
    assert plain_text("a  b\n\n\n c\td ", set()) == "a b\nc d"
