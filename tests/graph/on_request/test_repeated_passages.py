"""Repeated passages of a whole dump: the same table whatever the partitions, told in `why`."""

import json
import re

import pyarrow.parquet as pq
import pytest

from tests.graph.bench import DUMP
from tests.graph.publishing.export_forms import column, command, copy_of, corpus, folder

RUN = ("run", "FindRepeatedPassages", "--dump", DUMP)


def joined(text, ranges):
    """Ranges with those that touch put together: a passage may be first in part."""
    whole = []
    for one in ranges:
        if whole and not text[whole[-1][1] : one["start"]].strip():
            whole[-1] = (whole[-1][0], one["end"])
        else:
            whole.append((one["start"], one["end"]))
    return whole


def test_passages_are_found_marked_and_cut_out(exported, tmp_path):
    copy = copy_of(exported, tmp_path / "copy")
    copy.extra = "[FindRepeatedPassages]\nlength = 8\ntreatment = later\n"
    status, output = command(copy, *RUN)
    assert status == 0, output
    texts, keep = column(copy, "ProcessMarkdown.text"), column(copy, "Deduplicate.dedup_keep")
    values = column(copy, "FindRepeatedPassages.repeated_passages")
    left = column(copy, "FindRepeatedPassages.text_without_passages")

    assert {page for page, ranges in values.items() if ranges is None} == {
        page for page in texts if not keep[page]
    }
    pages = {page: ranges for page, ranges in values.items() if ranges}
    assert len(pages) > 3
    corpus = "\n".join(" ".join(text.split()) for page, text in texts.items() if keep[page])
    for page, ranges in pages.items():
        assert all(one["copies"] >= 2 for one in ranges)
        for start, end in joined(texts[page], ranges):
            words = texts[page][start:end].split()
            assert len(words) >= 8
            run = re.escape(" ".join(words[:8]))
            assert len(re.findall(f"(?={run})", corpus)) >= 2  # they may overlap: "båt båt båt"
    assert all((left[page] == texts[page]) == all(r["is_first"] for r in pages.get(page, []))
               for page in texts if keep[page] and texts[page] == texts[page].strip()
               and "\n\n\n" not in texts[page])  # fmt: skip

    copy.extra += "num_partitions = 3\n"
    status, output = command(copy, *RUN, "--replace")
    assert status == 0, output
    assert column(copy, "FindRepeatedPassages.repeated_passages") == values
    _, story = command(copy, "why", next(iter(pages)), "--dump", DUMP)
    assert "repeated_passages" in story

    ratio = column(copy, "FindRepeatedPassages.repeated_char_ratio")
    high = sorted(ratio[page] for page in pages)[-3]
    copy.extra = f'[ExportCorpus]\nlimits = {{"repeated_char_ratio": [0, {high}]}}\n' + "".join(
        copy.extra.partition("[FindRepeatedPassages]")[1:]
    )
    status, output = command(copy, "export", "--dumps", DUMP, "--replace")
    assert status == 0, output
    left_out = column(copy, "ExportCorpus.left_out")
    gone = {page for page in pages if ratio[page] > high}
    assert gone
    assert {page for page, why in left_out.items() if why == "repeated_char_ratio"} == gone
    _, output = command(copy, "what-if", "--dump", DUMP, "--set", "repeated_char_ratio=off")
    assert f"repeated_char_ratio: 0 to {high:g} → no limit" in output
    assert "would pass (stopped now by repeated_char_ratio" in output
    assert "not compared" not in output
    copy.extra = "[ExportCorpus]\nlimits = {}\n"
    change = f"repeated_char_ratio=0..{high}"
    _, output = command(copy, "what-if", "--dump", DUMP, "--set", change)
    assert "would fall by repeated_char_ratio" in output


@pytest.mark.parametrize("treatment", ["later", "all"])
def test_passages_are_cut_out_of_what_is_published_and_texts_made_again(
    exported, tmp_path, treatment
):
    copy = copy_of(exported, tmp_path / "copy")
    copy.extra = f"""[FindRepeatedPassages]
length = 8
[ExportCorpus]
passages = {treatment}
scores = ["repeated_char_ratio"]
"""
    status, output = command(copy, "export", "--dumps", DUMP, "--replace")
    assert status == 0, output
    values = column(copy, "FindRepeatedPassages.repeated_passages")
    ratio = column(copy, "FindRepeatedPassages.repeated_char_ratio")
    left_out = column(copy, "ExportCorpus.left_out")
    before = {row["id"]: row["text"] for row in corpus(exported)}
    after = {row["id"]: row for row in corpus(copy)}

    gone = {page for page in before if page not in after}
    assert gone == {page for page, why in left_out.items() if why == "repeated"}
    touched = {
        page
        for page, ranges in values.items()
        if any(treatment == "all" or not one["is_first"] for one in ranges or ())
    }
    assert len(touched) > 3
    for page, row in after.items():
        assert row["repeated_char_ratio"] == ratio[page]
        assert (row["text"] == before[page]) == (page not in touched)
        assert row["text"].strip()

    change = f"passages={treatment}"
    _, output = command(copy, "what-if", "--dump", DUMP, "--set", change, "--json", "--show", "1")
    told = json.loads(output[output.index("{\n") :])["passages"]
    texts = {p: t for p, t in column(copy, "ProcessMarkdown.text").items() if p in before}
    left = {page: len(after[page]["text"]) if page in after else 0 for page in touched}
    assert told["texts"] == len(texts)
    assert told["characters"] == sum(map(len, texts.values()))
    assert told["cut_texts"] == len(touched)
    assert told["emptied"] == len(gone)
    assert told["cut_characters"] == sum(len(texts[page]) - left[page] for page in touched)
    assert [text["id"] in touched for text in told["shown"]] == [True]
    assert told["shown"][0]["passages"][0] in texts[told["shown"][0]["id"]]
    _, output = command(copy, "what-if", "--dump", DUMP, "--set", change)
    assert f"are cut out of {len(touched)} of {len(texts)} kept texts" in output

    both = f"{change},unigram_entropy=4.3"
    _, output = command(copy, "what-if", "--dump", DUMP, "--set", both, "--json", "--show", "0")
    entropy = column(copy, "FilterDocuments.unigram_entropy")
    passing = {page for page in texts if entropy[page] >= 4.3}
    assert 0 < len(passing) < len(texts)
    told = json.loads(output[output.index("{\n") :])["passages"]
    assert (told["texts"], told["cut_texts"]) == (len(passing), len(passing & touched))

    card = (folder(copy) / "README.md").read_text()
    assert "Passages of 8 tokens or more that occur again" in card
    assert "| repeated_char_ratio |" in card

    page = min(touched & after.keys())  # the pointers' cuts go through what rewrites files, too
    command(copy, "removals", "add", "--id", page, "--reason", "opt-out")
    status, output = command(copy, "removals", "apply")
    assert status == 0, output
    del after[page]
    out = tmp_path / "out"
    status, output = command(copy, "rebuild", str(folder(copy) / "pointers"), "--out", str(out))
    assert status == 0, output
    again = {
        row["id"]: row["text"]
        for path in out.glob("*.parquet")
        for row in pq.read_table(path).to_pylist()
    }
    assert again == {page: row["text"] for page, row in after.items()}
