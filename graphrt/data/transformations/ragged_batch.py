"""`Dataset.ragged_batch`: batches in which dimensions whose size is not known are ragged."""

from __future__ import annotations

from typing import Any

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.arguments import as_flag, as_long, number_of
from graphrt.data.dataset import Dataset, handle_of, transformed
from graphrt.data.element_parts import Ragging, batched_spec, leaf_plan, plan_text
from graphrt.data.encoded import has_encoders
from graphrt.data.methods import transformation
from graphrt.data.transformations.batch import BatchParts
from graphrt.types.dtype import DType, as_dtype, int64
from graphrt.types.likes import DTypeLike, TensorLike
from graphrt.types.shape import is_static
from graphrt.types.spec import TensorSpec


def _becomes_ragged(spec: object) -> bool:
    return isinstance(spec, TensorSpec) and not is_static(spec.dims)


def _ragged_dims(spec: TensorSpec) -> int:
    if spec.dims is None:
        raise ValueError(errors.at_user_line("ragged_batch needs elements whose rank is known: use set_shape"))
    return max(i for i, d in enumerate(spec.dims) if d is None)


def ragging_plan(spec: TensorSpec, splits: DType) -> str:
    """The plan of batches in which dimensions that are not known become ragged."""
    return plan_text(tuple(
        Ragging(_ragged_dims(leaf), splits) if _becomes_ragged(leaf) else leaf_plan(leaf) for leaf in st.walk(spec)
    ))  # fmt: skip


def ragged_spec(spec: Any, size: int | None, splits: DType, otherwise: Any) -> Any:
    """The spec of a batch of `spec` in which unknown dimensions become ragged."""
    if not _becomes_ragged(spec):
        return otherwise(spec, size)
    from graphrt.ops.ragged.tensor import RaggedTensorSpec  # lazy: few programs have ragged tensors

    rank = _ragged_dims(spec)
    return RaggedTensorSpec((size, *spec.dims), spec.dtype, rank + 1, splits)


@transformation
def ragged_batch(
    self: Dataset, batch_size: TensorLike, drop_remainder: bool = False, row_splits_dtype: DTypeLike = int64,
    name: str | None = None
) -> Dataset:  # fmt: skip
    """Batches in which dimensions whose size is not known are ragged.

    >>> import graphrt as tf
    >>> dataset = tf.data.Dataset.range(4).map(lambda n: tf.range(n))
    >>> [batch.to_list() for batch in dataset.ragged_batch(2)]
    [[[], [0]], [[0, 1], [0, 1, 2]]]

    Raises:
      ValueError: the rank of the elements is not known.
      TypeError: an element is of a type that says itself how it is batched.
    """
    if has_encoders(self.element_spec):
        raise TypeError(errors.at_user_line("ragged_batch: extension types with an encoder are batched by `batch`"))
    splits = as_dtype(row_splits_dtype)
    size, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
    known = number_of(size) if number_of(drop) else None
    spec = st.map_leaves(lambda s: ragged_spec(s, known, splits, batched_spec), self.element_spec)
    plan = ragging_plan(self.element_spec, splits)
    handle = BatchParts(handle_of(self), size, drop, plan=plan, name=name, **st.output_attrs(spec))
    return transformed(self, handle, spec, "_BatchDataset")
