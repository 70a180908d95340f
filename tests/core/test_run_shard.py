"""The command that makes one item, as arrays of a cluster type it."""

import pytest

from skord.core.run_shard import USAGE, USAGE_ERROR, main

DUMP = '{"dump": "2024-10"}'


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["CCNet", DUMP, "shard"],
        ["CCNet", DUMP, "shard", "0", "1"],
        ["CCNet", DUMP, "shard", "-1"],
        ["CCNet", DUMP, "shard", "first"],
        ["CCNet", "{dump: 2024-10}", "shard", "0"],
        ["CCNet", '["2024-10"]', "shard", "0"],
    ],
)
def test_other_words_are_answered_with_how_it_is_used(words, settings, capsys):
    assert main(words) == USAGE_ERROR
    assert capsys.readouterr().err == f"{USAGE}\n"


def test_what_cannot_be_made_is_said_in_a_sentence(settings, capsys):
    assert main(["NoTask", DUMP, "shard", "0"]) == 1
    assert "NoTask" in capsys.readouterr().err
    assert main(["ConvertToMarkdown", DUMP, "shard", "0"]) == 1
    assert capsys.readouterr().err.startswith("ShardError: ")
    assert main(["CCNet", "{}", "shard", "0"]) == USAGE_ERROR
    assert "dump" in capsys.readouterr().err
