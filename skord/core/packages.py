"""Packages that do not come with this one, but with one of its extras."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from skord.core.failures import ConfigError


def require_package(package: str, what: str, how: str) -> Any:
    """Import a package, or a module of it.

    Args:
        how: it is installed, such as "pip install 'skord[report]'".

    Raises:
        ConfigError: it is not installed or does not load.
    """
    try:
        return import_module(package)
    except ImportError as error:
        raise ConfigError(f"{what} needs {package}: {how} ({error})") from error
