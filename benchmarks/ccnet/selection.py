"""The selection in exact mode against cc_net: the same pages, and how much less CPU.

    make bench-ccnet PEER=path/to/cc_net

Both read the same synthetic WET files (`ccnet.corpus`) with the same language identifier, one
after the other in turn, each in a process of its own. Every field of every document is
compared, and the differences are printed by kind. Seconds are of CPU, the loading of models
counted on both sides. The peer runs with its own dependencies,
in a virtual environment outside this tree, and with two lines changed in a copy of it:
`--cutoff` is obeyed, and it does not sleep for 20 seconds between its stages.

In two things the peer is not as its README has it. It counts paragraphs in a dictionary, for
want of the package getpy, which its author keeps in a repository: built from there, it took 4 %
off the peer's CPU. And it reads lid.176.ftz as we do, in place of lid.176.bin, whose vectors are
looked up and not put together from codes.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.ccnet.compare import our_documents, peer_documents, report_differences
from benchmarks.ccnet.corpus import sentences_of, write_corpus
from benchmarks.ccnet.ours import lay_out
from benchmarks.settings import ROOT, SHARED_TEXT
from skord.core.tasks.phases import contiguous_groups
from skord.models.language_id.lid176 import bundled_model
from skord.models.language_model.files import FOLDER

DUMP = "2019-09"
SEGMENTS = f"crawl-data/CC-MAIN-{DUMP}/segments/1/wet/"
LANGUAGES = ("sv", "da", "no", "nn", "is")
PEER_PACKAGES = (
    "numpy<2",
    "beautifulsoup4",
    "fasttext==0.9.3",
    "func_argparse",
    "kenlm",
    "pandas",
    "psutil",
    "requests",
    "sacremoses",
    "sentencepiece",
    "submitit",
    "typing_extensions",
)
PATCHES = {
    "perplexity.PerplexityBucket(CUTOFF_CSV)": "perplexity.PerplexityBucket(conf.cutoff)",
    "time.sleep(20)": "time.sleep(0)",
}


def main() -> None:
    args = _arguments()
    with tempfile.TemporaryDirectory(prefix="bench-ccnet-", dir=args.work) as name:
        work = Path(name)
        args.prepared_models = prepare_models(work / "models", args.models)
        peer = patched_copy(args.peer, work)
        python = args.peer_python or _peer_environment(work)
        ratios = {mix: _one_mix(args, mix, work / mix, peer, python) for mix in args.mixes}
    shown = ", ".join(f"{ratio:.1f}× {mix}" for mix, ratio in ratios.items())
    best = ratios[args.mixes[0]]
    print(f"ccnet: {best:.1f}× cc_net's documents per CPU second, same fields ({shown})")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--peer", type=Path, required=True, help="a checkout of cc_net")
    parser.add_argument("--peer-python", type=Path, help="a Python that has its dependencies")
    parser.add_argument("--text", type=Path, default=SHARED_TEXT, help="{language}/*.txt.gz")
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--group-shards", type=int, default=50, help="shards compared together")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--mixes", nargs="+", default=["even", "crawl"])
    parser.add_argument("--lid", type=Path, default=bundled_model(), help="a fastText model")
    parser.add_argument("--models", type=Path, default=FOLDER, help="{language}.arpa.bin and so on")
    parser.add_argument("--work", type=Path, help="folder for what is made and thrown away")
    return parser.parse_args()


def patched_copy(peer: Path, work: Path) -> Path:
    """A copy of cc_net that obeys `--cutoff` and does not sleep; raises if it is another cc_net."""
    copy = work / "peer"
    shutil.copytree(peer / "cc_net", copy / "cc_net")
    mine = copy / "cc_net" / "mine.py"
    code = mine.read_text(encoding="utf-8")
    for before, after in PATCHES.items():
        if before not in code:
            raise SystemExit(f"{mine} has no {before!r}: this is another version of cc_net")
        code = code.replace(before, after)
    mine.write_text(code, encoding="utf-8")
    return copy


def _peer_environment(work: Path) -> Path:
    subprocess.run([sys.executable, "-m", "venv", work / "venv"], check=True)
    python = work / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", "setuptools", *PEER_PACKAGES], check=True)
    return python


def _one_mix(args: argparse.Namespace, mix: str, work: Path, peer: Path, python: Path) -> float:
    """Both sides on one corpus: prints figures and differences, returns the median ratio."""
    work.mkdir()
    files = write_corpus(work, sentences_of(args.text), args.pages, mix, files=args.shards)
    cpu_s: dict[str, list[float]] = {"cc_net": [], "ours": []}
    for run in range(args.runs):
        theirs = prepare_peer(work / f"peer{run}", files, args)
        ours = prepare_ours(work / f"ours{run}", files, args)
        cpu_s["cc_net"].append(_cpu_s([python, Path(__file__).parent / "peer.py"], theirs, peer))
        cpu_s["ours"].append(_cpu_s([sys.executable, "-m", "benchmarks.ccnet.ours"], ours))
        if run == 0:
            report_differences(
                peer_documents(theirs.parent, DUMP), our_documents(ours.parent, DUMP), mix
            )
    for side, seconds in cpu_s.items():
        middle = statistics.median(seconds)
        shown = ", ".join(f"{value:.2f}" for value in seconds)
        print(
            f"{mix}: {side} {middle / args.pages * 1e6:.0f} µs a page of {args.pages}, "
            f"{args.pages / middle:.0f} pages/s (CPU seconds {shown})"
        )
    pairs = zip(cpu_s["cc_net"], cpu_s["ours"], strict=True)
    return statistics.median([theirs / mine for theirs, mine in pairs])


def prepare_peer(folder: Path, files: Sequence[Path], args: argparse.Namespace) -> Path:
    """Lay the files where cc_net would have downloaded them; returns its settings."""
    cache = folder / "wet_cache" / DUMP
    cache.mkdir(parents=True)
    for file in files:
        (cache / file.name).symlink_to(file)
    names = "".join(f"{SEGMENTS}{file.name}\n" for file in files)
    (cache / f"wet_{DUMP}.paths.gz").write_bytes(gzip.compress(names.encode()))
    (folder / "bin").mkdir()
    (folder / "bin" / "lid.bin").symlink_to(args.lid)
    models = args.prepared_models
    scoring = ["sp", "lm", "pp_bucket", "drop"] if models else ["pp_bucket"]
    return _settings(
        folder,
        num_shards=args.shards,
        group_shards=args.group_shards,
        models=str(models) if models else None,
        lm_languages=_languages_of(models) if models else [],
        cutoff=str(models / "cutoff.csv") if models else None,
        pipeline=["dedup", "lid", "keep_lang", *scoring, "split_by_lang"],
    )


def _languages_of(models: Path) -> list[str]:
    return sorted(path.name.split(".")[0] for path in models.glob("*.arpa.bin"))


def prepare_models(folder: Path, given: Path) -> Path | None:
    """The models under the codes that language identification gives: `no` is that of `nb`."""
    if not any(given.glob("*.arpa.bin")):
        return None
    folder.mkdir()
    for path in sorted(given.iterdir()):
        if path.name == "cutoff.csv":
            header, _, rows = path.read_text(encoding="utf-8").partition("\n")
            names = ["no" if name == "nb" else name for name in header.split(",")]
            (folder / path.name).write_text(f"{','.join(names)}\n{rows}", encoding="utf-8")
        elif path.suffix in {".model", ".bin"}:
            language, _, rest = path.name.partition(".")
            (folder / f"{'no' if language == 'nb' else language}.{rest}").symlink_to(
                path.absolute()
            )
    return folder


def prepare_ours(folder: Path, files: Sequence[Path], args: argparse.Namespace) -> Path:
    """Lay the files where DownloadWET would have; returns the settings of `ccnet.ours`."""
    kept = folder / "DownloadWET" / DUMP / "files"
    kept.mkdir(parents=True)
    for file in files:
        (kept / file.name).symlink_to(file)
    shards: list[list[str]] = [[] for _ in range(args.shards)]
    for file, shard in zip(files, contiguous_groups(len(files), args.shards), strict=True):
        shards[shard].append(SEGMENTS + file.name)
    lay_out(
        folder,
        DUMP,
        shards,
        languages=json.dumps(LANGUAGES),
        group_shards=args.group_shards,
        lid=args.lid,
        models=args.prepared_models or "none",
    )
    return _settings(folder)


def _settings(folder: Path, **settings: object) -> Path:
    path = folder / "settings.json"
    common = {"folder": str(folder), "dump": DUMP, "languages": LANGUAGES}
    path.write_text(json.dumps(common | settings), encoding="utf-8")
    return path


def _cpu_s(command: Sequence[object], settings: Path, pythonpath: Path | None = None) -> float:
    done = subprocess.run(
        [str(part) for part in (*command, settings)],
        check=False,
        cwd=ROOT,
        env={
            "PYTHONPATH": str(pythonpath or ROOT),
            "LC_ALL": "C.UTF-8",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "SKORD_SIMD": os.environ.get("SKORD_SIMD", ""),
            "LUIGI_CONFIG_PATH": str(settings.with_name("luigi.cfg")),
        },
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise SystemExit(f"{command} failed:\n{done.stderr[-4000:]}")
    return float(json.loads(done.stdout.splitlines()[-1])["cpu_s"])


if __name__ == "__main__":
    main()
