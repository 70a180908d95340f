"""The whole graph over files of one's own: by the short command, killed, beside a dump."""

import json

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from selectolax.lexbor import LexborHTMLParser
from warcio.archiveiterator import ArchiveIterator

from skord.cli.look.funnel import funnel_stages
from skord.cli.look.why import page_story
from skord.core.dumps import Source, SourceKind, keep_source
from skord.core.storage.column_store import ColumnStore
from skord.core.storage.filesystem import Storage
from skord.crawl.cdx import parse_cdx_line
from skord.crawl.warc.records import read_response
from skord.sample_crawl.own_files import own_files
from tests.graph.bench import DUMP, Bench
from tests.graph.publishing.export_forms import copy_of


def skord(bench: Bench, *words: str) -> tuple[int, str]:
    return bench.run("-m", "pipeline", *words, "--data-dir", bench.data)


def store(bench: Bench, name: str) -> ColumnStore:
    return ColumnStore(Storage(bench.data), name)


def run(bench: Bench, source, *more: str) -> str:
    words = ("run", "DeduplicateIndividually", "--dumps", "mine", "--source", str(source), *more)
    status, output = skord(bench, *words)
    assert status == 0, output
    return output


def texts(actual: ColumnStore) -> dict[str, str]:
    return {
        url: text
        for _, batch in actual.side_by_side(0, {"CCNet": ["url"], "ProcessMarkdown": ["text"]})
        for url, text in zip(
            batch["CCNet.url"].to_pylist(), batch["ProcessMarkdown.text"].to_pylist(), strict=True
        )
    }


@pytest.mark.parametrize("kind", ["pages", "texts"])
def test_a_folder_goes_through_the_whole_graph(bench, crawl_folder, tmp_path, kind):
    own_files(crawl_folder, tmp_path / "own", DUMP, kind)

    output = run(bench, tmp_path / "own")

    mine = store(bench, "mine")
    stages = funnel_stages(mine)
    assert [stage.task for stage in stages if not stage.adds_up] == []
    assert stages[-1].documents_out["all"] >= 200
    assert "pages are in none of [CCNet] languages = sv,da,no,nn,is" in output
    born = mine.read_table(mine.path("CCNet", 0), ["id", "warc_file", "url"])
    assert mine.read_table(mine.path("Deduplicate", 0), ["id"])["id"] == born["id"]
    fetched = mine.read_table(mine.path("FetchHTMLDocuments", 0))
    assert fetched["failure"].null_count == len(fetched)
    assert not (bench.folder / "data/CCIndex").exists()
    for words in (("status", "--dump", "mine"), ("plan", "--dump", "mine")):
        status, said = skord(bench, *words)
        assert status == 0, said
        assert "CCIndex" not in said
    page = born["id"][0].as_py()
    assert any("=> " in line for line in page_story(mine, page))
    export_rebuild_remove(bench, born["url"][0].as_py(), tmp_path / "again")


def export_rebuild_remove(bench, url, out):
    """What is published of a source is made again from its files, and taken back on request."""
    status, output = skord(bench, "run", "ExportCorpus", "--dump", "mine")
    assert status == 0, output
    published = bench.folder / "data/ExportCorpus/mine/files"

    status, output = skord(bench, "rebuild", str(published / "pointers"), "--out", str(out))

    assert status == 0, output
    again = {row["id"]: row["text"] for row in rows_below(out)}
    assert len(again) >= 200
    assert again == {row["id"]: row["text"] for row in rows_below(published / "data")}
    for words in (("add", "--url", url, "--reason", "take-down"), ("apply",), ("check",)):
        status, output = skord(bench, "removals", *words)
        assert status == 0, output
    left = {row["url"] for row in rows_below(published / "data")}
    assert len(left) == len(again) - 1
    assert url not in left


def rows_below(folder):
    return [row for path in sorted(folder.iterdir()) for row in pq.read_table(path).to_pylist()]


def test_warc_files_give_the_texts_that_the_dump_gives(whole, bench, crawl_folder, tmp_path):
    own_files(crawl_folder, tmp_path / "own", DUMP, "warc")
    bench.extra = "[source]\nbase_url = http://x.example/\n"
    run(bench, tmp_path / "own")

    mine = texts(store(bench, "mine"))
    of_dump = {}
    for shard in range(whole.store.manifest("CCNet")["num_shards"]):
        wanted = {"CCNet": ["url"], "ProcessMarkdown": ["text"]}
        for _, batch in whole.store.side_by_side(shard, wanted):
            columns = (batch[name].to_pylist() for name in ("CCNet.url", "ProcessMarkdown.text"))
            of_dump |= {u: t for u, t in zip(*columns, strict=True) if t}

    shared = of_dump.keys() & mine.keys()
    assert len(shared) > 0.95 * len(of_dump)
    assert [url for url in shared if mine[url] != of_dump[url]] == []


def test_small_pages_are_left_out_aloud(bench, tmp_path):
    (tmp_path / "own").mkdir()
    for number in range(3):
        animal = ("grisar", "kaniner", "fåglar")[number]
        page = f"<title>Sida</title><p>Det var en gång några {animal} som bodde i en stuga."
        (tmp_path / "own" / f"{number}.html").write_text(page)

    output = run(bench, tmp_path / "own")

    assert "3 of 3 pages are shorter than [HashParagraphs] min_chars = 300 characters" in output
    refused = store(bench, "mine").read_table(store(bench, "mine").path("CCNet", 0, "refused"))
    assert refused["reason"].to_pylist() == ["too_short"] * 3
    more = ("--HashParagraphs-min-chars", "10", "--replace")
    run(bench, tmp_path / "own", *more)
    assert len(store(bench, "mine").read_table(store(bench, "mine").path("CCNet", 0))) == 3


def test_languages_far_from_ours_pass_too(bench, tmp_path):
    sentences = {
        "fi": "Talo on vanha ja kaunis, mutta se ei ole suuri, kun sitä katsoo numero {} luona. ",
        "et": "Maja on vana ja ilus, aga see ei ole suur, kui seda vaadata maja {} juurest. ",
        "code": "for (int i{} = 0; i < n; i++) {{ total[i] += rows[i].size(); }} ",
    }
    words = ("yksi kaksi kolme neli", "viisi kuusi seitse", "punane roheline sinine")
    rows = [
        {"text": "".join(text.format(word) for word in f"{words[n]} {n}".split()) * 3}
        for n in range(3)
        for text in sentences.values()
    ]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bench.extra = '[FilterDocuments]\nfeature_sets = ["language"]\n'

    more = ("--kind", "texts", "--languages", "all", "--CCNet-refuse-no-language", "true")
    run(bench, tmp_path / "a.jsonl", *more)

    mine = store(bench, "mine")
    selected = mine.read_table(mine.path("CCNet", 0))
    assert set(selected["language"].to_pylist()) == {"fi", "et"}
    assert not [name for name in selected.column_names if name.startswith("score_")]
    buckets = zip(selected["language"].to_pylist(), selected["bucket"].to_pylist(), strict=True)
    assert {language for language, bucket in buckets if bucket == "all"} == {"et"}
    refused = mine.read_table(mine.path("CCNet", 0, "refused"))
    assert "no_language" in refused["reason"].to_pylist()
    passes = mine.read_table(mine.path("FilterDocuments", 0))["passes_all_quality_filters"]
    assert pc.all(passes).as_py()


def test_languages_without_a_label_in_lid176_are_selected(bench, tmp_path):
    sentences = {
        "fo": "Kommunan hevur gjørt av at steingja brúnna í tríggjar vikur frá hesum degi. ",
        "se": "Gielda lea mearridan giddet šalddi golmma vahkkui go bidjet ođđa asfáltta. ",
        "kl": "Inuit tamarmik inunngorput nammineersinnaassuseqarlutik assigiimmillu. ",
        "is": "Bærinn hefur ákveðið að loka brúnni í þrjár vikur og vagnarnir aka aðra leið. ",
    }
    rows = [{"url": f"https://{code}.example/", "text": 6 * s} for code, s in sentences.items()]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    bench.extra = '[FilterDocuments]\nfeature_sets = ["language"]\n'

    output = run(bench, tmp_path / "a.jsonl", "--kind", "texts", "--languages", "fo,se,kl")

    mine = store(bench, "mine")
    selected = mine.read_table(mine.path("CCNet", 0))
    assert selected["language"].to_pylist() == ["fo", "se", "kl"]
    assert min(selected["score_kl"].to_pylist()) == 0 < max(selected["score_kl"].to_pylist())
    refused = mine.read_table(mine.path("CCNet", 0, "refused"))
    assert refused["language"].to_pylist() == ["is"]
    assert "se is North Sámi; Swedish is sv" in output


def test_texts_are_deduplicated_against_a_dump(whole, tmp_path, crawl_folder):
    bench = copy_of(whole, tmp_path / "both")
    own_files(crawl_folder, tmp_path / "own", DUMP, "texts")
    keep_source("mine", Source(SourceKind.TEXTS, str(tmp_path / "own")), Storage(bench.data))
    words = ("--dumps", f"{DUMP},mine", "--dump", "mine", "--replace")

    status, output = skord(bench, "run", "Deduplicate", *words)

    assert status == 0, output
    mine = store(bench, "mine")
    keep = mine.read_table(mine.path("Deduplicate", 0), ["dedup_keep"])["dedup_keep"].drop_null()
    assert 0.3 * len(keep) < pc.sum(pc.invert(keep)).as_py() < len(keep)


def test_exported_warc_files_are_read_by_others_and_by_us(whole, tmp_path):
    bench = copy_of(whole, tmp_path / "bench")
    status, output = skord(bench, "run", "ExportWARC", "--dump", DUMP)
    assert status == 0, output
    folder = bench.folder / "data/ExportWARC" / DUMP / "files"
    born = {}
    for shard in range(whole.store.manifest("CCNet")["num_shards"]):
        fetched = whole.store.read_table(whole.store.path("FetchHTMLDocuments", shard))
        ids, records = fetched["id"].to_pylist(), fetched["record"].to_pylist()
        born |= {name: record for name, record in zip(ids, records, strict=True) if record}

    read = {}
    for path in sorted(folder.glob("*.warc.gz")):
        content = path.read_bytes()
        with path.open("rb") as stream:
            kinds = [record.rec_type for record in ArchiveIterator(stream)]
        assert kinds == ["warcinfo"] + ["response"] * (len(kinds) - 1)
        lines = (folder / path.name.replace("warc.gz", "cdxj")).read_bytes().splitlines()
        assert lines == sorted(lines)
        for capture in map(parse_cdx_line, lines):
            member = content[capture.offset : capture.offset + capture.length]
            response = read_response(member)
            assert (response.url, capture.status) == (capture.url, 200)
            read[response.record_id] = member
    assert read == born


def test_paragraphs_end_in_a_corpus(whole, tmp_path):
    bench = copy_of(whole, tmp_path / "bench")
    bench.extra = "[CountParagraphs]\nnum_partitions = 2\n"
    status, output = skord(bench, "run", "ExportParagraphs", "--dump", DUMP, "--doc-id", "true")
    assert status == 0, output

    actual = store(bench, DUMP)
    counts = actual.manifest("ExportParagraphs")["counts"]
    files = sorted((bench.folder / "data/ExportParagraphs" / DUMP / "files").rglob("*.parquet"))
    tables = [pq.ParquetFile(path).read() for path in files]
    assert sum(map(len, tables)) == counts["documents"] > 200
    assert {path.parent.name for path in files} >= {"lang=sv", "lang=da", "lang=is"}
    assert tables[0].column_names == ["docId", "url", "charset", "date", "text"]
    texts = [text for table in tables for text in table["text"].to_pylist()]
    assert sum(text.count("\n# ") + text.startswith("# ") for text in texts) > 100
    assert sum(number for name, number in counts.items() if name.startswith("year.")) == len(texts)
    assert counts["text_bytes"] == sum(len(text.encode()) for text in texts)
    reasons = actual.manifest("FilterParagraphs")["counts"]
    assert reasons["paragraphs.no_content"] > 100
    assert reasons["paragraphs.kept"] > 100

    status, output = skord(bench, "report", "--dump", DUMP, "--out", str(tmp_path / "report.html"))
    assert status == 0, output
    page = LexborHTMLParser((tmp_path / "report.html").read_text())
    section = page.css("h2#paragraph_corpus ~ div.dumps")[0]
    assert f"{counts['documents']:,} documents" in section.text()
    cells = [cell.text() for cell in section.css("table")[-1].css("tr:first-child th")]
    assert {"year", "sv", "da"} <= set(cells)
    numbers = [int(cell.text().replace(",", "")) for cell in section.css("table")[-1].css("td.n")]
    assert sum(numbers) == counts["documents"]
