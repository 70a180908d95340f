"""Small folders of models, copied from the shipped ones, and where KenLM's programs are."""

import shutil

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.files import FOLDER
from skord.models.language_model.train import kenlm_program


def published_cutoffs(**columns) -> str:
    """A file in the form of CCNet's: whole numbers, rows 0 to 99."""
    rows = [",".join([str(n), *(str(of(n)) for of in columns.values())]) for n in range(100)]
    return "\n".join([",".join(["", *columns]), *rows])


@pytest.fixture
def folder(tmp_path):
    """A folder with the shipped model of Bokmål under the published name, and no limits."""
    place = tmp_path / "lm_sp"
    place.mkdir()
    shutil.copy(FOLDER / "nb.sp.model", place / "no.sp.model")
    shutil.copy(FOLDER / "nb.arpa.bin", place / "no.arpa.bin")
    return place


@pytest.fixture
def lmplz():
    """Skips where KenLM's programs are not built."""
    try:
        kenlm_program("lmplz")
        kenlm_program("build_binary")
    except ConfigError as error:
        pytest.skip(str(error))
