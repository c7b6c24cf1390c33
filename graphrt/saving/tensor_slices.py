"""Parts of tensors in checkpoints: partitioned variables of TensorFlow 1 are kept part by part.

"p/w"  -> shape [4, 3] and two slices        key_of_slice("p/w", [(0, 2), (0, 3)]) -> its first two rows
"4 3 0,2:-"                                  what an op that restores asks for: shape, and a slice by axis
"""

from __future__ import annotations

from typing import Any

from graphrt import errors

__all__ = ["WHOLE", "Slice", "key_of_slice", "places", "read_slice", "sliced"]

WHOLE = -1  # the length that stands for all of an axis
Slice = list[tuple[int, int]]  # for each axis where it begins, and how long it is

_ESCAPED = {0: b"\x00\xff", 255: b"\xff\x00"}
_MARKS = (0x80, 0xC0, 0xE0, 0xF0, 0xF8, 0xFC, 0xFE, 0xFF)  # by number of bytes: so many ones at the front


def key_of_slice(name: str, part: Slice) -> bytes:
    """The key of a slice in an index: numbers and text in such bytes that keys are ordered as what they say.

    >>> key_of_slice("w", [(0, 100), (2, -1)])
    b'\\x00w\\x00\\x01\\x01\\x02\\x80\\xc0d\\x82\\x7f'
    """
    text = b"".join(_ESCAPED.get(b, bytes([b])) for b in name.encode())
    rank = len(part).to_bytes(1, "big") if part else b""
    numbers = b"".join(_signed(n) for pair in part for n in pair)
    return b"\x00" + text + b"\x00\x01" + bytes([len(rank)]) + rank + numbers


def _signed(value: int) -> bytes:
    size = 1
    while not -(1 << (7 * size - 1)) <= value < 1 << (7 * size - 1):
        size += 1
    if size > len(_MARKS):
        raise errors.DataLossError(None, None, f"a slice at {value}")
    raw = bytearray(value.to_bytes(size, "big", signed=True))
    raw[0] ^= _MARKS[size - 1]
    return bytes(raw)


def read_slice(message: Any, dims: tuple[int, ...], what: str) -> Slice:
    """A `TensorSliceProto`, with the lengths as the key has them.

    Raises:
      DataLossError: it does not lie in a tensor of shape `dims`.
    """
    found = [(e.start, e.length if e.length else WHOLE) for e in message.extent]
    places(found, dims, what)
    return found


def places(part: Slice, dims: tuple[int, ...], what: str) -> tuple[slice, ...]:
    """A slice as an index into arrays of shape `dims`.

    Raises:
      DataLossError: it does not lie in them.
    """
    if len(part) != len(dims):
        raise errors.DataLossError(None, None, f"{what}: a slice of {len(part)} axes of a shape of {len(dims)}")
    found = []
    for (start, length), size in zip(part, dims):
        whole = length == WHOLE and start == 0
        if not whole and (start < 0 or length < 0 or start + length > size):
            raise errors.DataLossError(None, None, f"{what}: a slice of {length} at {start} of an axis of {size}")
        found.append(slice(0, size) if whole else slice(start, start + length))
    return tuple(found)


def sliced(array: Any, text: str, what: str) -> Any:
    """The part of an array that `text` names; all of it for the empty text.

    >>> import numpy as np
    >>> sliced(np.arange(6).reshape(3, 2), "3 2 1,2:-", "w").tolist()
    [[2, 3], [4, 5]]

    Raises:
      DataLossError: the text is none, or the part does not lie in the array.
    """
    if not text:
        return array
    *sizes, ranges = text.split()
    try:
        dims = tuple([int(s) for s in sizes])
        pairs = [(0, WHOLE) if r == "-" else tuple(map(int, r.split(","))) for r in ranges.split(":") if dims]
        part = [(start, length) for start, length in pairs]
    except ValueError:
        raise errors.DataLossError(None, None, f"{what}: {text[:80]!r} is no slice") from None
    if dims != array.shape:
        raise errors.DataLossError(None, None, f"{what}: its shape is {list(array.shape)}, asked for is {text[:80]!r}")
    return array[places(part, dims, what)]
