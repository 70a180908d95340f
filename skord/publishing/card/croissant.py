"""A corpus in Croissant 1.0 (https://docs.mlcommons.org/croissant/docs/croissant-spec.html).

Search engines for data sets read it: JSON-LD with files, their digests, and columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

NAME = "croissant.json"
RECORDS = "texts"
FILES = "parquet-files"

PARQUET = "application/x-parquet"
"""The name under which readers of Croissant know the format."""

TERMS = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty",
    "fileSet", "format", "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField",
    "path", "recordSet", "references", "regex", "repeated", "replace", "samplingRate", "separator",
    "source", "subField", "transform",
)  # fmt: skip
"""Names of the format that stand for themselves in its context."""

CONTEXT: Mapping[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in TERMS},
}


def croissant_file(
    about: Mapping[str, Any],
    written: Sequence[Mapping[str, Any]],
    schema: pa.Schema,
    columns: Mapping[str, str],
) -> str:
    """The file's text.

    It is `about` name, description, licence, version, creator, languages and dump; each file
    `written` has `name`, `bytes` and `sha256`, and each of the `columns` a description.
    """
    files = [one for one in written if str(one["name"]).startswith("data/")]
    return json.dumps(
        {
            "@context": CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": "http://mlcommons.org/croissant/1.0",
            "name": about["name"],
            "description": about["description"],
            "license": about["licence"],
            "version": semantic_version(about["version"]),
            "citeAs": f"{about['name']}, out of Common Crawl's dump {about['dump']}",
            "creator": {"@type": "Organization", "name": about["creator"]},
            "inLanguage": list(about["languages"]),
            **_origin(about),
            "distribution": [*map(_file, files), _FILE_SET],
            "recordSet": [
                {
                    "@type": "cr:RecordSet",
                    "@id": RECORDS,
                    "name": RECORDS,
                    "key": {"@id": f"{RECORDS}/id"},
                    "field": [_field(field, columns.get(field.name, "")) for field in schema],
                }
            ],
        },
        ensure_ascii=False,
        indent=1,
    )


def semantic_version(dump: str) -> str:
    """A dump as a version of three numbers, as Croissant recommends.

    >>> semantic_version("2024-05"), semantic_version("1.2.3")
    ('2024.5.0', '1.2.3')
    """
    year, dash, week = dump.partition("-")
    return f"{year}.{int(week)}.0" if dash and week.isdigit() else dump


_FILE_SET = {
    "@type": "cr:FileSet",
    "@id": FILES,
    "name": FILES,
    "encodingFormat": PARQUET,
    "includes": "data/*.parquet",
}


def _file(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": one["name"],
        "name": one["name"],
        "contentUrl": one["name"],
        "contentSize": f"{one['bytes']} B",
        "encodingFormat": PARQUET,
        "sha256": one["sha256"],
    }


def _field(field: pa.Field, description: str) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{RECORDS}/{field.name}",
        "name": field.name,
        "description": description,
        "dataType": data_type(field.type),
        **({"repeated": True} if pa.types.is_list(field.type) else {}),
        "source": {"fileSet": {"@id": FILES}, "extract": {"column": field.name}},
    }


def data_type(kind: pa.DataType) -> str:
    """Croissant's name of a type.

    >>> data_type(pa.int64()), data_type(pa.string()), data_type(pa.bool_())
    ('sc:Integer', 'sc:Text', 'sc:Boolean')
    """
    if pa.types.is_boolean(kind):
        return "sc:Boolean"
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"


def _origin(about: Mapping[str, Any]) -> dict[str, Any]:
    if not about.get("is_of_common_crawl", True):
        return {"keywords": ["text", about["dump"]]}
    dump = about["dump"]
    return {
        "keywords": ["text", "web", "Common Crawl", dump],
        "isBasedOn": f"https://data.commoncrawl.org/crawl-data/CC-MAIN-{dump}/index.html",
    }
