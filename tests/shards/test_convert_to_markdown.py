"""Records that are no page keep their row, with the reason.

Through `skord.records.conversion`.
"""

import os

import pyarrow as pa
import pytest

from pipeline.warc_processing import ConvertToMarkdown
from skord.core.failures import ConfigError
from skord.html.pandoc import find_pandoc
from tests.members import response_member


def record(http: bytes) -> bytes:
    return response_member(http, digest="sha1:ABC")


def html(body: str, status: str = "200 OK", content_type: str = "text/html", **headers: str):
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {content_type}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return record("\r\n".join([*lines, "", ""]).encode() + body.encode("latin-1"))


PAGE = "<html lang=sv><title>Blåbär</title><body><h1>Blåbär</h1><p>En <a href='/s'>smörgås</a>.</p>"


FORMULA = "<p>Arealet är <math><mi>a</mi><mo>·</mo><mi>b</mi></math> kvadratmeter.</p>"


def converted(*records, **settings):
    batch = pa.table(
        {
            "id": [f"urn:uuid:{n}" for n in range(len(records))],
            "FetchHTMLDocuments.record": list(records),
            "WARCIndex.warc_file": ["a.warc.gz"] * len(records),
            "CCNet.url": ["http://a.example/"] * len(records),
            "CCNet.warc_date": ["2024-03-01T00:00:00Z"] * len(records),
        }
    )
    with ConvertToMarkdown(dump="2024-10", **settings).open_shard(0) as process:
        return process(batch).to_pylist()


@pytest.fixture(scope="module")
def rows():
    return converted(
        html(PAGE, Last_Modified="Fri, 01 Mar 2019 10:00:00 GMT"),
        html(PAGE, status="404 Not Found"),
        html("%PDF-1.4 ...", content_type="application/pdf"),
        b"no gzip at all",
        html("<p>" + "x" * 3_100_000),
    )


def test_both_converters_say_the_same_of_a_plain_page():
    pages = [html(PAGE), html(FORMULA), html("<script>x</script>")]

    fast, pandoc = converted(*pages), converted(*pages, converter="pandoc")

    assert (fast[0], fast[2]) == (pandoc[0], pandoc[2])
    assert fast[1]["content"] == "Arealet är \\(a \\cdot b\\) kvadratmeter.\n"
    assert "a \\cdot b" in pandoc[1]["content"]
    assert fast[2]["failure"] == "empty_page"


def test_what_two_converters_make_has_two_stamps(settings):
    fast, pandoc = (ConvertToMarkdown(dump="2024-10", converter=c) for c in ("fast", "pandoc"))

    assert fast.fingerprint != pandoc.fingerprint


def test_a_page_becomes_markdown_with_what_is_known_of_it(rows):
    assert rows[0] == {
        "url": "http://a.example/",
        "warc_file": "a.warc.gz",
        "warc_date": "2024-03-01T00:00:00Z",
        "warc_block_digest": "sha1:ABC",
        "content": "# Blåbär\n\nEn smörgås.\n",
        "link_spans": [{"start": 13, "end": 20}],
        "line_context": {
            "elements": ["h1", "p", "!page ~deep-0"],
            "parents": [-1, -1, -1],
            "lines": [0, -1, 1],
            "links": bytes([0, 0, 128]),
            "controls": bytes(3),
        },
        "script_content": None,
        "title": "Blåbär",
        "html_lang": "sv",
        "date": None,
        "server_date": "2019-03-01T10:00:00Z",
        "charset": "windows-1252",
        "charset_source": "detector",
        "truncated": None,
        "failure": None,
    }


@pytest.mark.parametrize(
    ("row", "code"), [(1, "http_status"), (2, "not_html"), (3, "bad_gzip"), (4, "too_large")]
)
def test_what_is_no_page_keeps_its_row_with_a_code(rows, row, code):
    assert rows[row]["failure"] == code
    assert rows[row]["content"] is None


def test_one_page_can_be_tried_out_without_the_graph():
    assert ConvertToMarkdown.convert_html_to_markdown(PAGE) == "# Blåbär\n\nEn smörgås.\n"


OLD_PANDOC = """\
#!/bin/sh
case "$*" in
  --version) echo "pandoc 2.9.2.1" ;;
  *--sandbox*) echo "Unknown option --sandbox." >&2; exit 6 ;;
  *) exec {pandoc} "$@" ;;
esac
"""
"""Knows no more than 2.9.2.1 does."""


def test_the_published_call_takes_the_published_pandoc_by_its_path(tmp_path, monkeypatch, settings):
    monkeypatch.setenv("HOME", str(tmp_path))
    old = tmp_path / "bin/pandoc"
    old.parent.mkdir()
    old.write_text(OLD_PANDOC.format(pandoc=find_pandoc()))
    old.chmod(0o755)
    page = "<h1>Hej</h1><p>Bron är <b>öppen</b>, <a href='/a'>läs mer</a>.</p>".encode()

    markdown = ConvertToMarkdown.convert_html_to_markdown(
        page, pandoc_path=f"{os.environ['HOME']}/bin/pandoc"
    )

    assert markdown.splitlines() == ["# Hej", "", "Bron är **öppen**, läs mer."]
    (row,) = converted(html(PAGE), converter="pandoc", pandoc_path="~/bin/pandoc")
    assert row["failure"] is None
    task = ConvertToMarkdown(dump="2024-10", converter="pandoc", pandoc_path="~/bin/pandoc")
    assert "2.9.2.1" in task.fingerprint_parts()


def test_a_pandoc_that_is_set_is_the_one_that_is_used():
    with pytest.raises(ConfigError, match="There is no pandoc at /no/pandoc"):
        converted(html(PAGE), converter="pandoc", pandoc_path="/no/pandoc")
