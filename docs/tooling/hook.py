"""What mkdocs runs: it adds pages that are generated or lie elsewhere, and links to both."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from docs.tooling.reference import PAGES

ROOT = Path(__file__).parents[2]

ELSEWHERE = {
    "README.md": "index.md",
    "INSTALL.md": "install.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "LICENSE": "licence.md",
    "NOTICE": "notice.md",
    "CITATION.cff": "citation.md",
    "benchmarks/README.md": "benchmarks.md",
    "models/line_classifier/CARD.md": "models/line_classifier.md",
    "models/line_classifier/gold/README.md": "models/gold.md",
    "models/scandinavian/CARD.md": "models/scandinavian.md",
    "models/language_model/CARD.md": "models/language_model.md",
    "models/grammar/CARD.md": "models/grammar.md",
    "models/reference_classifier/CARD.md": "models/reference_classifier.md",
    "models/registers/CARD.md": "models/registers.md",
    "models/unwanted/CARD.md": "models/unwanted.md",
    "models/education/CARD.md": "models/education.md",
    "skord/core/luigi.cfg": "reference/settings.md",
}
"""File of the repository to the page of the site that shows it."""

LINK = re.compile(r"(\]\()([^)#\s:]+)(#[^)\s]*)?(\))")
OUTPUT, SHOWN_OUTPUT = "<!-- output -->\n```text\n", "``` {.text .output}\n"
"""What a test compares a block's output with, and its form on the site: see style.css."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages and those that lie elsewhere."""
    for uri, write in PAGES.items():
        files.append(File.generated(config, uri, content=write()))
    for source, uri in ELSEWHERE.items():
        if uri in PAGES:
            continue
        text = (ROOT / source).read_text(encoding="utf-8")
        if not source.endswith(".md"):
            text = f"# {source}\n\n```text\n{text}\n```\n"
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Turn links between files into links between pages, and mark what commands print."""
    return linked(markdown.replace(OUTPUT, SHOWN_OUTPUT), page.file.src_uri)


def linked(markdown: str, uri: str) -> str:
    """The page with its links as the site has them; those that it does not know stay.

    Args:
        markdown: the page.
        uri: where it is in the site.
    """
    source = next((path for path, there in ELSEWHERE.items() if there == uri), f"docs/{uri}")

    def replaced(match: re.Match[str]) -> str:
        before, target, anchor, after = match.groups(default="")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = ELSEWHERE.get(path, path.removeprefix("docs/") if path.startswith("docs/") else "")
        if not there:
            return match[0]
        return f"{before}{posixpath.relpath(there, posixpath.dirname(uri) or '.')}{anchor}{after}"

    return LINK.sub(replaced, markdown)
