"""Files of arrays: read by numpy, the same bytes for the same arrays, of any size."""

import zipfile

import numpy as np

from skord.models.array_file import digest_of, write_arrays


def test_numpy_reads_what_was_written_and_the_bytes_are_the_arrays_alone(tmp_path):
    arrays = {
        "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
        "none": np.zeros((0, 2), np.int64),
        "names": np.array(["sv", "da"]),
    }

    write_arrays(tmp_path / "a.npz", arrays)
    write_arrays(tmp_path / "b.npz", arrays)

    with np.load(tmp_path / "a.npz") as read:
        assert {name: read[name].tolist() for name in read} == {
            name: array.tolist() for name, array in arrays.items()
        }
        assert read["weights"].dtype == np.float32
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_it_is_a_whole_zip_file_whose_members_only_their_owner_may_write(tmp_path):
    write_arrays(tmp_path / "a.npz", {"x": np.ones(3), "y": np.ones(1000)})

    with zipfile.ZipFile(tmp_path / "a.npz") as file:
        assert file.testzip() is None
        members = file.infolist()

    assert (tmp_path / "a.npz").read_bytes().endswith(b"\0\0"), "a comment is announced"
    assert [member.filename for member in members] == ["x.npy", "y.npy"]
    assert {member.external_attr >> 16 for member in members} == {0o600}
    assert {member.date_time for member in members} == {(1980, 1, 1, 0, 0, 0)}
    assert members[1].compress_size < members[1].file_size == 8128
    assert {(member.create_system, member.extract_version) for member in members} == {(3, 45)}


def test_a_name_is_the_start_of_the_digest():
    assert digest_of(b"") == "e3b0c44298fc"
