"""Imports point one way, from the commands down to the core; BELOW is the picture."""

import ast
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
GRAPH = {
    "crawl_files",
    "published_files",
    "cc_net",
    "warc_processing",
    "markdown_processing",
    "quality_filtering",
    "dedup",
    "dedup_on_request",
    "ccnet_export",
    "paragraph_extraction",
    "grading",
    "reservations",
    "repeated_passages",
    "decontamination",
    "unwanted_kinds",
    "register_labels",
    "education_scores",
    "export",
    "warc_export",
    "paragraph_filtering",
}
"""Modules of Luigi tasks: with `__init__` and `__main__`, all that the root of `pipeline` holds."""

BELOW = {
    "native": set(),
    "core": set(),
    "text": {"core", "native"},
    "crawl": {"core", "native"},
    "markdown": {"native"},
    "html": {"core", "native"},
    "grammar": {"core", "native"},
    "models": {"models", "core", "native", "text", "crawl", "markdown", "html", "grammar"},
    "ccnet": {"core", "native", "text", "crawl", "models"},
    "quality": {"native", "text", "crawl", "models"},
    "paragraphs": {"core", "html"},
    "records": {"core", "text", "crawl", "html", "paragraphs"},
    "sources": {"core", "crawl", "html", "markdown", "paragraphs"},
    "near_duplicates": {"core", "native"},
    "contamination": {"core", "native"},
    "rights": {"core", "native", "crawl"},
    "publishing": {"core", "text", "crawl", "markdown", "quality"},
    "sample_crawl": {"core", "crawl"},
    "slurm": {"core"},
}
"""What each subject may import besides itself."""

SUBJECTS = set(BELOW) - {"slurm"}
BELOW["graph"] = SUBJECTS - {"sample_crawl"}
BELOW["api"] = {"core", "html", "markdown", "models", "quality", "text"}
BELOW["annotation_tool"] = {"core", "crawl", "html", "markdown", "text", "models"}
BELOW["cli"] = SUBJECTS | {"graph", "slurm", "api"}
BELOW["skord"] = {"api", "core"}

MOST_MODULES = 15
"""Of one folder; a subject with more is two. The graph's tasks, in the root, are counted apart."""


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """All of a file's syntax tree, which every test here reads."""
    return tuple(ast.walk(ast.parse(path.read_text())))


def imported(path: Path):
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            yield node.module


def subject_of(module: str) -> str | None:
    """`skord.html.cleaning` → `html`; a task's module → `graph`; a stranger → None."""
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


FLOORS = 12
"""Of the tree, each module of the graph drawn by itself."""


def test_the_tree_is_no_higher_than_it_is_said_to_be():
    below: dict[str, set[str]] = {}
    for path in sources():
        names = (".".join(path.relative_to(ROOT).with_suffix("").parts), *imported(path))
        own, *others = (n if subject_of(n) == "graph" else subject_of(n) for n in names)
        below.setdefault(own, set()).update(set(others) - {own, None})

    @cache
    def floor(name: str) -> int:
        return 1 + max(map(floor, below.get(name, ())), default=0)

    assert max(map(floor, below)) == FLOORS


def test_the_root_holds_the_graph_and_nothing_else():
    assert {path.stem for path in (ROOT / "pipeline").glob("*.py")} == GRAPH | {
        "__init__",
        "__main__",
    }


def folders() -> dict[str, set[str]]:
    """Each folder below the root of `pipeline` to its modules; a header and its source are one."""
    compiled = (ROOT / "pipeline" / "native").rglob("*.?pp")
    modules: dict[str, set[str]] = {}
    for path in [*sources(), *compiled]:
        modules.setdefault(str(path.parent.relative_to(ROOT)), set()).add(path.stem)
    tests = [path for f in ("benchmarks", "tests") for path in (ROOT / f).rglob("*.py")]
    for path in (path for path in tests if path.name not in ("__init__.py", "conftest.py")):
        modules.setdefault(str(path.parent.relative_to(ROOT)), set()).add(path.stem)
    del modules["pipeline"]
    return modules


def test_no_folder_is_a_hall():
    halls = {folder: len(m) for folder, m in folders().items() if len(m) > MOST_MODULES}

    assert len(folders()) > 50
    assert halls == {}


MOST_LINES = 500
"""Of one module, in Python."""


def test_no_module_is_a_book():
    lines = {str(path): len(path.read_text().splitlines()) for path in sources()}

    assert {path: n for path, n in lines.items() if n > MOST_LINES} == {}


def names(caught: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(caught) if isinstance(node, ast.Name)}


def test_only_the_executors_catch_everything():
    broad = [
        str(path.relative_to(ROOT))
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or {"Exception", "BaseException"} & names(node.type))
    ]

    assert broad == ["skord/core/work_item.py", "slurm/worker.py"]


def test_no_global_statements():
    guilty = [
        str(path) for path in sources() if any(isinstance(node, ast.Global) for node in nodes(path))
    ]

    assert guilty == []


def files_imported(path: Path, modules: dict[str, Path]) -> set[str]:
    """The modules of ours that a file imports anywhere, for types too."""
    imports: set[str] = set()
    for node in nodes(path):
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


WORLD = {
    "fcntl", "luigi", "multiprocessing", "os", "random", "requests", "resource", "selectors",
    "shutil", "signal", "socket", "subprocess", "tempfile", "threading", "time", "urllib.request",
    "urllib3",
}  # fmt: skip
"""Modules through which code touches processes, network, clock, chance or Luigi."""

EDGES = ("core", "cli", "sample_crawl", "slurm", "annotation_tool", "graph", "api")
"""Subjects whose work it is."""

TOUCH_THE_WORLD = {
    "skord/ccnet/published/reconstruct.py",
    "skord/crawl/config.py",
    "skord/crawl/warc/fetch.py",
    "skord/grammar/external_tool.py",
    "skord/html/pandoc/binary.py",
    "skord/html/pandoc/process.py",
    "skord/publishing/removals/robots_lists.py",
    "models/grammar/forms.py",
    "models/grammar/own.py",
    "models/language_model/held_out.py",
    "models/language_model/kenlm_programs.py",
    "models/language_model/train.py",
    "models/line_classifier/pytorch/device.py",
    # chance by a given seed, in training and evaluation
    "models/byte_models/compare.py",
    "models/grammar/evaluation/corruptions.py",
    "models/grammar/evaluation/elsewhere.py",
    "models/grammar/induce.py",
    "models/grammar/evaluation/measure.py",
    "models/grammar/evaluation/misspelling.py",
    "models/grammar/evaluation/simulated_crawl.py",
    "models/line_classifier/training/furniture.py",
    "models/line_classifier/training/made_pages.py",
    "models/line_classifier/training/more_pages.py",
    "models/registers/train.py",
    "models/scandinavian/train.py",
}
"""All others take values and give values, or read and write through the storage."""


def test_few_modules_touch_the_world():
    touching = {
        str(path.relative_to(ROOT))
        for path in sources()
        if subject_of(".".join(path.relative_to(ROOT).with_suffix("").parts)) not in EDGES
        and path.parent != ROOT / "skord/crawl/http"
        and any(name in WORLD for name in imported(path))
    }

    assert touching == TOUCH_THE_WORLD


NAME_TASKS = {
    "skord/publishing/card/dataset_card.py",
    "skord/publishing/card/method.py",
}
"""Below the graph, and know a task by its name: what a card tells readers of each.

An arrow upwards that no import shows; the list may become shorter, not longer.
"""


def tasks() -> set[str]:
    """Names of the classes in the graph's modules that are tasks."""
    files = [ROOT / "pipeline" / f"{name}.py" for name in GRAPH]
    return {
        node.name
        for path in files
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        and any("Task" in name or name in GRAPH_BASES for name in map(ast.unparse, node.bases))
    }


GRAPH_BASES = ("CrawlFiles", "DuplicateSettings")


def test_strings_that_name_tasks_are_few():
    known = tasks()
    assert {"CCNet", "Deduplicate", "ExportCorpus", "DownloadWET"} <= known
    naming = {
        str(path.relative_to(ROOT))
        for path in sources()
        if subject_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
        not in ("cli", "graph", "api", "core", "annotation_tool")
        for node in nodes(path)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and " " not in node.value
        and node.value.partition(".")[0] in known
    }

    assert naming == NAME_TASKS
