"""The site is built without a warning, loads nothing from elsewhere, and its tables are true."""

import contextlib
import importlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.tooling.hook import ELSEWHERE, linked
from docs.tooling.reference import PAGES, failures, measures, settings, tasks
from skord.core.registry import task_classes
from skord.crawl.http.errors import FetchFailure
from skord.quality.features import FEATURES
from tests.conftest import ROOT
from tests.docs.blocks import NEEDS, cards, pages

LOADED = re.compile(r'<(?:script|img|iframe|source)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.mark.slow
def test_site_is_built_without_a_warning(site):
    assert (site / "index.html").exists()
    for uri in [*PAGES, *(uri for uri in ELSEWHERE.values() if uri.endswith(".md"))]:
        assert (site / uri.removesuffix("index.md").removesuffix(".md")).exists(), uri


@pytest.mark.slow
def test_pages_load_nothing_from_elsewhere(site):
    for page in site.rglob("*.html"):
        for match in LOADED.finditer(page.read_text(encoding="utf-8")):
            address = match[1] or match[2]
            assert not re.match(r"(?:https?:)?//", address), f"{page}: {address}"


@pytest.mark.slow
def test_no_reader_sees_what_only_tests_need(site):
    for page in site.rglob("*.html"):
        shown = re.sub(r"<!--.*?-->", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert not re.search(f"# needs: ({'|'.join(NEEDS)})", shown), page
    assert len(re.findall("<!-- needs: ", (site / "tutorial/index.html").read_text("utf-8"))) > 3


def test_the_picture_of_the_graph_fits_a_telephone():
    for name in ("README.md", "docs/explanation/graph.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        (picture,) = re.findall(r"```text\n(DownloadWET .*?)```", text, re.DOTALL)
        assert max(map(len, picture.splitlines())) <= 42
        assert picture.split()[-1] == "ExportCorpus"


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
        about = page.partition(f"## {name}\n")[2].partition("\n## ")[0]
        assert ("needs the internet" in about) == cls(dump="").needs_network
        schema = getattr(cls(dump=""), "schema", None)
        for field in schema or ():
            if b"set" not in (field.metadata or {}):
                assert f"| `{field.name}` | `{field.type}` |" in page.partition(f"## {name}\n")[2]
    for feature in FEATURES:
        assert f"| `{feature.name}` |" in measures()
    for code in FetchFailure:
        assert f"| `{code}` |" in failures()


def test_every_column_setting_code_and_measure_is_explained():
    for write in (tasks, settings, failures, measures):
        for line in write().splitlines():
            assert not re.match(r"\| `.*\|  \|$", line), line


def test_readme_is_a_first_page():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 150
    assert "skord.extract" in "\n".join(lines[:25])


NAMED = re.compile(
    r"(?<![\w/.\[-])((?:pipeline|models|slurm|annotation_tool|benchmarks|tests|docs)(?:\.\w+|/[\w.-]+)+)"
)


def is_there(name: str) -> bool:
    """Whether a path, a module, or something in a module is there."""
    name = name.rstrip(".")
    as_path = ROOT / (name if "/" in name else name.replace(".", "/"))
    if as_path.exists() or as_path.with_suffix(".py").exists():
        return True
    if "/" in name:
        return False
    module, _, attribute = name.rpartition(".")
    while module and importlib.util.find_spec(module.partition(".")[0]):
        with contextlib.suppress(ModuleNotFoundError):
            return hasattr(importlib.import_module(module), attribute.partition(".")[0])
        module, _, head = module.rpartition(".")
        attribute = f"{head}.{attribute}"
    return False


@pytest.mark.parametrize("path", pages() + cards(), ids=lambda p: str(p.relative_to(ROOT)))
def test_what_pages_name_is_there(path):
    names = NAMED.findall(path.read_text(encoding="utf-8"))

    assert [name for name in names if not is_there(name)] == []


def test_what_is_not_there_is_told():
    assert is_there("pipeline.dedup.Deduplicate")
    assert is_there("pipeline/dedup.py")
    assert not is_there("pipeline.transforms.charset")
    assert not is_there("pipeline.dedup.Duplicate")
    assert not is_there("models/nobody/CARD.md")
