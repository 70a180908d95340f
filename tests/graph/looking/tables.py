"""What a dump's files hold, as rows and as SQL."""

import duckdb
import pyarrow.parquet as pq

from tests.graph.bench import DUMP

PLACE = ("warc_file", "warc_record_offset", "warc_record_length")


def rows(bench, task, *columns):
    folder = bench.folder / f"data/{task}/{DUMP}"
    tables = [pq.read_table(path, columns=list(columns)) for path in sorted(folder.glob("*.parq*"))]
    return [row for table in tables for row in table.to_pylist()]


def tables_of(bench):
    """SQL over the tables of a dump, each a view under its task's name."""
    sql = duckdb.connect()
    for task in ("CCNet", "ConvertToMarkdown", "ProcessMarkdown", "FilterDocuments", "Deduplicate"):
        files = f"{bench.folder}/data/{task}/{DUMP}/0*.parquet"
        sql.execute(f"CREATE VIEW {task} AS SELECT * FROM read_parquet('{files}')")
    sql.execute(
        """CREATE VIEW kept AS SELECT * EXCLUDE (failure, language), c.language AS lang
        FROM CCNet c JOIN Deduplicate d USING (id) JOIN FilterDocuments f USING (id)
        JOIN ProcessMarkdown p USING (id) WHERE d.dedup_keep"""
    )
    return sql
