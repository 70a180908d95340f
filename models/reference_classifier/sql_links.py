r"""The URLs of MediaWiki's table of external links, out of the SQL dump of that table.

`externallinks.sql.gz` is written by mysqldump: a CREATE TABLE that names the columns, and
INSERT lines of about a megabyte each. Until MediaWiki 1.41 the URL is in `el_to`; since then
it is in two parts, `el_to_domain_index` ("https://se.example.www.") and `el_to_path`. The
columns are taken by name, so that both forms and those between them are read.

The table knows every external link of every page of the wiki, not only the references of
articles, and none of the spelling. The XML dump is narrower and better.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from skord.core.failures import ConfigError

_COLUMN = re.compile(rb"\s+`(\w+)`")
_VALUE = rb"(?:_binary )?('(?:[^'\\]++|\\.|'')*+'|[^,()']++)"
_INSERT = re.compile(rb"INSERT INTO `\w*externallinks` (?:\([^)]*\) )?VALUES\s*", re.IGNORECASE)
_ESCAPED = re.compile(rb"\\(.)|'(')", re.DOTALL)
_CONTROL = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"0": b"\0", b"b": b"\b", b"Z": b"\x1a"}


def linked_urls(lines: Iterable[bytes]) -> Iterator[str]:
    r"""Every URL of the dump, as it was linked, row by row.

    Raises:
        ConfigError: the lines are no dump of this table, or a row of it cannot be read.

    >>> dump = [b"CREATE TABLE `externallinks` (", b"  `el_id` int,",
    ...         b"  `el_to_domain_index` varbinary(255),", b"  `el_to_path` blob,", b")",
    ...         b"INSERT INTO `externallinks` VALUES (1,'https://se.example.www.','/a\\'b'),"
    ...         b"(2,'http://is.ruv.:8080',NULL);"]
    >>> list(linked_urls(dump))
    ["https://www.example.se/a'b", 'http://ruv.is:8080']
    """
    columns: list[str] = []
    for line in lines:
        if column := _COLUMN.match(line):
            columns.append(column[1].decode())
        elif insert := _INSERT.match(line):
            yield from (_url_of_row(row) for row in _insert_rows(line, insert.end(), columns))
    if not {"el_to", "el_to_path"} & set(columns):
        raise ConfigError("this is no dump of the table externallinks: it names no el_to")


def _insert_rows(line: bytes, start: int, columns: list[str]) -> Iterator[dict[str, str]]:
    """The rows of an INSERT line, as text by column."""
    row = re.compile(rb"\(" + rb",".join([_VALUE] * len(columns)) + rb"\)[,;]\s*")
    while start < len(line):
        match = row.match(line, start)
        if match is None:
            raise ConfigError(f"the dump's rows cannot be read from {line[start : start + 60]!r}")
        yield dict(zip(columns, map(_literal_text, match.groups()), strict=True))
        start = match.end()


def _literal_text(value: bytes) -> str:
    """A literal's text; NULL is empty. `el_index_60` may be cut within a character."""
    if value == b"NULL":
        return ""
    if not value.startswith(b"'"):
        return value.decode("ascii", "replace")
    plain = _ESCAPED.sub(lambda e: e[2] or _CONTROL.get(e[1], e[1]), value[1:-1])
    return plain.decode("utf-8", "replace")


def _url_of_row(row: dict[str, str]) -> str:
    if row.get("el_to"):
        return row["el_to"]
    return host_from_index(row.get("el_to_domain_index", "")) + row.get("el_to_path", "")


def host_from_index(domain_index: str) -> str:
    """A host as people write it, from the form in which MediaWiki sorts it.

    >>> [host_from_index(index) for index in ("https://se.example.www.", "http://V4.192.0.2.1.:8080")]
    ['https://www.example.se', 'http://192.0.2.1:8080']
    >>> host_from_index("https://V6.2001.DB8.0.0.0.0.0.1.")
    'https://[2001:DB8:0:0:0:0:0:1]'
    """
    scheme, slashes, rest = domain_index.partition("://")
    host, _, port = rest.partition(":")
    kind, _, numbers = host.rstrip(".").partition(".")
    if kind == "V4":
        host = numbers
    elif kind == "V6":
        host = f"[{numbers.replace('.', ':')}]"
    else:
        host = ".".join(reversed(host.rstrip(".").split(".")))
    return f"{scheme}{slashes}{host}" + (f":{port}" if port else "")
