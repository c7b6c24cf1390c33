"""Batches and windows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.data import composites, padding
from graphrt.data import declarations as d
from graphrt.data import structure as st
from graphrt.data.base import (
    DatasetBase,
    DatasetSpec,
    as_flag,
    as_long,
    number_of,
    order_attr,
)
from graphrt.data.making import row_spec
from graphrt.tensor.convert import convert_to_tensor
from graphrt.types.dtype import as_dtype, int64
from graphrt.types.shape import dims_of
from graphrt.types.spec import CompositeSpec, TensorSpec

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset


class Batches(DatasetBase):
    """The methods that put elements together, and take them apart."""

    __slots__ = ()

    def batch(
        self, batch_size: Any, drop_remainder: Any = False, num_parallel_calls: Any = None,
        deterministic: bool | None = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """`batch_size` elements each, stacked along a new first dimension; the last batch may be smaller.

        >>> import graphrt as tf
        >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]

        Raises:
          InvalidArgumentError: the size is not positive; while iterating, the elements differ in shape.
        """
        size, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
        known = number_of(size) if number_of(drop) else None
        spec = st.map_leaves(lambda s: batched_spec(s, known), self._element_spec)
        described = st.output_attrs(spec)
        plan = composites.plan_of(self._element_spec)
        if plan is not None:
            handle = composites.BatchParts(self._variant_tensor, size, drop, plan=plan, name=name, **described)
            return self._made(handle, spec, "_BatchDataset")
        if num_parallel_calls is None:
            handle = d.BatchDatasetV2(self._variant_tensor, size, drop, parallel_copy=True, name=name, **described)
            return self._made(handle, spec, "_BatchDataset")
        calls = as_long(num_parallel_calls, "num_parallel_calls")
        handle = d.ParallelBatchDataset(
            self._variant_tensor, size, calls, drop, parallel_copy=True, deterministic=order_attr(deterministic), name=name,
            **described,
        )  # fmt: skip
        return self._made(handle, spec, "_ParallelBatchDataset")

    def padded_batch(
        self, batch_size: Any, padded_shapes: Any = None, padding_values: Any = None, drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:  # fmt: skip
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
        for leaf in st.walk(self._element_spec):
            if isinstance(leaf, CompositeSpec):
                raise TypeError(
                    errors.at_user_line(
                        "`padded_batch` is only supported for datasets that produce tensor elements but type spec of "
                        f"elements in the input dataset is not a subclass of TensorSpec: `{leaf!r}`."
                    )
                )
        shapes = padding.padded_shapes(padded_shapes, self._element_spec)
        values = padding.padding_values(padding_values, self._element_spec)
        size, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
        known = number_of(size) if number_of(drop) else None
        specs = iter([TensorSpec((known, *dims), s.dtype) for (_, dims), s in zip(shapes, st.walk(self._element_spec))])
        spec = st.map_leaves(lambda _: next(specs), self._element_spec)
        handle = d.PaddedBatchDatasetV2(
            self._variant_tensor, size, [s for s, _ in shapes], values, drop, parallel_copy=False, name=name,
            output_shapes=[s.dims for s in st.component_specs(spec)],
        )  # fmt: skip
        return self._made(handle, spec, "_PaddedBatchDataset")

    def ragged_batch(
        self, batch_size: Any, drop_remainder: Any = False, row_splits_dtype: Any = int64, name: str | None = None
    ) -> Dataset:
        """Batches in which dimensions whose size is not known are ragged.

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(4).map(lambda n: tf.range(n))
        >>> [batch.to_list() for batch in dataset.ragged_batch(2)]
        [[[], [0]], [[0, 1], [0, 1, 2]]]

        Raises:
          ValueError: the rank of the elements is not known.
        """
        splits = as_dtype(row_splits_dtype)
        size, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
        known = number_of(size) if number_of(drop) else None
        spec = st.map_leaves(lambda s: composites.ragged_spec(s, known, splits, batched_spec), self._element_spec)
        plan = composites.ragging_plan(self._element_spec, splits)
        handle = composites.BatchParts(self._variant_tensor, size, drop, plan=plan, name=name, **st.output_attrs(spec))
        return self._made(handle, spec, "_BatchDataset")

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """Batches of tensors of different sizes as sparse tensors of shape [batch, *row_shape] (None: the largest).

        >>> import graphrt as tf
        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda n: tf.range(n))
        >>> [tf.sparse.to_dense(x).numpy().tolist() for x in dataset.sparse_batch(2, [3])]
        [[[0, 0, 0], [0, 1, 0]]]

        Raises:
          TypeError: elements are not single tensors.
          DataLossError: while iterating, an element is larger than the row shape.
        """
        inner = self._element_spec
        if not isinstance(inner, TensorSpec):
            raise TypeError(
                errors.at_user_line(
                    "`dense_to_sparse_batch` requires an input dataset whose elements have a single component, but the "
                    f"given dataset has the following component types: {st.map_leaves(lambda s: s.dtype, inner)}."
                )
            )
        from graphrt.ops.sparse.tensor import SparseTensorSpec  # few programs have sparse tensors

        dims = dims_of(row_shape) or ()
        spec = SparseTensorSpec((None, *dims), inner.dtype)
        shape = convert_to_tensor([-1 if n is None else n for n in dims], dtype=int64)
        handle = composites.DenseToSparseBatchDataset(
            self._variant_tensor, as_long(batch_size, "batch_size"), shape, name=name, **st.output_attrs(spec)
        )
        return self._made(handle, spec, "_DenseToSparseBatchDataset")

    def unbatch(self, name: str | None = None) -> Dataset:
        """The slices of each element along its first dimension.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
        [np.int32(1), np.int32(2)]

        Raises:
          ValueError: an element is a scalar.
        """
        known = {s.dims[0] for s in st.component_specs(self._element_spec) if s.dims}
        spec = st.map_leaves(row_spec, self._element_spec)
        rows = known.pop() if len(known) == 1 else None
        plan = composites.plan_of(self._element_spec)
        if plan is not None:
            handle = composites.UnbatchParts(self._variant_tensor, plan=plan, name=name, **st.output_attrs(spec))
            return self._made(handle, spec, "_UnbatchDataset")
        handle = d.UnbatchDataset(
            self._variant_tensor, _rows=-1 if rows is None else rows, name=name, **st.output_attrs(spec)
        )
        return self._made(handle, spec, "_UnbatchDataset")

    def rebatch(self, batch_size: Any, drop_remainder: Any = False, name: str | None = None) -> Dataset:
        """Batches cut anew into `batch_size` elements, or into sizes that go round.

        >>> import graphrt as tf
        >>> [x.tolist() for x in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
        [[0, 1, 2], [3, 4]]
        """
        if composites.plan_of(self._element_spec) is not None:
            return self.unbatch().batch(batch_size, drop_remainder, name=name)
        sizes, drop = as_long(batch_size, "batch_size"), as_flag(drop_remainder, "drop_remainder")
        known = number_of(sizes) if sizes.dims == () and number_of(drop) else None
        spec = st.map_leaves(lambda s: batched_spec(row_spec(s), known), self._element_spec)
        handle = d.RebatchDatasetV2(self._variant_tensor, sizes, drop, name=name, **st.output_attrs(spec))
        return self._made(handle, spec, "_RebatchDataset")

    def window(
        self, size: Any, shift: Any = None, stride: Any = 1, drop_remainder: Any = False, name: str | None = None
    ) -> Dataset:
        """Windows of `size` elements as datasets, which begin `shift` (`size`) apart and take every `stride`-th one.

        >>> import graphrt as tf
        >>> windows = tf.data.Dataset.range(5).window(3, shift=2)
        >>> [[x.item() for x in w.as_numpy_iterator()] for w in windows]
        [[0, 1, 2], [2, 3, 4], [4]]

        Raises:
          InvalidArgumentError: a number is not positive.
        """
        numbers = [as_long(size, "size"), as_long(size if shift is None else shift, "shift"), as_long(stride, "stride")]
        spec = st.map_leaves(DatasetSpec, self._element_spec)
        handle = d.WindowDataset(
            self._variant_tensor,
            *numbers,
            as_flag(drop_remainder, "drop_remainder"),
            name=name,
            **st.output_attrs(spec),
        )
        return self._made(handle, spec, "_WindowDataset")


def batched_spec(spec: Any, size: int | None) -> Any:
    """The spec of a batch of `size` components of `spec`."""
    if isinstance(spec, st.NoneTensorSpec):
        return spec
    if isinstance(spec, CompositeSpec):
        return composites.spec_of_batch(spec, size) or spec._batched(size)
    if not isinstance(spec, TensorSpec):
        raise TypeError(errors.at_user_line(f"a {spec.value_type.__name__} cannot be batched: use flat_map"))
    return TensorSpec(None if spec.dims is None else (size, *spec.dims), spec.dtype)
