"""Jacobians row by row: gradients for each unit gradient of a target, stacked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from graphrt.autodiff.backprop import zeros_of
from graphrt.ir.op import ops  # late: what it calls stands in rooms above
from graphrt.ops.array.concat_split import concat, stack
from graphrt.ops.array.creation import one_hot, zeros
from graphrt.ops.array.shape import broadcast_to, reshape, shape
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.reduction import reduce_prod
from graphrt.tensor.context import current_graph
from graphrt.tensor.tensor import Tensor
from graphrt.types.shape import is_static

UNROLLED = 16  # elements: in a graph a target with more (or an unknown number) is walked by a loop

GradientsOf: TypeAlias = "Callable[[Any], list[Any]]"  # gradient of the target -> gradients of the sources, or None


class Rows:
    """The unit gradients of the elements of a target, and what comes of them, stacked."""

    def __init__(self, target: Tensor, batched: bool = False) -> None:
        self.batched = batched
        self.like = zeros_of(target)
        dims = self.like.dims
        self.dims = dims
        inner = dims[1:] if batched and dims is not None else dims
        self.count: int | None = None
        if inner is not None and is_static(inner):
            self.count = 1
            for d in inner:
                self.count *= d or 0
        self.shape = shape(self.like)

    def _unit(self, number: Tensor | int, count: Any) -> Tensor:
        """The gradient that is one at element `number` (of every row, when batched) and zero elsewhere."""
        hot = one_hot(number, count, dtype=self.like.dtype)
        if self.batched:
            rows = broadcast_to(hot, stack([self.shape[0], count]))
            return self._shaped(reshape(rows, self.shape))
        return self._shaped(reshape(hot, self.shape))

    def _shaped(self, tensor: Tensor) -> Tensor:
        if self.dims is not None:
            tensor.set_shape(self.dims)
        return tensor

    def of(self, gradients: GradientsOf) -> list[Any]:
        """For each source the gradients for all unit gradients, stacked along a new first axis; None if unconnected."""
        if self.count is not None and (current_graph() is None or self.count <= UNROLLED):
            return self._unrolled(gradients)
        return self._looped(gradients)

    def _unrolled(self, gradients: GradientsOf) -> list[Any]:
        if self.count == 0:
            found = gradients(self.like)
            return [None if g is None else zeros(concat([[0], shape(g)], 0), g.dtype) for g in found]
        table = [gradients(self._unit(i, self.count)) for i in range(self.count or 0)]
        return [None if column[0] is None else stack(list(column)) for column in zip(*table)]

    def _looped(self, gradients: GradientsOf) -> list[Any]:
        inner = self.shape[1:] if self.batched else self.shape
        count = reduce_prod(inner)
        probe = gradients(self.like)  # which sources are connected, and what they get
        connected = [i for i, g in enumerate(probe) if g is not None]
        kinds = [(probe[i].dtype, probe[i].dims) for i in connected]
        if not connected:
            return list(probe)
        lists = [TensorArray(dtype=t, size=count, element_shape=d) for t, d in kinds]

        def body(i: Tensor, *arrays: TensorArray) -> Any:
            found = gradients(self._unit(i, count))
            return (i + 1, *[a.write(i, found[k]) for a, k in zip(arrays, connected)])

        loop = ops.while_loop(lambda i, *_: i < count, body, (zeros([], "int32"), *lists))
        result: list[Any] = [None] * len(probe)
        for array, k in zip(loop[1:], connected):
            result[k] = array.stack()
        return result

    def shape_with(self, like: Tensor) -> Any:
        """The shape of the target followed by that of `like`."""
        if self.dims is not None and is_static(self.dims) and like.dims is not None and is_static(like.dims):
            return [*self.dims, *like.dims]
        return concat([self.shape, shape(like)], 0)
