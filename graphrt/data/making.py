"""Datasets of arrays, numbers, generators and the names of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from graphrt import errors
from graphrt.data import composites
from graphrt.data import declarations as d
from graphrt.data import structure as st
from graphrt.data.base import (
    DatasetBase,
    as_flag,
    as_long,
    new_dataset,
    number_of,
)
from graphrt.data.files import matching, names_of
from graphrt.ir.op import ops
from graphrt.ops.random.sampling_ops import get_seed
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, Tensor
from graphrt.types import structure
from graphrt.types.dtype import as_dtype, int64, string
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec

if TYPE_CHECKING:
    from graphrt.data.dataset import Dataset


class Making(DatasetBase):
    """The static methods that make datasets."""

    __slots__ = ()

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """The numbers of `range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as `output_type` (int64).

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.range(1, 6, 2).as_numpy_iterator())
        [np.int64(1), np.int64(3), np.int64(5)]

        Raises:
          ValueError: there are not one to three numbers.
          InvalidArgumentError: the step is 0.
        """
        name = kwargs.pop("name", None)
        dtype = as_dtype(kwargs.pop("output_type", int64))
        if kwargs:
            raise TypeError(errors.at_user_line(f"range() got unexpected keyword arguments {', '.join(kwargs)}"))
        if not 1 <= len(args) <= 3:
            raise ValueError(
                errors.at_user_line(
                    f"Invalid `args`. The length of `args` should be between 1 and 3 but was {len(args)}."
                )
            )
        start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
        spec = TensorSpec([], dtype)
        handle = d.RangeDataset(
            as_long(start, "start"), as_long(stop, "stop"), as_long(step, "step"), name=name, **st.output_attrs(spec)
        )
        return new_dataset(handle, spec, "_RangeDataset")

    @staticmethod
    def counter(start: Any = 0, step: Any = 1, dtype: Any = int64, name: str | None = None) -> Dataset:
        """`start, start + step, ...` without end.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.counter(5, 10).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(15), np.int64(25)]
        """
        step = np.asarray(step).item() if not isinstance(step, Tensor) else number_of(step)
        last = 2**63 - 1 if step is None or step >= 0 else -(2**63)
        numbers = Making.range(start, last, step, name=name)
        wanted = as_dtype(dtype)
        if wanted is int64:
            return numbers
        return numbers.map(lambda x: ops.cast(x, wanted))

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of one element.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        spec, found = element_of(tensors)
        handle = d.TensorDataset(found, output_shapes=[t.dims for t in found], name=name)
        return new_dataset(handle, spec, "_TensorDataset")

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """The slices of tensors along their first dimension, side by side.

        >>> import graphrt as tf
        >>> list(tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"])).as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]

        Raises:
          ValueError: a tensor is a scalar, or the first dimensions differ.
        """
        spec, found = element_of(tensors)
        if not found:
            raise ValueError(errors.at_user_line("Invalid `element`. `element` should not be empty."))
        plan = composites.plan_of(spec)
        if plan is not None:
            spec = st.map_leaves(row_spec, spec)
            shapes = [s.dims for s in st.component_specs(spec)]
            handle = composites.SliceParts(found, plan=plan, output_shapes=shapes, name=name)
            return new_dataset(handle, spec, "_TensorSliceDataset")
        size: int | None = None
        for tensor in found:
            if tensor.dims == ():
                raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
            rows = None if tensor.dims is None else tensor.dims[0]
            if rows is not None and size is not None and rows != size:
                raise ValueError(errors.at_user_line(f"Dimensions {size} and {rows} are not compatible"))
            size = size if rows is None else rows
        spec = st.map_leaves(row_spec, spec)
        handle = d.TensorSliceDataset(found, output_shapes=[s.dims for s in st.component_specs(spec)], name=name)
        return new_dataset(handle, spec, "_TensorSliceDataset")

    @staticmethod
    def from_generator(
        generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None, args: Any = None,
        output_signature: Any = None, name: str | None = None,
    ) -> Dataset:  # fmt: skip
        """What `generator(*args)` yields, an iterable that is made anew for each iteration.

        `output_signature` is a structure of specs; `output_types` and `output_shapes` are an older way to say it.

        >>> import graphrt as tf
        >>> def count():
        ...     yield from (1, 2, 3)
        >>> dataset = tf.data.Dataset.from_generator(count, output_signature=tf.TensorSpec([], tf.int32))
        >>> list(dataset.as_numpy_iterator())
        [np.int32(1), np.int32(2), np.int32(3)]

        Raises:
          TypeError: the generator is not callable, or what it gives is not described.
          InvalidArgumentError: while iterating, it yields what does not fit the signature.
        """
        if not callable(generator):
            raise TypeError(errors.at_user_line("`generator` must be a Python callable."))
        spec = _signature(output_types, output_shapes, output_signature)
        extra = [convert_to_tensor(a, name=f"args_{i}") for i, a in enumerate(args or ())]
        handle = d.GeneratorDataset(extra, _generator=(generator, spec), name=name, **st.output_attrs(spec))
        return new_dataset(handle, spec, "_FlatMapDataset")  # as TensorFlow shows it

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """The names of the files that match a pattern (or several), shuffled unless `shuffle` is False.

        >>> import graphrt as tf
        >>> tf.data.Dataset.list_files("/", shuffle=False).element_spec
        TensorSpec(shape=(), dtype=tf.string, name=None)

        Raises:
          InvalidArgumentError: no file matches.
        """
        patterns = convert_to_tensor(file_pattern, dtype=string, name="file_pattern")
        size = 10000  # of the buffer to shuffle in, where the number of files is known when the function runs
        if isinstance(patterns, EagerTensor):
            wanted = names_of(patterns._value)
            names = matching(wanted)
            if not names:
                raise errors.InvalidArgumentError(
                    None, None, errors.at_user_line(f"No files matched pattern: {', '.join(wanted)}")
                )
            size = len(names)
            found = Making.from_tensor_slices(names, name=name)
        else:
            found = new_dataset(
                d.MatchingFilesDataset(patterns, name=name), TensorSpec([], string), "_MatchingFilesDataset"
            )
        return found.shuffle(size, seed) if shuffle is None or shuffle else found

    @staticmethod
    def random(seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Dataset:
        """Random numbers from 0 to 2**32 - 1, as int64 scalars, without end.

        >>> import graphrt as tf
        >>> a, b = (list(tf.data.Dataset.random(seed=4).take(3).as_numpy_iterator()) for _ in range(2))
        >>> a == b
        True
        """
        again = bool(rerandomize_each_iteration)
        seeds, generator = seeds_of(seed, again)
        spec = TensorSpec([], int64)
        handle = d.RandomDatasetV2(
            *seeds, generator, rerandomize_each_iteration=again, name=name, **st.output_attrs(spec)
        )
        return new_dataset(handle, spec, "_RandomDataset")


def element_of(value: Any) -> tuple[Any, list[Any]]:
    """The spec of `value` as an element, and its components as tensors; errors name the user's line."""
    try:
        return st.to_element(value)
    except (TypeError, ValueError) as error:
        if isinstance(error, errors.ConversionError):
            raise
        raise type(error)(errors.at_user_line(str(error))) from None


def row_spec(spec: Any) -> Any:
    """The spec of one row of a component; TypeError and ValueError when it has none."""
    if isinstance(spec, CompositeSpec):
        return composites.spec_of_row(spec) or spec._row()
    if not isinstance(spec, TensorSpec):
        raise TypeError(errors.at_user_line(f"{spec!r} has no slices"))
    if spec.dims == ():
        raise ValueError(errors.at_user_line("Unbatching a tensor is only supported for rank >= 1"))
    return TensorSpec(None if spec.dims is None else spec.dims[1:], spec.dtype)


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is not None:
        if output_types is not None or output_shapes is not None:
            raise TypeError(
                errors.at_user_line(
                    "The `output_types` and `output_shapes` arguments are not allowed with `output_signature`: use the "
                    "latter alone."
                )
            )
        if isinstance(output_signature, list):
            output_signature = tuple(output_signature)
        for leaf in st.walk(output_signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    errors.at_user_line(
                        f"`output_signature` must contain objects that are subclass of `tf.TypeSpec` but found "
                        f"{type(leaf)} which is not."
                    )
                )
        return output_signature
    if output_types is None:
        raise TypeError(errors.at_user_line("Either `output_signature` or `output_types` must be specified."))
    types = tuple(output_types) if isinstance(output_types, list) else output_types
    if output_shapes is None:
        return st.map_leaves(lambda t: TensorSpec(None, as_dtype(t)), types)
    return _paired(types, output_shapes)


def _paired(types: Any, shapes: Any) -> Any:
    """Specs from a structure of dtypes and one of shapes (where lists and tuples of numbers are shapes)."""
    if not st.is_structure(types):
        return TensorSpec(shapes, as_dtype(types))
    parts, others = structure.children(types), structure.children(shapes)
    if len(parts) != len(others):
        raise ValueError(
            errors.at_user_line(
                f"`output_types` and `output_shapes` do not have the same structure: {types!r}, {shapes!r}"
            )
        )
    return structure.rebuild(types, [_paired(t, s) for (_, t), (_, s) in zip(parts, others)])


def seeds_of(seed: Any, again: bool) -> tuple[list[Any], Any]:
    """The two seeds of a random transformation as tensors, and the generator of the seeds of its iterations."""
    if isinstance(seed, Tensor):
        known = number_of(seed)
        if known is None:
            pair: list[Any] = [as_long(0, "seed"), ops.cast(seed, int64)]
            return pair, d.AnonymousSeedGenerator(*pair, as_flag(again, "reshuffle"))[0]
        seed = known
    first, second = get_seed(None if seed is None else int(seed))
    pair = [as_long(first, "seed"), as_long(second, "seed2")]
    return pair, d.AnonymousSeedGenerator(*pair, as_flag(again, "reshuffle"))[0]
