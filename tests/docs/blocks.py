"""The code blocks of the documentation, and what each claims about itself."""

import re
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT

NEEDS = {
    "setup": "a checkout and a package index",
    "network": "Common Crawl or another site",
    "cluster": "Slurm",
    "desktop": "a browser and a person",
    "root": "the administrator of the machine",
    "minutes": "minutes of computing",
    "your files": "files of the reader's own",
}
"""What a shell block may need that a test has not; a comment above it then says so, which no reader
sees: `<!-- needs: … -->`."""

FENCE = re.compile(
    r"^(?:<!-- (?P<mark>output|needs: [\w, ]+) -->\n)?(?P<fence>`{3,})"
    r"(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Block:
    """One fenced block: where it stands, its language and its text."""

    page: str
    line: int
    language: str
    text: str
    mark: str

    @property
    def is_output(self) -> bool:
        """Whether it is what the block above prints."""
        return self.mark == "output"

    @property
    def needs(self) -> tuple[str, ...]:
        """What it needs that a test has not."""
        said = self.mark.partition("needs: ")[2]
        return tuple(said.split(", ")) if said else ()


def pages() -> list[Path]:
    """Every page that a user reads, but those that code generates."""
    top = ("README.md", "INSTALL.md", "CONTRIBUTING.md")
    return [ROOT / name for name in top] + sorted((ROOT / "docs").rglob("*.md"))


def cards() -> list[Path]:
    """What lies beside models and measurements, and the map of the code."""
    beside = sorted((ROOT / "models").rglob("*.md"))
    return [*beside, ROOT / "benchmarks/README.md", ROOT / "pipeline/__init__.py"]


def blocks_of(path: Path) -> list[Block]:
    """The blocks of a page, in order."""
    text = path.read_text(encoding="utf-8")
    page = str(path.relative_to(ROOT))
    return [
        Block(
            page,
            text[: match.start("fence")].count("\n") + 1,
            match["language"],
            match["text"],
            match["mark"] or "",
        )
        for match in FENCE.finditer(text)
    ]


def all_blocks() -> list[Block]:
    """The blocks of all pages."""
    return [block for path in pages() for block in blocks_of(path)]
