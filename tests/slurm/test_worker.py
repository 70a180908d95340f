"""What the command of an array task refuses."""

import pytest

from slurm.worker import USAGE, main


@pytest.mark.parametrize("words", [[], ["attempt"], ["attempt", "first"], ["attempt", "1", "2"]])
def test_other_words_than_a_folder_and_a_number_are_told_the_usage(words, capsys):
    assert main(words) == 2
    assert capsys.readouterr().err == f"{USAGE}\n"
