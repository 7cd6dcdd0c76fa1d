"""What is packed comes back whole, or is an error."""

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warmpool.adapters.packing import LARGEST, pack, unpack


@given(st.binary())
def test_what_is_packed_comes_back(text: bytes) -> None:
    assert unpack(pack(text)) == text


@pytest.mark.parametrize("packed", [b"", b"junk", pack(b"all of it")[:-4], pack(b"x")[:3]])
def test_what_is_damaged_or_cut_off_is_an_error(packed: bytes) -> None:
    with pytest.raises(ValueError, match=r"packed by us|cut off"):
        unpack(packed)


def test_what_unpacks_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="larger than 67108864 bytes"):
        unpack(zlib.compress(b"x" * (LARGEST + 1)))
