"""Imports point one way: graph → core, io, transforms, models; io → core and transforms."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GRAPH = {
    "crawl_files",
    "wet_processing",
    "page_scoring",
    "paragraph_extraction",
    "ccnet_export",
    "crawl_index",
    "cc_net",
    "warc_processing",
    "markdown_processing",
    "quality_filtering",
    "text_signatures",
    "grading",
    "dedup",
    "duplicate_index",
    "duplicate_settings",
    "published_signatures",
    "repeated_paragraphs",
    "publishing",
    "export",
}

ALLOWED = {
    "native": set(),
    "transforms": {"transforms", "native", "core.failures"},
    "io": {"io", "core", "transforms", "native"},
    "core": {"core", "slurm"},
    "rehearsal": {"rehearsal", "io", "core", "transforms"},
    "endpoint": {"core", "io"},
    "corpus": {"core", "transforms"},
    "graph": {"graph", "core", "io", "transforms", "endpoint", "models"},
    "one_page": {"graph", "models", "transforms"},
    "models": {"models", "core.failures", "io", "transforms", "native"},
    "slurm": {"slurm", "core"},
    "annotation_tool": {"annotation_tool", "core", "io", "transforms", "models"},
    "cli": {"slurm", "cli", "core", "io", "transforms", "graph", "endpoint", "rehearsal", "models"},
}
IMPURE = {
    "os", "pathlib", "subprocess", "socket", "requests", "urllib.request", "luigi", "random",
    "time", "datetime.datetime.now", "threading", "multiprocessing", "tempfile", "shutil",
}  # fmt: skip


def imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module


def layer_of(module: str) -> str | None:
    """`pipeline.html.converter` → `io`; a graph module → `graph`; a stranger → None."""
    first, _, rest = module.partition(".")
    if first in ("models", "slurm", "annotation_tool"):
        return first
    if first != "pipeline":
        return None
    head = rest.split(".")[0]
    if head in GRAPH:
        return "graph"
    return "core.failures" if rest == "core.failures" else head


def sources():
    files = [
        *ROOT.glob("pipeline/**/*.py"),
        *ROOT.glob("models/**/*.py"),
        *ROOT.glob("slurm/**/*.py"),
        *ROOT.glob("annotation_tool/**/*.py"),
    ]
    return sorted(path for path in files if path.name not in ("__init__.py", "__main__.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    layer = layer_of(module)
    layer = "core" if layer == "core.failures" else layer
    allowed = ALLOWED[layer]

    wrong = [
        name
        for name in imported(path)
        if (target := layer_of(name)) is not None
        and target not in allowed
        and not (target == "core.failures" and "core" in allowed)
    ]

    assert wrong == []


@pytest.mark.parametrize(
    "path",
    [p for p in sources() if "transforms" in p.parts],
    ids=lambda p: p.name,
)
def test_transforms_touch_nothing_but_values(path):
    assert [name for name in imported(path) if name in IMPURE] == []


def names(caught: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(caught) if isinstance(node, ast.Name)}


def test_only_the_executors_catch_everything():
    broad = [
        str(path.relative_to(ROOT))
        for path in sources()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or {"Exception", "BaseException"} & names(node.type))
    ]

    assert broad == ["pipeline/core/work_item.py", "slurm/worker.py"]


def test_the_machine_names_slurm_in_two_places_only():
    naming = [
        path.name
        for path in sources()
        if path.parent.name == "core" and any(layer_of(n) == "slurm" for n in imported(path))
    ]

    assert naming == ["executors.py", "settings.py"]


def test_no_global_statements():
    guilty = [
        str(path)
        for path in sources()
        if any(isinstance(node, ast.Global) for node in ast.walk(ast.parse(path.read_text())))
    ]

    assert guilty == []
