"""Values of WARC headers that are written in more ways than one."""

from __future__ import annotations

import re

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


def bare_url(written: str | None) -> str | None:
    """Return a URL without the angle brackets that wget wrote around it.

    >>> bare_url("<https://example.org/>")
    'https://example.org/'
    """
    wrapped = written and written.startswith("<") and written.endswith(">")
    return written[1:-1] if written and wrapped else written


def canonical_record_id(written: str) -> str:
    """Return a record id in the one form used as a document's `id`: `urn:uuid:` and lower case.

    Anything that is not a UUID keeps its letters and loses only the angle brackets.

    >>> canonical_record_id("<urn:uuid:2C8D9A62-04F1-4A5C-9D6E-6B1A2E4C7F10>")
    'urn:uuid:2c8d9a62-04f1-4a5c-9d6e-6b1a2e4c7f10'
    >>> canonical_record_id("2c8d9a62-04f1-4a5c-9d6e-6b1a2e4c7f10")
    'urn:uuid:2c8d9a62-04f1-4a5c-9d6e-6b1a2e4c7f10'
    >>> canonical_record_id(" <https://example.org/Record/1> ")
    'https://example.org/Record/1'
    """
    bare = written.strip().removeprefix("<").removesuffix(">").strip()
    name = bare[9:] if bare[:9].lower() == "urn:uuid:" else bare
    return f"urn:uuid:{name.lower()}" if _UUID.fullmatch(name) else bare
