"""The memory that comparing and looking up paragraphs takes, a small measure of a large thing."""

import tracemalloc

import numpy as np

from skord.ccnet.repeats import LinePass, RepeatedKeys


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
