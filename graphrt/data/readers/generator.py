"""`Dataset.from_generator`: a Python generator, called anew for each iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.data import structure as st
from graphrt.data.dataset import Dataset
from graphrt.data.declaration import READING, dataset_op
from graphrt.data.methods import source
from graphrt.data.pipeline import Element, Run, Source
from graphrt.ir.op import INTERNAL
from graphrt.ops.python.functions import failure_of
from graphrt.tensor.context import building
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, raw_of
from graphrt.tensor.values import to_numpy
from graphrt.types import structure
from graphrt.types.dtype import as_dtype
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape, compatible
from graphrt.types.spec import CompositeSpec, TensorSpec, TypeSpec


class Generator(Source):
    """What a function yields, converted to elements of a spec."""

    __slots__ = ("args", "function", "spec")

    def __init__(self, function: Callable[..., Any], spec: TensorSpec, args: list[Any]) -> None:
        self.function = function
        self.spec = spec
        self.args = args

    def open(self, run: Run) -> Iterator[Element]:
        return _Generated(self)


class _Generated:
    __slots__ = ("_convert", "_iterator", "_source")

    def __init__(self, source: Generator) -> None:
        self._source = source
        self._iterator: Any = None
        self._convert = converter(source.spec)

    def __iter__(self) -> _Generated:
        return self

    def __next__(self) -> Element:
        try:
            with building(None):
                if self._iterator is None:
                    source = self._source
                    self._iterator = iter(source.function(*[st.as_numpy(a) for a in source.args]))
                value = next(self._iterator)
        except StopIteration:
            raise
        except Exception as error:
            failure = failure_of(error)
            try:
                raise failure from (None if failure is error else error)
            finally:
                del failure  # else the error would hold this frame, the frame the error, and both the threads behind
        return self._convert(value)


def converter(spec: TensorSpec) -> Callable[[Any], Element]:
    """A function from what a generator yields to the raw components of an element of `spec`."""
    if isinstance(spec, TensorSpec):
        return lambda value: (component(value, spec),)
    leaves = list(st.walk(spec))

    def convert(value: Any) -> Element:
        parts = _matched(value, spec)
        found: list[Any] = []
        for part, leaf in zip(parts, leaves):
            if isinstance(leaf, TensorSpec):
                found.append(component(part, leaf))
            else:
                found += [raw_of(t) for t in _components(part, leaf)]
        return tuple(found)

    return convert


def _components(value: Any, spec: Any) -> list[Any]:
    """The tensors of a leaf that is no plain tensor."""
    if not isinstance(spec, CompositeSpec):
        return list(spec.to_components(value))
    if not spec.is_compatible_with(value):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"TypeError: `generator` yielded an element that is not compatible with {shown(spec)}: {shown(value)}",
        )
    return st.to_element(value)[1]


def _matched(value: Any, spec: Any) -> list[Any]:
    """The leaves of `value` where it has the structure of `spec`; lists may stand for tuples."""
    found: list[Any] = []

    def visit(part: Any, like: Any) -> None:
        if not st.is_structure(like):
            found.append(part)
            return
        if isinstance(part, list) and isinstance(like, tuple):
            part = tuple(part)
        parts, wanted = (st.structure.children(v) if st.is_structure(v) else [] for v in (part, like))
        if len(parts) != len(wanted) or (isinstance(like, dict) and [k for k, _ in parts] != [k for k, _ in wanted]):
            raise errors.InvalidArgumentError(
                None, None,
                "TypeError: `generator` yielded an element that did not match the expected structure. The expected "
                f"structure was {st.map_leaves(lambda s: s.dtype if isinstance(s, TensorSpec) else s, spec)}, but the "
                f"yielded element was {value}.",
            )  # fmt: skip
        for (_, p), (_, w) in zip(parts, wanted):
            visit(p, w)

    visit(value, spec)
    return found


def component(value: Any, spec: TensorSpec) -> Any:
    """One component, converted and checked."""
    dtype = spec.dtype
    try:
        if isinstance(value, EagerTensor):
            if value.dtype is not dtype:
                raise TypeError
            raw = raw_of(value)
        elif isinstance(value, (np.ndarray, np.generic)) and dtype.kind != "S":
            if value.dtype.kind in "SUO" or (value.dtype.kind == "c" and dtype.kind != "c"):
                raise TypeError
            raw = np.array(value, dtype.as_numpy_dtype)
            raw = raw if raw.ndim else raw[()]
        else:
            raw = to_numpy(value, dtype)
    except (TypeError, ValueError):
        raise errors.InvalidArgumentError(
            None, None,
            "TypeError: `generator` yielded an element that could not be converted to the expected type. The expected "
            f"type was {dtype.name}, but the yielded element was {value}.",
        ) from None  # fmt: skip
    if not compatible(np.shape(raw), spec.dims):
        raise errors.InvalidArgumentError(
            None, None,
            f"TypeError: `generator` yielded an element of shape {TensorShape(np.shape(raw))} where an element of "
            f"shape {spec.shape} was expected.",
        )  # fmt: skip
    return raw


GeneratorDataset = dataset_op(
    "_GeneratorDataset", "next_func_other_args: Tnext_func_args...",
    lambda args, *, _generator: Generator(_generator[0], _generator[1], args),
    "Tnext_func_args: list(type); _generator: python", (INTERNAL, *READING),
)  # fmt: skip


@source
def from_generator(
    generator: Callable[..., Any], output_types: Any = None, output_shapes: Any = None, args: Any = None,
    output_signature: object = None, name: str | None = None,
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
    handle = GeneratorDataset(extra, _generator=(generator, spec), name=name, **st.output_attrs(spec))
    return Dataset(handle, spec, "_FlatMapDataset")  # as TensorFlow shows it


def _signature(output_types: Any, output_shapes: Any, output_signature: object) -> Any:
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
                f"`output_types` and `output_shapes` do not have the same structure: {shown(types)}, {shown(shapes)}"
            )
        )
    return structure.rebuild(types, [_paired(t, s) for (_, t), (_, s) in zip(parts, others)])
