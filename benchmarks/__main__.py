"""Run a benchmark by its name; without one, list them."""

import ast
import runpy
import sys
from pathlib import Path

MODULES = {
    "ccnet": "ccnet.selection",
    "markdown-dialect": "conversion.dialect",
    "markdown-fast": "conversion.fast",
    "extraction": "main_text.extraction",
    "line-classifier": "main_text.line_classifier",
    "page": "main_text.page",
    "matching": "near_duplicates.matching",
    "grade": "grade",
    "decontamination": "rights.decontamination",
    "personal-data": "rights.personal_data",
    "reservations": "rights.reservations",
    "dump": "scale.dump",
}
"""What `make bench-NAME` runs, in the order of the folders."""


def first_line(module: str) -> str:
    """What a benchmark measures, without importing it."""
    path = Path(__file__).parent / f"{module.replace('.', '/')}.py"
    return str(ast.get_docstring(ast.parse(path.read_text()))).partition("\n")[0]


def main() -> int:
    """Run the benchmark that the first word names; it reads the words after it."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in MODULES:
        del sys.argv[1]
        runpy.run_module(f"benchmarks.{MODULES[name]}", run_name="__main__", alter_sys=True)
        return 0
    for known, module in MODULES.items():
        print(f"{known:22}{first_line(module)}")
    return 2 if name else 0


if __name__ == "__main__":
    sys.exit(main())
