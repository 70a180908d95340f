"""Pandoc 2.9.2.1 in batches: pages stay apart, and one page costs no other its Markdown.

A stand-in program, which only joins the files that it is given, shows what happens when a process
dies or stalls. What pandoc itself writes is shown with SKORD_PANDOC_2_9=/path/to/pandoc-2.9.2.1.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from benchmarks.conversion.pandoc_batches import BATCH_PAGES, PandocBatches
from skord.core.failures import ConfigError, DocumentError
from skord.html.charset.decode import decode
from skord.html.cleaning import clean_html
from skord.html.failures import ConversionFailure
from skord.html.pandoc_dialect import fast_markdown
from skord.sample_crawl.layouts import render_page
from skord.sample_crawl.page_source import bundled_pages
from tests.html.test_no_network import EMBEDDED

DIALECT = Path(__file__).parents[1] / "pandoc_dialect"
STORED = DIALECT / "published.json.gz"
"""What pandoc 2.9.2.1 writes for every fourth page of the sample crawl, by slug."""

STAND_IN = f"""#!{sys.executable}
import os, signal, sys, time
if "--version" in sys.argv:
    print("pandoc 2.9.2.1\\nCompiled with nothing")
    raise SystemExit
(output,) = (word.partition("=")[2] for word in sys.argv if word.startswith("--output="))
names = [word for word in sys.argv[1:] if word.endswith(".html")]
texts = [open(name).read().replace("<p>", "").replace("</p>", "") for name in names]
with open(os.environ.get("LD_LIBRARY_PATH", "") + "/calls", "a") as calls:
    print(len(names), file=calls)
if "die" in texts:
    os.kill(os.getpid(), signal.SIGKILL)
if "fail" in texts:
    raise SystemExit(83)
if "swell" in texts:
    kept = bytearray(300_000_000)
    time.sleep(5)
while "stall" in texts:
    pass
if "run on" in texts:
    texts = [text for text in texts if not text.startswith("page")]
open(output, "w").write("\\n\\n".join(texts) + "\\n")
"""

BAD = {
    "die": ConversionFailure.pandoc_died,
    "fail": ConversionFailure.pandoc_error,
    "stall": ConversionFailure.pandoc_timeout,
    "swell": ConversionFailure.pandoc_memory,
}


@pytest.fixture
def stand_in(tmp_path, monkeypatch) -> Path:
    """A program in the place of pandoc; it notes in `calls` how many files each call has."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))  # the one variable that is passed on
    path = tmp_path / "pandoc"
    path.write_text(STAND_IN)
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def published() -> Path:
    path = os.environ.get("SKORD_PANDOC_2_9")
    if not path:
        pytest.skip("needs pandoc 2.9.2.1: SKORD_PANDOC_2_9=/path/to/it")
    return Path(path)


@pytest.fixture(scope="module")
def stored_pages() -> dict[str, tuple[str, str]]:
    """Cleaned pages and what pandoc 2.9.2.1 writes for them."""
    stored = json.loads(gzip.decompress(STORED.read_bytes()))
    return {
        page.slug: (clean_html(decode(*render_page(page)).text), stored[page.slug])
        for page in bundled_pages()
        if page.slug in stored
    }


def test_pages_share_a_process_and_come_back_apart(stand_in, tmp_path):
    pages = [f"<p>sida {number}</p>" for number in range(20)]

    with PandocBatches(stand_in, batch_pages=8) as batches:
        answers = batches.convert_all(pages)

    assert answers == [f"sida {number}\n" for number in range(20)]
    assert (tmp_path / "calls").read_text().split() == ["1", "15", "15", "7"]


@pytest.mark.parametrize(("page", "code"), BAD.items(), ids=BAD)
def test_a_page_that_breaks_its_batch_loses_nobody_s_markdown_but_its_own(stand_in, page, code):
    with PandocBatches(
        stand_in, timeout_s=0.5 if page == "stall" else 240, max_rss_mb=150
    ) as batches:
        bad, other = batches.convert_all([page, "a"])

    assert other == "a\n"
    assert isinstance(bad, DocumentError)
    assert bad.code is code


def test_pages_that_ran_into_each_other_are_converted_one_by_one(stand_in, tmp_path):
    with PandocBatches(stand_in) as batches:
        answers = batches.convert_all(["a", "run on", "b"])

    assert answers == ["a\n", "run on\n", "b\n"]
    assert (tmp_path / "calls").read_text().split() == ["1", "5", "1", "1", "1"]


def test_large_pages_have_a_process_each(stand_in, tmp_path):
    with PandocBatches(stand_in) as batches:
        batches.convert_all(["a" * 600_000, "b" * 600_000, "c"])

    assert (tmp_path / "calls").read_text().split() == ["1", "1", "3"]


def test_one_page_or_the_reason(stand_in):
    with PandocBatches(stand_in) as batches:
        assert batches.convert("a") == "a\n"
        with pytest.raises(DocumentError, match="83"):
            batches.convert("fail")


def test_a_pandoc_that_does_not_convert_is_a_configuration_error(stand_in):
    stand_in.write_text(STAND_IN.replace('if "fail" in texts', "if True"))

    with pytest.raises(ConfigError, match="cannot convert as published"):
        PandocBatches(stand_in)


def test_it_is_to_the_byte_what_a_process_for_each_page_wrote(published, stored_pages):
    with PandocBatches(published) as batches:
        answers = batches.convert_all([page for page, _ in stored_pages.values()])

    for slug, (_, wanted), answer in zip(stored_pages, stored_pages.values(), answers, strict=True):
        assert answer == wanted, slug


ODD_ENDS = {
    "a break": "<p>a<br></p>",
    "empty items": "<p>a</p><ul><li></li><li></li></ul>",
    "a no-break space": "<p>a</p>&nbsp;",
    "a list": "<ul><li>a</li></ul>",
    "code": "<pre>a\n\n</pre>",
    "an empty heading": "<p>a</p><h2></h2>",
    "nothing": "",
    "a rule": "a<hr>",
    "a table": "<table><tr><td><ul><li>a</li></ul></td><td>b</td></tr></table>",
    "bare text": "a",
    "a quotation": "<blockquote>a</blockquote>",
}


def test_pages_with_odd_ends_stay_apart(published):
    pages = [*ODD_ENDS.values(), *reversed(ODD_ENDS.values())]

    with PandocBatches(published) as batches:
        together = batches.convert_all(pages)
        assert batches.processes == 1 + -(-len(pages) // BATCH_PAGES)  # none had to be repeated
        alone = [batches.convert(page) for page in pages]

    assert together == alone


def test_it_fetches_nothing_even_from_pages_that_were_not_cleaned(published, visitors):
    address, asked = visitors
    pages = [f"<p>Hej</p>{markup.format(address)}<p>då</p>" for markup in EMBEDDED.values()]

    with PandocBatches(published) as batches:
        answers = batches.convert_all(pages)

    assert all(isinstance(answer, str) and "Hej" in answer for answer in answers)
    assert asked == []


def test_our_own_walk_writes_what_was_published(published, stored_pages):
    pages = [*(page for page, _ in stored_pages.values()), *construct_pages()]

    with PandocBatches(published) as batches:
        answers = batches.convert_all(pages)

    assert [fast_markdown(page).rstrip() for page in pages] == [str(a).rstrip() for a in answers]


def construct_pages() -> list[str]:
    cases = json.loads((DIALECT / "cases" / "construct.json").read_text("utf-8"))
    return [case["html"] for case in cases["synthetic"] if "\u2028" not in case["html"]]
