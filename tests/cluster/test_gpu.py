"""A task that computes on GPUs gets one for each item, and uses the one it is given."""

import json
import re
import shutil
import tempfile
from pathlib import Path

import pytest

from tests.cluster.bench import SlurmBench
from tests.graph.bench import DUMP, Bench
from tests.models.line_classifier.pytorch.test_transformers_model import (
    needs_transformers,
    saved_model,
)
from tests.testbed.cluster import Testbed
from tests.testbed.configuration import Settings

pytestmark = [needs_transformers, pytest.mark.filterwarnings("default")]

LATER = ("ProcessMarkdown", "FilterDocuments", "ComputeSignatures", "Deduplicate")


@pytest.fixture
def gpu_bed(slurm_installed):
    """One node with two cards."""
    folder = Path(tempfile.mkdtemp(prefix="skord-slurm-"))
    with Testbed(folder, Settings(nodes=1, mem_mb=20_000, gpus=2)) as bed:
        yield bed
    shutil.rmtree(folder)


def test_each_array_task_asks_for_a_gpu_and_is_given_one_of_its_own(
    gpu_bed, tmp_path, crawl_url, whole
):
    model = saved_model(tmp_path / "model", labels=1)
    command = (
        "pipeline.markdown_processing", "ProcessMarkdown", "--dump", DUMP,
        "--model-path", str(model), "--mem-gb", "4",
    )  # fmt: skip
    alone = Bench(tmp_path / "alone", crawl_url, workers=0)
    bench = SlurmBench(tmp_path / "slurm", crawl_url, bed=gpu_bed, slurm={"mem_gb": 4})
    for made in (alone, bench):
        shutil.copytree(whole.data, made.data)
        for later in LATER:
            shutil.rmtree(Path(made.data, later))
    status, output = alone.luigi(*command)
    assert status == 0, output

    status, output = bench.luigi(*command)

    assert status == 0, output
    (attempt,) = bench.attempts("ProcessMarkdown")
    assert "--gres=gpu:1" in json.loads((attempt.folder / "sbatch.json").read_text())
    logs = [attempt.log(index).read_text() for index in range(3)]
    given = [re.findall(r"event=begin .* gpus=(\S+)", log) for log in logs]
    assert all(cards in (["0"], ["1"]) for cards in given), given
    assert all("but torch finds none: computing on the CPU" in log for log in logs)
    assert bench.files() == alone.files()


def test_a_task_that_computes_on_the_cpu_asks_for_none(gpu_bed, tmp_path, crawl_url, whole):
    bench = SlurmBench(tmp_path / "slurm", crawl_url, bed=gpu_bed)
    shutil.copytree(whole.data, bench.data)
    for later in LATER:
        shutil.rmtree(Path(bench.data, later))

    status, output = bench.luigi("pipeline.markdown_processing", "ProcessMarkdown", "--dump", DUMP)

    assert status == 0, output
    (attempt,) = bench.attempts("ProcessMarkdown")
    assert "--gres" not in (attempt.folder / "sbatch.json").read_text()
    assert bench.files() == {
        name: digest for name, digest in whole.files().items() if not name.startswith(LATER[1:])
    }
