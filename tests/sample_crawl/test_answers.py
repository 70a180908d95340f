"""What the sample crawl's server answers to ranges, and what a fault does to a body."""

from http import HTTPStatus

import pytest

from skord.sample_crawl.faults import Faults
from skord.sample_crawl.server import Ledger, file_answer, find_file, turned_over

BODY = bytes(range(100))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(BODY)
    return path


@pytest.mark.parametrize(
    ("asked", "status", "body", "content_range"),
    [
        ("", 200, BODY, None),
        ("bytes=0-0", 206, BODY[:1], "bytes 0-0/100"),
        ("bytes=90-", 206, BODY[90:], "bytes 90-99/100"),
        ("bytes=-5", 206, BODY[95:], "bytes 95-99/100"),
        ("bytes=-500", 206, BODY, "bytes 0-99/100"),
        ("bytes=99-200", 206, BODY[99:], "bytes 99-99/100"),
        ("bytes=100-", 416, f"{HTTPStatus(416).phrase}\n".encode(), "bytes */100"),
        ("bytes=5-5", 206, BODY[5:6], "bytes 5-5/100"),
        ("bytes=5-4", 200, BODY, None),
        ("bytes=-", 200, BODY, None),
        ("bytes=1-2,5-6", 200, BODY, None),
    ],
)
def test_a_range_is_answered_as_a_store_does(file, asked, status, body, content_range):
    answer = file_answer(file, asked, "")

    assert (answer.status, answer.body) == (status, body)
    assert answer.headers.get("Content-Range") == content_range


def test_a_range_of_what_has_changed_is_the_whole_file(file):
    etag = file_answer(file, "", "").headers["ETag"]

    assert file_answer(file, "bytes=1-1", etag).status == 206
    assert file_answer(file, "bytes=1-1", '"other"').status == 200


def test_files_outside_of_the_folder_are_not_found(file, tmp_path):
    (tmp_path / "below").mkdir()

    assert find_file(tmp_path, "/a.gz") == file
    assert find_file(tmp_path / "below", "/../a.gz") is None
    assert find_file(tmp_path, "/below") is None
    assert find_file(tmp_path, "/a.gz\0") is None


@pytest.mark.parametrize(("where", "first"), [(0.0, 0), (0.5, 50), (0.99, 84)])
def test_sixteen_bytes_in_a_row_are_turned_over(where, first):
    turned = turned_over(BODY, where)

    assert [at for at in range(100) if turned[at] != BODY[at]] == list(range(first, first + 16))
    assert turned_over(turned, where) == BODY
    assert turned_over(b"ab", 0.9) == bytes([0x61 ^ 0xFF, 0x62 ^ 0xFF])


@pytest.mark.parametrize(
    "wrong", [{"corrupt": 1.01}, {"slow": -0.01}, {"slow_s": -1}, {"burst": -1}]
)
def test_faults_are_shares_of_requests_and_no_time_is_negative(wrong):
    Faults(corrupt=1.0, slow=0.0, slow_s=0, burst=0, forbidden_storm_s=0)
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Faults(**wrong)


def test_the_rest_of_a_file_counts_as_the_whole_of_it():
    ledger = Ledger(Faults(seed=1))

    turns = [ledger.decide("/a", asked)[2] for asked in ("", "bytes=5-", "bytes=1-2", "bytes=9-")]

    assert turns == [0, 1, 0, 2]


def test_the_most_requests_at_once_are_remembered():
    ledger = Ledger(Faults(seed=1))

    with ledger.under_way(), ledger.under_way():
        pass
    with ledger.under_way():
        pass

    assert ledger.peak == 2
