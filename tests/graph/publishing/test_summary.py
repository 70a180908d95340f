"""The public summary of training content, of the whole graph under two settings."""

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import SETTINGS, command, copy_of, corpus


def test_settings_change_the_words(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy")
    first, second = tmp_path / "first.md", tmp_path / "second.md"
    status, output = command(copy, "publish", "summary", "--dumps", DUMP, "--out", str(first))
    assert status == 0, output
    copy.extra = (
        f'{SETTINGS}replace_kinds = []\nreservations = ["robots_txt"]\ncontact = a@example.org\n'
    )
    assert command(copy, "export", "--dumps", DUMP, "--replace")[0] == 0
    status, output = command(copy, "publish", "summary", "--dumps", DUMP, "--out", str(second))
    assert status == 0, output

    before, after = first.read_text(), second.read_text()
    assert "personal data replaced by stand-ins" in before
    assert "no reservation was looked for" in before
    assert "personal data was not replaced." in after
    assert "these reservations were left out: robots_txt; " in after
    assert "Requests for removal: a@example.org" in after
    assert f"{len(corpus(copy)):,} documents" in after
