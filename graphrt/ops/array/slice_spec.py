"""What begin, end, strides and masks of a strided slice say: which elements it takes, and what dimensions they have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.errors import ShapeError
from graphrt.ir.graph import InferContext
from graphrt.ops.support.kernel_helpers import entries


# --- StridedSlice ----------------------------------------------------------------------------------------------------
class SliceSpec:
    """The masks of a strided slice, and its index vectors as far as they are known."""

    __slots__ = ("begin", "end", "masks", "size", "strides")

    begin: list[Any]
    end: list[Any]
    strides: list[Any]

    def __init__(self, size: int, begin: Any, end: Any, strides: Any, masks: tuple[int, ...]) -> None:
        self.size = size
        self.begin = begin if begin is not None else [None] * size
        self.end = end if end is not None else [None] * size
        self.strides = strides if strides is not None else [None] * size
        self.masks = masks
        if not len(self.begin) == len(self.end) == len(self.strides) == size:
            found = f"{len(self.begin)}, {len(self.end)} and {len(self.strides)}"
            raise ShapeError(f"begin, end and strides must have as many entries as each other, found {found}")

    def kinds(self, rank: int, fail: Callable[..., Any] | type) -> list[tuple[str, int]]:
        """For each dimension of the result, or removed from the input, what is done and by which entry (-1: none)."""
        _, _, ellipsis, new_axis, shrink = self.masks
        found: list[tuple[str, int]] = []
        if bin(ellipsis).count("1") > 1:
            raise fail("Multiple ellipses in slice spec not allowed")
        used = sum(1 for i in range(self.size) if not (ellipsis | new_axis) >> i & 1)
        seen = False
        consumed = 0
        for i in range(self.size):
            if ellipsis >> i & 1:
                seen = True
                found += [("all", -1)] * max(rank - used, 0)
                consumed += max(rank - used, 0)
            elif new_axis >> i & 1:
                found.append(("new", i))
            else:
                if consumed >= rank:
                    raise fail(f"Index out of range using input dim {consumed}; input has only {rank} dims")
                found.append(("shrink" if shrink >> i & 1 else "slice", i))
                consumed += 1
        if not seen:
            found += [("all", -1)] * (rank - consumed)
        return found

    def bounds(self, i: int) -> tuple[Any, Any, Any]:
        """Begin, end and stride of entry `i`, None where the mask leaves them out."""
        begin = None if self.masks[0] >> i & 1 else self.begin[i]
        return begin, None if self.masks[1] >> i & 1 else self.end[i], self.strides[i]

    def check_index(self, i: int, axis: int, size: int, fail: Callable[..., Any] | type) -> int:
        """The position that entry `i` picks of a dimension."""
        at = int(self.begin[i])
        if not -size <= at < size:
            raise fail(f"slice index {at} of dimension {axis} out of bounds.")
        return at

    def key(self, dims: Any, fail: Callable[..., Any] | type) -> tuple[Any, ...]:
        """What to index an array of shape `dims` with."""
        key: list[Any] = []
        axis = 0
        for kind, i in self.kinds(len(dims), fail):
            if kind == "new":
                key.append(None)
                continue
            if kind == "shrink":
                if self.strides[i] is not None and self.strides[i] <= 0:
                    raise fail(f"only stride 1 allowed on non-range indexing: strides[{i}] = {self.strides[i]}")
                key.append(self.check_index(i, axis, dims[axis], fail))
            elif kind == "slice":
                begin, end, stride = self.bounds(i)
                if stride == 0:
                    raise fail(f"strides[{i}] must be non-zero")
                key.append(slice(begin, end, stride))
            else:
                key.append(slice(None))
            axis += 1
        return tuple(key)


def _masks_of(attrs: dict[str, int]) -> tuple[int, int, int, int, int]:
    return (
        attrs["begin_mask"], attrs["end_mask"], attrs["ellipsis_mask"], attrs["new_axis_mask"],
        attrs["shrink_axis_mask"],
    )  # fmt: skip


def static_spec(c: InferContext, first: int = 1) -> SliceSpec | None:
    size = None
    for i in range(first, first + 3):
        dims = c.dims(i)
        if dims is not None and len(dims) == 1 and dims[0] is not None:
            size = dims[0]
    if size is None:
        return None
    begin, end, strides = (entries(c.inputs[i]) for i in range(first, first + 3))
    return SliceSpec(size, begin, end, strides, _masks_of(c.attrs))
