"""What `--json` prints: one JSON value on standard output, and nothing else there."""

from __future__ import annotations

import base64
import json
import math
from argparse import Namespace
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from datetime import date
from pathlib import Path
from typing import Any


def print_json(value: object) -> None:
    """Print it."""
    print(json.dumps(json_value(value), ensure_ascii=False, indent=1))


def print_asked(options: Namespace, value: object, lines: Iterable[str]) -> None:
    """Print a value as JSON where the options ask for that, else lines for people."""
    if options.json:
        print_json(value)
    else:
        print("\n".join(lines))


def json_value(value: Any) -> Any:
    """The value in JSON's own types: no infinity, no bytes, days as 2024-03-01.

    >>> json_value({"low": -math.inf, "raw": b"abc", "day": date(2024, 3, 1), "n": (1, 2.5)})
    {'low': None, 'raw': 'YWJj', 'day': '2024-03-01', 'n': [1, 2.5]}
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = vars(value)  # asdict makes nonsense of a Counter before Python 3.12
    if isinstance(value, Mapping):
        return {str(key): json_value(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(one) for one in value]
    return _plain_leaf(value)


def _plain_leaf(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value
