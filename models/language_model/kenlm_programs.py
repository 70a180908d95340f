"""lmplz and build_binary, KenLM's programs for making models, run on files.

They are not in the Python package: `make lmplz` builds them (build_kenlm.sh).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from skord.core.failures import ConfigError


@dataclass(frozen=True)
class NgramRecipe:
    """How an n-gram model is made.

    Attributes:
        order: longest n-gram.
        prune: n-grams seen so often or less are left out, one number for each order; the
            last goes for the rest. (0,) keeps all.
        quantised: a trie of 8-bit probabilities: an eighth of the size, 2.7 times slower.
        memory: what lmplz may sort in, such as "2G" or "50%".
    """

    order: int = 5
    prune: tuple[int, ...] = (0,)
    quantised: bool = False
    memory: str = "50%"


def lmplz_command(program: str, recipe: NgramRecipe, temporary: Path) -> list[str]:
    """The command that estimates a model from lines of pieces; ARPA on standard output."""
    return [
        *(program, "-o", str(recipe.order), "-S", recipe.memory, "-T", str(temporary)),
        *(
            "--discount_fallback",
            "--skip_symbols",
            "--prune",
            *(str(count) for count in recipe.prune),
        ),
    ]


def build_binary_command(program: str, recipe: NgramRecipe, arpa: Path, binary: Path) -> list[str]:
    """The command that turns an ARPA file into the form that is mapped into memory."""
    trie = ["-q", "8", "-b", "8", "-a", "22", "trie"] if recipe.quantised else []
    return [program, *trie, str(arpa), str(binary)]


def estimate_kenlm(pieces: Path, binary: Path, recipe: NgramRecipe) -> None:
    """Writes a KenLM binary from a file of lines of pieces with spaces between.

    Raises:
        ConfigError: a program is missing or fails, with the end of what it said.
    """
    arpa = binary.with_name(f"{binary.name}.arpa")
    _run_kenlm(
        lmplz_command(kenlm_program("lmplz"), recipe, binary.parent), stdin=pieces, stdout=arpa
    )
    _run_kenlm(build_binary_command(kenlm_program("build_binary"), recipe, arpa, binary))
    arpa.unlink()


def require_programs() -> None:
    """Raises ConfigError when lmplz or build_binary is missing."""
    kenlm_program("lmplz")
    kenlm_program("build_binary")


def kenlm_program(name: str) -> str:
    """Path of lmplz or build_binary: on PATH, or where build_kenlm.sh puts it.

    Raises:
        ConfigError: it is in neither place.
    """
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skord" / "kenlm"
    path = shutil.which(name) or shutil.which(name, path=str(cache))
    if path is None:
        raise ConfigError(f"training needs KenLM's program {name}: `make lmplz` builds it")
    return path


def _run_kenlm(command: list[str], stdin: Path | None = None, stdout: Path | None = None) -> None:
    with (
        Path(stdin or os.devnull).open("rb") as given,
        Path(stdout or os.devnull).open("wb") as written,
    ):
        done = subprocess.run(
            command, stdin=given, stdout=written, stderr=subprocess.PIPE, check=False
        )
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()[-500:]
        raise ConfigError(f"{Path(command[0]).name} failed with {done.returncode}: {said}")
