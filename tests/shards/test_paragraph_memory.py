"""The memory that comparing and looking up paragraphs takes, a small measure of a large thing."""

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

from skord.ccnet.repeats import LinePass, RepeatedKeys
from tests.conftest import ROOT


def test_a_key_to_look_up_takes_nine_bytes_and_little_more_while_they_are_gathered():
    ranges, size = 64, 20_000
    parts = (
        RepeatedKeys(
            np.arange(size, dtype=np.uint64) + np.uint64(part * size), np.zeros(size, np.int32)
        )
        for part in range(ranges)
    )
    tracemalloc.start()
    line_pass = LinePass.of_parts(parts, "keep_first", 0)
    held, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert held / (ranges * size) < 9.5
    # numpy 2.5 and later resize by a copy of the keys, earlier ones in place.
    copied = 8 if np.lib.NumpyVersion(np.__version__) >= "2.5.0" else 0
    assert peak / (ranges * size) < 10 + copied
    keys = np.array([0, ranges * size - 1, ranges * size], np.uint64)
    assert line_pass.kept_lines(keys, np.zeros(3, np.int64)).tolist() == [True, True, True]
    assert line_pass.kept_lines(keys, np.zeros(3, np.int64)).tolist() == [False, False, True]


@pytest.mark.slow
def test_keys_of_more_memory_than_a_process_may_have_are_compared(tmp_path):
    """160 MB of keys, in a process that may allocate 120 MB beside what it starts with."""
    command = [
        *(sys.executable, "-m", "benchmarks.ccnet.memory", "--keys-mb", "160", "--shards", "4"),
        *("--partitions", "32", "--look-up-mb", "16", "--room-mb", "120", "--work", str(tmp_path)),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr[-3000:]
    assert "20 million keys (160 MB) compared by a process limited to" in done.stdout
