"""What a person is told to type next is what was typed, wherever it lies."""

import pytest

from skord.core.console.closing import own_command


@pytest.mark.parametrize(
    ("typed", "said"),
    [("bin/skord", "skord"), ("skord", "skord"), ("else where/skord", "'{}/else where/skord'")],
)
def test_the_command_is_told_as_it_was_typed(monkeypatch, tmp_path, typed, said):
    on_path = tmp_path / "bin" / "skord"
    on_path.parent.mkdir()
    on_path.write_text("#!/bin/sh\n")
    on_path.chmod(0o755)
    monkeypatch.setenv("PATH", str(on_path.parent))
    monkeypatch.setattr("sys.argv", [str(tmp_path / typed) if "/" in typed else typed])

    assert own_command() == said.format(tmp_path)
