"""JSON lines in gzip members, texts as Arrow holds them, and the table of characters."""

import gzip

import pyarrow as pa
import pytest

from skord.core.failures import ShardError
from skord.text.json_lines import MEMBER_BYTES, JSONMember, read_json_lines, write_json_lines
from skord.text.words import string_buffers


def test_documents_are_read_as_they_were_written(tmp_path):
    path = tmp_path / "a.json.gz"
    documents = [{"text": "smörgås", "n": n} for n in range(3)]

    assert write_json_lines(path, documents) == 3
    assert list(read_json_lines(path)) == documents
    assert gzip.decompress(path.read_bytes()).startswith('{"text": "smörgås"'.encode())


def test_a_file_without_documents_is_an_empty_gzip_file(tmp_path):
    path = tmp_path / "a.json.gz"

    assert write_json_lines(path, []) == 0
    assert gzip.decompress(path.read_bytes()) == b""
    assert path.read_bytes() != b""


def test_a_member_is_closed_when_it_is_full_and_none_stands_empty_at_the_end(tmp_path):
    line = {"text": "x" * (MEMBER_BYTES - 13)}
    member = JSONMember()
    member.add({"text": "x" * (MEMBER_BYTES - 14)})
    nearly = member.is_full
    member.add({"text": ""})

    write_json_lines(tmp_path / "one.json.gz", [line])
    write_json_lines(tmp_path / "two.json.gz", [line, {"text": ""}])

    assert (nearly, member.is_full, member.documents) == (False, True, 2)
    assert (tmp_path / "one.json.gz").read_bytes().count(b"\x1f\x8b\x08\x00\x00\x00") == 1
    assert (tmp_path / "two.json.gz").read_bytes().count(b"\x1f\x8b\x08\x00\x00\x00") == 2


def test_lines_that_are_no_json_are_none_and_blank_ones_nothing(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('{"a": 1}\n\nno json\n' + "[" * 100_000 + "\n")

    assert list(read_json_lines(path)) == [{"a": 1}, None, None]


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"x" + data])
def test_a_damaged_file_is_named(tmp_path, damage):
    path = tmp_path / "a.json.gz"
    write_json_lines(path, [{"text": "x"}])
    path.write_bytes(damage(path.read_bytes()))

    with pytest.raises(ShardError, match=r"a\.json\.gz is damaged"):
        list(read_json_lines(path))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
def test_slices_of_texts_begin_where_they_do(kind):
    texts = pa.array([b"ab", b"", b"cde"]).cast(kind).slice(1)

    starts, data = string_buffers(texts)

    assert (starts - starts[0]).tolist() == [0, 0, 3]
    assert bytes(data[starts[0] : starts[-1]]) == b"cde"
    assert string_buffers(pa.array([], kind))[0].tolist() == [0]
