"""What a SavedModel is made of when it has been loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.function.concrete import ConcreteFunction
from graphrt.resources.table_ops import Table
from graphrt.resources.tables import LookupTable
from graphrt.tensor.convert import convert_to_tensor
from graphrt.tensor.tensor import EagerTensor, behind
from graphrt.types.dtype import string

__all__ = ["LoadedObject", "LoadedSignatures", "RestoredTable"]


class LoadedObject:
    """An object of a SavedModel: its parts and functions are attributes."""

    def _saved_children(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "signatures"}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the function `__call__` that was saved; TypeError when there was none."""
        function = vars(self).get("__call__")
        if function is None:
            raise TypeError(errors.at_user_line("what was saved cannot be called: it had no tf.function __call__"))
        return function(*args, **kwargs)


class LoadedSignatures(Mapping[str, ConcreteFunction]):
    """The signatures of a SavedModel, by name. One that needs an op which does not exist here says so when asked for."""

    def __init__(self, held: Mapping[str, ConcreteFunction | errors.OpError] | None = None) -> None:
        self._held = dict(held or {})

    def __getitem__(self, name: str) -> ConcreteFunction:
        found = self._held[name]
        if isinstance(found, errors.OpError):
            raise errors.again(found)
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._held

    def __iter__(self) -> Iterator[str]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def fill(self, held: Mapping[str, ConcreteFunction | errors.OpError]) -> None:
        """Says what there is."""
        self._held.update(held)

    def __repr__(self) -> str:
        return f"<signatures {', '.join(self._held)}>"


class RestoredTable(LookupTable):
    """A table of a SavedModel: what a function of it made."""

    def made(self, handle: EagerTensor) -> None:
        """Says what stands behind it."""
        table: Table = behind(handle)
        missing = (
            np.zeros(table.value_dims, table.value_dtype.as_numpy_dtype) if table.value_dtype is not string else b""
        )
        self.hold(table, convert_to_tensor(missing, table.value_dtype), table.name or None)
        self._own_handle = handle
