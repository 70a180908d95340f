"""Run cc_net as it is on WET files that lie ready; executed by the peer's own Python.

    python benchmarks/ccnet/peer.py SETTINGS.json

cc_net must be importable, with two lines of `mine.py` changed by `selection.patched_copy`. One
process, nothing fetched. Prints one line of JSON: CPU seconds from after the imports to the end.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from pathlib import Path


def main(settings_path: str) -> None:
    settings = json.loads(Path(settings_path).read_text(encoding="utf-8"))
    os.chdir(settings["folder"])
    from cc_net import mine  # noqa: PLC0415 - the peer's, absent where this file is checked

    logging.disable(logging.CRITICAL)
    config = mine.Config(
        dump=settings["dump"],
        output_dir=Path("out"),
        execution="debug",
        num_shards=settings["num_shards"],
        num_segments_per_shard=-1,
        mine_num_processes=0,
        hash_in_mem=settings["group_shards"],
        lang_whitelist=settings["languages"],
        lm_dir=Path(settings["models"] or "no_models"),
        lm_languages=settings["lm_languages"],
        cutoff=Path(settings["cutoff"]) if settings["cutoff"] else mine.CUTOFF_CSV,
        pipeline=settings["pipeline"],
        cache_dir=Path("wet_cache"),
    )
    start = time.process_time()
    mine.regroup(config, mine.mine(config))
    print(json.dumps({"cpu_s": time.process_time() - start}))


if __name__ == "__main__":
    main(sys.argv[1])
