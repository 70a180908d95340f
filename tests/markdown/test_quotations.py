"""Quotations that say nothing new, and those that do."""

import numpy as np
import pytest

from skord.markdown.extraction import line_verdicts

ASKED = ["Hur tätar man en gammal eka av furu?  ", "Den läcker vid akterspegeln, och bara där."]


def kept(lines, likely=None):
    chances = np.ones(len(lines), np.float32) if likely is None else np.array(likely, np.float32)
    verdicts = line_verdicts("\n".join(lines).encode(), chances, 0.5)
    return [line for line, verdict in zip(lines, verdicts, strict=True) if verdict and line]


def test_an_answer_is_kept_without_what_it_answers():
    quoted = ["> Kalle skrev:", ">", *(f"> {line}" for line in ASKED), ">", "> Click to expand..."]
    answer = "Låt den ligga i vattnet tills den svällt."
    assert kept([*ASKED, "", *quoted, "", answer]) == [*ASKED, answer]


def test_who_said_so_goes_along():
    lines = [*ASKED, "", "Kalle skrev:", "", f"> {ASKED[1]}", "", "Då sväller den."]
    assert kept(lines) == [*ASKED, "Då sväller den."]


def test_nested_quotations_are_one():
    lines = [*ASKED, "", f"> > {ASKED[0]}", f"> {ASKED[1]}"]
    assert kept(lines) == ASKED


@pytest.mark.parametrize(
    "quotation",
    [
        ["> Ur båtboken: en eka tätas med linolja och tjära, aldrig med silikon."],
        ["> Båten läcker vid akterspegeln.", "> Vattnet är kallt, och båten är från 1950."],
        ["> akterspegeln, och bara"],
    ],
)
def test_what_is_new_or_short_is_kept(quotation):
    assert kept([*ASKED, "", *quotation]) == [*ASKED, *quotation]


def test_what_was_not_kept_may_be_quoted():
    lines = [*ASKED, "", *(f"> {line}" for line in ASKED)]
    assert kept(lines, [0, 0, 0, 1, 1]) == lines[3:]
    assert kept([*lines[3:], "", *ASKED]) == [*lines[3:], *ASKED]


@pytest.mark.parametrize("line", ["Eva wrote:", "> **Olle** said: ↑", "Den 3 mars skrev Eva:"])
def test_lines_that_name_are_told(line):
    assert kept([*ASKED, line, f"> {ASKED[1]}"]) == ASKED


@pytest.mark.parametrize(
    "line", ["Hon skrev en bok.", "Då sa kungen: kom hit", "skrev " * 50 + ":"]
)
def test_other_lines_are_not(line):
    assert kept([*ASKED, line, f"> {ASKED[1]}"]) == [*ASKED, line]
