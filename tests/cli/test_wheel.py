"""The package as it is installed: a wheel, in an environment of its own, used from any folder."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("SKORD_MINUTES"), reason="compiles for minutes"),
]

PAGE = "<title>Hamnen</title><article><h1>Hamnen</h1>" + "".join(
    f"<p>Nummer {n}: vid hamnen stod i många år en kiosk som sålde glass, kaffe och tidningar "
    "till dem som väntade på färjan mot staden.</p>"
    for n in range(6)
)


@pytest.fixture(scope="module")
def skord(tmp_path_factory) -> Path:
    """The command of a wheel that was built here and installed beside nothing of the checkout."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(
        ROOT,
        source,
        ignore=shutil.ignore_patterns(".*", "build", "*.so", "data", "sample", "tests", "docs"),
    )
    call(
        sys.executable, "-m", "pip", "wheel", "-q", "--no-build-isolation", "--no-deps",
        "-w", str(folder), str(source), cwd=folder,
    )  # fmt: skip
    call(sys.executable, "-m", "venv", "--without-pip", str(folder / "venv"), cwd=folder)
    python = folder / "venv/bin/python"
    inside = Path(call(str(python), "-c", "import site; print(site.getsitepackages()[0])").strip())
    (wheel,) = folder.glob("skord-*.whl")
    call(
        sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps",
        "--no-index", str(wheel),
    )  # fmt: skip
    paths = [sysconfig.get_path("purelib"), *map(str, sys.path)]
    shared = [one for one in paths if one.endswith("site-packages") and Path(one).is_dir()]
    (inside / "shared.pth").write_text("\n".join(dict.fromkeys(shared)))
    return folder / "venv/bin/skord"


@pytest.fixture(scope="module")
def bare(tmp_path_factory) -> dict[str, str]:
    """An environment in which a shell is found, and nothing that could compile."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "bash").symlink_to(shutil.which("bash") or "/bin/bash")
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX")}
    assert not any(shutil.which(name, path=str(folder)) for name in ("cc", "gcc", "g++", "clang"))
    return {**kept, "PATH": str(folder)}


def call(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_serves_other_linux_systems_and_every_python_from_here_on(skord, tmp_path):
    pytest.importorskip("auditwheel", reason="make wheels installs it")
    (wheel,) = skord.parents[2].glob("skord-*.whl")
    tools = str(Path(sys.executable).parent)
    paths = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    call(
        sys.executable, "-m", "auditwheel", "repair", "-w", str(tmp_path), str(wheel), env=paths
    )  # fmt: skip

    (repaired,) = tmp_path.glob("*.whl")

    assert re.search(r"-cp311-abi3-.*manylinux_2_\d+_", repaired.name)


def test_a_page_is_extracted_in_any_folder(skord, bare, tmp_path):
    (tmp_path / "hamnen.html").write_text(PAGE)

    text = call(str(skord), "extract", "hamnen.html", cwd=tmp_path, env=bare)

    assert "Nummer 5: vid hamnen" in text


def test_a_run_works_in_any_folder_and_so_do_its_next_commands(skord, bare, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/hamnen.html").write_text(PAGE)

    command = f"{skord} run Deduplicate --input mine --source pages 2>&1"
    output = call("bash", "-c", command, cwd=tmp_path, env=bare)

    assert re.search(r"^CCNet mine: 1 row ", output, re.MULTILINE)
    assert "\r" not in output, "a log file is no terminal"
    assert len(re.findall(r"^ConvertToMarkdown mine: ", output, re.MULTILINE)) == 1
    following = re.findall(r"^(?:next: | {6})(\S*skord .*)$", output, re.MULTILINE)
    assert len(following) == 3
    for command in following:
        assert call("bash", "-c", command, cwd=tmp_path, env=bare)


def test_the_wheel_owns_two_import_names(skord):
    (wheel,) = skord.parents[2].glob("skord-*.whl")
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}

    assert {name for name in names if not name.endswith(".dist-info")} == {"skord", "pipeline"}


SCRIPT = """
import sys
import skord
assert not {"luigi", "pipeline"} & set(sys.modules), "import skord needs neither"
import models, pipeline, slurm
assert {module.OWNER for module in (models, pipeline, slurm)} == {"the user"}

if __name__ == "__main__":
    print(skord.extract(open("pages/hamnen.html").read()))
    settings = {"HashParagraphs": {"min_chars": 50}, "executor": {"workers": 2}}
    graph = skord.Pipeline("own/data", settings)
    graph.run("ExportCorpus", "mine", source="pages")
    (page,) = graph.corpus("mine").table(["ProcessMarkdown.text"]).to_pylist()
    print(page["ProcessMarkdown.text"])
"""


@pytest.fixture
def own_modules(tmp_path) -> Path:
    """A user's folder, with a page and with modules of the names that the package uses, too."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/hamnen.html").write_text(PAGE)
    (tmp_path / "models").mkdir()
    for name in ("models/__init__.py", "models.py", "pipeline.py", "slurm.py"):
        (tmp_path / name).write_text('OWNER = "the user"\n')
    (tmp_path / "script.py").write_text(SCRIPT)
    return tmp_path


def test_a_script_works_beside_modules_of_the_same_names(skord, bare, own_modules):
    output = call(str(skord.with_name("python")), "script.py", cwd=own_modules, env=bare)

    assert output.count("Nummer 5: vid hamnen") == 2


def test_a_run_works_beside_modules_of_the_same_names(skord, bare, own_modules):
    words = ("run", "ExportCorpus", "--dump", "mine", "--HashParagraphs-min-chars", "50",
             "--executor-workers", "2")  # fmt: skip

    call(str(skord), *words, "--source", "pages", cwd=own_modules, env=bare)
    done = subprocess.run(
        [str(skord), *words], cwd=own_modules, env=bare, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0
    made_with, nothing_to_do = done.stderr.splitlines()
    assert "[HashParagraphs] min_chars = 50" in made_with
    assert nothing_to_do.startswith("nothing to do: ExportCorpus mine is complete since ")
    assert "1 shard in " in nothing_to_do


def test_python_with_the_folder_first_on_its_path_says_what_stands_before(skord, bare, own_modules):
    command = [str(skord.with_name("python")), "-m", "skord", "run", "CCNet", "--dump", "2024-10"]
    done = subprocess.run(
        command, cwd=own_modules, env=bare, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert done.stderr == (
        f"skord: {own_modules}/pipeline.py is imported in place of the package's tasks: give the "
        "command as skord, or as python -P -m skord\n"
    )
