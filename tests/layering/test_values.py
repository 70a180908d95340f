"""Values do not change once made, what is walked together has one length, switches are turned."""

import ast

from tests.layering.test_imports import ROOT, nodes, sources

GATHER = {
    "models/grammar/evaluation/measure.py: Measured",
    "skord/cli/look/contamination.py: SetRow",
    "skord/cli/look/funnel.py: Stage",
    "skord/cli/look/passage_cuts.py: PassageCuts",
    "skord/cli/look/what_if.py: Outcome",
    "skord/cli/report/figures.py: Figures",
    "skord/cli/report/gathered.py: Gathered",
    "skord/cli/report/gathered.py: Heap",
    "skord/core/console/closing.py: RunSoFar",
    "skord/core/storage/shard_files.py: ShardWriter",
    "skord/publishing/warc_files.py: WARCFile",
    "slurm/monitoring/heartbeat.py: Heartbeat",
    "slurm/monitoring/retries.py: NodeRecord",
    "slurm/monitoring/watch.py: ArrayTask",
    "slurm/monitoring/watch.py: Findings",
    "slurm/pilot_jobs/journal.py: Life",
    "slurm/pilot_jobs/watch.py: Crew",
    "slurm/pilot_jobs/watch.py: Share",
}
"""Dataclasses that something is added to while they are there; all others are frozen."""

UNEVEN = {
    "models/line_classifier/pytorch/batch.py": 2,
    "skord/cli/report/charts.py": 1,
    "skord/cli/report/page.py": 1,
    "skord/near_duplicates/repeated_paragraphs.py": 1,
    "skord/publishing/check_digits.py": 2,
    "skord/sample_crawl/damage.py": 1,
    "slurm/testbed/configuration.py": 1,
}
"""How many `zip` may end with the shorter one; in all others another length is an error."""

SWITCHES = {
    "True": (
        "allow_not_found", "asbytes", "assume_unique", "autoescape", "capture_output", "daemon",
        "exist_ok", "flush", "ignore_cleanup_errors", "ignore_errors", "integer", "keepdims",
        "missing_ok", "order", "page_checksum_verification", "parents", "recursive", "required",
        "return_counts", "return_index", "return_inverse", "reverse", "slots", "sort_keys",
        "start_new_session", "stream", "text", "transient", "trim_blocks", "usegmt", "validate",
        "write_page_checksum",
    ),
    "False": (
        "allow_pickle", "allow_redirects", "autojunk", "ensure_ascii", "eq", "frameon", "indexed",
        "nullable", "pre_buffer", "refcheck", "significant", "store_schema", "use_threads",
        "usedforsecurity", "write_statistics", "zero_copy_only",
    ),
}  # fmt: skip
"""Switches that are off, or on, unless somebody says so: they are written only to turn them."""


def says(call: ast.AST, option: str) -> str | None:
    """What a call gives for an option, or None."""
    given = call.keywords if isinstance(call, ast.Call) else ()
    return next((ast.unparse(word.value) for word in given if word.arg == option), None)


def test_dataclasses_are_frozen_but_for_those_that_gather():
    mutable = {
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.ClassDef)
        for decorator in node.decorator_list
        if "dataclass" in ast.unparse(decorator) and says(decorator, "frozen") != "True"
    }

    assert mutable == GATHER


def test_what_is_walked_side_by_side_has_one_length():
    uneven = {
        str(path.relative_to(ROOT)): sum(
            isinstance(node, ast.Call)
            and ast.unparse(node.func) == "zip"
            and says(node, "strict") != "True"
            for node in nodes(path)
        )
        for path in sources()
    }

    assert {path: number for path, number in uneven.items() if number} == UNEVEN


def test_a_switch_is_written_only_to_turn_it():
    turned = {name: value for value, names in SWITCHES.items() for name in names}
    idle = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {word.arg}"
        for path in sources()
        for node in nodes(path)
        if isinstance(node, ast.Call)
        for word in node.keywords
        if isinstance(word.value, ast.Constant)
        and isinstance(word.value.value, bool)
        and ast.unparse(word.value) != turned.get(str(word.arg), ast.unparse(word.value))
    ]

    assert idle == []
