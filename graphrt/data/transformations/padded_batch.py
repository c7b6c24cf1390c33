"""`Dataset.padded_batch`: batches of elements of different sizes, filled up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_flag, as_long, number_of
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.declaration import METADATA, PURE, positive_size, scalar_dims
from graphrt.data.elements import dims_text
from graphrt.data.methods import T, transformation
from graphrt.data.pipeline import Element, Run, Source
from graphrt.data.transformations.batch import Batch, Batched
from graphrt.ir.op import define
from graphrt.ops.math.casting import cast
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import Tensor, static_array
from graphrt.types import structure
from graphrt.types.dtype import DType, bool_, int64, string
from graphrt.types.likes import Array, TensorLike
from graphrt.types.limits import check_bytes
from graphrt.types.nesting import shown
from graphrt.types.shape import Dims, TensorShape, dims_of
from graphrt.types.spec import TensorSpec


class PaddedBatch(Batch):
    """Batches of elements of different sizes, padded to the longest, or to given shapes."""

    __slots__ = ("shapes", "values")

    def __init__(self, input: Source, size: int, drop: bool, shapes: list[Any], values: list[Any]) -> None:
        super().__init__(input, size, drop)
        self.shapes = [np.reshape(s, -1).tolist() for s in shapes]
        self.values = values

    def open(self, run: Run) -> Iterator[Element]:
        return Batched(self.input.open(run), self)

    def together(self, elements: list[Element]) -> Element:
        return tuple([
            padded(column, shape, value, i)
            for i, (column, shape, value) in enumerate(zip(zip(*elements), self.shapes, self.values))
        ])  # fmt: skip


def padded(column: tuple[Any, ...], shape: list[int], value: TensorLike, position: int) -> Array:
    """Values as one array of `shape` (-1: as long as the longest), filled up with `value`."""
    rank = len(shape)
    for v in column:
        if np.ndim(v) != rank:
            raise errors.InvalidArgumentError(
                None, None,
                f"All elements in a batch must have the same rank as the padded shape for component{position}: "
                f"expected rank {rank} but got element with rank {np.ndim(v)}",
            )  # fmt: skip
    longest = [max(np.shape(v)[i] for v in column) for i in range(rank)]
    target = [m if s < 0 else s for s, m in zip(shape, longest)]
    for v in column:
        for i, (have, room) in enumerate(zip(np.shape(v), target)):
            if have > room:
                raise errors.DataLossError(
                    None, None,
                    f"Attempted to pad to a smaller size than the input element: component {position} has shape "
                    f"{dims_text(v)}, dimension {i} of the padded shape is {room}.",
                )  # fmt: skip
    first = column[0]
    filler = value.item() if isinstance(value, np.ndarray) and value.dtype == object else value
    size = first.dtype.itemsize * len(column) * math.prod(map(int, target))
    check_bytes(size, f"Component {position} of the padded batch")
    out = np.empty((len(column), *target), first.dtype)
    out[...] = filler
    for index, v in enumerate(column):
        part = v.item() if isinstance(v, np.ndarray) and not v.ndim else v
        where: Any = (index, *(slice(0, n) for n in np.shape(v)))
        out[where] = part
    return out


PaddedBatchDatasetV2 = define(
    "PaddedBatchDatasetV2",
    "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types..., "
    "drop_remainder: bool -> handle: variant",
    attrs=f"parallel_copy: bool = False; Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; "
    f"N: int >= 1; {METADATA}",
    infer=scalar_dims, traits=PURE,
    kernel=lambda x, size, shapes, values, drop: PaddedBatch(x, positive_size(size), bool(drop), shapes, values),
)  # fmt: skip


@transformation
def padded_batch(
    self: Dataset[T], batch_size: TensorLike, padded_shapes: object = None, padding_values: Any = None,
    drop_remainder: bool = False, name: str | None = None
) -> Dataset[T]:  # fmt: skip
    """Batches of elements of different sizes, filled up to the longest, or to `padded_shapes` (None: longest).

    `padding_values` is a scalar, or one for each component; zeros and empty strings by default.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
    >>> [x.tolist() for x in dataset.padded_batch(3).as_numpy_iterator()]
    [[[1, 0, 0], [2, 2, 0], [3, 3, 3]]]

    Raises:
      ValueError: a shape does not fit its component, or the rank of a component is unknown.
      DataLossError: while iterating, an element is larger than the padded shape.
    """
    shapes = target_shapes(padded_shapes, self.element_spec)
    values = filler_values(padding_values, self.element_spec)
    size, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
    known = number_of(size) if number_of(drop) else None
    specs = iter([TensorSpec((known, *dims), s.dtype) for (_, dims), s in zip(shapes, st.walk(self.element_spec))])
    spec = st.map_leaves(lambda _: next(specs), self.element_spec)
    handle = PaddedBatchDatasetV2(
        handle_of(self), size, [s for s, _ in shapes], values, drop, parallel_copy=False, name=name,
        output_shapes=[s.dims for s in st.component_specs(spec)],
    )  # fmt: skip
    return transformed(self, handle, spec, "_PaddedBatchDataset")


def as_shapes(shapes: Any, spec: TensorSpec) -> Any:
    """`shapes` in the structure of `spec`, where lists and tuples of numbers are shapes, not structure."""
    if not st.is_structure(spec):
        return (
            shapes
            if isinstance(shapes, (Tensor, TensorShape))
            else TensorShape(
                [None if d is None or (isinstance(d, int) and d < 0) else d for d in shapes]
                if isinstance(shapes, (list, tuple))
                else shapes
            )
        )
    parts, others = structure.children(spec), structure.children(shapes)
    other_kind = isinstance(spec, Mapping) and not isinstance(shapes, Mapping)
    if other_kind or len(parts) != len(others) or isinstance(shapes, (Tensor, TensorShape)):
        raise ValueError(
            errors.at_user_line(f"padded_shapes {shapes!r} does not have the structure of the elements, {shown(spec)}")
        )
    return structure.rebuild(spec, [as_shapes(s, p) for (_, p), (_, s) in zip(parts, others)])


def target_shapes(shapes: object, spec: TensorSpec) -> list[tuple[Any, Any]]:
    """For each component the target shape as an int64 tensor (-1: the longest), and what is known of it."""
    for leaf in st.walk(spec):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(
                errors.at_user_line(
                    "`padded_batch` is only supported for datasets that produce tensor elements but type spec of "
                    f"elements in the input dataset is not a subclass of TensorSpec: `{shown(leaf)}`."
                )
            )
    if shapes is None:
        for leaf in st.walk(spec):
            if leaf.dims is None:
                raise ValueError(
                    errors.at_user_line(
                        f"You must provide `padded_shapes` if an element has a component of unknown rank: {shown(leaf)}"
                    )
                )
        given = st.map_leaves(lambda s: TensorShape(s.dims), spec)
    else:
        given = as_shapes(shapes, spec)
    found = []
    for target, leaf in zip(st.walk(given), st.walk(spec)):
        if isinstance(target, Tensor):
            known: Dims = _static_shape(target)
            found.append((cast(target, int64), known))
            if known is None:
                found[-1] = (found[-1][0], (None,) * len(leaf.dims or ()))
            continue
        dims = dims_of(target)
        if dims is None:
            dims = leaf.dims
        fits = leaf.dims is None or (
            dims is not None
            and len(dims) == len(leaf.dims)
            and all(p is None or n is None or n <= p for p, n in zip(dims, leaf.dims))
        )
        if not fits:
            raise ValueError(
                errors.at_user_line(
                    f"The padded shape {TensorShape(dims)} is not compatible with the shape {leaf.shape} of the "
                    "corresponding input component."
                )
            )
        found.append((convert_to_tensor([-1 if n is None else n for n in dims or ()], dtype=int64), dims))
    return found


def _static_shape(tensor: Any) -> Dims:
    """What is known now of a shape given as a tensor."""
    array = static_array(tensor)
    if array is None:
        return None if not tensor.dims or tensor.dims[0] is None else (None,) * tensor.dims[0]
    return tuple(None if n < 0 else int(n) for n in np.reshape(array, -1).tolist())


def filler_values(values: Any, spec: TensorSpec) -> list[Any]:
    leaves = list(st.walk(spec))
    if values is None:
        given: list[Any] = [None] * len(leaves)
    elif not st.is_structure(values):
        given = [values] * len(leaves)
    else:
        given = list(st.walk(values))
        if len(given) != len(leaves):
            raise TypeError(
                errors.at_user_line(f"padding_values {values!r} does not have the structure of the elements, {spec!r}")
            )
    return [_padding_value(value, leaf.dtype) for value, leaf in zip(given, leaves)]


def _padding_value(value: Any, dtype: DType) -> Tensor:
    if value is None:
        value = "" if dtype is string else False if dtype is bool_ else 0
    elif isinstance(value, Tensor) and value.dtype is not dtype:
        raise TypeError(
            errors.at_user_line(f"The padding value should have type {dtype.name}, but its type is {value.dtype.name}.")
        )
    try:
        tensor = convert_to_tensor(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise TypeError(
            errors.at_user_line(f"The padding value {shown(value)} does not fit {dtype.name}: {error}")
        ) from None
    if tensor.dims != ():
        raise ValueError(errors.at_user_line(f"The padding value should be a scalar, but its shape is {tensor.shape}."))
    return tensor
