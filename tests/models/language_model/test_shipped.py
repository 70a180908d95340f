"""What the shipped language models are made from, of `skord.models.language_model.shipped`."""

import base64
import gzip
import json
import shutil
import sys

import numpy as np
import pytest

from skord.models.language_model.cutoffs import page_perplexities, percentile_column
from skord.models.language_model.files import FOLDER, find_languages
from skord.models.language_model.perplexity import read_cutoffs
from skord.models.language_model.shipped import (
    LEAST_PAGES,
    MATERIALS,
    MIN_CHARS,
    MOST_PAGES_A_SITE,
    SENTENCES_A_TEXT,
    distinct_page_texts,
    labelled_sentences,
    main,
    perplexity_percentiles,
    write_limits,
)


def packed(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as lines:
        lines.writelines(json.dumps(row) + "\n" for row in rows)


def page(lang, site, *lines, packed_html=False):
    html = "".join(f"<p>{line}</p>" for line in lines)
    row = {"lang": lang, "split_key": site}
    if packed_html:
        return {**row, "html": "", "html_b64": base64.b64encode(html.encode()).decode()}
    return {**row, "html": html}


def long(word, size=MIN_CHARS):
    return (f"{word} " * size)[: size - 1] + "."


def test_sentences_make_texts_of_twenty(tmp_path):
    rows = [{"lang": "sv" if n % 2 else "da", "text": f"s{n}"} for n in range(90)]
    packed(tmp_path / "lid/b.jsonl.gz", rows[50:])
    packed(tmp_path / "lid/a.jsonl.gz", rows[:50])

    texts = labelled_sentences(tmp_path, "sv")

    assert [len(text.split("\n")) for text in texts] == [SENTENCES_A_TEXT, SENTENCES_A_TEXT, 5]
    assert "\n".join(texts).split("\n") == [f"s{n}" for n in range(1, 90, 2)]
    assert labelled_sentences(tmp_path, "fi") == []


def test_of_a_page_stays_what_no_other_page_of_its_site_shows(tmp_path):
    many = [page("da", "b.dk", long(f"ord{n}x")) for n in range(MOST_PAGES_A_SITE + 5)]
    packed(tmp_path / "extraction/a.jsonl.gz", [
        page("sv", "a.se", "Meny", long("ett")),
        page("sv", "a.se", "Meny", long("två"), packed_html=True),
        page("sv", "c.se", "Meny", long("tre")),
        page("sv", "d.se", long("kort", MIN_CHARS - 1)),
        page("xx", "a.se", long("nej")),
        page("sv", "e.se"),
        *many,
    ])  # fmt: skip

    texts = distinct_page_texts(tmp_path)

    assert texts["sv"] == [long("ett"), long("två"), f"Meny\n{long('tre')}"]
    assert len(texts["da"]) == MOST_PAGES_A_SITE
    assert set(texts) == {"sv", "da"}


def test_limits_without_pages_are_those_of_sentences_times_what_pages_have_more(tmp_path):
    out = tmp_path / "models"
    out.mkdir()
    for name in ("nb", "sv"):
        for ending in ("sp.model", "arpa.bin"):
            shutil.copy(FOLDER / f"{name}.{ending}", out)
    word = ["båt", "hus", "bro", "väg", "skog", "sjö", "stad", "by", "ö", "fjäll"]
    lines = [f"Det är en {w} i {v} och en {v} vid {w}. " for w in word for v in word]
    packed(tmp_path / "extraction/a.jsonl.gz", [
        page("sv", f"{n}.se", (lines[n] + lines[n + 7]) * 9) for n in range(LEAST_PAGES)
    ] + [page("nb", f"{n}.no", lines[n] * 9) for n in range(LEAST_PAGES - 1)])  # fmt: skip
    rows = [{"lang": lang, "text": line} for lang in ("sv", "nb") for line in lines]
    packed(tmp_path / "lid/a.jsonl.gz", rows)

    reports = list(write_limits(tmp_path, out))

    columns = read_cutoffs((out / "cutoff.csv").read_text())
    assert [line.split(":")[0] for line in reports] == ["nb", "sv"]
    assert reports[0].endswith("from sentences, as pages differ")
    assert reports[1].endswith(f"from {LEAST_PAGES} pages")
    assert f" {columns['sv'][30]} and {columns['sv'][60]}," in reports[1]
    for language in ("sv", "nb"):
        assert len(columns[language]) == 100
    # sv: by its own pages; nb: by its sentences, times what pages have more in sv
    files = find_languages(out)
    own = {one: page_perplexities(files[one], labelled_sentences(tmp_path, one)) for one in files}
    seen = page_perplexities(files["sv"], distinct_page_texts(tmp_path)["sv"])
    assert columns["sv"] == percentile_column(seen)
    more = perplexity_percentiles(seen) / perplexity_percentiles(own["sv"])
    assert columns["nb"] == percentile_column((perplexity_percentiles(own["nb"]) * more).tolist())


def test_percentiles_go_from_the_least_to_nearly_the_most():
    found = perplexity_percentiles([float(n) for n in range(100)])
    assert found.shape == (100,)
    assert found.tolist() == pytest.approx((np.arange(100) * 0.99).tolist())


def test_every_language_has_material_and_a_pruning_for_each_order():
    for material in MATERIALS.values():
        assert material.texts
        assert len(material.prune) == 5
        assert list(material.prune) == sorted(material.prune)
    assert (LEAST_PAGES, MOST_PAGES_A_SITE, MIN_CHARS, SENTENCES_A_TEXT) == (10, 20, 300, 20)


def test_the_command_names_the_folder_and_the_program_that_lack(tmp_path, monkeypatch):
    (tmp_path / "text").mkdir()
    (tmp_path / "extraction").mkdir()
    monkeypatch.setattr(sys, "argv", ["shipped", "--data", str(tmp_path), "--only", "lv"])
    with pytest.raises(SystemExit, match="has no folder lid: see models"):
        main()
    (tmp_path / "lid").mkdir()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(SystemExit, match="make lmplz"):
        main()
    monkeypatch.setattr(sys, "argv", ["shipped"])
    with pytest.raises(SystemExit):
        main()
