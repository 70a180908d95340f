"""The site is built without a warning, loads nothing from elsewhere, and its tables are true."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tooling.hook import ELSEWHERE, linked
from docs.tooling.reference import PAGES, failures, measures, settings, tasks
from pipeline.core.registry import task_classes
from pipeline.crawl.http.errors import FetchFailure
from pipeline.quality.features import FEATURES
from tests.conftest import ROOT

LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_site_is_built_without_a_warning(site):
    assert (site / "index.html").exists()
    for uri in [*PAGES, *(uri for uri in ELSEWHERE.values() if uri.endswith(".md"))]:
        assert (site / uri.removesuffix("index.md").removesuffix(".md")).exists(), uri


def test_pages_load_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        for match in LOADED.finditer(page.read_text(encoding="utf-8")):
            address = match[1] or match[2]
            assert not re.match(r"(?:https?:)?//", address), f"{page}: {address}"


def test_links_between_files_become_links_between_pages():
    text = "[a](../INSTALL.md#x) [b](how-to/look.md) [c](https://example.org/d.md) [e](#f)"

    assert linked(text, "tutorial.md") == text.replace("../INSTALL.md", "install.md")
    assert linked("[a](docs/tutorial.md)", "index.md") == "[a](tutorial.md)"
    assert linked("[a](../../benchmarks/README.md)", "models/grammar.md") == "[a](../benchmarks.md)"


def test_files_that_lie_elsewhere_link_to_what_is_there():
    for name in [n for n in ELSEWHERE if n.endswith(".md")]:
        path = ROOT / name
        for target in re.findall(r"\]\(([^)#\s:]+)[)#]", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{name} → {target}"


def test_reference_has_everything():
    known = task_classes()
    page = tasks()
    for name, cls in known.items():
        assert f"## {name}\n" in page
        schema = getattr(cls(dump=""), "schema", None)
        for field in schema or ():
            if b"set" not in (field.metadata or {}):
                assert f"| `{field.name}` | `{field.type}` |" in page.partition(f"## {name}\n")[2]
    for feature in FEATURES:
        assert f"| `{feature.name}` |" in measures()
    for code in FetchFailure:
        assert f"| `{code}` |" in failures()


def test_every_setting_code_and_measure_is_explained():
    for write in (settings, failures, measures):
        for line in write().splitlines():
            assert not re.match(r"\| `.*\|  \|$", line), line


def test_readme_is_a_first_page():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 150
    assert "pipeline.extract" in "\n".join(lines[:25])
