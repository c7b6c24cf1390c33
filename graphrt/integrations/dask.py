"""Traced functions on Dask: over the blocks of an array, or the partitions of a frame, on the machines of a cluster.

    predict = model.get_concrete_function(tf.TensorSpec([None, 784]))
    map_blocks(predict, images)                 a Dask array of the results

What travels is the graph, with variables as constants: workers need this library, and nothing of the program. A worker
process reads a graph once, whatever the number of blocks. A function whose calls change something is refused: workers
would change copies.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.errors import MissingExtraError
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function
from graphrt.ir.graph import Graph, Value
from graphrt.ir.op import CALLS_PYTHON, DRAWS, READS
from graphrt.saving.freezing import freeze
from graphrt.tensor.convert import constant
from graphrt.types.likes import Array
from graphrt.types.nesting import shown
from graphrt.types.shape import TensorShape
from graphrt.types.spec import TensorSpec

__all__ = ["map_blocks", "map_partitions"]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"{name} is not installed: pip install 'graphrt[dask]'") from error


# --- what travels ----------------------------------------------------------------------------------------------------
@functools.lru_cache(maxsize=32)
def _function_of(digest: str, data: _Bytes) -> ConcreteFunction:
    """The function of these bytes: one for a process."""
    found: ConcreteFunction = pickle.loads(data.held)
    return found


class _Bytes:
    """Bytes that are equal to all others: a cache that has another key need not compare them."""

    __slots__ = ("held",)

    def __init__(self, held: bytes) -> None:
        self.held = held

    def __hash__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Bytes)


class _Carried:
    """A function on its way to workers: its bytes, and their hash."""

    def __init__(self, concrete: ConcreteFunction) -> None:
        self.data = pickle.dumps(concrete)
        self.digest = hashlib.sha256(self.data).hexdigest()

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "graphrt", self.digest

    @property
    def function(self) -> ConcreteFunction:
        """The function, in this process."""
        return _function_of(self.digest, _Bytes(self.data))


class Shipped(_Carried):
    """A function of blocks."""

    def __call__(self, *blocks: Array) -> Array:
        """The result for one block of each array."""
        found = self.function.call_flat([constant(b) for b in blocks])
        return np.asarray(found)


def _frozen(concrete: ConcreteFunction) -> ConcreteFunction:
    graphs: tuple[Graph, ...] = (concrete.graph, *concrete.graph.functions().values())
    for graph in graphs:
        for node in graph.nodes:
            what = None
            if node.op.has(CALLS_PYTHON):
                what = "calls a Python function of this process"
            elif node.op.has(DRAWS) or (node.stateful and not node.op.has(READS) and node.op.structure is None):
                what = "has an effect, or gives something else each time"
            if what is not None:
                place = f" at {errors.shown_place(*node.location)}" if node.location is not None else ""
                raise ValueError(
                    errors.at_user_line(
                        f"{concrete.function_name!r} cannot run on workers: node {node.name!r} ({node.type}){place} "
                        f"{what}. Workers have copies: what they change is lost. Pass state as arguments, and use "
                        "stateless random ops."
                    )
                )
    return freeze(concrete)


def _only_output(concrete: ConcreteFunction) -> Value:
    if len(concrete.graph.outputs) != 1:
        raise ValueError(
            errors.at_user_line(
                f"{concrete.function_name!r} gives {len(concrete.graph.outputs)} tensors; the result of map_blocks is "
                "one array"
            )
        )
    return concrete.graph.outputs[0]


# --- arrays ----------------------------------------------------------------------------------------------------------
def map_blocks(function: ConcreteFunction | Function, *arrays: Any, chunks: object = None, **options: object) -> Any:
    """`function` on each block of Dask arrays: a Dask array. Nothing is computed until it is asked for.

    A `tf.function` is traced for blocks of any length along the first axis. Where the arrays have chunks along the first
    axis only, the shape of the result follows from the types in the graph; otherwise `chunks`, and the other options of
    `dask.array.map_blocks`, say it.

    >>> import graphrt as tf
    >>> from graphrt.integrations.dask import map_blocks
    >>> import dask.array as da  # doctest: +SKIP
    >>> map_blocks(tf.function(lambda x: x * 2), da.ones((4, 3), chunks=(2, 3))).compute().sum()  # doctest: +SKIP
    np.float64(24.0)

    Raises:
      MissingExtraError: Dask is not installed.
      ValueError: calls of the function have effects, or it gives more than one tensor.
    """
    dask_array = _module("dask.array")
    concrete = _frozen(_traced(function, arrays))
    output = _only_output(concrete)
    rank = None if output.dims is None else len(output.dims)
    if chunks is None and not options and arrays and output.dims:
        found = _chunks(output.dims, arrays)
        if found is not None:
            chunks = found
            if rank != arrays[0].ndim:
                options = {"drop_axis": list(range(1, arrays[0].ndim)), "new_axis": list(range(1, len(output.dims)))}
    meta = np.empty((0,) * (rank if rank is not None else arrays[0].ndim), output.dtype.as_numpy_dtype)
    return dask_array.map_blocks(Shipped(concrete), *arrays, chunks=chunks, meta=meta, **options)


def _traced(function: ConcreteFunction | Function, arrays: tuple[Any, ...]) -> ConcreteFunction:
    if isinstance(function, ConcreteFunction):
        return function
    if not isinstance(function, Function):
        raise TypeError(errors.at_user_line(f"expected a tf.function, or a concrete function, got {shown(function)}"))
    if function.input_signature is not None:
        return function.get_concrete_function()
    specs = [
        TensorSpec(TensorShape([None, *(None if np.isnan(n) else n for n in a.shape[1:])] if _first_only(a)
                               else [None] * a.ndim), a.dtype)
        for a in arrays
    ]  # fmt: skip
    return function.get_concrete_function(*specs)


def _first_only(array: Any) -> bool:
    """Whether an array has chunks along the first axis only."""
    return all(len(c) == 1 for c in array.chunks[1:]) and array.ndim > 0


def _chunks(dims: tuple[int | None, ...], arrays: tuple[Any, ...]) -> tuple[object, ...] | None:
    """The chunks of the result, where they follow from its type and those of the first array."""
    first = arrays[0].chunks
    if not all(_first_only(a) for a in arrays) or any(d is None for d in dims[1:]):
        return None
    along = first[0] if dims[0] is None else (dims[0],) * len(first[0])
    return (along, *((d,) for d in dims[1:]))


# --- frames ----------------------------------------------------------------------------------------------------------
class ShippedFrame(_Carried):
    """A function of columns."""

    def __init__(self, concrete: ConcreteFunction, columns: list[str], names: list[str] | None) -> None:
        super().__init__(concrete)
        self.columns = columns
        self.names = names

    def __dask_tokenize__(self) -> tuple[str, str]:
        return f"graphrt {self.columns} {self.names}", self.digest

    def __call__(self, part: Any) -> Any:
        """The result for one partition, a frame of pandas: a frame, or a series, with its index."""
        pandas = _module("pandas")
        function = self.function
        given = [
            constant(_column(part[name]), value.dtype)
            for name, value in zip(self.columns, function.graph.inputs, strict=True)
        ]
        found = function.call_flat(given)
        if self.names is None:
            return pandas.Series(_shown(np.asarray(found)), index=part.index)
        assert isinstance(found, Mapping)
        return pandas.DataFrame({n: _shown(np.asarray(found[n])) for n in self.names}, index=part.index)


def _column(column: object) -> Array:
    values: Array = np.asarray(column)
    if values.dtype == object:
        return np.array([*(v.encode() if isinstance(v, str) else v for v in values.tolist()), None], object)[:-1]
    return values


def _shown(values: Array) -> Array:
    """A column of the result: strings are text."""
    if values.dtype != object:
        return values
    return np.array([*(v.decode() for v in values.tolist()), None], object)[:-1]


def map_partitions(function: ConcreteFunction, frame: Any, **options: object) -> Any:
    """`function` on each partition of a Dask frame: its arguments are columns, by name, each a tensor of one axis.

    A function that gives a dictionary makes a frame with these columns, one that gives a tensor a series; the index is
    that of the partition.

    >>> import graphrt as tf
    >>> from graphrt.integrations.dask import map_partitions
    >>> @tf.function(input_signature=[tf.TensorSpec([None]), tf.TensorSpec([None])])
    ... def area(width, height):
    ...     return {"area": width * height}
    >>> map_partitions(area.get_concrete_function(), frame).compute()  # doctest: +SKIP

    Raises:
      KeyError: the frame has no column of an argument's name.
      MissingExtraError: Dask is not installed.
      ValueError: calls of the function have effects, or it gives something else than tensors of one axis.
    """
    pandas = _module("pandas")
    _module("dask.dataframe")
    if isinstance(function, Function):
        function = function.get_concrete_function()
    concrete = _frozen(function)
    columns = [name for name, _ in concrete.argument_type.names(concrete.signature, concrete.skipped)]
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise KeyError(
            f"{concrete.function_name!r} takes {shown(missing[0])}; the frame has the columns {list(frame.columns)}"
        )
    if any(v.dims is not None and len(v.dims) != 1 for v in concrete.graph.outputs):
        raise ValueError(errors.at_user_line(f"{concrete.function_name!r} gives tensors that are no columns"))
    result = concrete.graph.structured_outputs
    names = list(result) if isinstance(result, Mapping) else None
    if names is None and len(concrete.graph.outputs) != 1:
        raise ValueError(errors.at_user_line(f"{concrete.function_name!r} must give a tensor, or a dictionary of them"))
    empty = [np.empty(0, v.dtype.as_numpy_dtype) for v in concrete.graph.outputs]
    meta = pandas.Series(empty[0]) if names is None else pandas.DataFrame(
        {n: np.empty(0, result[n].dtype.as_numpy_dtype) for n in names}
    )  # fmt: skip
    return frame.map_partitions(ShippedFrame(concrete, columns, names), meta=meta, **options)
