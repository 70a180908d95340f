from __future__ import annotations

import bz2
import gzip
import json

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.corpus import corpus_documents

WRITERS = {"": lambda path: path.open("wb"), ".gz": gzip.open, ".bz2": bz2.open}


def written(path, text, compressed=""):
    path = path.with_name(path.name + compressed)
    opener = WRITERS[compressed]
    with opener(path) if not compressed else opener(path, "wb") as file:
        file.write(text.encode())
    return path


@pytest.mark.parametrize("compressed", WRITERS)
def test_a_blank_line_ends_a_document_of_plain_text(tmp_path, compressed):
    text = "\n\nFörsta raden\nandra raden\r\n \nNästa dokument\n\n\n"
    path = written(tmp_path / "sv.txt", text, compressed)

    assert list(corpus_documents(path)) == ["Första raden\nandra raden", "Nästa dokument"]


def test_text_without_blank_lines_is_cut_after_so_many_lines(tmp_path):
    path = written(tmp_path / "sv.txt", "".join(f"rad {n}\n" for n in range(5)))

    assert list(corpus_documents(path, 2)) == ["rad 0\nrad 1", "rad 2\nrad 3", "rad 4"]
    assert len(list(corpus_documents(path))) == 1


def test_only_line_feeds_part_lines(tmp_path):
    path = written(tmp_path / "sv.txt", "a\u2028b\x85c\fd\ne\n")

    assert list(corpus_documents(path)) == ["a\u2028b\x85c\fd\ne"]


@pytest.mark.parametrize("compressed", WRITERS)
def test_a_cirrus_dump_gives_the_text_of_its_records(tmp_path, compressed):
    records = [
        {"index": {"_type": "_doc", "_id": "1"}},
        {"title": "Å", "text": "En å är ett vattendrag.\nDen rinner.", "opening_text": "En å"},
        {"index": {"_id": "2"}},
        {"title": "Tom", "text": ""},
        {"index": {"_id": "3"}},
        {"title": "Utan", "text": None},
        {"index": {"_id": "4"}},
        {"title": "Ö", "text": "En ö är land."},
    ]
    text = "".join(json.dumps(record) + "\n" for record in records)
    path = written(tmp_path / "svwiki-20240101-cirrussearch-content.json", text, compressed)

    assert list(corpus_documents(path)) == ["En å är ett vattendrag.\nDen rinner.", "En ö är land."]


WIKITEXT = """{{Infobox|namn=Ån|bild={{bild}}}}
[[Fil:Karta.png|miniatyr|En [[karta]] över '''ån''']]
'''Ån''' är ett [[vattendrag|långt vattendrag]] i [[Sverige]].<ref name="a">Boken, s. 3.</ref>
{| class="wikitable"
| cell || [[cell]]
|}
== Historia ==
* Ån   har funnits ''länge''<!-- dold -->.
&Aring;terst&aring;r.
[[Kategori:Åar]]"""
DUMP = f"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" xml:lang="sv">
  <siteinfo><namespaces>
    <namespace key="0" case="first-letter" />
    <namespace key="6" case="first-letter">Fil</namespace>
    <namespace key="14" case="first-letter">Kategori</namespace>
  </namespaces></siteinfo>
  <page><title>Ån</title><ns>0</ns><id>1</id><revision><id>9</id>
    <text xml:space="preserve">{WIKITEXT.replace("&", "&amp;").replace("<", "&lt;")}</text>
  </revision></page>
  <page><title>Åen</title><ns>0</ns><id>2</id><redirect title="Ån" /><revision>
    <text>#OMDIRIGERING [[Ån]]</text></revision></page>
  <page><title>Diskussion:Ån</title><ns>1</ns><id>3</id><revision>
    <text>Jag undrar.</text></revision></page>
  <page><title>Ön</title><ns>0</ns><id>4</id><revision>
    <text>'''Ön''' är [[:Kategori:Öar|land]].</text></revision></page>
  <page><title>Tom</title><ns>0</ns><id>5</id><revision><text /></revision></page>
</mediawiki>
"""


@pytest.mark.parametrize("compressed", WRITERS)
def test_a_wikipedia_dump_gives_its_articles_as_plain_text(tmp_path, compressed):
    pytest.importorskip("mwparserfromhell")
    path = written(tmp_path / "svwiki-20240101-pages-articles.xml", DUMP, compressed)
    river, island = corpus_documents(path)

    assert river.split("\n")[0] == "Ån är ett långt vattendrag i Sverige."
    assert "Historia" in river
    assert "Ån har funnits länge." in river
    assert "Återstår." in river
    for gone in ("Infobox", "Karta", "miniatyr", "Boken", "cell", "dold", "'''", "[[", "Kategori"):
        assert gone not in river
    assert island == "Ön är land."


def test_a_file_that_is_not_what_its_name_says_is_refused(tmp_path):
    cases = {
        "absent.txt": None,
        "latin.txt": "å".encode("latin-1"),
        "text.json": b"no json\n",
        "text.txt.gz": b"no gzip",
        "cut.txt.gz": gzip.compress(b"text\n" * 99)[:-12],
        "cut.txt.bz2": bz2.compress(b"text\n" * 99)[:-12],
        "text.xml": b"no xml",
        "cut.xml": DUMP.encode()[:900],
    }
    for name, content in cases.items():
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(ConfigError, match=name):
            list(corpus_documents(tmp_path / name))
