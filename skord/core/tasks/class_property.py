"""What a class says of itself once somebody asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


class ClassProperty(Generic[T]):
    """A class attribute that is worked out when it is first looked up, for each class once.

    So it is for what needs pyarrow: commands that open no table start without it.
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self._function = function
        self._known: dict[type, T] = {}
        self.__doc__ = function.__doc__

    def __get__(self, instance: object, owner: type) -> T:
        if owner not in self._known:
            self._known[owner] = self._function(owner)
        return self._known[owner]


class Columns(ClassProperty["pa.Schema"]):
    """A table's columns as a pyarrow schema, each named with the name of its type.

    >>> class Task:
    ...     schema = Columns(key="uint64", documents="int32")
    >>> Task.schema.names
    ['key', 'documents']
    """

    def __init__(self, **types: str) -> None:
        super().__init__(lambda _owner: _schema_of(types))


def _schema_of(types: Mapping[str, str]) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(list(types.items()))
