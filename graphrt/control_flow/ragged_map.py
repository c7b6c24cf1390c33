"""`map_fn` where the elements, or the results, are rows of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from graphrt.control_flow.while_loop import while_loop
from graphrt.ops.array.shape import Shape, reshape, shape
from graphrt.ops.lists.tensor_array import TensorArray
from graphrt.ops.math.casting import cast
from graphrt.ops.ragged.tensor import RaggedTensor, RaggedTensorSpec
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor
from graphrt.types import structure
from graphrt.types.dtype import DType, int32
from graphrt.types.spec import TensorSpec


def map_rows(fn: Callable[[Any], Any], elems: Any, signature: object, name: str | None) -> Any:
    """`map_fn` where an element, or a result, may be a row of a ragged tensor."""
    leaves = [e if isinstance(e, RaggedTensor) else convert_to_tensor(e) for e in structure.flatten(elems)]
    first = leaves[0]
    size = cast(first.nrows() if isinstance(first, RaggedTensor) else Shape(first)[0], int32)
    wanted = signature if signature is not None else structure.map_structure(_row_spec, elems)
    specs = structure.flatten(wanted)
    specs = [s if isinstance(s, RaggedTensorSpec) else _spec(s) for s in specs]
    # of a ragged result: the flat values, and the lengths of its rows at each level, all to be joined end to end
    pieces = [s.ragged_rank + 1 if isinstance(s, RaggedTensorSpec) else 0 for s in specs]
    dtypes: list[Any] = []
    for spec, count in zip(specs, pieces):
        dtypes += [spec.dtype] + ([spec.row_splits_dtype] * count if count else [])

    def body(i: Tensor, arrays: list[TensorArray]) -> tuple[Tensor, list[TensorArray]]:
        result = fn(structure.pack_like(elems, [leaf[i] for leaf in leaves]))
        structure.assert_same_structure(wanted, result, check_types=False)
        written: list[Any] = []
        for value, spec, count in zip(structure.flatten(result), specs, pieces):
            written += _pieces(value, spec, count)
        return i + 1, [a.write(i, v) for a, v in zip(arrays, written)]

    made = [TensorArray(d, size=size, infer_shape=False) for d in dtypes]
    _, arrays = while_loop(
        lambda i, _: i < size, body, (convert_to_tensor(0), made), maximum_iterations=size, name=name or "map/while"
    )
    supply = iter(arrays)
    found: list[Any] = []
    for spec, count in zip(specs, pieces):
        if not count:
            found.append(next(supply).stack())
            continue
        values = next(supply).concat()
        if spec.dims is not None:
            values.set_shape([None, *spec.dims[spec.ragged_rank + 1 :]])
        lengths = [next(supply).concat() for _ in range(count)]
        found.append(RaggedTensor.from_nested_row_lengths(values, lengths, validate=False))
    return structure.pack_like(wanted, found)


def _row_spec(leaf: RaggedTensor) -> RaggedTensorSpec:
    """The spec of one element of `leaf`."""
    if not isinstance(leaf, RaggedTensor):
        tensor = convert_to_tensor(leaf)
        return TensorSpec(None if tensor.dims is None else tensor.dims[1:], tensor.dtype)
    return RaggedTensorSpec(leaf.shape[1:], leaf.dtype, leaf.ragged_rank - 1, leaf.row_splits.dtype)


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
