"""What names a file of arrays; damaged files are those of test_damaged_weights."""

from skord.models.array_file import digest_of


def test_a_name_is_the_start_of_the_digest():
    assert digest_of(b"") == "e3b0c44298fc"
