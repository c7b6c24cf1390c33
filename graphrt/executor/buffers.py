"""Which node may write its result over an input that nobody needs any more.

    Mul = x * y                       Mul = x * y
    add = Mul + z             ->      add = np_add(Mul, z, out=Mul)

Allocating a large array costs more than the arithmetic on it. A buffer may be written to when a ufunc, a matrix product
or another op whose result is fresh made it in the same stretch of code (so nobody else holds it), only such ops read it
(so nobody kept it, or a view of it), this is its last use, and its shape and dtype are certainly those of the result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from graphrt.executor.plan import may_be_large
from graphrt.ir.graph import Node, Value
from graphrt.ir.op import ELEMENTWISE, FRESH, MATRIX_PRODUCT
from graphrt.types.shape import Dims, is_static

_FRESH = frozenset([FRESH, MATRIX_PRODUCT])


class Buffers:
    """What is known of the arrays of one graph while it is being written."""

    __slots__ = ("_made", "_shapes", "_shared")

    def __init__(self) -> None:
        self._made: set[Value] = set()
        self._shared: set[Value] = set()
        self._shapes: dict[Value, Any] = {}

    def target(self, node: Node, dying: Sequence[Value]) -> tuple[Callable[..., Any], Value] | None:
        """What computes `node` into an array, see `writer_of`, and the input it may write over; takes note of the node."""
        writer = writer_of(node)
        if writer is None:
            if node.op.traits.isdisjoint(_FRESH):
                self._shared.update(node.inputs)
            else:
                self._made.update(node.outputs[:1])
            return None
        out = node.outputs[0]
        if not out.dims:
            return None
        self._shapes[out] = shape = self._result_shape(node)
        self._made.add(out)
        if not may_be_large(out):
            return None
        for value in node.inputs:
            if (
                self.is_own(value)
                and value in dying
                and value.dtype is out.dtype
                and shape is not None
                and self._shape(value) == shape
            ):
                return writer, value
        return None

    def is_own(self, value: Value) -> bool:
        """Whether the array of `value` was made here, and nobody else holds it, or a view of it."""
        return value in self._made and value not in self._shared

    def hold(self, value: Value) -> None:
        """Takes note of an array that was made for `value`, and that nobody else holds."""
        self._made.add(value)

    def share(self, value: Value) -> None:
        """Takes note that others may hold the array of `value`."""
        self._shared.add(value)

    def _shape(self, value: Value) -> Any:
        """A key: values with equal keys have equal shapes."""
        if is_static(value.dims):
            return value.dims
        return self._shapes.get(value) or value

    def _result_shape(self, node: Node) -> Any:
        out = node.outputs[0]
        if is_static(out.dims):
            return out.dims
        arrays = [v for v in node.inputs if v.dims != ()]
        for widest in arrays:
            if all(self._shape(v) == self._shape(widest) or _covers(widest.dims, v.dims) for v in arrays):
                return self._shape(widest)
        return None


def _covers(wide: Dims, narrow: Dims) -> bool:
    """Whether broadcasting the two certainly gives the shape `wide`."""
    if wide is None or narrow is None or len(narrow) > len(wide):
        return False
    return all(n == 1 or (n is not None and n == w) for n, w in zip(reversed(narrow), reversed(wide)))


def writer_of(node: Node) -> Callable[..., Any] | None:
    """What computes the node, to the last bit, into an array given as `out`, as a ufunc does; None if nothing does."""
    op = node.op
    if ELEMENTWISE not in op.traits or len(node.outputs) != 1 or op.kernel_attrs:
        return None
    kind = node.outputs[0].dtype.kind
    if kind not in "fiucb":
        return None
    if op.ufunc is not None:
        return op.ufunc if kind == "f" or op.ufunc is not np.true_divide else None  # integers divide otherwise
    if op.over is not None:
        return op.over
    return op.kernel if isinstance(op.kernel, np.ufunc) and op.kernel.nout == 1 else None
