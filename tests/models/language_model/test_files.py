"""What language models are called by, of `skord.models.language_model.files`."""

import shutil

import pytest

from skord.core.failures import ConfigError
from skord.models.language_model.files import (
    DIGESTS_NAME,
    FOLDER,
    HASHED_END_BYTES,
    HASHED_WHOLE_BYTES,
    NGRAMS_SUFFIX,
    PIECES_SUFFIX,
    find_languages,
    model_digest,
    note_digests,
)


def sparse(path, size, **bytes_at):
    """A file of zeros, but for a byte at some places; takes no room."""
    with path.open("wb") as file:
        file.truncate(size)
        for at in bytes_at.values():
            file.seek(at)
            file.write(b"x")
    return path


@pytest.mark.parametrize(("size", "is_told"), [(64 * 2**20 - 1, True), (64 * 2**20, False)])
def test_of_great_files_the_ends_count_and_of_others_all(tmp_path, size, is_told):
    assert size in (HASHED_WHOLE_BYTES, HASHED_WHOLE_BYTES - 1)
    path = tmp_path / "a"

    whole = model_digest([sparse(path, size)], "")
    middle = model_digest([sparse(path, size, at=size // 2)], "")
    end = model_digest([sparse(path, size, at=size - 1)], "")
    start = model_digest([sparse(path, size, at=HASHED_END_BYTES - 1)], "")

    assert (middle != whole) is is_told
    assert len({whole, end, start}) == 3


def test_noted_digests_are_those_of_the_shipped_models(tmp_path):
    copy = tmp_path / "embedded"
    shutil.copytree(FOLDER, copy, copy_function=shutil.copyfile)
    note_digests(copy)

    noted = (FOLDER / DIGESTS_NAME).read_text()
    assert noted == (copy / DIGESTS_NAME).read_text()
    assert len(noted.splitlines()) == 2 * len(find_languages(FOLDER))
    for files in find_languages(FOLDER).values():
        for path in (files.pieces, files.ngrams):
            other = copy / path.name
            assert model_digest([path], "") == model_digest([other], "")
            other.write_bytes(bytes(path.stat().st_size))
            assert model_digest([path], "") != model_digest([other], "")


def test_names_contents_and_what_is_said_besides_make_the_name(tmp_path):
    one, two = tmp_path / "a", tmp_path / "b"
    one.write_text("x")
    two.write_text("x")
    assert (
        len(
            {
                model_digest([one], ""),
                model_digest([two], ""),
                model_digest([one], "y"),
                model_digest([one, two], ""),
            }
        )
        == 4
    )
    assert model_digest([one, two], "") == model_digest([two, one], "")
    assert len(model_digest([one], "")) == 12
    with pytest.raises(ConfigError):
        model_digest([tmp_path / "none"], "")


def test_a_language_has_both_files_or_none(tmp_path):
    with pytest.raises(ConfigError, match="has no language model"):
        find_languages(tmp_path)
    for code in ("sv", "lv"):
        (tmp_path / f"{code}{PIECES_SUFFIX}").touch()
        (tmp_path / f"{code}{NGRAMS_SUFFIX}").touch()
    assert list(find_languages(tmp_path)) == ["lv", "sv"]
    (tmp_path / f"sv{PIECES_SUFFIX}").unlink()
    with pytest.raises(ConfigError, match=r"sv\.sp\.model is missing"):
        find_languages(tmp_path)
    with pytest.raises(ConfigError, match="there is no folder"):
        find_languages(tmp_path / "x")
