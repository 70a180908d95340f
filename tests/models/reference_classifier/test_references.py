from __future__ import annotations

import bz2
import gzip
import io
import tracemalloc

import pytest

from skord.core.failures import ConfigError
from skord.models.reference_classifier.references import article_texts, linked_urls, read_references

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
        assert sum(map(len, article_texts(stream))) > 0
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < peaks[0] + 1_000_000


OLD = ("el_id", "el_from", "el_to", "el_index", "el_index_60")
OLD_ROWS = (
    rb"(1,7,'http://dn.se/a\'),(9,9,','http://se.dn./a','http://se.dn./\xc3'),"
    rb"(2,7,'https://ruv.is/\\',_binary 'x','')"
)
NEW = ("el_id", "el_from", "el_to_domain_index", "el_to_path")
NEW_ROWS = b"(1,7,'http://se.dn.',NULL),(2,7,'https://is.ruv.www.','/a?b=(1),(2)')"


def dump_of(columns, rows: bytes) -> bytes:
    fields = "".join(f"  `{name}` blob NOT NULL,\n" for name in columns)
    keys = "  PRIMARY KEY (`el_id`),\n  KEY `el_from` (`el_from`)\n"
    head = f"-- MySQL dump\nCREATE TABLE `externallinks` (\n{fields}{keys}) ENGINE=InnoDB;\n"
    return head.encode() + b"INSERT INTO `externallinks` VALUES " + rows + b";\n-- done\n"


@pytest.mark.parametrize(
    ("columns", "rows", "urls"),
    [
        (OLD, OLD_ROWS, ["http://dn.se/a'),(9,9,", "https://ruv.is/\\"]),
        (NEW, NEW_ROWS, ["http://dn.se", "https://www.ruv.is/a?b=(1),(2)"]),
        (OLD[:4], b"(1,7,'http://dn.se/\xe5\\nb','')", ["http://dn.se/\ufffd\nb"]),
    ],
    ids=["el_to", "el_to_domain_index", "latin1"],
)
def test_both_schemas_of_the_table_are_read(columns, rows, urls):
    assert list(linked_urls(dump_of(columns, rows).splitlines(keepends=True))) == urls


def test_a_gzipped_sql_dump_gives_canonical_urls(tmp_path):
    path = tmp_path / "svwiki-externallinks.sql.gz"
    path.write_bytes(gzip.compress(dump_of(NEW, NEW_ROWS)))
    assert read_references(path) == {"se,dn)/", "is,ruv)/a?b=(1),(2)"}


def test_a_row_that_cannot_be_read_is_no_silent_loss():
    lines = dump_of(NEW, b"(1,7,'http://se.dn.','/a'),(2,7,'http://se.dn.')").splitlines()
    with pytest.raises(ConfigError, match=r"cannot be read from b\"\(2,7"):
        list(linked_urls(lines))


def test_another_table_is_refused():
    with pytest.raises(ConfigError, match="externallinks"):
        list(linked_urls([b"CREATE TABLE `page` (", b"  `page_id` int,", b")"]))


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
        ("a.sql.gz", gzip.compress(b"x" * 999)[:-9]),
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
