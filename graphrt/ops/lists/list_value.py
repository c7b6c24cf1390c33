"""The value behind a list's handle: its elements, shared until one of its holders changes them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from graphrt.ops.support.kernel_helpers import bad, unwrapped
from graphrt.types.dtype import DType
from graphrt.types.likes import Array, TensorLike
from graphrt.types.limits import check_bytes, made
from graphrt.types.shape import Dims, merge

_lock = threading.Lock()


def unset(count: int) -> list[Any]:
    """The items of a list of `count` elements that have no value yet."""
    check_bytes(8 * count, "a list of tensors")
    return made("a list of tensors", lambda: [None] * count)


_FEW = 4  # elements that are kept apart while nothing else of a list is set


class TensorListValue:
    """One version of a list of arrays; None stands for an element that was never set.

    It has its elements, or the few that were set of a list that was `reserved`, or what a newer version changed.
    """

    __slots__ = ("_change", "_few", "_items", "dims", "dtype", "length", "limit")

    def __init__(
        self,
        items: list[Any] | None,
        dtype: DType,
        dims: Dims,
        limit: int = -1,
        length: int = 0,
        few: dict[int, Any] | None = None,
    ) -> None:
        self._items = items
        self._few = few
        self._change: Any = None  # (newer version, function that undoes its change on the list)
        self.length = length if items is None else len(items)
        self.dtype = dtype
        self.dims = dims  # what is known of the shape of each element
        self.limit = limit  # most elements allowed, -1 for any number

    def _rebuild(self) -> list[Any]:
        if self._few is not None:
            items = unset(self.length)
            for i, v in self._few.items():
                items[i] = v
            self._items, self._few = items, None
            return items
        changes = []
        version: Any = self
        while version._items is None:
            newer, undo, args = version._change
            changes.append((undo, args))
            version = newer
        items = list(version._items)
        for undo, args in reversed(changes):
            undo(items, *args)
        self._items, self._change = items, None
        return items

    def items(self) -> list[Any]:
        """The elements; not to be changed."""
        found = self._items
        if found is None:
            with _lock:
                found = self._items if self._items is not None else self._rebuild()
        return found

    def _successor(self, items: list[Any], undo: object, args: tuple[Any, ...]) -> TensorListValue:
        newer = TensorListValue(items, self.dtype, self.dims, self.limit)
        self._items, self._change = None, (newer, undo, args)
        return newer

    def set(self, index: int, value: TensorLike) -> TensorListValue:
        """The list with another element at `index`."""
        few = self._few
        if few is not None and len(few) < _FEW:
            return TensorListValue(None, self.dtype, self.dims, length=self.length, few={**few, index: value})
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            old = items[index]
            items[index] = value
            return self._successor(items, list.__setitem__, (index, old))

    def push(self, value: Array | TensorListValue | int) -> TensorListValue:
        """The list with one element more."""
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            items.append(value)
            return self._successor(items, _drop, (1,))

    def pop(self) -> tuple[TensorListValue, Any]:
        """The list without its last element, and that element."""
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            last = items.pop()
            return self._successor(items, list.append, (last,)), last

    def resize(self, size: int) -> TensorListValue:
        """The list with `size` elements: cut off, or filled up with unset ones."""
        if size == self.length:
            return self
        if size < self.length:
            return TensorListValue(self.items()[:size], self.dtype, self.dims, self.limit)
        with _lock:
            items = self._items if self._items is not None else self._rebuild()
            items.extend(unset(size - self.length))
            return self._successor(items, _drop, (size - self.length,))

    def zeros_like(self) -> TensorListValue:
        """A list of zeros of the same shapes."""
        zeros = [None if v is None else _zero_of(v) for v in self.items()]
        return TensorListValue(zeros, self.dtype, self.dims, self.limit)

    def __add__(self, other: TensorListValue) -> TensorListValue:
        if not isinstance(other, TensorListValue):
            return NotImplemented
        if self.length != other.length:
            raise bad(f"Trying to add two lists of tensors of different lengths: {self.length} and {other.length}")
        dims, few = merge(self.dims, other.dims), other._few
        if few is not None and dims == self.dims:
            found = self
            for i, b in few.items():
                a = found.items()[i]
                found = found.set(i, b if a is None else sum_of(a, b))
            return found
        total = [b if a is None else a if b is None else sum_of(a, b) for a, b in zip(self.items(), other.items())]
        return TensorListValue(total, self.dtype, dims, self.limit)

    def __repr__(self) -> str:
        return f"<list of {self.length} {self.dtype.name} tensors>"


def reserved(count: int, dtype: DType, dims: Dims) -> TensorListValue:
    """A list of which no element is set yet; those of gradients will have one, and are added up."""
    check_bytes(8 * count, "a list of tensors")
    return TensorListValue(None, dtype, dims, length=count, few={})


def _drop(items: list[Any], count: int) -> None:
    del items[-count:]


def sum_of(a: Array, b: Array) -> Array:
    return a + b


def _zero_of(value: Array) -> Array:
    if isinstance(value, TensorListValue):
        return value.zeros_like()
    if isinstance(value, np.generic):
        return type(value)(0)
    return zeros_of(np.shape(value), value.dtype)


def zeros_of(dims: Any, numpy_type: Any) -> Array:
    if np.dtype(numpy_type) == object:
        out = np.empty(dims, object)
        out[...] = b""
        return out
    return unwrapped(np.zeros(dims, numpy_type))
