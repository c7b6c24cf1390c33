"""From Python values to tensors.

>>> import graphrt as tf
>>> tf.constant([1, 2]).dtype, tf.constant(1.5).dtype, tf.constant("a").dtype
(tf.int32, tf.float32, tf.string)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from graphrt import errors
from graphrt.ir.op import ops  # late: ops stand above tensors
from graphrt.ir.weak_type import RANKS
from graphrt.tensor import conversions
from graphrt.tensor.changes import SWITCH
from graphrt.tensor.context import building, current_graph, recorders, scope
from graphrt.tensor.tensor import EagerTensor, SymbolicTensor, Tensor, raw_of
from graphrt.tensor.values import cast_exactly, is_other_sequence, leaves_of, listed, to_numpy
from graphrt.types import dtype as dtypes
from graphrt.types.advice import conversion
from graphrt.types.dtype import DType, as_dtype
from graphrt.types.likes import DTypeLike, ShapeLike, TensorLike
from graphrt.types.limits import check_bytes, made
from graphrt.types.nesting import shown, told
from graphrt.types.shape import TensorShape, dims_of
from graphrt.types.structure import Dispatching


def _needs_packing(leaves: list[Any]) -> bool:
    """Whether tensors are among them of which NumPy makes another array than the op, or none.

    These are strings, several dtypes, and dtypes that are not NumPy's own (bfloat16).
    """
    found = {v.dtype for v in leaves if isinstance(v, EagerTensor)}
    return len(found) > 1 or dtypes.string in found or any(np.dtype(d.as_numpy_dtype).kind == "V" for d in found)


def convert_to_tensor(
    value: TensorLike, dtype: DTypeLike | None = None, dtype_hint: DTypeLike | None = None, name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
) -> Tensor:  # fmt: skip
    """Converts `value` to a Tensor of `dtype`, or of its natural dtype (`dtype_hint` where that fits).

    While a graph is being traced the result is symbolic.

    >>> import graphrt as tf
    >>> tf.convert_to_tensor([[1, 2], [3, 4]], tf.float32).shape
    TensorShape([2, 2])

    Raises:
      TypeError: the value's type does not fit.
      ValueError: the value is no tensor, is ragged, does not fit, or is a Tensor of another dtype.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, Tensor):
        if wanted is not None and value.dtype is not wanted:
            if _is_weak(value):
                return ops.meeting(value, wanted)
            call = conversion(value.dtype, wanted)
            raise errors.DTypeMismatchError(
                errors.at_user_line(
                    f"Tensor conversion requested dtype {wanted.name} for Tensor with dtype {value.dtype.name}: "
                    f"{shown(value)}." + (call and f" Use {call} to convert it.")
                )
            )
        return value
    hint = dtype_hint if dtype_hint is not None else preferred_dtype
    hint = None if hint is None else as_dtype(hint)
    convert = getattr(value, "__tf_tensor__", None)
    if convert is not None and not conversions.is_nearer(value, "__tf_tensor__"):
        return convert(wanted, name)
    if is_other_sequence(value) and not conversions.is_convertible(value):
        value = listed(value)
    if isinstance(value, (list, tuple)):
        leaves: list[Any] = []
        leaves_of(value, leaves)
        if any(isinstance(v, SymbolicTensor) or hasattr(v, "__tf_tensor__") for v in leaves) or (
            any(isinstance(v, EagerTensor) for v in leaves)
            and (current_graph() is not None or recorders() or _needs_packing(leaves))
        ):
            found = _leaf_dtype(leaves)
            if wanted is not None and found is not None and found is not wanted:
                return _pack(value, name, lambda item, label: _element(item, wanted, label))
            if wanted is None and found is not None and _all_weak(leaves):
                return _pack(value, name, _agreeing)
            return _pack(value, name, lambda item, label: convert_to_tensor(item, wanted or found or hint, name=label))
    if conversions.is_convertible(value):
        found = conversions.converted(value, wanted, hint, name)
        if found is not None:
            return found
    graph = current_graph()
    if isinstance(value, Dispatching) and not hasattr(value, "__array__"):
        raise errors.CompositeGiven(value)
    try:
        array = to_numpy(value, wanted, hint)
    except RecursionError as error:
        raise told((value,), error) from None
    except (TypeError, ValueError) as error:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Dispatching):
                raise errors.CompositeGiven(item) from None
        raise errors.ConversionError(errors.at_user_line(str(error))) from None
    if graph is None:
        return EagerTensor(array)
    return graph.constant(array, name)


def _leaf_dtype(leaves: list[Any]) -> DType | None:
    weak: DType | None = None
    for v in leaves:
        if _is_weak(v):
            weak = weak or v.dtype
        elif isinstance(v, Tensor) or hasattr(v, "__tf_tensor__"):
            return as_dtype(v.dtype)
    return weak


def _all_weak(leaves: list[Any]) -> bool:
    return not any(hasattr(v, "__tf_tensor__") or (isinstance(v, Tensor) and not _is_weak(v)) for v in leaves)


def _is_weak(value: TensorLike) -> bool:
    return type(value) is SymbolicTensor and value.value.weak is not None


def _element(item: TensorLike, dtype: DType, label: str) -> Tensor:
    """An element of a list of tensors of another dtype than `dtype`: cast, as values are at once, unless that loses a part.

    Raises:
      ConversionError, DTypeMismatchError: it may, or does.
    """
    if _is_weak(item) or not (isinstance(item, Tensor) or hasattr(item, "__tf_tensor__")):
        return convert_to_tensor(item, dtype, name=label)
    found = convert_to_tensor(item, name=label)
    if found.dtype is dtype:
        return found
    if isinstance(found, EagerTensor):
        try:
            cast_exactly(np.asarray(raw_of(found)), found.dtype, dtype)
        except (TypeError, ValueError) as error:
            raise errors.ConversionError(errors.at_user_line(str(error))) from None
    elif RANKS.get(found.dtype.kind, 9) > RANKS.get(dtype.kind, -1):
        return convert_to_tensor(found, dtype)  # which says how it is cast
    return ops.cast(found, dtype)


def _agreeing(item: TensorLike, label: str) -> Tensor:
    """A number or a weak tensor among others, which agree among each other."""
    found: Any = item if _is_weak(item) else ops.weak_number(item, None, label)
    return found


def _pack(value: Any, name: str | None, part: Callable[[Any, str], Tensor]) -> Tensor:
    with scope(name, "packed") as own:
        return ops.Pack(
            [_pack(v, str(i), part) if isinstance(v, (list, tuple)) else part(v, str(i)) for i, v in enumerate(value)],
            name=own,
        )


def _symbolic(value: TensorLike) -> bool:
    if isinstance(value, (list, tuple)):
        return any(_symbolic(v) for v in value)
    return isinstance(value, SymbolicTensor) or hasattr(value, "__tf_tensor__")


def constant(value: TensorLike, dtype: DTypeLike | None = None, shape: ShapeLike = None, name: str = "Const") -> Tensor:
    """A tensor of constant `value`; `shape` repeats a single value or reshapes as many as it needs.

    >>> import graphrt as tf
    >>> tf.constant(7, shape=[2, 2]).numpy().tolist()
    [[7, 7], [7, 7]]

    Raises:
      TypeError: the value has another kind than `dtype`, or too few elements for `shape`.
      ValueError: the value is ragged or does not fit `dtype`.
    """
    if SWITCH.promoting is not None and (found := SWITCH.promoting.constant(value, dtype, shape, name)) is not None:
        return found
    if isinstance(value, TensorShape) and dtype is not None and value.is_fully_defined():
        value = value.as_list()  # its sizes, in any dtype: a conversion keeps them integers
    if shape is None:
        if isinstance(value, SymbolicTensor) and dtype is None:
            return value
        return convert_to_tensor(value, dtype, name=name)
    dims: Any = dims_of(shape)
    if dims is None or None in dims:
        raise errors.ConversionError(f"the shape of a constant must be fully known, found {TensorShape(dims)}")
    with building(None):  # the value alone; the node is made below
        tensor = convert_to_tensor(value, dtype) if not _symbolic(value) else None
    if tensor is None:
        tensor = convert_to_tensor(value, dtype, name=name)
        return ops.BroadcastTo(tensor, list(dims)) if tensor.dims == () else ops.Reshape(tensor, list(dims))
    assert isinstance(tensor, EagerTensor)
    array = np.asarray(raw_of(tensor))
    wanted = int(np.prod(dims, dtype=np.int64))
    if array.size == wanted:
        array = array.reshape(dims)
    elif array.size == 1:
        check_bytes(wanted * array.itemsize, "constant: the result")
        array = made("constant: the result", np.full, dims, array.reshape(-1)[0], array.dtype)
    else:
        raise errors.ConversionError(
            f"Eager execution of tf.constant with unsupported shape. Tensor {tensor!r} (converted from {value!r}) has "
            f"{array.size} elements, but got `shape` {TensorShape(dims)} with {wanted} elements)."
        )
    graph = current_graph()
    if not array.ndim and array.dtype != object:
        array = array[()]
    return EagerTensor(array) if graph is None else graph.constant(array, name)
