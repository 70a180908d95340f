"""Measure texts with SWEb's own feature functions, from a checkout, in a process of their own.

    python benchmarks/scale/sweb_peer.py PEER TEXTS.json RESULT.json

What its module imports and these functions do not use (submitit, its S3 client and task graph)
is replaced by empty modules. The language is left out: that is fastText's own time on both sides.
Writes the values, and CPU seconds for the features and for the signature.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

UNUSED = {
    "submitit": (),
    "pandas": (),
    "fasttext": (),
    "pipeline.markdown_processing": ("ProcessMarkdown",),
    "pipeline.utils": ("GLOBAL_CONF",),
    "pipeline.s3_utils": ("S3Target", "get_s3fs_client"),
}


def peer_module(peer: Path) -> Any:
    """The peer's `pipeline.quality_filtering`."""
    sys.path.insert(0, str(peer))
    for name, members in UNUSED.items():
        module = types.ModuleType(name)
        for member in members:
            setattr(module, member, None)
        sys.modules[name] = module
    package = types.ModuleType("pipeline")
    package.__path__ = [str(peer / "pipeline")]
    sys.modules["pipeline"] = package
    return importlib.import_module("pipeline.quality_filtering")


def main(peer: str, texts_path: str, result_path: str) -> None:
    module = peer_module(Path(peer))
    texts: Sequence[str] = json.loads(Path(texts_path).read_text(encoding="utf-8"))
    documents = [module.Document("https://example.com/page", text, []) for text in texts]
    features = [
        module.ContentLength(),
        module.IsDomainBlacklisted(set()),
        module.RatioAlphanumericChars(),
        module.RatioHeadingsPerNonHeadingWord(),
        module.UnigramEntropy(),
    ]
    start = time.process_time()
    values = [
        {name: value for feature in features for name, value in feature(document).items()}
        for document in documents
    ]
    features_s = time.process_time() - start
    signature = module.MinHashLSH()
    signature(documents[0])
    start = time.process_time()
    for document in documents:
        signature(document)
    result = {
        "features_s": features_s,
        "signature_s": time.process_time() - start,
        "values": values,
    }
    Path(result_path).write_text(json.dumps(result), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
