"""`map_fn` where the elements, or the results, are rows of ragged or sparse tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.control_flow.while_loop import while_loop
from graphrt.errors import at_user_line
from graphrt.ops.array.concat_split import concat
from graphrt.ops.array.creation import zeros_like
from graphrt.ops.array.shape import reshape, shape
from graphrt.ops.array.slicing import boolean_mask
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.casting import cast
from graphrt.ops.math.comparison import Equal
from graphrt.ops.math.reduction import reduce_max
from graphrt.ops.ragged.tensor import RaggedTensor, RaggedTensorSpec
from graphrt.ops.sparse.tensor import SparseTensor, SparseTensorSpec
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import structure
from graphrt.types.dtype import DType, int32, int64
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims
from graphrt.types.spec import TensorSpec

_ROWS = (RaggedTensor, SparseTensor)


def map_rows(fn: Callable[[Any], Any], elems: Any, signature: object, name: str | None) -> Any:
    """`map_fn` where an element, or a result, may be a row of a ragged or a sparse tensor."""
    leaves = [e if isinstance(e, _ROWS) else convert_to_tensor(e) for e in structure.flatten(elems)]
    first = leaves[0]
    size = cast(first.nrows() if isinstance(first, RaggedTensor) else shape(first)[0], int32)
    wanted = signature if signature is not None else structure.map_structure(_row_spec, elems)
    specs = structure.flatten(wanted)
    specs = [s if isinstance(s, (RaggedTensorSpec, SparseTensorSpec)) else _spec(s) for s in specs]
    # of a ragged result: the flat values, and the lengths of its rows at each level, all to be joined end to end
    pieces = [s.ragged_rank + 1 if isinstance(s, RaggedTensorSpec) else 0 for s in specs]
    dtypes: list[Any] = []
    for spec, count in zip(specs, pieces):
        sparse = isinstance(spec, SparseTensorSpec)
        dtypes += [spec.dtype, int64, int64] if sparse else [spec.dtype] + [spec.row_splits_dtype for _ in range(count)]

    shapes: list[Dims] = []  # of the results, in the order of `specs`, as traced

    def body(i: Tensor, arrays: list[TensorArray]) -> tuple[Tensor, list[TensorArray]]:
        result = fn(
            structure.pack_like(
                elems, [_sparse_row(leaf, i) if isinstance(leaf, SparseTensor) else leaf[i] for leaf in leaves]
            )
        )
        structure.assert_same_structure(wanted, result, check_types=False)
        written: list[Any] = []
        shapes.clear()
        for value, spec, count in zip(structure.flatten(result), specs, pieces):
            made = _sparse_pieces(value, i) if isinstance(spec, SparseTensorSpec) else _pieces(value, spec, count)
            shapes.append(made[0].dims)
            written += made
        return i + 1, [a.write(i, v) for a, v in zip(arrays, written)]

    made = [TensorArray(d, size=size, infer_shape=False) for d in dtypes]
    _, arrays = while_loop(
        lambda i, _: i < size, body, (convert_to_tensor(0), made), maximum_iterations=size, name=name or "map/while"
    )
    supply = iter(arrays)
    found: list[Any] = []
    known = static_array(size)
    count_of_rows = None if known is None else int(known)
    for spec, count, dims in zip(specs, pieces, shapes or [None] * len(specs)):
        if isinstance(spec, SparseTensorSpec):
            found.append(_sparse_whole(spec, size, count_of_rows, *(next(supply) for _ in range(3))))
            continue
        if not count:
            stacked = next(supply).stack()
            stacked.set_shape(None if dims is None else [count_of_rows, *dims])
            found.append(stacked)
            continue
        values = next(supply).concat()
        if spec.dims is not None:
            values.set_shape([None, *spec.dims[spec.ragged_rank + 1 :]])
        lengths = [next(supply).concat() for _ in range(count)]
        found.append(RaggedTensor.from_nested_row_lengths(values, lengths, validate=False))
    return structure.pack_like(wanted, found)


def _row_spec(leaf: Any) -> Any:
    """The spec of one element of `leaf`."""
    if isinstance(leaf, SparseTensor):
        return SparseTensorSpec(leaf.shape[1:], leaf.dtype)
    if not isinstance(leaf, RaggedTensor):
        tensor = convert_to_tensor(leaf)
        return TensorSpec(None if tensor.dims is None else tensor.dims[1:], tensor.dtype)
    return RaggedTensorSpec(leaf.shape[1:], leaf.dtype, leaf.ragged_rank - 1, leaf.row_splits.dtype)


def _sparse_row(leaf: SparseTensor, i: Tensor) -> SparseTensor:
    """Row `i` of a sparse tensor."""
    here = Equal(leaf.indices[:, 0], cast(i, int64))
    row = SparseTensor(boolean_mask(leaf.indices[:, 1:], here), boolean_mask(leaf.values, here), leaf.dense_shape[1:])
    row.set_shape(leaf.shape[1:])
    return row


def _sparse_pieces(value: Any, i: Tensor) -> list[Any]:
    """What is written for one sparse result: its elements, where they stand in the whole, and its shape."""
    if not isinstance(value, SparseTensor):
        raise TypeError(at_user_line(f"map_fn: the function gives {shown(value)} where a SparseTensor was announced"))
    rows = zeros_like(value.indices[:, :1]) + cast(i, int64)
    return [value.values, concat([rows, value.indices], 1), value.dense_shape]


def _sparse_whole(spec: SparseTensorSpec, size: Tensor, count: int | None, *arrays: TensorArray) -> SparseTensor:
    """The sparse results as one, as wide as the widest."""
    values, indices, shapes = arrays
    dims = None if spec.shape.rank is None else (count, *spec.shape)
    if dims is not None and None not in dims:
        whole = convert_to_tensor(dims, int64)
    else:
        whole = concat([reshape(cast(size, int64), [1]), reduce_max(shapes.stack(), 0)], 0)
    found = SparseTensor(indices.concat(), values.concat(), whole)
    found.set_shape(dims)
    return found


def _pieces(value: Any, spec: Any, count: int) -> list[Any]:
    """What is written for one result: it, or flat values, its length, and the lengths of its rows at each level."""
    if not count:
        return [convert_to_tensor(value)]
    dtype = spec.row_splits_dtype
    if not isinstance(value, RaggedTensor):
        tensor = convert_to_tensor(value)
        if count == 1:
            return [tensor, shape(tensor, out_type=dtype)[:1]]
        value = RaggedTensor.from_tensor(tensor, ragged_rank=count - 1, row_splits_dtype=dtype)
    rows = value.with_row_splits_dtype(dtype)
    return [rows.flat_values, reshape(rows.nrows(), [1]), *rows.nested_row_lengths()]


def _spec(value: DType) -> TensorSpec:
    if isinstance(value, TensorSpec):
        return value
    if isinstance(value, Tensor):
        return TensorSpec(value.shape[1:], value.dtype)
    return TensorSpec(None, value)
