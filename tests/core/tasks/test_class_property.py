"""What a class says of itself once it is asked, of `skord.core.tasks.class_property`."""

import pyarrow as pa

from skord.core.storage.shared_columns import FAILURE
from skord.core.tasks.class_property import ClassProperty, Columns


class Base:
    asked = 0

    @ClassProperty
    def words(cls):
        """Its own name."""
        Base.asked += 1
        return [cls.__name__]


class Derived(Base):
    pass


def test_each_class_is_asked_once_and_not_before():
    assert Base.asked == 0
    assert [Base.words, Derived.words, Base().words, Derived().words] == [
        ["Base"],
        ["Derived"],
        ["Base"],
        ["Derived"],
    ]
    assert Base.asked == 2
    assert vars(Base)["words"].__doc__ == "Its own name."


def test_columns_are_named_with_their_types():
    class Task:
        schema = Columns(key="uint64", kept="bool", failure="string")

    assert Task.schema == pa.schema([("key", pa.uint64()), ("kept", pa.bool_()), FAILURE])
