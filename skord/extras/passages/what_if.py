"""What `[ExportCorpus] passages` would cut out of the kept texts, before anything is published."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from skord.core.storage.column_store import ColumnStore
from skord.publishing.rows import PASSAGES, cuts_of
from skord.text.cuts import cut_out

SHOWN_CHARACTERS = 300


@dataclass(frozen=True)
class CutText:
    """A text out of which passages are cut."""

    id: str
    url: str
    characters: int
    passages: Sequence[str]


@dataclass
class PassageCuts:
    """What is cut out of a dump's kept texts.

    Attributes:
        treatment: kept, later or all, as the setting has it.
        texts: kept ones that the limits let pass.
        characters: of these.
        cut_texts: those out of which something is cut.
        cut_characters: that are cut, with the lines that are empty then.
        emptied: texts of which nothing is left, which the export leaves out.
        room: how many are to be shown of the shards so far.
        shown: some of the texts, evenly spread over the dump.
    """

    treatment: str
    texts: int = 0
    characters: int = 0
    cut_texts: int = 0
    cut_characters: int = 0
    emptied: int = 0
    room: int = 0
    shown: list[CutText] = field(default_factory=list)

    def add(self, store: ColumnStore, shard: int, group: int, ids: Collection[str]) -> None:
        """Count these pages of a row group, and keep texts to show until there are `room`."""
        wanted = {
            "FindRepeatedPassages": [PASSAGES],
            "ProcessMarkdown": ["text"],
            "ConvertToMarkdown": ["url"],
        }
        _, rows = next(store.side_by_side(shard, wanted, group))
        for row in rows.to_pylist():
            ranges, text = row[f"FindRepeatedPassages.{PASSAGES}"], row["ProcessMarkdown.text"]
            if row["id"] not in ids or ranges is None:
                continue
            self.texts += 1
            self.characters += len(text)
            cuts = cuts_of(ranges, self.treatment)
            if not cuts:
                continue
            left = cut_out(text, cuts)
            self.cut_texts += 1
            self.cut_characters += len(text) - len(left)
            self.emptied += not left
            if len(self.shown) < self.room:
                gone = [text[start:end] for start, end in cuts]
                url = row["ConvertToMarkdown.url"]
                self.shown.append(CutText(row["id"], url, len(text) - len(left), gone))


def cuts_in_lines(cuts: PassageCuts) -> Iterator[str]:
    """What is cut out, for people."""
    yield ""
    share = cuts.cut_characters / max(cuts.characters, 1)
    yield (
        f"passages: {cuts.treatment}: {cuts.cut_characters:,} of {cuts.characters:,} characters "
        f"({share:.1%}) are cut out of {cuts.cut_texts:,} of {cuts.texts:,} kept texts; "
        f"{cuts.emptied:,} have nothing left and are left out"
    )
    for text in cuts.shown:
        yield ""
        yield f"--- {text.url}  {text.characters:,} characters are cut"
        for passage in text.passages:
            yield passage[:SHOWN_CHARACTERS] + ("…" if len(passage) > SHOWN_CHARACTERS else "")
