"""Files of domains, addresses and words that the settings name, and pages held against them."""

import pytest

from skord.core.failures import ConfigError
from skord.quality.lists import is_listed_domain
from skord.quality.measures import read_lists
from skord.text.list_files import digest_of, read_entries


def test_entries_are_lines_that_say_something(tmp_path):
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("# comment\n\n a.example \nb.example\n", encoding="utf-8")
    second.write_text("ord", encoding="utf-8")

    lists = read_lists(("c.example",), (str(first),), (), (str(second),))

    assert read_entries(str(first), str(second)) == ("a.example", "b.example", "ord")
    assert lists.words == {"ord"}
    assert is_listed_domain("http://shop.a.example/", lists.domains)
    assert is_listed_domain("http://c.example/", lists.domains)
    assert not is_listed_domain("http://xa.example/", lists.domains)


def test_a_digest_is_of_the_entries_and_not_of_the_comments(tmp_path):
    first, second = tmp_path / "1.txt", tmp_path / "2.txt"
    first.write_text("a\nb\n", encoding="utf-8")
    second.write_text("# other\na\n\nb", encoding="utf-8")

    assert digest_of(str(first)) == digest_of(str(second))
    assert len(digest_of(str(first))) == 12
    assert digest_of() == ""


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xff"])
def test_a_file_that_cannot_be_read_is_named(tmp_path, content):
    path = tmp_path / "list.txt"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(ConfigError, match=r"cannot read the list .*list\.txt"):
        read_entries(str(path))
