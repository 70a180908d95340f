"""What a `with` statement closes at its end, of `skord.core.closing`."""

import pytest

from skord.core.closing import Closing


class Door(Closing):
    is_closed = False

    def close(self) -> None:
        self.is_closed = True


def test_it_is_closed_at_the_end_whatever_happens():
    with Door() as door:
        assert not door.is_closed
    assert door.is_closed

    with pytest.raises(ValueError, match="on the way"), Door() as other:
        raise ValueError("on the way")
    assert other.is_closed
