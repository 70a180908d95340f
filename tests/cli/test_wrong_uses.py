"""Wrong files, options, folders and order: each ends in one sentence that says what to do.

Through `skord.cli.corpus`, `skord.cli.run`, `skord.cli.commands` and the commands that look.
"""

import shlex

import pytest

from skord.cli.main import main

SHORT = "Hei på deg"

WRONG = [
    # which files
    ("corpus nowhere --out a", "there is no nowhere: look at the path"),
    ("corpus 'no*.html' --out a", "there is no no*.html: look at the path"),
    ("corpus empty --out a", "nothing here can be read (no file): give HTML pages, WARC files"),
    ("corpus x.pdf --out a", "nothing here can be read (1 of another kind)"),
    ("corpus list.json --out a", "1 JSON, which is read with an object in each line (.jsonl)"),
    ("corpus ab.csv --out a", "1 table without a column html or text"),
    ("corpus bad.jsonl --out a", "1 table that cannot be read"),
    ("corpus bad.parquet --out a", "1 table that cannot be read"),
    ("corpus bad.warc.gz --out a", "nothing here can be read (1 neither a WARC nor an ARC file)"),
    ("corpus zero.html --out a",
     "zero.html holds no page or text (no_content 1): look at the files"),
    ("corpus latin.csv --out a", "latin.csv holds no page or text (not_utf8 1): look at the files"),
    ("corpus t.jsonl --html-column body --out a", "1 table without a column body or text"),
    ("corpus https://e.example/a.html --out a",
     "is an address: only WARC and ARC files are fetched"),
    ("corpus https://e.example/a.warc page.html --out a", "give it alone, or copy the files here"),
    # which folder
    ("corpus page.html", "required: --out"),
    ("corpus page.html --out x.pdf", "x.pdf is a file: name a folder"),
    ("corpus page.html --out other", "other holds keep.me, which no corpus is made of: name a new"),
    ("corpus other page.html --out other", "--out other is what is read: name another folder"),
    ("corpus page.html --out s3://bucket/a", "name a folder on this machine"),
    ("corpus page.html --out a --data-dir b", "the columns are kept in a/work: leave it out"),
    ("init nowhere/luigi.cfg", "there is no folder nowhere: make it first"),
    ("init page.html", "page.html is there already"),
    ("corpus '' --out a", "an INPUT is empty: name a file or a folder"),
    ("corpus page.html --out ''", "--out . holds what is read: name a folder of its own"),
    ("init other", "other is there already, and stays as it is: name another"),
    # how values are written
    ("corpus page.html --out a --base-url nonsense", "an address begins with http:// or https://"),
    ("corpus page.html --out a --min-chars 1e3", "--min-chars 1e3: give a whole number"),
    ("corpus t.jsonl --html-column text --out a", "(1 table without a column text): give HTML"),
    ("extract page.html --threshold high", "--threshold high: give a number"),
    ("annotate other --port http", "--port http: give a whole number"),
    ("status --dump", "--dump stands without a value: write one behind it"),
    ("status --verbose=1", "--verbose takes no value: leave =1 out"),
    ("study verify --input a --publish b", "--publish and --dump do not go together: give one"),
    ("run CCNet --dump 2024-10 --languages", "--languages stands without a value"),
    (
        "run CCNet --dump 2024-10 --crawl-base-url http://127.0.0.1:9 --languages=",
        "[CCNet] languages names none: give codes",
    ),
    ("run CCNet --dump 2024-10 --replace=maybe", "[CCNet] replace = maybe: give true or false"),
    ("run CCNet --dump 2024-10 --CCNet-r", "no option --CCNet-r: did you mean --CCNet-replace?"),
    ("run CCNet --dump 2024-10 --min-score 3", "[CCNet] min_score = 3.0: give 0 to 1"),
    (
        "run ConvertToMarkdown --dump 2024-10 --timeout-s 0",
        "[ConvertToMarkdown] timeout_s = 0.0: give 0.001 to 1,000,000",
    ),
    (
        "run FilterDocuments --dump 2024-10 --blocked-domains a.example",
        "blocked_domains = a.example: give a list of words in double quotes, as in blocked_domains = []",
    ),
    (
        "corpus page.html --out a --ExportCorpus-format html",
        "format = html: give markdown or plain",
    ),
    ("corpus page.html --out a --languages english", "did you mean en?"),
    ("sample serve other --fault slow", "slow has no number: write it as in slow=1"),
    # which settings
    ("corpus page.html --out a --languages xx", "no label 'xx'; known are 179 such as"),
    ("corpus page.html --out a --languages Swedish", "no label 'Swedish'; did you mean sv?"),
    ("corpus page.html --out a --languages ''", "--languages names none"),
    ("corpus page.html --out a --min-chars -5", "--min-chars -5: give 0 or more"),
    ("corpus page.html --out a --format csv", "known are jsonl, parquet"),
    (
        "corpus page.html --out a --CCNet-rulz top",
        "no option --CCNet-rulz: did you mean --CCNet-rule?",
    ),
    ("corpus page.html --out a --CCNet-rule best", "[CCNet] rule = best: give any or top"),
    ("corpus page.html --out a --dump mine", "no option --dump: skord corpus --help lists them"),
    ("run CCNet --dump 2024-10 --executor-kind slrum", "set it to local or slurm"),
    ("corpus page.html --out a --languages 'et pl'", "part codes by commas, as in et,pl"),
    (
        "corpus page.html --out a --HashParagraphs-min-chars=-5",
        "min_chars = -5: give 0 or a larger",
    ),
    (
        "corpus page.html --out a --Deduplicate-num-partitions 0",
        "[Deduplicate] num_partitions = 0: give 1 to 65,536",
    ),
    (
        "corpus page.html --out a --ExportCorpus-replace-kinds '[\"email\"]'",
        "there is no kind 'email' of personal data: known are emails, ip_addresses",
    ),
    ("corpus page.html --out a --ProcessMarkdown-model-path mine", "mine: there is no such folder"),
    # one page
    ("extract page.html -o page.html", "page.html is a page that is read: give another name"),
    ("extract page.html -o nowhere/x.md", "nowhere: no such file or directory"),
    ("extract zero.html -o page.html", "page.html is not written: no page has a text"),
    ("extract page.html --url a.example", "an address begins with http:// or https://"),
    ("extract ftp://a.example/x", "neither http nor https"),
    # samples
    ("sample build other", "other holds keep.me, and no crawl: name another folder"),
    ("sample build page.html", "page.html is a file: name a folder"),
    ("sample build s --share 2", "--share 2: give a share from 0 to 1"),
    # labels
    ("train page.html --out page.html", "--out page.html is a file: name a folder"),
    ("train page.html --out m --epochs 0", "--epochs 0: give 1 or more"),
    ("annotate other --port 99999", "--port 99999: give 1 to 65535, or 0 for any that is free"),
    ("annotate other --limit 0", "--limit 0: give 1 or more"),
    ("annotate agreement a b", "--database annotations.sqlite: there is no such file"),
    # what is looked at
    ("status --data-dir page.html", "--data-dir page.html: there is no such folder"),
    ("why --text ' '", "--text is empty: give words of the page"),
    ("report --dumps 2024-10 --max-shards 0", "--max-shards 0: give 1 or more"),
    ("run ccnet --dump 2024-10", "did you mean CCNet?"),
    ("what-if --dump 2024-10 --set num_words", "give NAME=VALUE"),
    ("what-if --dump 2024-10 --set num_words=high", "'high' is no number"),
    ("run CountParagraphs --dump 2024-10 --max-distance 64 --crawl-contact a@b.example",
     "must lie between 0 and 63"),
    ("run DeduplicateIndividually --dumps ,", "names no dump"),
    ("run CCNet --dump 2024-10 --languages fo,se --HashParagraphs-mode exact "
     "--crawl-contact a@b.example", "cc_net finds no fo or se: set [HashParagraphs] mode = default"),
    ("run CCNet --dump mine --source t.jsonl", "holds tables: say --kind pages"),
    ("publish compact x --dumps a --columns ''", "--columns names none: leave it out for all"),
    ("study models lv --fetch --to page.html", "--to page.html is a file: name a folder"),
    # words and their order
    ("Corpus page.html --out a", "did you mean corpus?"),
    ("--data-dir a status", "options stand behind the command, as in skord status --data-dir"),
    ("study fnnel", "there is no study command 'fnnel': did you mean funnel?"),
    ("publish exprot --dumps a", "did you mean export?"),
    ("run page.html", "page.html is no task but files: skord corpus page.html --out FOLDER"),
    ("extract other", "skord corpus other --out FOLDER"),
    # names of inputs
    ("run Deduplicate --source page.html", "--source needs a name for these files"),
    ("run Deduplicate --input mine", "'mine' is no dump of Common Crawl, and "),
    ("run Deduplicate --input 2024-10 --source page.html",
     "'2024-10' cannot name files of your own"),
    ("run Deduplicate --input a,b --source page.html", "--source needs a name for these files"),
    ("run ExportCorpus --dumps 2024-10,2024-18", "are several, and one is wanted here"),
    ("export --input mine", "knows no files of that name: say where it is with --data-dir"),
    ("study funnel --input mine", "knows no files of that name"),
]  # fmt: skip


@pytest.fixture
def files(settings, tmp_path, monkeypatch):
    """A folder of files that are not what they should be."""
    settings()
    monkeypatch.chdir(tmp_path)
    written = {
        "page.html": f"<p>{SHORT}",
        "t.jsonl": '{"url": "https://a.example/", "html": "<p>Hei"}\n',
        "list.json": '[{"text": "a"}]',
        "bad.jsonl": "no JSON\n",
        "ab.csv": "a,b\n1,2\n",
        "x.pdf": "%PDF",
        "bad.parquet": "PAR1xxxx",
        "bad.warc.gz": "x",
        "zero.html": "",
        "other/keep.me": "",
    }
    for name in ("other", "empty"):
        (tmp_path / name).mkdir()
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "latin.csv").write_bytes("text\nBlåbär\n".encode("latin-1"))


@pytest.mark.parametrize(("words", "sentence"), WRONG, ids=[words for words, _ in WRONG])
def test_a_wrong_use_ends_in_one_sentence(files, capfd, words, sentence):
    try:
        status = main(shlex.split(words))
    except SystemExit as left:
        status = left.code

    last = capfd.readouterr().err.strip().splitlines()[-1]
    assert status in (1, 2)
    assert sentence in last
    assert "Traceback" not in last


def test_a_corpus_without_a_text_says_why(files, capfd):
    assert main(["corpus", "page.html", "--out", "a"]) == 1
    output = capfd.readouterr()
    assert "1  too_short (shorter than 300 characters: --min-chars)" in output.out
    assert output.err.strip().endswith("no text is left: the reasons stand above")
