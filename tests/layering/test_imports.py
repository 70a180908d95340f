"""Imports point one way, from the commands down to the core; DIRECTION is the picture."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GRAPH = {
    "cc_net",
    "warc_processing",
    "markdown_processing",
    "quality_filtering",
    "dedup",
    "dedup_on_request",
    "ccnet_export",
    "paragraph_extraction",
    "grading",
    "export",
}
"""Modules of Luigi tasks: with `__init__` and `__main__`, all that the root of `pipeline` holds."""

BELOW = {
    "native": set(),
    "core": set(),
    "text": {"core", "native"},
    "crawl": {"core", "native"},
    "markdown": {"core", "native"},
    "html": {"core", "native", "crawl", "markdown", "text"},
    "grammar": {"core", "native", "text"},
    "models": {"models", "core", "native", "text", "crawl", "markdown", "html", "grammar"},
    "ccnet": {"core", "native", "text", "crawl", "models"},
    "quality": {"core", "native", "text", "markdown", "models"},
    "paragraphs": {"core", "native", "text", "crawl", "html", "models"},
    "near_duplicates": {"core", "native"},
    "publishing": {"core", "native", "text", "crawl", "html", "markdown", "quality"},
    "sample_crawl": {"core", "crawl"},
    "slurm": {"core"},
}
"""What each subject may import besides itself."""

SUBJECTS = set(BELOW) - {"slurm"}
BELOW["graph"] = SUBJECTS - {"sample_crawl"}
BELOW["api"] = SUBJECTS - {"sample_crawl"} | {"graph"}
BELOW["annotation_tool"] = {"core", "crawl", "html", "markdown", "text", "models"}
BELOW["cli"] = SUBJECTS | {"graph", "slurm", "api"}
BELOW["skord"] = {"api", "core"}

MOST_MODULES = 20
"""Of one folder; a subject with more is two."""


def imported(path: Path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module


def subject_of(module: str) -> str | None:
    """`pipeline.html.cleaning` → `html`; a task's module → `graph`; a stranger → None."""
    first, _, rest = module.partition(".")
    if first in ("models", "slurm", "annotation_tool", "skord"):
        return first
    if first != "pipeline":
        return None
    head = rest.split(".")[0]
    return "graph" if head in GRAPH else head


def sources():
    folders = ("skord", "pipeline", "models", "slurm", "annotation_tool")
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in files if path.name not in ("__init__.py", "__main__.py"))


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_one_way(path):
    subject = subject_of(".".join(path.relative_to(ROOT).with_suffix("").parts))

    targets = [(name, subject_of(name)) for name in imported(path)]

    wrong = [
        name
        for name, target in targets
        if target and target != subject and target not in BELOW[subject]
    ]
    assert wrong == []


def test_the_picture_has_no_circle():
    seen: dict[str, int] = {}

    def depth(subject: str, way: tuple[str, ...] = ()) -> int:
        assert subject not in way, " → ".join([*way, subject])
        if subject not in seen:
            below = BELOW[subject] - {subject}
            seen[subject] = 1 + max((depth(s, (*way, subject)) for s in below), default=0)
        return seen[subject]

    assert max(map(depth, BELOW)) <= 9


def test_the_root_holds_the_graph_and_nothing_else():
    assert {path.stem for path in (ROOT / "pipeline").glob("*.py")} == GRAPH | {
        "__init__",
        "__main__",
    }


def test_no_folder_is_a_hall():
    halls = {
        str(folder.relative_to(ROOT)): count
        for folder in {path.parent for path in sources()}
        if (count := len([p for p in folder.glob("*.py") if p.name != "__init__.py"]))
        > MOST_MODULES
    }

    assert halls == {}


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


def test_no_global_statements():
    guilty = [
        str(path)
        for path in sources()
        if any(isinstance(node, ast.Global) for node in ast.walk(ast.parse(path.read_text())))
    ]

    assert guilty == []


def files_imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of ours that a file imports anywhere, for types too."""
    imports: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            imports |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            imports |= names & modules.keys() or {node.module}
    return imports & modules.keys()


def test_no_circle_of_files_anywhere():
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sources()}
    left = {name: files_imported(path, modules) - {name} for name, path in modules.items()}

    while free := {name for name, below in left.items() if not below & left.keys()}:
        for name in free:
            del left[name]

    assert left == {}, "each of these imports, on some way, itself"
