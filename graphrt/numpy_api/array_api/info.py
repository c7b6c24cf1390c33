"""What the namespace says of itself."""

from __future__ import annotations

from typing import Any

from graphrt.numpy_api.array_api.data_types import DEFAULT, KINDS, bool, check_device
from graphrt.types.dtype import DType


class __array_namespace_info__:
    """Devices, dtypes and capabilities of the namespace.

    >>> import graphrt as tf
    >>> tf.array_api.__array_namespace_info__().default_dtypes()["integral"]
    tf.int32
    """

    def capabilities(self) -> dict[str, Any]:
        """What the functions can do: masks as indices, results whose shape depends on values, up to 64 dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Where tensors live."""
        return "cpu"

    def devices(self) -> list[str]:
        """All devices: one."""
        return ["cpu"]

    def default_dtypes(self, *, device: str | None = None) -> dict[str, DType]:
        """The dtypes of tensors for which none is asked."""
        check_device(device)
        return dict(DEFAULT)

    def dtypes(self, *, device: str | None = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The dtypes of the given kind or kinds.

        Raises:
          ValueError: no such kind.
        """
        check_device(device)
        if kind is None:
            return {"bool": bool, **KINDS["numeric"]}
        if isinstance(kind, tuple):
            return {name: dtype for k in kind for name, dtype in self.dtypes(kind=k).items()}
        if kind not in KINDS:
            raise ValueError(f"unsupported kind: {kind!r}; the kinds are {', '.join(KINDS)}")
        return dict(KINDS[kind])
