"""Which objects belong to an object, by what names, and what each of them holds that a file can hold.

A module has its attributes, a list its elements, a dictionary its values: those that are variables, tables, generators,
functions, modules, or containers of such. Classes of other rooms say it themselves, in a method `_saved_children`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphrt import errors
from graphrt.function.concrete import ConcreteFunction
from graphrt.function.function import Function
from graphrt.resources.dense_tables import buckets_of, rows_in
from graphrt.resources.table_ops import LookupTableImportV2
from graphrt.resources.tables import LookupTable
from graphrt.saving.assets import Asset
from graphrt.saving.restored_function import RestoredFunction
from graphrt.state.generator import Generator
from graphrt.state.module import Module
from graphrt.state.variable import Variable
from graphrt.tensor.context import init_scope
from graphrt.tensor.tensor import EagerTensor

__all__ = ["Part", "children", "is_trackable", "key_of", "parts_of", "walk"]

Array = NDArray[Any]


@runtime_checkable
class Owner(Protocol):
    """What says itself which objects belong to it."""

    def _saved_children(self) -> Mapping[str, object]: ...


@runtime_checkable
class Stateful(Protocol):
    """What has a state that is one array: the name of the attribute, and the array."""

    def _saved_state(self) -> tuple[str, Array]: ...
    def _check_state(self, state: Array) -> None: ...
    def _restore_state(self, state: Array) -> None: ...


_DEEPEST = 1000  # paths take the square of it
_LEAVES = (Variable, Function, RestoredFunction, ConcreteFunction, LookupTable, Asset)


def is_trackable(value: object) -> bool:
    """Whether a checkpoint has a place for `value`."""
    return isinstance(value, (*_LEAVES, Module, Generator, list, tuple, dict, Owner))


def children(thing: object) -> dict[str, object]:
    """The objects that belong to `thing`, by name, in order."""
    found: Mapping[Any, object]
    if isinstance(thing, _LEAVES):
        return {}
    if isinstance(thing, Owner):
        found = thing._saved_children()
    elif isinstance(thing, Generator):
        found = {"_state_var": thing.state}
    elif isinstance(thing, Module):
        found = thing.__own_attributes__()
    elif isinstance(thing, dict):
        found = thing
    elif isinstance(thing, (list, tuple)):
        found = {str(i): v for i, v in enumerate(thing)}
    else:
        return {}
    return {k: v for k, v in found.items() if isinstance(k, str) and is_trackable(v)}


def walk(root: object) -> Iterator[tuple[tuple[str, ...], object, dict[str, object]]]:
    """`root` and all that belongs to it, each object once, nearest first: its path, itself, its children.

    Raises:
      ValueError: it is nested too deep.
    """
    seen = {id(root)}
    waiting: list[tuple[tuple[str, ...], object]] = [((), root)]
    for path, thing in waiting:
        inner = children(thing)
        yield path, thing, inner
        if len(path) > _DEEPEST:
            kind = type(root).__name__
            text = f"what belongs to a {kind} is nested more than {_DEEPEST} levels deep: its keys would be too long"
            raise ValueError(errors.at_user_line(text))
        for name, child in inner.items():
            if id(child) not in seen:
                seen.add(id(child))
                waiting.append(((*path, name), child))


def key_of(path: tuple[str, ...], attribute: str) -> str:
    """The key of an attribute in a checkpoint.

    >>> key_of(("layer", "w/0"), "VARIABLE_VALUE")
    'layer/w.S0/.ATTRIBUTES/VARIABLE_VALUE'
    """
    names = "/".join(name.replace(".", "..").replace("/", ".S") for name in path)
    return f"{names}/.ATTRIBUTES/{attribute}"


class Part:
    """One thing that a file can hold of an object.

    Attributes:
      name: of the attribute, in the object graph.
      suffixes: what follows the key, for each tensor.
      full_name: the name that the object has by itself.
      read: gives the tensors.
      check: raises when tensors from a file do not fit.
      write: puts them in place.
    """

    def __init__(
        self, name: str, suffixes: tuple[str, ...], full_name: str, read: Callable[[], list[Array]],
        check: Callable[[list[Array], str], None], write: Callable[[list[Array]], None],
    ) -> None:  # fmt: skip
        self.name = name
        self.suffixes = suffixes
        self.full_name = full_name
        self.read = read
        self.check = check
        self.write = write


def parts_of(thing: object) -> list[Part]:
    """What a file can hold of `thing` itself."""
    if isinstance(thing, Variable):
        return [_variable_part(thing)]
    if isinstance(thing, LookupTable) and not thing.table.fixed:
        return [_table_part(thing)]
    if isinstance(thing, Stateful):
        return [_state_part(thing)]
    return []


def _state_part(thing: Stateful) -> Part:
    name, _ = thing._saved_state()
    return Part(
        name, ("_STATE",), "", lambda: [thing._saved_state()[1]], lambda arrays, key: thing._check_state(arrays[0]),
        lambda arrays: thing._restore_state(arrays[0]),
    )  # fmt: skip


def _variable_part(variable: Variable) -> Part:
    def check(arrays: list[Array], key: str) -> None:
        (array,) = arrays
        own = variable.dims
        if own is not None and (
            len(own) != array.ndim or any(d is not None and d != n for d, n in zip(own, array.shape))
        ):
            raise ValueError(
                errors.at_user_line(
                    f"Received incompatible tensor with shape {array.shape} when attempting to restore variable with "
                    f"shape {variable.shape} and name {variable.name}."
                )
            )
        wanted = variable.dtype.as_numpy_dtype
        if np.dtype(wanted) != array.dtype:
            raise errors.InvalidArgumentError(
                None, None,
                f"tensor_name = {key}; expected dtype {variable.dtype.name} does not equal original dtype {array.dtype}",
            )  # fmt: skip

    def write(arrays: list[Array]) -> None:
        (array,) = arrays
        value = array if array.ndim or array.dtype == object else array[()]
        with init_scope():
            variable.assign(EagerTensor(value, variable.dtype))  # nobody else has it: no copy

    def read() -> list[Array]:
        return [np.asarray(variable.storage.value)]

    return Part("VARIABLE_VALUE", ("",), variable.storage.name, read, check, write)


def _table_part(table: LookupTable) -> Part:
    held = table.table

    def check(arrays: list[Array], key: str) -> None:
        keys, values = arrays
        for what, array, dtype in (("keys", keys, held.key_dtype), ("values", values, held.value_dtype)):
            if np.dtype(dtype.as_numpy_dtype) != array.dtype:
                raise errors.InvalidArgumentError(
                    None, None, f"{key}-{what}: expected dtype {dtype.name}, found {array.dtype}"
                )
        held.rows_of(*rows(arrays))

    def rows(arrays: list[Array]) -> tuple[Array, Array]:
        keys, values = arrays
        if not held.forbidden or np.ndim(keys) != 2 or len(keys) != len(values):
            return keys, values
        if keys.shape[1] != math.prod(held.key_dims) or values[:1].size != math.prod(held.value_dims):
            return keys, values
        return rows_in(held, keys, values)

    def write(arrays: list[Array]) -> None:
        with init_scope():
            LookupTableImportV2(table.resource_handle, *rows(arrays))

    def read() -> list[Array]:
        return list(buckets_of(held) if held.forbidden else held.export())

    return Part("table", ("-keys", "-values"), "", read, check, write)
