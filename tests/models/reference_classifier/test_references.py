from __future__ import annotations

import bz2
import gzip
import io
import tracemalloc

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.corpus import article_wikitexts
from skord.models.reference_classifier.references import read_references

PAGE = """  <page>
    <title>{title}</title>
    <ns>{ns}</ns>{more}
    <revision><id>1</id><text xml:space="preserve">{text}</text></revision>
  </page>
"""
HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11">\n'


def page(text: str, ns: int = 0, more: str = "") -> str:
    return PAGE.format(title="T", ns=ns, text=text, more=more)


def ref(path: str) -> str:
    return f"&lt;ref&gt;http://dn.se/{path}?a=1&amp;amp;b=2&lt;/ref&gt;"


def write_xml(path, *pages: str):
    # As in multistream dumps: head, pages and end are streams of their own.
    path.write_bytes(b"".join(bz2.compress(p.encode()) for p in (HEAD, *pages, "</mediawiki>")))
    return path


def test_an_xml_dump_gives_what_its_articles_cite(tmp_path):
    redirect = '\n    <redirect title="U" />'
    dump = write_xml(
        tmp_path / "svwiki-pages-articles.xml.bz2",
        page(ref("a")), page(ref("talk"), ns=1), page(ref("old"), more=redirect), page(ref("b")),
        PAGE.format(title="Tom", ns=0, more="", text=""),
    )  # fmt: skip
    assert read_references(dump) == {"se,dn)/a?a=1&b=2", "se,dn)/b?a=1&b=2"}


def test_articles_already_read_are_not_held():
    def dump(pages: int) -> io.BytesIO:
        return io.BytesIO((HEAD + page("text " * 2_000) * pages + "</mediawiki>").encode())

    peaks = []
    for stream in (dump(20), dump(400)):
        tracemalloc.start()
        assert sum(map(len, article_wikitexts(stream))) > 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_000_000


def test_a_list_of_urls_is_read_again(tmp_path):
    path = tmp_path / "cited.txt.gz"
    path.write_bytes(gzip.compress("se,dn)/å\n\nis,ruv)/\n".encode()))
    assert read_references(path) == {"se,dn)/å", "is,ruv)/"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xml", b"<mediawiki><page>"),
        ("a.xml", b""),
        ("a.xml.bz2", b"no bzip2"),
        ("a.xml.bz2", bz2.compress(b"<mediawiki>" * 99)[:-9]),
        ("a.xml.gz", gzip.compress(b"x" * 999)[:-9]),
        ("a.sql", b""),
        ("a.txt", b"\xff\xfe"),
        ("a.zip", b""),
    ],
)
def test_a_damaged_or_strange_file_is_a_config_error(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=name):
        read_references(tmp_path / name)


def test_a_missing_file_is_a_config_error(tmp_path):
    with pytest.raises(ConfigError, match="absent"):
        read_references(tmp_path / "absent.xml")
