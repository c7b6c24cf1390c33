"""Ops of files that have no declaration here, and what they are made of: functions of this library.

`EXPANSIONS[op].expand(inputs, attrs)` adds nodes to the graph being built. A function is registered with the names that the
op gives its outputs, because the edges of a function's body name them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from graphrt.ir.graph import Value
from graphrt.ops.array.creation import range as range_
from graphrt.ops.array.gather_scatter import gather, gather_nd
from graphrt.ops.array.identity import identity_n
from graphrt.ops.array.selection import where
from graphrt.ops.array.shape import broadcast_to, size
from graphrt.ops.array.sorting import top_k
from graphrt.ops.math.casting import cast
from graphrt.ops.math.cumulative import cumprod, cumsum
from graphrt.ops.math.elementwise import negative, rsqrt
from graphrt.ops.math.reduction import reduce_prod, reduce_sum
from graphrt.ops.random.distributions import stateless_normal, stateless_truncated_normal, stateless_uniform
from graphrt.ops.sparse import elements, functions, products, segments
from graphrt.ops.sparse.tensor import SparseTensor
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.queries import get_static_value
from graphrt.tensor.scopes import name_scope
from graphrt.tensor.tensor import Tensor
from graphrt.types.dtype import int64

__all__ = ["EXPANSIONS", "Expanded", "Expansion"]

Attrs = Mapping[str, Any]
_SCOPE = "made_of"


@dataclasses.dataclass(frozen=True)
class Expanded:
    """What stands for a node of the file.

    Attributes:
      outputs: its values, in order.
      names: for each the name that edges of a function use, "output:index".
    """

    outputs: tuple[Value, ...]
    names: tuple[str, ...]

    def named(self, rest: str) -> Value | None:
        """The value that the rest of an edge names; None when there is none."""
        return dict(zip(self.names, self.outputs)).get(rest if ":" in rest else f"{rest}:0")


@dataclasses.dataclass(frozen=True)
class Expansion:
    """How an op is made of functions.

    Attributes:
      function: of the tensors and the attributes, which gives a tensor, or for each output a tensor or a list of them.
      outputs: their names.
    """

    function: Callable[..., Any]
    outputs: tuple[str, ...]

    def expand(self, name: str, inputs: Sequence[Tensor], attrs: Attrs) -> Expanded:
        """Adds the nodes to the graph being built; the last is called `name` and gives all outputs."""
        with name_scope(f"{name}/{_SCOPE}/"):
            made = self.function(inputs, attrs)
            values: list[Tensor] = []
            names: list[str] = []
            for output_name, output in zip(self.outputs, made if len(self.outputs) > 1 else [made], strict=True):
                several = output if isinstance(output, list) else [output]
                values += [convert_to_tensor(v) for v in several]
                names += [f"{output_name}:{i}" for i, _ in enumerate(several)]
        with name_scope(""):
            given: list[Any] = identity_n(values, name=name)
        return Expanded(tuple([v.value for v in given]), tuple(names))


# state: registry
EXPANSIONS: dict[str, Expansion] = {}


def _op(name: str, outputs: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        EXPANSIONS[name] = Expansion(function, tuple(outputs.split()))
        return function

    return add


def _parts(x: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    return x.indices, x.values, x.dense_shape


def _constant(x: Tensor, what: str) -> Any:
    """The value of an input that must be known when the graph is built."""
    value = get_static_value(x)
    if value is None:
        raise ValueError(f"the {what} is no constant")
    return value


# --- sparse tensors --------------------------------------------------------------------------------------------------
def _places(at: Tensor, dims: Tensor) -> Tensor:
    """Numbers of elements as indices into a shape."""
    return at[:, None] // _strides(dims)[None] % dims[None]


def _strides(dims: Tensor) -> Tensor:
    return cumprod(dims, exclusive=True, reverse=True)


@_op("SparseReshape", "output_indices output_shape")
def _sparse_reshape(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    indices, dims, wanted = inputs
    known = reduce_prod(where(wanted < 0, convert_to_tensor(1, int64), wanted))
    made = where(wanted < 0, reduce_prod(dims) // known, wanted)
    return _places(reduce_sum(indices * _strides(dims)[None], 1), made), made


@_op("SparseFillEmptyRows", "output_indices output_values empty_row_indicator reverse_index_map")
def _fill_empty_rows(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    indices, values, dims, default = inputs
    filled, empty = functions.fill_empty_rows(SparseTensor(indices, values, dims), default)

    rows = indices[:, 0]
    # each element moves down by the empty rows before its own
    before = cumsum(cast(empty, int64), exclusive=True)
    moved = range_(cast(size(rows), int64)) + gather(before, rows)
    return filled.indices, filled.values, empty, moved


def _segments(function: Callable[..., Any], counted: bool) -> Callable[..., Any]:
    return lambda inputs, attrs: function(*inputs[:3], num_segments=inputs[3] if counted else None)


_BY_SEGMENTS = {
    "SparseSegmentSum": segments.segment_sum, "SparseSegmentMean": segments.segment_mean,
    "SparseSegmentSqrtN": segments.segment_sqrt_n,
}  # fmt: skip
for _name, _function in _BY_SEGMENTS.items():
    _op(_name, "output")(_segments(_function, False))
    _op(f"{_name}WithNumSegments", "output")(_segments(_function, True))


@_op("SparseTensorDenseMatMul", "product")
def _sparse_product(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    a, b = bool(attrs.get("adjoint_a")), bool(attrs.get("adjoint_b"))
    return products.sparse_dense_matmul(SparseTensor(*inputs[:3]), inputs[3], a, b)


def _reduced(function: Callable[..., Any]) -> Callable[..., Any]:
    def reduce(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
        axes = np.reshape(_constant(inputs[3], "axes"), -1).tolist()
        return function(SparseTensor(*inputs[:3]), axis=axes, keepdims=bool(attrs.get("keep_dims")))

    return reduce


_op("SparseReduceSum", "output")(_reduced(elements.reduce_sum))
_op("SparseReduceMax", "output")(_reduced(elements.reduce_max))


@_op("SparseReorder", "output_indices output_values")
def _reorder(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    return _parts(functions.reorder(SparseTensor(*inputs)))[:2]


@_op("SparseSlice", "output_indices output_values output_shape")
def _slice(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    return _parts(functions.slice(SparseTensor(*inputs[:3]), inputs[3], inputs[4]))


@_op("SparseConcat", "output_indices output_values output_shape")
def _concat(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    n = attrs["N"]
    if len(inputs) != 3 * n:
        raise ValueError(f"{3 * n} inputs are needed, {len(inputs)} given")
    given = [SparseTensor(*parts) for parts in zip(inputs[:n], inputs[n : 2 * n], inputs[2 * n :])]
    return _parts(functions.concat(attrs["concat_dim"], given))


@_op("SparseSplit", "output_indices output_values output_shape")
def _split(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    axis = int(_constant(inputs[0], "axis"))
    made = functions.split(SparseTensor(*inputs[1:]), num_split=attrs["num_split"], axis=axis)
    return tuple(map(list, zip(*map(_parts, made))))


@_op("SparseAdd", "sum_indices sum_values sum_shape")
def _add(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    return _parts(elements.add(SparseTensor(*inputs[:3]), SparseTensor(*inputs[3:6]), inputs[6]))


@_op("SparseTensorDenseAdd", "output")
def _add_dense(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    return elements.add(SparseTensor(*inputs[:3]), inputs[3])


@_op("SparseSoftmax", "output")
def _softmax(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    return elements.softmax(SparseTensor(*inputs)).values


def _extremum(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda inputs, attrs: _parts(function(SparseTensor(*inputs[:3]), SparseTensor(*inputs[3:])))[:2]


_op("SparseSparseMaximum", "output_indices output_values")(_extremum(elements.maximum))
_op("SparseSparseMinimum", "output_indices output_values")(_extremum(elements.minimum))


def _with_dense(combine: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def apply(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
        indices, values, dims, dense = inputs
        return combine(values, gather_nd(broadcast_to(dense, dims), indices))

    return apply


_op("SparseDenseCwiseMul", "output")(_with_dense(lambda a, b: a * b))
_op("SparseDenseCwiseDiv", "output")(_with_dense(lambda a, b: a / b))
_op("SparseDenseCwiseAdd", "output")(_with_dense(lambda a, b: a + b))


@_op("DenseCountSparseOutput", "output_indices output_values output_dense_shape")
def _counted(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    values, weights = inputs
    limits = {key: attrs[key] if attrs[key] >= 0 else None for key in ("minlength", "maxlength")}
    used = weights if weights.shape.rank != 1 or weights.shape[0] != 0 else None
    axis = 0 if values.shape.rank == 1 else -1
    return _parts(segments.bincount(values, used, axis=axis, binary_output=attrs["binary_output"], **limits))


# --- numbers ---------------------------------------------------------------------------------------------------------
@_op("ApproxTopK", "values indices")
def _approximate(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    (x,) = inputs
    axis, largest = attrs.get("reduction_dimension", -1), attrs.get("is_max_k", True)
    if axis not in (-1, len(x.shape) - 1):
        raise ValueError(f"the dimension {axis} is not the last")
    values, at = top_k(x if largest else negative(x), attrs["k"])
    return (values if largest else negative(values)), at


@_op("BatchNormWithGlobalNormalization", "result")
def _normalised(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    x, mean, variance, beta, gamma = inputs
    scale = rsqrt(variance + attrs["variance_epsilon"])
    return (x - mean) * (scale * gamma if attrs["scale_after_normalization"] else scale) + beta


def _seeded(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda inputs, attrs: function(inputs[0], inputs[1], dtype=attrs["dtype"])


_op("StatelessRandomUniform", "output")(_seeded(stateless_uniform))
_op("StatelessRandomNormal", "output")(_seeded(stateless_normal))
_op("StatelessTruncatedNormal", "output")(_seeded(stateless_truncated_normal))


@_op("StatelessRandomUniformInt", "output")
def _integers(inputs: Sequence[Tensor], attrs: Attrs) -> Any:
    dims, seed, least, limit = inputs
    return stateless_uniform(dims, seed, least, limit, attrs["dtype"])
