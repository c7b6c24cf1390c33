"""Parts of a variable can be assigned to: `v[1:].assign(x)`."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from graphrt import errors
from graphrt.ir.op import ops, provide  # late: `import graphrt` imports this file, and is to stay quick
from graphrt.state.resource_ops import ResourceStridedSliceAssign, assign_part
from graphrt.tensor.tensor import SymbolicTensor, Tensor, raw_of
from graphrt.types.likes import TensorLike

if TYPE_CHECKING:
    from graphrt.state.variable import Variable

# state: weak: what is remembered goes with the tensor
_slices: dict[int, tuple[Any, Any, Any]] = {}


def remember_slice(piece: Tensor, variable: TensorLike, key: Any) -> None:
    position = id(piece)
    _slices[position] = (weakref.ref(piece, lambda _: _slices.pop(position, None)), variable, key)


@provide
def slice_assigner(tensor: Tensor) -> Callable[..., Any]:
    """The function that assigns to the part of a variable that `tensor` was read from.

    Raises:
      AttributeError: the tensor is not a part of a variable.
    """
    found = _slices.get(id(tensor))
    if found is None or found[0]() is not tensor:
        raise AttributeError(
            f"{type(tensor).__name__!r} object has no attribute 'assign': only variables, and parts of them such as "
            "v[1:], can be assigned to"
        )
    _, variable, key = found
    if isinstance(tensor, SymbolicTensor):
        return lambda value, name=None: _assign_slice_later(variable, tensor, value, name)
    return lambda value, name=None: _assign_slice_now(variable, key, value)


def _assign_slice_now(variable: Any, key: int | tuple[int | slice, int | slice], value: Any) -> Variable:
    new = raw_of(variable._converted(value))
    try:
        assign_part(variable.storage, _plain_key(key), new)
    except errors.ShapeError as error:
        raise errors.ShapeError(errors.at_user_line(str(error))) from error
    return variable


def _plain_key(key: int | slice | tuple[int | slice, int | slice]) -> Any:
    if isinstance(key, tuple):
        return tuple(_plain_key(k) for k in key)
    if isinstance(key, slice):
        return slice(*(None if k is None else int(k) for k in (key.start, key.stop, key.step)))
    return key.numpy() if hasattr(key, "numpy") else key


def _assign_slice_later(variable: Variable, piece: SymbolicTensor, value: TensorLike, name: str | None) -> Any:
    node = piece.value.node
    if node.op is not ops.StridedSlice:
        raise TypeError(
            errors.at_user_line(f"only slices of a variable can be assigned to, not the result of {node.type}")
        )
    begin, end, strides = piece.op.inputs[1:]
    masks = {k: v for k, v in node.attrs.items() if k.endswith("_mask")}
    operation = ResourceStridedSliceAssign(
        variable._target, begin, end, strides, variable._converted(value), name=name or f"{node.name}/_assign", **masks
    )
    return variable._assigned(operation, True)
