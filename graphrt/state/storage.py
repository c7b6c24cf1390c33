"""Where the value of a variable lives: the object behind a handle of dtype resource.

Arrays in a storage are never changed in place: every update binds a new array. So a read is the attribute itself, and
an update that fails leaves what was there. Updates from several threads do not lose each other.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import TYPED, OpDef
from graphrt.tensor.changes import Undoable
from graphrt.types.dtype import DType
from graphrt.types.likes import Array
from graphrt.types.shape import Dims, TensorShape

_NONE = object()


class Storage(Undoable):
    """The value, static type and name of one variable. Reading `value` before it is set raises."""

    __slots__ = ("__weakref__", "dims", "dtype", "lock", "name", "trainable", "value")

    value: Any

    def __init__(self, dtype: DType, dims: Dims, name: str, trainable: bool) -> None:
        self.dtype = dtype
        self.dims = dims
        self.name = name
        self.trainable = trainable
        self.lock = threading.Lock()  # held by updates, which read and write; reads and assignments need none

    def __getattr__(self, attribute: str) -> Any:
        if attribute == "value":
            raise errors.FailedPreconditionError(
                None, None, f"Could not find variable {self.name}: it has not been initialized, or has been deleted."
            )
        raise AttributeError(attribute)

    @property
    def initialized(self) -> bool:
        """Whether `value` is set."""
        try:
            object.__getattribute__(self, "value")
        except AttributeError:
            return False
        return True

    def type_refusal(self, op: OpDef, attrs: Mapping[str, object]) -> str | None:
        """Why an op that reads or writes elements of another dtype is refused."""
        asked = attrs.get("dtype", attrs.get("T", self.dtype))
        if asked is self.dtype or TYPED not in op.traits:
            return None
        found = getattr(asked, "name", asked)
        return f"the variable '{self.name}' is of dtype {self.dtype.name}, the op reads or writes {found}"

    def saved(self) -> Any:
        """What `restore` takes: the value, or that there is none."""
        return self.value if self.initialized else _NONE

    def restore(self, state: Any) -> None:
        """Sets what `saved` gave."""
        if state is not _NONE:
            self.value = state
        elif self.initialized:
            del self.value

    def assign(self, value: Array) -> None:
        """Binds `value`; ShapeError when its shape is not the variable's."""
        check_assigned(self, np.shape(value))
        self.value = value

    def update(self, value: Any, combine: np.ufunc) -> None:
        """Binds `combine(old, value)`; ShapeError when the shapes differ."""
        with self.lock:
            old = self.value
            if np.shape(old) != np.shape(value):
                raise errors.ShapeError(update_mismatch(self, np.shape(old), np.shape(value)))
            self.value = combine(old, value)

    def __repr__(self) -> str:
        return f"<storage of variable {self.name!r}>"


def check_assigned(storage: Storage, dims: Dims) -> None:
    """Raises ShapeError when a value of shape `dims` cannot be assigned to `storage`."""
    own = storage.dims
    if own is None or dims is None or own == dims:
        return
    if len(own) != len(dims) or any(m is not None and n is not None and m != n for m, n in zip(own, dims)):
        raise errors.ShapeError(
            f"Cannot assign value to variable '{storage.name}:0': Shape mismatch. The variable shape "
            f"{TensorShape(own)}, and the assigned value shape {TensorShape(dims)} are incompatible."
        )


def update_mismatch(storage: Storage, own: Any, other: Any) -> str:
    """The message for an update of another shape."""
    return (
        f"Cannot update variable '{storage.name}:0' with shape {_plain(own)} using a Tensor with shape "
        f"{_plain(other)}, shapes must be equal."
    )


def _plain(dims: Any) -> str:
    return "[" + ",".join("?" if d is None else str(d) for d in dims) + "]"
