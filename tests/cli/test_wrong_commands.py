"""What a person reads who typed, or set, something wrong: one sentence, last and alone.

Through `skord.extras.grading.command`, `skord.cli.publish.removals`, `skord.cli.look.status`,
`skord.cli.extract`,
`skord.cli.completion`, `skord.cli.repair.retry` and `skord.cli.dumps`.
"""

import errno
import functools
import io
import re
import socket
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from skord.cli.main import main
from skord.core.error_messages import sentence_of
from tests.conftest import ROOT, run_python

WRONG_WORDS = [
    ("stauts", "did you mean status?"),
    ("funnel --dmups 2024-10", "no option --dmups: did you mean --dump?"),
    ("sample rnu x", "did you mean run?"),
    ("sample", "required: VERB"),
    ("removals ad", "did you mean add?"),
    ("funnel", "required: --dump"),
    ("grade --dump 2024-10 --by word", "did you mean words?"),
    ("logs CCNet --dump 2024-10 --shard one", "--shard one: give a whole number"),
    ("extract", "required: FILE"),
    ("extract a.html --format jsn", "did you mean json?"),
    ("completion fish", "known are bash, tcsh, zsh"),
    ("status now", "one word too many: 'now'"),
    ("retry CCNet --dump 2024-10", "required: --shards"),
]


def test_without_a_word_it_says_what_there_is(capsys):
    with pytest.raises(SystemExit) as left:
        main([])

    assert left.value.code == 0
    assert "skord COMMAND …" in capsys.readouterr().out


WRONG_THINGS = [
    ("extract nowhere.html", "nowhere.html: no such file or directory"),
    ("extract .", ". is a folder: skord extract --input-dir ."),
    ("extract http://127.0.0.1:9/a", "cannot be fetched (no answer): save the page"),
    ("extract page.html --threshold 7", "give a number from 0 to 1"),
    ("status --dump 1999-01", "not a known dump"),
    ("funnel --dump 2024-10", "CCNet 2024-10 is not complete in "),
    ("funnel --dump 2024-11", "nearest: 2024-10 and 2024-18"),
    ("why http://a.example/", "nothing in"),
    ("verify --dump 2024-10", "nothing to verify: name another folder"),
    ("report --dumps 2024-10", "is not"),
    ("report --dumps 2024-1", "not a known dump"),
    ("grade --dump 2024-10", "GradeDocuments 2024-10 is not"),
    ("what-if --dump 2024-10 --set entropy=3", "'entropy'"),
    ("what-if --dump 2024-10 --set passages=none", "passages=none: give kept, later, all"),
    ("features --set swebb", "did you mean sweb?"),
    ("retry ProcessMarkdwon --dump 2024-10 --shards 1", "did you mean ProcessMarkdown?"),
    ("retry ProcessMarkdown --dump 2024-10 --shards one", "give numbers and ranges"),
    ("logs CNet --dump 2024-10 --shard 1", "did you mean CCNet?"),
    ("plan --dump 2024-10", ""),
    ("export --dumps 2024-10,1999", "not a known dump"),
    ("removals add --reason x", ""),
    ("removals add --reason x --domain a.example --date May", "give a day as 2024-03-01"),
    ("rebuild nowhere.parquet --out x", "there is no table of pointers"),
    ("reconstruct --minified nowhere --out x", "nowhere"),
    ("sample serve nowhere", "nowhere is no folder"),
    ("sample run new --fault sloth=1", "'sloth' is no fault"),
    ("run Dedupliate --dumps 2024-10", "did you mean Deduplicate?"),
    ("run ExportCorpus --dump 1999-01", "not a known dump"),
]


@pytest.fixture
def typed(settings, tmp_path, monkeypatch, capsys):
    """Type words in an empty folder; gives the exit status and the lines on standard error."""
    monkeypatch.chdir(tmp_path)

    def type_words(words: str) -> tuple[int, list[str]]:
        try:
            status = main(words.split())
        except SystemExit as ended:
            status = int(ended.code)
        return status, capsys.readouterr().err.splitlines()

    return type_words


@pytest.mark.parametrize(("words", "sentence"), WRONG_WORDS)
def test_a_misspelt_command_is_one_sentence(typed, words, sentence):
    status, lines = typed(words)

    assert status == 2
    assert len(lines) == 1
    assert sentence in lines[0]


@pytest.mark.parametrize(("words", "sentence"), WRONG_THINGS)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(typed, words, sentence, tmp_path):
    status, lines = typed(words)

    assert status == 1
    assert len(lines) == 1, lines
    assert sentence in lines[0]
    assert "Error" not in lines[0]
    assert [*tmp_path.rglob("made_with.json")] == []


def test_debug_shows_the_rest(typed):
    status, lines = typed("extract nowhere.html --debug")

    assert status == 1
    assert lines[0].startswith("Traceback")
    assert lines[-1] == "skord: nowhere.html: no such file or directory"


def test_a_port_in_use(typed, tmp_path):
    (tmp_path / "crawl").mkdir()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        status, lines = typed(f"sample serve crawl --port {taken.getsockname()[1]}")

    assert status == 1
    assert "the port is in use: name another, or 0" in lines[-1]


def test_a_port_that_is_none():
    with socket.socket() as free, pytest.raises(OverflowError) as raised:
        free.bind(("127.0.0.1", 99_999))

    assert sentence_of(raised.value) == "port must be 0-65535"


def test_a_full_disk_does_not_advise_more_memory():
    said = sentence_of(OSError(errno.ENOSPC, "No space left on device", "/data/a.parquet"))

    assert said.startswith("/data/a.parquet: no space is left on the disk")
    assert "mem_gb" not in said


INTERRUPT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
def interrupt(event, words):
    if event == "import" and words[0] == "luigi":
        os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
"""


def test_control_c_while_a_command_is_still_imported_is_one_sentence(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(INTERRUPT)
    done = run_python(
        "-m", "skord", "status", cwd=tmp_path, env={"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    )

    assert done.returncode == 130
    assert done.stderr.startswith("skord: stopped; ")
    assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("CCNet --dump 1999-01", 35, "ConfigError: '1999-01' is not a known dump"),
        ("CCNet --dump 2024-10 --languages xx", 35, "no label 'xx'"),
        ("CCNet --dump 2024-10 --rule all", 40, "ValueError: all is not a valid choice"),
        ("CCNet", 40, "requires the 'dump' parameter to be set"),
        ("CrawlFiles --dump 2024-10", 40, "TypeError: Can't instantiate abstract class CrawlFiles"),
    ],
)
def test_under_luigis_own_command_the_error_is_the_exceptions_message(
    tmp_path, words, status, message
):
    (tmp_path / "luigi.cfg").write_text("[crawl]\ncontact = a@b.example\n")
    command = ("-m", "luigi", "--module", "pipeline.cc_net", *words.split())
    done = run_python(*command, cwd=tmp_path)

    assert message in done.stderr
    assert done.returncode == status, "of [retcode] in the package's luigi.cfg"
    assert done.stdout == ""
    assert "1999-01" not in words or [*tmp_path.iterdir()] == [tmp_path / "luigi.cfg"]


def test_an_exit_status_that_the_user_sets_counts_before_the_packages(tmp_path):
    (tmp_path / "luigi.cfg").write_text("[retcode]\nscheduling_error = 7\n")
    words = ("--module", "pipeline.cc_net", "CCNet", "--dump", "1999-01")

    assert run_python("-m", "luigi", *words, cwd=tmp_path).returncode == 7


def test_an_item_without_its_dump_is_one_sentence(tmp_path):
    words = ("CCNet", '{"dmup": "2024-10"}', "shard", "0")
    done = run_python("-m", "skord.core.run_shard", *words, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (2, "CCNet needs --dump\n")


STATUS, RUN = "status --dump 2024-10", "run CCNet --dump 2024-10"
BROKEN = [
    (b"[pipeline]\ndata_dir = /sm\xe5tt\n", "luigi.cfg is not written in UTF-8: save it as UTF-8"),
    (b"data_dir = data\n", "line 1: a setting must stand below the name of its section"),
    (b"[pipeline]\ndata_dir\n[x\n", "luigi.cfg, line 2, 3: write settings as name = value"),
    (b"[pipeline]\nreplace = true\nreplace = false\n", "replace stands there twice: remove one"),
    (b'[FilterDocuments]\nlimits = {"num_words": [3\n', "as in limits = {} or"),
    (b"[CCNet]\nlanguage = []\n", "did you mean languages?"),
    (b"[CNet]\nrule = any\n", "did you mean CCNet?"),
]


@pytest.mark.parametrize(
    ("written", "sentence", "words"),
    [
        *((*one, words) for one in BROKEN for words in (STATUS, RUN)),
        (b"[crawl]\ncontact = a@b.example\n[executor]\nkind = slrm\n", "slrm", RUN),
        (b"[CCNet]\nrule = all\n", "skord: [CCNet] rule = all: give any or top", RUN),
    ],
)
def test_a_broken_file_of_settings_is_one_sentence(tmp_path, written, sentence, words):
    (tmp_path / "luigi.cfg").write_bytes(written)
    done = run_python("-m", "skord", *words.split(), cwd=tmp_path)

    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert sentence in done.stderr


def test_a_page_is_read_from_a_pipe(typed, monkeypatch, capsys):
    html = "<title>T</title><p>Ett långt stycke om båtar.</p>".encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(html)))

    assert main(["extract", "-", "--whole-page"]) == 0
    assert capsys.readouterr().out == "Ett långt stycke om båtar.\n"


def test_help_and_one_page_need_neither_luigi_nor_the_graph():
    code = (
        "import sys, skord, skord.cli.entry, skord.cli.extract;"
        "from skord.cli.commands import command_line;"
        "command_line().format_help();"
        "print([m for m in ('luigi', 'pipeline', 'tqdm') if m in sys.modules])"
    )

    assert run_python("-c", code).stdout == "[]\n"


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_shells_complete_the_words(typed, capsys, shell):
    assert main(["completion", shell]) == 0

    script = capsys.readouterr().out
    assert "what-if" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_settings_are_written_as_comments(typed, tmp_path, capsys):
    assert main(["init", "my.cfg"]) == 0

    written = (tmp_path / "my.cfg").read_text("utf-8")
    assert "\n# data_dir = data\n" in written
    assert not re.search(r"^[a-z_]+ *=", written, re.MULTILINE)
    status, lines = typed("init my.cfg")
    assert status == 1
    assert "is there already" in lines[0]


@pytest.fixture
def site(tmp_path):
    """A real server with a page, and what it was asked by."""
    agents: list[str] = []

    class Answer(SimpleHTTPRequestHandler):
        def do_GET(self):
            agents.append(self.headers["User-Agent"])
            super().do_GET()

        def log_message(self, *args):
            pass

    (tmp_path / "sida.html").write_text(
        "<title>T</title><article><h1>Bron</h1><p>I går öppnades bron mellan torget och hamnen, "
        'efter två års arbete.</p><p><img src="/bro.jpg">Den är en meter bredare.</p></article>'
    )
    with ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Answer, directory=str(tmp_path))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", agents
        server.shutdown()


def test_a_page_is_read_from_its_address(typed, site, tmp_path, capsys):
    url, agents = site

    assert main(["extract", f"{url}/sida.html", f"file://{tmp_path}/sida.html", "sida.html"]) == 0

    texts = capsys.readouterr().out.split("# Bron\n")
    assert texts[0] == f"==> {url}/sida.html <==\n"
    assert len({text.partition("==>")[0].strip() for text in texts[1:]}) == 1
    assert "öppnades bron" in texts[1]
    assert agents[0].startswith("skord/")
    status, lines = typed(f"extract {url}/finns-inte.html")
    assert status == 1
    assert "cannot be fetched (404 " in lines[-1]


def test_some_pages_without_text_are_a_status_of_their_own(typed, site, tmp_path):
    (tmp_path / "empty.html").write_text("")

    status, lines = typed("extract sida.html empty.html")

    assert status == 3
    assert lines[-1].startswith("skord: empty.html: no text")
