"""The dialect as it is written down is the dialect that the converter writes."""

import re

import pytest

from skord.html.converter import convert_page
from tests.conftest import ROOT

TEXT = (ROOT / "docs/explanation/markdown.md").read_text()
EXAMPLE = re.compile(
    r"^## (?P<title>.+?)$.*?^```html\n(?P<html>.*?)^```$.*?"
    r"^(?P<fence>`{3,})markdown\n(?P<markdown>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
EXAMPLES = {m["title"]: (m["html"].rstrip("\n"), m["markdown"]) for m in EXAMPLE.finditer(TEXT)}


def test_every_construct_has_its_example():
    assert list(EXAMPLES) == re.findall(r"^## (.+)$", TEXT, re.MULTILINE)
    assert len(EXAMPLES) == 27


@pytest.mark.parametrize(("html", "markdown"), EXAMPLES.values(), ids=EXAMPLES)
def test_examples_are_what_comes_out(html, markdown):
    assert convert_page(html) == markdown
