"""NumPy's functions on tensors: `np.sum(x)`, `np.where(c, x, y)`, `np.concatenate([x, y])` become ops.

Eager and symbolic tensors take the same way, so a traced function gives what it gives eagerly, and gradients flow. A
function (or an argument of one) without a counterpart runs in NumPy on concrete tensors; on symbolic ones it is
refused by name. The functions stand in the files beside this one. `np.real` and `np.imag` of an eager tensor that no
tape follows give arrays.
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import provide
from graphrt.numpy_api import (  # noqa: F401  # which enter their rules
    creation,
    elements,
    fourier,
    joining,
    linalg,
    order,
    products,
    reductions,
    selection,
    sets,
    shapes,
    windows,
    without_nan,
)  # fmt: skip
from graphrt.numpy_api.operands import any_symbolic, counterpart
from graphrt.numpy_api.ufuncs import from_arrays, to_arrays
from graphrt.tensor.context import recorders
from graphrt.tensor.tensor import EagerTensor
from graphrt.types.nesting import shown

__all__: list[str] = []


@provide
def array_function(func: Any, types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """What a NumPy function gives when a tensor is among its arguments.

    Raises:
      TypeError: `out=` is given, or a symbolic tensor meets a function or an argument that has no counterpart.
    """
    name = getattr(func, "__name__", str(func))
    if kwargs.get("out") is not None:
        raise TypeError(
            errors.at_user_line(
                f"np.{name}(..., out=...) cannot write the result of tensors into an array: use the value it returns."
            )
        )
    kwargs = {k: v for k, v in kwargs.items() if k != "out" and v is not np._NoValue}
    if func in _PARTS and type(args[0]) is EagerTensor and not recorders():
        return func(np.asarray(args[0]))
    rule, found = counterpart(func, args, kwargs)
    if found is not NotImplemented:
        return found
    if any_symbolic(args) or any_symbolic(kwargs):
        why = "has no counterpart among the ops" if rule is None else "has no counterpart with these arguments"
        raise TypeError(
            errors.at_user_line(
                f"np.{name} {why}, and a symbolic tensor has no elements for NumPy to work on. Use a tf function, or "
                "tf.numpy_function."
            )
        )
    return from_arrays(func(*to_arrays(args), **to_arrays(kwargs)))


_PARTS = (np.real, np.imag)  # with which NumPy's own code (np.testing) takes arrays apart: it expects arrays


@provide
def array_namespace(api_version: str | None = None) -> Any:
    """The namespace of the array API standard.

    Raises:
      ValueError: `api_version` is not one that the namespace keeps to.
    """
    if api_version not in (None, "2021.12", "2022.12", "2023.12", "2024.12"):
        raise ValueError(f"the array API of version {shown(api_version)} is not supported; 2024.12 is the newest")
    return importlib.import_module("graphrt.array_api")


@provide
def to_device(tensor: Any, device: str, stream: Any = None) -> Any:
    """`tensor` itself, if `device` is the CPU.

    Raises:
      ValueError: it is another device, or a stream is given.
    """
    if stream is not None or str(device).lower() not in ("cpu", "cpu:0", "/cpu:0", tensor.device.lower()):
        raise ValueError(errors.at_user_line(f"there is one device, the CPU, and no streams; found {device!r}"))
    return tensor
