"""Rows of JSON Lines and Parquet: where each lies, and that it is read again from there."""

import gzip
import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from skord.core.failures import ConfigError
from skord.sources.rows import LineError, RowReader, check_columns, is_parquet, rows_of

LINES = '{"text": "å"}\n\n{"text": "b", "url": "u"}\n[1]\nno\n{"text": "c"}'.encode()


def parquet(rows=7, groups_of=3):
    out = io.BytesIO()
    table = pa.table({"text": [f"t{n}" for n in range(rows)], "other": list(range(rows))})
    pq.write_table(table, out, row_group_size=groups_of)
    return out.getvalue()


def test_a_file_of_rows_is_parquet_by_its_name():
    assert [is_parquet(n) for n in ("a.PARQUET", "a.parquet", "parquet", "a.jsonl")] == [
        True, True, False, False,
    ]  # fmt: skip


@pytest.mark.parametrize("packed", [LINES, gzip.compress(LINES)])
def test_a_line_is_found_again_by_its_bytes_in_the_unpacked_file(packed):
    actual = list(rows_of(io.BytesIO(packed), "a.jsonl", ["text"]))

    assert [place for place, _ in actual] == [(0, 15), (16, 26), (42, 4), (46, 3), (49, 13)]
    reader = RowReader(io.BytesIO(packed), "a.jsonl", ["text"])
    for place, row in actual:
        assert LINES[place[0] : sum(place)].strip()
        if isinstance(row, LineError):
            with pytest.raises(LineError):
                reader.at(*place)
        else:
            assert reader.at(*place) == row
    assert [str(row) for _, row in actual if isinstance(row, LineError)] == [
        "a line is no JSON object: b'[1]\\n'",
        "a line is no JSON: b'no\\n'",
    ]


def test_a_quoted_line_is_cut_at_sixty_bytes():
    ((_, error),) = rows_of(io.BytesIO(b"x" * 99), "a.jsonl", [])
    assert str(error) == f"a line is no JSON: {b'x' * 60!r}"
    ((_, error),) = rows_of(io.BytesIO(b"[" + b"1" * 98 + b"]"), "a.jsonl", [])
    assert str(error) == f"a line is no JSON object: {b'[' + b'1' * 59!r}"


def test_a_parquet_row_is_found_by_its_number_in_whatever_group():
    data = parquet()
    actual = list(rows_of(io.BytesIO(data), "a.parquet", ["text", "missing"]))
    assert actual == [((n, 1), {"text": f"t{n}"}) for n in range(7)]
    reader = RowReader(io.BytesIO(data), "a.parquet", ["text", "missing"])
    for number in (0, 2, 3, 5, 6, 3, 2, 0):
        assert reader.at(number, 1) == {"text": f"t{number}"}
    with pytest.raises(IndexError, match="no row 7"):
        reader.at(7, 1)


def test_a_group_is_read_once_for_neighbours():
    reader = RowReader(io.BytesIO(parquet()), "a.parquet", ["text"])
    groups = []
    for number in range(3, 7):
        reader.at(number, 1)
        groups.append(reader._group[2])
    assert groups[0] is groups[1] is groups[2]
    assert groups[3] is not groups[2]


def test_columns_that_are_not_there_are_named_with_those_that_are():
    check_columns(io.BytesIO(LINES), "a.jsonl", ["text"])
    check_columns(io.BytesIO(b""), "a.jsonl", ["text"])
    check_columns(io.BytesIO(parquet()), "a.parquet", ["text", "other"])
    with pytest.raises(ConfigError, match=r"a\.jsonl has no column 'html' but text: say which"):
        check_columns(io.BytesIO(LINES), "a.jsonl", ["text", "html"])
    with pytest.raises(ConfigError, match="no column 'html' but text, other"):
        check_columns(io.BytesIO(parquet()), "a.parquet", ["html"])


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [("a.jsonl", b"[1]\n", "JSON Lines"), ("a.parquet", b"PAR1 no PAR1", "Parquet")],
)
def test_a_file_of_another_kind_is_refused_in_one_sentence(name, data, kind):
    with pytest.raises(ConfigError, match=rf"^{name} is no {kind} \(.*\): look at") as raised:
        check_columns(io.BytesIO(data), name, ["text"])
    assert "\n" not in str(raised.value)


def test_an_endless_line_costs_one_row():
    lines = [b'{"a": 1}', b'{"a": "' + b"x" * 3_000_000 + b'"}', b"[" * 90, b"9" * 95, b'{"a": 2}']
    file = io.BytesIO(gzip.compress(b"\n".join(lines)))

    read = list(rows_of(file, "a.jsonl.gz", ["a"], max_line_bytes=100))

    assert [row if isinstance(row, dict) else type(row).__name__ for _, row in read] == [
        {"a": 1}, "LineError", "LineError", "LineError", {"a": 2}
    ]  # fmt: skip
    assert read[-1][0][0] == sum(map(len, lines[:4])) + 4


@pytest.mark.parametrize(
    "line", [b"[" * 200_000, b'{"a":' * 200_000, b'{"a": ' + b"9" * 5000 + b"}"]
)
def test_deep_and_huge_json_costs_one_row(line):
    read = list(rows_of(io.BytesIO(line + b'\n{"a": 2}\n'), "a.jsonl", ["a"]))

    assert isinstance(read[0][1], LineError)
    assert read[1][1] == {"a": 2}


@pytest.mark.parametrize(("sign", "mark"), [(",", b""), (";", b"\xef\xbb\xbf"), ("\t", b"")])
def test_csv_is_cut_by_what_its_first_row_holds_most_of(sign, mark):
    lines = [f"url{sign}text", f'a{sign}"two\nlines, ""said"" he"', f"b{sign}Blåbär"]
    file = io.BytesIO(mark + "\r\n".join(lines).encode())
    rows = list(rows_of(file, "t.csv", ["url", "text"]))
    assert [place for place, _ in rows] == [(0, 1), (1, 1)]
    assert [row["text"] for _, row in rows] == ['two\nlines, "said" he', "Blåbär"]
    reader = RowReader(io.BytesIO(file.getvalue()), "t.csv", ["text"])
    assert [reader.at(number, 1)["url"] for number in (1, 0, 1)] == ["b", "a", "b"]


def test_a_row_of_csv_that_is_not_utf8_is_no_row():
    file = io.BytesIO(b"text\nBl\xe5b\xe4r\nHej\n")
    (_, first), (_, second) = rows_of(file, "t.csv", ["text"])
    assert isinstance(first, LineError)
    assert second == {"text": "Hej"}
