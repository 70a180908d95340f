"""Why CCNet refused a page, in words and figures: `skord.cli.look.why`."""

import pytest

from skord.cli.look.why import _refusal_detail
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage

SETTINGS = {"rule": "any", "languages": ["sv"], "min_score": 0.5}
ROW = {"language": "en", "language_score": 0.876, "original_length": 99}


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("language", " (best is en at 0.88; wanted any of ['sv'] at 0.5 or more)"),
        ("site", " (not one that [sites] takes)"),
        ("too_short", " (99 characters, [HashParagraphs] min_chars not reached)"),
        ("other", ""),
    ],
)
def test_a_refusal_is_told_with_what_was_wanted(tmp_path, reason, told):
    store = ColumnStore(Storage(str(tmp_path)), "2024-10")
    unknown = "" if reason == "language" else told
    assert _refusal_detail({**ROW, "reason": reason}, store) == unknown, "no manifest yet"
    store.write_manifest("CCNet", {"settings": SETTINGS})
    assert _refusal_detail({**ROW, "reason": reason}, store) == told
